/* pango_attributes.c: pango's attributes, as far as viz/canvas/ makes any: what a span of a text looks like. */
#include <pango/pango.h>
#include <stdlib.h>

/* text.js: lets bytes from..to of the list's text look so. */
void page_add_attribute(PangoAttrList *list, int kind, int value, guint from, guint to);

enum { FONT, SIZE, WEIGHT, STYLE };

static PangoAttribute *make(int kind, int value) {
    PangoAttribute *attribute = malloc(sizeof *attribute);
    if (attribute == NULL) abort(); /* as pango does */
    *attribute = (PangoAttribute){.kind = kind, .value = value};
    return attribute;
}

PangoAttribute *pango_attr_font_desc_new(const PangoFontDescription *font) {
    return make(FONT, (int)(size_t)font);
}

PangoAttribute *pango_attr_size_new_absolute(int size) {
    return make(SIZE, size);
}

PangoAttribute *pango_attr_weight_new(int weight) {
    return make(WEIGHT, weight);
}

PangoAttribute *pango_attr_style_new(int style) {
    return make(STYLE, style);
}

void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute) {
    page_add_attribute(list, attribute->kind, attribute->value, attribute->start_index,
                       attribute->end_index);
    free(attribute);
}
