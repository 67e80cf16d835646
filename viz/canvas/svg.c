/* svg.c: cairo's SVG, the same bytes each time.
 *
 *   - cairo numbers all surfaces and images of the process; here they count from 1 in each file.
 *   - cairo names every default; here they are left out, and so are decimals of a path that nobody sees.
 *   - cairo 1.16 writes styles and surface7, 1.18 attributes and source-7: both are understood.
 *   - The picture gets a title, which a screen reader says.
 */
#include "canvas/paper.h"
#include "base/containers.h"

#include <cairo-svg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of `surface7` and `source-12`, in the order in which they appear. */
typedef struct numbers {
    unsigned long *seen;
    size_t n, room;
    bool failed;
} numbers;

static size_t place_of(numbers *all, unsigned long number) {
    for (size_t i = 0; i < all->n; i++) {
        if (all->seen[i] == number) return i + 1;
    }
    if (!rs_reserve(NULL, &all->seen, all->n + 1, &all->room)) {
        all->failed = true;
        return 0;
    }
    all->seen[all->n++] = number;
    return all->n;
}

/* Returns the length of a property at `at` that has its default value; 0: there is none. */
static size_t spare_words(const char *at, const char *end) {
    static const char *const defaults[] = {"fill-rule:nonzero;",       "fill-opacity:1;",
                                           "stroke-opacity:1;",        "stroke:none;",
                                           "stroke-linecap:butt;",     "stroke-linejoin:miter;",
                                           "stroke-miterlimit:10;",    " fill-rule=\"nonzero\"",
                                           " fill-opacity=\"1\"",      " stroke-opacity=\"1\"",
                                           " stroke-linecap=\"butt\"", " stroke-linejoin=\"miter\"",
                                           " stroke-miterlimit=\"10\""};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        const size_t n = strlen(defaults[i]);
        if ((size_t)(end - at) >= n && memcmp(at, defaults[i], n) == 0) return n;
    }
    return 0;
}

/* Returns the length of the word at `at`, and its hyphen, if a number that must be replaced follows it;
   0: none. */
static size_t counted_word(const char *at, const char *end) {
    static const char *const words[] = {"surface", "image", "pattern", "mask", "source"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - at) < n + 2 || memcmp(at, words[i], n) != 0) continue;
        n += at[n] == '-';
        if (at[n] >= '0' && at[n] <= '9') return n;
    }
    return 0;
}

static void write_part(rs_write write, void *context, const char *from, const char *to) {
    if (to > from) write(context, from, (size_t)(to - from));
}

static void put_title(const char *title, rs_write write, void *context) {
    static const char before[] = "\n<title>", after[] = "</title>";
    write(context, before, sizeof before - 1);
    for (const char *c = title; *c != '\0'; c++) {
        const char *safe = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
        write(context, safe != NULL ? safe : c, safe != NULL ? strlen(safe) : 1);
    }
    write(context, after, sizeof after - 1);
}

/* Returns the length of a fraction at `at` with more than three decimals: nobody sees a thousandth
   of a pixel. 0: there is none. */
static size_t long_number(const char *at, const char *end) {
    if (*at != '.') return 0;
    size_t n = 1;
    while (at + n < end && at[n] >= '0' && at[n] <= '9') n++;
    return n > 4 ? n : 0;
}

/* Writes into `out` what replaces the text at `at`; returns how much of it that replaces; 0: nothing. */
static size_t replace(const char *at, const char *end, bool in_path, numbers *all, char out[32]) {
    out[0] = '\0';
    size_t n = spare_words(at, end);
    if (n > 0) return n;
    if (in_path) n = long_number(at, end);
    if (n > 0) snprintf(out, 32, "%.4s", at);
    if (n > 0 || (*at != '"' && *at != '#')) return n;
    n = counted_word(at + 1, end);
    if (n == 0) return 0;
    char *behind;
    const size_t place = place_of(all, strtoul(at + 1 + n, &behind, 10));
    snprintf(out, 32, "%.*s%zu", (int)n + 1, at, place);
    return (size_t)(behind - at);
}

/* Hands out cairo's SVG, which ends with a zero byte. */
bool rv_write_svg_file(const rv_paper *paper, rs_write write, void *context) {
    numbers all = {0};
    const char *end = paper->bytes + paper->n_bytes, *from = paper->bytes;
    const char *head = strstr(paper->bytes, "<svg ");
    head = head != NULL ? strchr(head, '>') : NULL;
    bool in_path = false;
    for (const char *at = from; at < end;) {
        char out[32];
        if (*at == '"') in_path = at - from >= 3 && memcmp(at - 3, " d=", 3) == 0;
        const size_t n = replace(at, end, in_path, &all, out);
        if (n > 0) {
            write_part(write, context, from, at);
            write_part(write, context, out, out + strlen(out));
            from = at += n;
            continue;
        }
        if (at++ != head) continue;
        write_part(write, context, from, at);
        put_title(paper->title, write, context);
        from = at;
    }
    write_part(write, context, from, end);
    free(all.seen);
    return !all.failed;
}

cairo_surface_t *rv_open_svg(rv_paper *paper, double width, double height) {
    cairo_surface_t *svg =
        cairo_svg_surface_create_for_stream(rv_paper_collect, paper, width, height);
    cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
    return svg;
}
