/* formats.c: the kinds of pictures, in the order of RV_PICTURES. svg.c makes cairo's the same each time. */
#include "base/containers.h"
#include "canvas/paper.h"

#include <assert.h>
#include <cairo-pdf.h>
#include <string.h>
#include <unistd.h>

cairo_status_t rv_paper_collect(void *closure, const unsigned char *data, unsigned int length) {
    rv_paper *paper = closure;
    if (paper->failed) return CAIRO_STATUS_NO_MEMORY;
    if (!rs_reserve(NULL, &paper->bytes, paper->n_bytes + length, &paper->room)) {
        paper->failed = true;
        return CAIRO_STATUS_NO_MEMORY;
    }
    assert(paper->n_bytes + length <= paper->room);
    memcpy(paper->bytes + paper->n_bytes, data, length);
    paper->n_bytes += length;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_png(rv_paper *paper, double width, double height) {
    (void)paper;
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
}

static cairo_status_t finish_png(rv_paper *paper) {
    return cairo_surface_write_to_png_stream(paper->surface, rv_paper_collect, paper);
}

static cairo_surface_t *open_pdf(rv_paper *paper, double width, double height) {
    cairo_surface_t *pdf =
        cairo_pdf_surface_create_for_stream(rv_paper_collect, paper, width, height);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, paper->title);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "ringsim");
    /* By default cairo writes the date and time. */
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return pdf;
}

/* ----------------------------------------------------------------------------------------- films */

static uint64_t big_endian(const unsigned char *bytes, int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[i];
    return value;
}

/* Tells whether an MP4 is whole. It is a row of boxes: 4 bytes of length, 4 letters; length 1: 8
   bytes of length follow. The last must end where the file does, and one must be `moov`, the index:
   without it no player can play the film. */
static bool is_whole_mp4(int film, off_t n_bytes) {
    const uint64_t end = (uint64_t)n_bytes;
    bool has_index = false;
    uint64_t at = 0;
    while (at < end) {
        unsigned char head[16] = {0};
        if (pread(film, head, sizeof head, (off_t)at) < 8) return false;
        uint64_t length = big_endian(head, 4);
        if (length == 1) length = big_endian(head + 8, 8);
        if (length < 8 || length > end - at) return false;
        has_index |= memcmp(head + 4, "moov", 4) == 0;
        at += length;
    }
    return has_index;
}

static bool is_whole_gif(int file, off_t n_bytes) {
    unsigned char last = 0;
    return pread(file, &last, 1, n_bytes - 1) == 1 && last == ';';
}

/* The MP4 has the colours of HD television (bt709) and says so; its pictures are drawn, not filmed, hence x264's
   tuning. */
static const rv_format formats[RV_N_PICTURES] = {
    [RV_PNG] = {.open = open_png, .finish = finish_png},
    [RV_SVG] = {.open = rv_open_svg, .write = rv_write_svg_file},
    [RV_PDF] = {.open = open_pdf},
    [RV_MP4] = {.per_second = 30,
                .arguments =
                    "-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p "
                    "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -c:v libx264 "
                    "-preset veryfast -tune animation -crf 18 -movflags +faststart -f mp4",
                .is_whole = is_whole_mp4},
    [RV_GIF] = {.per_second = 20,
                .most_width = 960,
                .arguments = "-lavfi paletteuse=dither=none:diff_mode=rectangle -loop 0 -f gif",
                .has_palette = true,
                .is_whole = is_whole_gif},
};

const rv_format *rv_format_of(rv_picture kind) {
    assert(kind < RV_N_PICTURES &&
           (rv_pictures[kind].medium == RV_FILM) == (formats[kind].open == NULL));
    return &formats[kind];
}
