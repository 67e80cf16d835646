/* xml_elements.h: an XML as a list of its elements (xml_elements.c), for topologies, graphs and MSCCL's programs.
 *
 *     <system>              0 system
 *       <cpu numaid="0">    1 cpu, in 0: numaid 0
 *         <pci .../>        2 pci, in 1
 */
#pragma once

#include "ringsim_findings.h"

enum { RN_DEEPEST_ELEMENT = 64 };

typedef struct rn_element {
    const char *name;
    int32_t tag;    /* which of the names it was read with; none of them: how many they are */
    int32_t parent; /* stands before what is inside it; -1: this is the outermost */
    int64_t line;
    const char *const *attributes; /* name, value, name, value, ..., NULL */
} rn_element;

typedef struct rn_elements {
    rn_element *list; /* [n] in the order of the text */
    int32_t n, room;
    int32_t n_around; /* elements before the first that the text lacks, as it is a part of an XML */
    rn_finding end;   /* why there are no more; without a text: the XML is whole */
} rn_elements;

/* Reads at most so many elements into the arena; names: those that are known, NULL ends them. What is no XML, has a document type,
   or is too deep or too large: a list that is cut short. RS_UNSUPPORTED: this build has no expat. */
rs_status rn_read_elements(const char *text, size_t n_bytes, const char *const names[],
                           int32_t most, rs_arena *arena, rs_error *error, rn_elements *elements);

/* Warns of what is only a part. */
void rn_tell_part(const rn_elements *elements, rn_findings *findings);
/* Returns the value of an attribute; NULL: there is none of that name. */
const char *rn_attribute(const rn_element *element, const char *name);
/* The same; that there is none is an error. */
const char *rn_needed_attribute(const rn_element *element, const char *name, rn_findings *findings);
/* Reads a whole number of a range from an attribute; false: it is missing or wrong, an error if `needed`. */
bool rn_read_number(const rn_element *element, const char *name, int64_t least, int64_t most,
                    bool needed, rn_findings *findings, int64_t *number);
