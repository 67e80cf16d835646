/* xml_place.h: where an XML parser is: the byte, counted from 0, line and column, counted from 1. For
 * files that have expat. Expat 2.9 has other functions for it, and warns of those that all versions have.
 */
#pragma once

#include <expat.h>
#include <stdint.h>
#include <string.h>

#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define RN_EXPAT(call) call##64
#else
#define RN_EXPAT(call) call
#endif

static inline int64_t rn_xml_byte(XML_Parser parser) {
    return (int64_t)RN_EXPAT(XML_GetCurrentByteIndex)(parser);
}
static inline int64_t rn_xml_line(XML_Parser parser) {
    return (int64_t)RN_EXPAT(XML_GetCurrentLineNumber)(parser);
}
static inline int64_t rn_xml_column(XML_Parser parser) {
    return (int64_t)RN_EXPAT(XML_GetCurrentColumnNumber)(parser) + 1;
}
/* Returns the value of an attribute; NULL: there is none of that name. */
static inline const char *rn_xml_value(const char *const *attributes, const char *name) {
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    }
    return NULL;
}
