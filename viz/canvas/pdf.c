/* pdf.c: pages as a PDF without a date. */
#include "canvas/format.h"

#include <cairo-pdf.h>

static cairo_surface_t *open_pdf(rv_paper *paper, double width, double height) {
    cairo_surface_t *pdf =
        cairo_pdf_surface_create_for_stream(rv_paper_collect, paper, width, height);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, paper->title);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "ringsim");
    /* By default cairo writes the date and time. */
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return pdf;
}

const rv_format rv_format_pdf = {.open = open_pdf};
