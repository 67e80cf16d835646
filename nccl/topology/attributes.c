/* attributes.c: what an element's attributes say: numbers, bus ids.
 */
#include "topology/elements.h"

#include <stdlib.h>
#include <string.h>

const char *rn_attribute(const rn_element *element, const char *name) {
    for (const char *const *at = element->attributes; *at != NULL; at += 2) {
        if (strcmp(at[0], name) == 0) return at[1];
    }
    return NULL;
}

bool rn_read_number(const rn_element *element, const char *name, int64_t least, int64_t most,
                    bool needed, rn_findings *findings, int64_t *number) {
    const char *text = rn_attribute(element, name);
    if (text == NULL) {
        if (needed) {
            rn_find(findings, RN_ERROR, element->line, "%s: %s is missing",
                    rn_tag_name(element->tag), name);
        }
        return false;
    }
    char *end;
    const long long value = strtoll(text, &end, 10);
    const bool digits = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    if (!digits || *end != '\0' || value < least || value > most) {
        rn_find(findings, RN_ERROR, element->line,
                "%s: %s=\"%.40s\" is no number from %lld to %lld", rn_tag_name(element->tag), name,
                text, (long long)least, (long long)most);
        return false;
    }
    *number = value;
    return true;
}

/* Takes hexadecimal digits; returns how many. */
int rn_take_hex(const char **at, int most, uint64_t *value) {
    int n = 0;
    *value = 0;
    for (; n < most; n++, (*at)++) {
        const char c = **at;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) break;
        *value = *value << 4 | (uint64_t)digit;
    }
    return n;
}

bool rn_read_bus_id(const char *text, uint64_t *id) {
    uint64_t domain, bus, device, function;
    const char *at = text;
    if (rn_take_hex(&at, 8, &domain) == 0 || *at++ != ':') return false;
    if (rn_take_hex(&at, 2, &bus) != 2 || *at++ != ':') return false;
    if (rn_take_hex(&at, 2, &device) != 2 || *at++ != '.') return false;
    if (rn_take_hex(&at, 1, &function) != 1 || *at != '\0') return false;
    *id = domain << 20 | bus << 12 | device << 4 | function;
    return true;
}

bool rn_has_class(const rn_element *element, const char *begin) {
    const char *class = rn_attribute(element, "class");
    return class != NULL && strncmp(class, begin, strlen(begin)) == 0;
}
