/* paper.c: see paper.h. */
#include "paper.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairo_status_t collect(void *closure, const unsigned char *data, unsigned int length) {
    rv_paper *paper = closure;
    if (paper->failed) return CAIRO_STATUS_NO_MEMORY;
    if (paper->room - paper->n_bytes < length) {
        const size_t room = paper->room + paper->room / 2 + length + 65536;
        char *grown = realloc(paper->bytes, room);
        if (grown == NULL) {
            paper->failed = true;
            return CAIRO_STATUS_NO_MEMORY;
        }
        paper->bytes = grown;
        paper->room = room;
    }
    memcpy(paper->bytes + paper->n_bytes, data, length);
    paper->n_bytes += length;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_pdf(rv_paper *paper, double width, double height) {
    cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(collect, paper, width, height);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, paper->title);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "ringsim");
    /* Left alone, cairo writes the hour. */
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return pdf;
}

static cairo_surface_t *open_svg(rv_paper *paper, double width, double height) {
    cairo_surface_t *svg = cairo_svg_surface_create_for_stream(collect, paper, width, height);
    cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
    return svg;
}

rs_status rv_paper_open(rv_paper *paper, rv_picture kind, double width, double height,
                        const char *title, rs_error *error) {
    paper->kind = kind;
    snprintf(paper->title, sizeof paper->title, "%s", title);
    switch (kind) {
    case RV_SVG: paper->surface = open_svg(paper, width, height); break;
    case RV_PDF: paper->surface = open_pdf(paper, width, height); break;
    default:
        paper->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
        break;
    }
    paper->cr = cairo_create(paper->surface);
    if (cairo_status(paper->cr) == CAIRO_STATUS_SUCCESS) return RS_OK;
    return rs_fail(error, RS_NO_MEMORY, "no memory for a picture of %.0f x %.0f", width, height);
}

void rv_paper_turn(rv_paper *paper) {
    cairo_show_page(paper->cr);
}

/* --------------------------------------------------------------------------- SVG without accidents */

/* The numbers of `surface7` and `image12`, in the order in which they appear. cairo counts them on
   through the life of the process. */
typedef struct numbers {
    unsigned long *seen;
    size_t n, room;
    bool failed;
} numbers;

static size_t place_of(numbers *all, unsigned long number) {
    for (size_t i = 0; i < all->n; i++) {
        if (all->seen[i] == number) return i + 1;
    }
    if (all->n == all->room) {
        const size_t room = 2 * all->room + 64;
        unsigned long *grown = realloc(all->seen, room * sizeof *grown);
        if (grown == NULL) {
            all->failed = true;
            return 0;
        }
        all->seen = grown;
        all->room = room;
    }
    all->seen[all->n++] = number;
    return all->n;
}

/* Returns the length of the word at `at` if a number that must be replaced follows it; 0: none. */
static size_t counted_word(const char *at, const char *end) {
    static const char *const words[] = {"surface", "image", "pattern", "mask", "source"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);
        if ((size_t)(end - at) > n + 1 && memcmp(at, words[i], n) == 0 && at[n] >= '0' &&
            at[n] <= '9') {
            return n;
        }
    }
    return 0;
}

static void put(rs_write write, void *context, const char *from, const char *to) {
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

/* Hands the SVG out with its own count of surfaces and images, and a title. */
static bool write_svg(const rv_paper *paper, rs_write write, void *context) {
    numbers all = {0};
    const char *end = paper->bytes + paper->n_bytes, *from = paper->bytes, *at = from;
    const char *head = strstr(paper->bytes, "<svg ");
    head = head != NULL ? strchr(head, '>') : NULL;
    for (; at < end; at++) {
        if (at == head) {
            put(write, context, from, at + 1);
            put_title(paper->title, write, context);
            from = at + 1;
        }
        if (*at != '"' && *at != '#') continue;
        const size_t n = counted_word(at + 1, end);
        if (n == 0) continue;
        char *behind, number[32];
        const size_t place = place_of(&all, strtoul(at + 1 + n, &behind, 10));
        put(write, context, from, at + 1 + n);
        write(context, number, (size_t)snprintf(number, sizeof number, "%zu", place));
        from = behind;
        at = behind - 1;
    }
    put(write, context, from, end);
    free(all.seen);
    return !all.failed;
}

rs_status rv_paper_write(rv_paper *paper, rs_write write, void *context, rs_error *error) {
    cairo_status_t status = cairo_status(paper->cr);
    if (status == CAIRO_STATUS_SUCCESS && paper->kind == RV_PNG) {
        status = cairo_surface_write_to_png_stream(paper->surface, collect, paper);
    }
    cairo_surface_finish(paper->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(paper->surface);
    const unsigned char zero = 0; /* so that the SVG can be searched as a text */
    if (status == CAIRO_STATUS_SUCCESS) status = collect(paper, &zero, 1);
    if (status != CAIRO_STATUS_SUCCESS) {
        return rs_fail(error, RS_NO_MEMORY, "the picture could not be drawn: %s",
                       cairo_status_to_string(status));
    }
    paper->n_bytes--;
    if (paper->kind != RV_SVG) {
        write(context, paper->bytes, paper->n_bytes);
    } else if (!write_svg(paper, write, context)) {
        return rs_fail(error, RS_NO_MEMORY, "no memory to write the picture");
    }
    return RS_OK;
}

void rv_paper_free(rv_paper *paper) {
    if (paper->cr != NULL) cairo_destroy(paper->cr);
    if (paper->surface != NULL) cairo_surface_destroy(paper->surface);
    free(paper->bytes);
    *paper = (rv_paper){0};
}
