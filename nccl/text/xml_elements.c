/* xml_elements.c: an XML as a list of elements, read by expat.
 *
 *   - A document type declaration ends the reading: no entity is ever defined, let alone fetched or expanded.
 *   - The whole text is handed over at once: a token is looked at once, however long it is.
 */
#include "xml_elements.h"
#include "ringsim_text.h"
#include "base/containers.h"
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *rn_attribute(const rn_element *element, const char *name) {
    for (const char *const *at = element->attributes; *at != NULL; at += 2) {
        if (strcmp(at[0], name) == 0) return at[1];
    }
    return NULL;
}

void rn_tell_part(const rn_elements *elements, rn_findings *findings) {
    if (elements->n_around == 0 || elements->n_around == elements->n) return;
    const rn_element *first = &elements->list[elements->n_around];
    rn_find(findings, RN_WARNING, first->line,
            "<%.40s> without <%.40s> around it: a part of a file, read as if it were all of it",
            first->name, elements->list[0].name);
}

const char *rn_needed_attribute(const rn_element *element, const char *name,
                                rn_findings *findings) {
    const char *value = rn_attribute(element, name);
    if (value == NULL)
        rn_find(findings, RN_ERROR, element->line, "%s: %s is missing", element->name, name);
    return value;
}

bool rn_read_number(const rn_element *element, const char *name, int64_t least, int64_t most,
                    bool needed, rn_findings *findings, int64_t *number) {
    const char *text =
        needed ? rn_needed_attribute(element, name, findings) : rn_attribute(element, name);
    char *end;
    if (text == NULL) return false;
    const long long value = strtoll(text, &end, 10);
    if ((text[0] != '-' && !rs_is_digit(text[0])) || *end != '\0' || value < least ||
        value > most) {
        rn_find(findings, RN_ERROR, element->line,
                "%s: %s=\"%.40s\" is no number from %lld to %lld", element->name, name, text,
                (long long)least, (long long)most);
        return false;
    }
    *number = value;
    return true;
}

#ifdef HAVE_EXPAT
#include <expat.h>

/* Expat 2.9 has other functions for where it is, and warns of those that all versions have. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define RN_EXPAT(call) call##64
#else
#define RN_EXPAT(call) call
#endif

typedef struct xml_reading {
    XML_Parser parser;
    const char *const *names;
    rs_arena *arena;
    rn_elements *elements;
    int32_t most;
    int32_t open[RN_DEEPEST_ELEMENT]; /* elements that have not ended */
    int32_t depth;                    /* how many */
    bool no_memory;
} xml_reading;

static int64_t line_of(const xml_reading *x) {
    return (int64_t)RN_EXPAT(XML_GetCurrentLineNumber)(x->parser);
}

/* Ends the reading where it is; why stands in the end's message, or there is no memory. */
static void stop(xml_reading *x) {
    x->elements->end.line = line_of(x);
    XML_StopParser(x->parser, XML_FALSE);
}

/* Copies a name and attributes in one piece; false: no memory. */
static bool copy_words(xml_reading *x, const char *name, const char **from, rn_element *to) {
    size_t n = 0, n_bytes = strlen(name) + 1;
    for (; from[n] != NULL; n++) n_bytes += strlen(from[n]) + 1;
    const char **list = rs_alloc(x->arena, 1, (n + 1) * sizeof *list + n_bytes);
    if (list == NULL) return false;
    char *text = (char *)(list + n + 1);
    for (size_t i = 0; i <= n; i++) {
        const char *word = i < n ? from[i] : name;
        const size_t length = strlen(word) + 1;
        list[i] = memcpy(text, word, length);
        text += length;
    }
    to->name = list[n];
    list[n] = NULL;
    to->attributes = list;
    return true;
}

static void XMLCALL begin_element(void *context, const char *name, const char **attributes) {
    xml_reading *x = context;
    rn_elements *all = x->elements;
    if (all->end.line > 0) return;
    if (all->n == x->most || x->depth == RN_DEEPEST_ELEMENT) {
        const bool many = all->n == x->most;
        rs_fail(&all->end.said, RS_OK,
                many ? RS_MESSAGE("too many elements: at most %d")
                     : RS_MESSAGE("elements in elements: at most %d"),
                many ? (int)x->most : RN_DEEPEST_ELEMENT);
        stop(x);
        return;
    }
    rn_element element = {.parent = x->depth > 0 ? x->open[x->depth - 1] : -1, .line = line_of(x)};
    while (x->names[element.tag] != NULL && strcmp(x->names[element.tag], name) != 0) element.tag++;
    if (!copy_words(x, name, attributes, &element) ||
        !rs_reserve(x->arena, &all->list, all->n + 1, &all->room)) {
        x->no_memory = true;
        stop(x);
        return;
    }
    x->open[x->depth++] = all->n;
    all->list[all->n++] = element;
}

static void XMLCALL end_element(void *context, const char *name) {
    xml_reading *x = context;
    (void)name;
    if (x->elements->end.line == 0) x->depth--;
}

static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int has_internal_subset) {
    xml_reading *x = context;
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    rs_fail(&x->elements->end.said, RS_OK,
            "<!DOCTYPE: no document type and no entities are read; remove it");
    stop(x);
}

/* Says why expat refuses the text; one that ends too early is a file that was cut. */
static void say_no_xml(const xml_reading *x, enum XML_Error reason) {
    rn_elements *all = x->elements;
    const long long column = (long long)RN_EXPAT(XML_GetCurrentColumnNumber)(x->parser) + 1;
    const bool ends = reason == XML_ERROR_NO_ELEMENTS || reason == XML_ERROR_UNCLOSED_TOKEN;
    if (reason == XML_ERROR_NO_ELEMENTS && x->depth > 0 && x->depth == all->n_around) return;
    all->end.line = line_of(x);
    if (reason == XML_ERROR_TAG_MISMATCH && x->depth == all->n_around)
        rs_fail(&all->end.said, RS_OK,
                "column %lld: what ends here began before this part: give the whole", column);
    else if (ends && x->depth > 0)
        rs_fail(&all->end.said, RS_OK,
                "column %lld: the file was cut here, within <%.40s>: the whole of it is needed",
                column, all->list[x->open[x->depth - 1]].name);
    else
        rs_fail(&all->end.said, RS_OK, "column %lld: this is no XML: %s", column,
                XML_ErrorString(reason));
}

rs_status rn_read_elements(const char *text, size_t n_bytes, const char *const names[],
                           int32_t most, rs_arena *arena, rs_error *error, rn_elements *elements) {
    assert(n_bytes <= INT32_MAX);
    *elements = (rn_elements){.end = {.level = RN_ERROR}};
    xml_reading x = {.parser = XML_ParserCreate(NULL),
                     .names = names,
                     .arena = arena,
                     .elements = elements,
                     .most = most};
    if (x.parser == NULL) return rs_no_memory(error);
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(x.parser, refuse_doctype);
    const char *around;
    (void)rn_find_root(text, n_bytes, &around);
    XML_Parse(x.parser, around, (int)strlen(around), XML_FALSE);
    elements->n_around = elements->n;
    const bool whole = XML_Parse(x.parser, text, (int)n_bytes, XML_TRUE) == XML_STATUS_OK;
    const enum XML_Error reason = XML_GetErrorCode(x.parser);
    if (!whole && elements->end.line == 0) {
        x.no_memory = reason == XML_ERROR_NO_MEMORY;
        say_no_xml(&x, reason);
    }
    XML_ParserFree(x.parser);
    return x.no_memory ? rs_no_memory(error) : RS_OK;
}
#else
rs_status rn_read_elements(const char *text, size_t n_bytes, const char *const names[],
                           int32_t most, rs_arena *arena, rs_error *error, rn_elements *elements) {
    (void)text, (void)n_bytes, (void)names, (void)most, (void)arena;
    *elements = (rn_elements){.n = 0};
#ifdef __wasm__
    return rs_fail(error, RS_UNSUPPORTED, "XML: not in a page; the program on a computer reads it");
#else
    return rs_fail(error, RS_UNSUPPORTED,
                   "this build has no expat to read XML with; see ringsim doctor");
#endif
}
#endif
