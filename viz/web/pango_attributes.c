/* pango_attributes.c: pango's attributes, as far as viz/canvas/ makes any: what a span of a text looks like. */
#include <pango/pango.h>
#include <stdlib.h>

/* text.js: lets bytes from..to of the list's text look so. */
void page_add_attribute(PangoAttrList *list, int kind, int value, guint from, guint to);

PangoAttribute *page_attribute(int kind, int value) {
    PangoAttribute *attribute = malloc(sizeof *attribute);
    if (attribute == NULL) abort(); /* as pango does */
    *attribute = (PangoAttribute){.kind = kind, .value = value};
    return attribute;
}

void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute) {
    page_add_attribute(list, attribute->kind, attribute->value, attribute->start_index,
                       attribute->end_index);
    free(attribute);
}
