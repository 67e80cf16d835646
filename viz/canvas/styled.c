/* styled.c: words with changes of style among them, as pango sets them.
 *
 *     "a \x11strong\x10 word"  -->  text "a strong word", attributes: bold 2..8
 */
#include "canvas/canvas.h"

#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

static const double CODE_SIZE = 0.93; /* of the size: the letters of code look larger than others */

static void add_style(PangoAttrList *list, const rv_fonts *fonts, unsigned style, size_t from,
                      size_t to) {
    PangoAttribute *made[2] = {NULL};
    int n = 0;
    if (style & RV_STYLE_CODE) {
        const int size = (int)(CODE_SIZE * fonts->size * PANGO_SCALE);
        made[n++] = pango_attr_font_desc_new(fonts->of[(style & RV_STYLE_STRONG) != 0][1]);
        made[n++] = pango_attr_size_new_absolute(size);
    } else if (style & RV_STYLE_STRONG) {
        made[n++] = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
    }
    if (n < 2 && (style & RV_STYLE_EMPHASIS)) made[n++] = pango_attr_style_new(PANGO_STYLE_ITALIC);
    for (int i = 0; i < n; i++) {
        made[i]->start_index = (guint)from;
        made[i]->end_index = (guint)to;
        pango_attr_list_insert(list, made[i]);
    }
}

void rv_lay_words(PangoLayout *layout, const rv_fonts *fonts, const char *text) {
    const size_t most = strlen(text);
    char *plain = malloc(most + 1);
    PangoAttrList *list = pango_attr_list_new();
    size_t n = 0, from = 0;
    unsigned style = 0;
    /* On one line pango would show a line's end as a sign: pango 1.58 draws what follows it too large. */
    const bool one_line = pango_layout_get_single_paragraph_mode(layout);
    for (size_t i = 0; plain != NULL && i <= most; i++) {
        if (i < most && !rv_is_style(text[i])) {
            plain[n++] = one_line && text[i] == '\n' ? ' ' : text[i];
            continue;
        }
        if (style != 0 && n > from) add_style(list, fonts, style, from, n);
        style = (unsigned char)text[i] & 7U;
        from = n;
    }
    pango_layout_set_text(layout, plain != NULL ? plain : "", (int)n);
    pango_layout_set_attributes(layout, list);
    pango_attr_list_unref(list);
    free(plain);
}
