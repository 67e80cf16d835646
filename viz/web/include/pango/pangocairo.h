/* pangocairo.h: for a page: see pango.h. */
#pragma once

#include <pango/pango.h>

void pango_cairo_layout_path(cairo_t *cr, PangoLayout *layout);
void pango_cairo_show_layout(cairo_t *cr, PangoLayout *layout);
#define pango_cairo_font_map_get_default() ((PangoFontMap *)NULL)
#define pango_cairo_context_set_font_options(context, options) ((void)(context))
#define pango_cairo_context_set_resolution(context, dpi) ((void)(context))
