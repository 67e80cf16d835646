/* pango.h: for a page: the part of pango that viz/canvas/ uses; see cairo.h beside its folder. web/text.js does it. */
#pragma once

#include <cairo.h>
#include <stdbool.h>

typedef unsigned guint;
enum { FALSE, TRUE };
enum { PANGO_SCALE = 1024 };
typedef struct PangoLayout PangoLayout;
typedef struct PangoContext PangoContext;
typedef struct PangoFontMap PangoFontMap;
typedef struct PangoFontDescription PangoFontDescription;
typedef struct PangoAttrList PangoAttrList;
typedef struct PangoLanguage PangoLanguage;
typedef struct PangoRectangle {
    int x, y, width, height;
} PangoRectangle;
/* text.js reads it: a kind of attribute, and its value, a number or a font. */
typedef struct PangoAttribute {
    guint start_index, end_index;
    int kind, value;
} PangoAttribute;
enum { PANGO_WEIGHT_NORMAL = 400, PANGO_WEIGHT_BOLD = 700, PANGO_STYLE_ITALIC = 2 };
enum { PANGO_WRAP_WORD_CHAR = 2, PANGO_ELLIPSIZE_END = 3 };
enum { PANGO_ALIGN_LEFT, PANGO_ALIGN_CENTER, PANGO_ALIGN_RIGHT };

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_set_family_static(PangoFontDescription *font, const char *families);
void pango_font_description_set_weight(PangoFontDescription *font, int weight);
void pango_font_description_set_absolute_size(PangoFontDescription *font, double size);
void pango_font_description_free(PangoFontDescription *font);

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *font);
void pango_layout_set_text(PangoLayout *layout, const char *text, int n_bytes);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *list);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_alignment(PangoLayout *layout, int align);
void pango_layout_set_ellipsize(PangoLayout *layout, int where);
void pango_layout_set_single_paragraph_mode(PangoLayout *layout, int single);
int pango_layout_get_single_paragraph_mode(PangoLayout *layout);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
int pango_layout_get_baseline(PangoLayout *layout);
int pango_layout_get_line_count(PangoLayout *layout);
void g_object_unref(void *object);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
void pango_attr_list_unref(PangoAttrList *list);
/* web/pango_attributes.c: what a span of a text looks like; kinds as text.js counts them. */
PangoAttribute *page_attribute(int kind, int value);
#define pango_attr_font_desc_new(font) page_attribute(0, (int)(size_t)(font))
#define pango_attr_size_new_absolute(size) page_attribute(1, size)
#define pango_attr_weight_new(weight) page_attribute(2, weight)
#define pango_attr_style_new(style) page_attribute(3, style)

/* There is one way to break lines; browsers have fonts, and a context of their own. */
#define pango_layout_set_wrap(layout, how) ((void)(layout))
#define pango_layout_get_unknown_glyphs_count(layout) ((void)(layout), 0)
#define pango_font_map_create_context(map) ((void)(map), (PangoContext *)NULL)
#define pango_context_set_round_glyph_positions(context, round) ((void)(context))
#define pango_context_set_language(context, language) ((void)(context))
#define pango_language_from_string(name) ((PangoLanguage *)NULL)
