/* topology_xml.c: a topology's XML as a list of elements, read by expat.
 *
 *     <system>              0 system
 *       <cpu numaid="0">    1 cpu, in 0: numaid 0
 *         <pci .../>        2 pci, in 1
 *
 *   - A document type declaration ends the reading: no entity is ever defined, let alone fetched or expanded.
 *   - The whole text is handed over at once: a token is looked at once, however long it is.
 */
#include "config.h"
#include "base/containers.h"
#include "topology/elements.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what an element's attributes say: numbers, bus ids */

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

static const char *const tags[RN_N_TAGS] = {"system", "cpu", "pci", "gpu",
                                            "nvlink", "c2c", "nic", "net"};

const char *rn_tag_name(rn_tag tag) {
    assert(tag < RN_N_TAGS);
    return tags[tag];
}

#ifdef HAVE_EXPAT
#include "xml_place.h"

typedef struct xml_reading {
    XML_Parser parser;
    const char *text;
    int64_t n_bytes;
    int64_t at, line, column; /* of the byte counted last: lines from 1, columns from 0 */
    rs_arena *arena;
    rn_findings *findings;
    rn_elements *elements;
    int32_t open[RN_DEEPEST_ELEMENT]; /* elements that have not ended */
    int depth;                        /* how many */
    int passed_over;                  /* depth inside what is passed over; 0: nothing is */
    bool no_memory;
    bool ended; /* by us: why is among the findings */
    bool reported_other;
} xml_reading;

/* Returns the line that is read now; counts on to it. A carriage return before a line feed is no line of its own. */
static int64_t line_of(xml_reading *x) {
    const int64_t now = rn_xml_byte(x->parser);
    for (; x->at < now; x->at++) {
        const char c = x->text[x->at];
        if (c == '\n' || (c == '\r' && x->at + 1 < x->n_bytes && x->text[x->at + 1] != '\n')) {
            x->line++;
            x->column = 0;
        } else if (((unsigned char)c & 0xC0) != 0x80) { /* not the rest of a character */
            x->column++;
        }
    }
    return x->line;
}

static void stop(xml_reading *x) {
    x->ended = true;
    XML_StopParser(x->parser, XML_FALSE);
}

static rn_tag find_tag(const char *name) {
    int tag = 0;
    while (tag < RN_N_TAGS && strcmp(name, tags[tag]) != 0) tag++;
    return (rn_tag)tag;
}

/* What NCCL writes besides, and what means nothing for wires. */
static bool is_harmless(const char *name) {
    static const char *const harmless[] = {"gin", "rma", "rail", "plane", "pcilink", NULL};
    for (int i = 0; harmless[i] != NULL; i++) {
        if (strcmp(name, harmless[i]) == 0) return true;
    }
    return false;
}

/* Copies names and values in one piece; NULL: no memory. */
static const char *const *copy_attributes(xml_reading *x, const char *const *from) {
    size_t n = 0, n_bytes = 0;
    for (; from[n] != NULL; n++) n_bytes += strlen(from[n]) + 1;
    const char **list = rs_alloc(x->arena, 1, (n + 1) * sizeof *list + n_bytes);
    if (list == NULL) return NULL;
    char *text = (char *)(list + n + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(from[i]) + 1;
        list[i] = memcpy(text, from[i], length);
        text += length;
    }
    return list;
}

static void add_element(xml_reading *x, rn_tag tag, const char *const *attributes) {
    rn_elements *all = x->elements;
    for (int i = 1; attributes[i - 1] != NULL; i += 2) {
        if (strlen(attributes[i]) <= RN_LONGEST_VALUE) continue;
        rn_find(x->findings, RN_ERROR, line_of(x), "%s %.40s: more than %d bytes, NCCL reads less",
                tags[tag], attributes[i - 1], RN_LONGEST_VALUE);
        stop(x);
        return;
    }
    const char *const *copied = copy_attributes(x, attributes);
    if (copied == NULL || !rs_reserve(x->arena, &all->list, all->n + 1, &all->room)) {
        x->no_memory = true;
        stop(x);
        return;
    }
    const int32_t parent = x->depth > 0 ? x->open[x->depth - 1] : -1;
    x->open[x->depth++] = all->n;
    all->list[all->n++] = (rn_element){tag, parent, line_of(x), copied};
}

static void XMLCALL begin_element(void *context, const char *name, const char **attributes) {
    xml_reading *x = context;
    if (x->ended) return;
    const rn_tag tag = find_tag(name);
    if (x->elements->n == RN_MOST_ELEMENTS || x->depth + x->passed_over == RN_DEEPEST_ELEMENT) {
        rn_find(x->findings, RN_ERROR, line_of(x),
                x->elements->n == RN_MOST_ELEMENTS ? RS_MESSAGE("too many elements: at most %d")
                                                   : RS_MESSAGE("elements in elements: at most %d"),
                x->elements->n == RN_MOST_ELEMENTS ? RN_MOST_ELEMENTS : RN_DEEPEST_ELEMENT);
        stop(x);
    } else if (x->passed_over > 0 || (tag == RN_N_TAGS && x->depth > 0)) {
        if (x->passed_over++ == 0 && !is_harmless(name) && !x->reported_other) {
            rn_find(
                x->findings, RN_WARNING, line_of(x),
                "<%.40s> is no element that is known here: passed over with all inside, and others "
                "like it",
                name);
            x->reported_other = true;
        }
    } else if (x->depth == 0 && tag != RN_TAG_SYSTEM) {
        rn_find(x->findings, RN_ERROR, line_of(x),
                "<%.40s>: NCCL's topology begins with <system>; NCCL_TOPO_DUMP_FILE writes one",
                name);
        stop(x);
    } else {
        add_element(x, tag, attributes);
    }
}

static void XMLCALL end_element(void *context, const char *name) {
    xml_reading *x = context;
    (void)name;
    if (x->ended) return;
    if (x->passed_over > 0) {
        x->passed_over--;
    } else {
        x->depth--;
    }
}

static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int has_internal_subset) {
    xml_reading *x = context;
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    rn_find(x->findings, RN_ERROR, line_of(x),
            "<!DOCTYPE: a topology has no document type and no entities; remove it");
    stop(x);
}

rs_status rn_read_elements(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                           rs_error *error, rn_elements *elements) {
    assert(n_bytes <= INT32_MAX);
    *elements = (rn_elements){0};
    xml_reading x = {.parser = XML_ParserCreate(NULL),
                     .text = text,
                     .n_bytes = (int64_t)n_bytes,
                     .line = 1,
                     .arena = arena,
                     .findings = findings,
                     .elements = elements};
    if (x.parser != NULL) {
        XML_SetUserData(x.parser, &x);
        XML_SetElementHandler(x.parser, begin_element, end_element);
        XML_SetStartDoctypeDeclHandler(x.parser, refuse_doctype);
        const bool whole = XML_Parse(x.parser, text, (int)n_bytes, XML_TRUE) == XML_STATUS_OK;
        const enum XML_Error reason = XML_GetErrorCode(x.parser);
        if (!whole && !x.ended && reason == XML_ERROR_NO_MEMORY) x.no_memory = true;
        if (!whole && !x.ended && !x.no_memory) {
            const int64_t line = line_of(&x);
            rn_find(findings, RN_ERROR, line, "column %lld: this is no XML: %s",
                    (long long)x.column + 1, XML_ErrorString(reason));
        }
    }
    const bool failed = x.parser == NULL || x.no_memory;
    if (x.parser != NULL) XML_ParserFree(x.parser);
    return failed ? rs_no_memory(error) : RS_OK;
}
#else
rs_status rn_read_elements(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                           rs_error *error, rn_elements *elements) {
    (void)text, (void)n_bytes, (void)arena, (void)findings, (void)elements;
    return rn_no_expat(error);
}
#endif
