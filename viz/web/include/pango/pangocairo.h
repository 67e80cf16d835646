/* pangocairo.h: for a page: see pango.h. */
#ifndef RV_WEB_PANGOCAIRO_H
#define RV_WEB_PANGOCAIRO_H

#include <pango/pango.h>

void pango_cairo_layout_path(cairo_t *cr, PangoLayout *layout);
void pango_cairo_show_layout(cairo_t *cr, PangoLayout *layout);
static inline PangoFontMap *pango_cairo_font_map_get_default(void) {
    return NULL;
}
static inline void pango_cairo_context_set_font_options(PangoContext *context,
                                                        cairo_font_options_t *options) {
    (void)context, (void)options;
}
static inline void pango_cairo_context_set_resolution(PangoContext *context, double dpi) {
    (void)context, (void)dpi;
}

#endif
