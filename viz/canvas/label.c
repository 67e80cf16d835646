/* label.c: text: laid out by pango inside its box, shrunk where it must be, cut where even that does
 * not help; each layout is kept and used again.
 */
#include "canvas.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

enum { N_KEPT = 4096 }; /* a power of two */

typedef struct kept {
    PangoLayout *layout;
    char *text;
    double size, width, height;
    uint8_t align;
    bool bold, mono, wrap;
    int text_height;
} kept;

struct rv_labels {
    PangoContext *context;
    kept table[N_KEPT];
};

static const double LEAST = 0.7; /* of the wanted size */

rv_labels *rv_labels_new(void) {
    rv_labels *labels = calloc(1, sizeof *labels);
    if (labels == NULL) return NULL;
    PangoFontMap *map = pango_cairo_font_map_get_default();
    labels->context = pango_font_map_create_context(map);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(labels->context, options);
    cairo_font_options_destroy(options);
    pango_cairo_context_set_resolution(labels->context, 72); /* points are pixels */
    pango_context_set_language(labels->context, pango_language_from_string("zh-cn"));
    return labels;
}

static void drop(kept *entry) {
    if (entry->layout != NULL) g_object_unref(entry->layout);
    free(entry->text);
    *entry = (kept){0};
}

void rv_labels_free(rv_labels *labels) {
    if (labels == NULL) return;
    for (int i = 0; i < N_KEPT; i++) drop(&labels->table[i]);
    g_object_unref(labels->context);
    free(labels);
}

static void set_font(PangoLayout *layout, const rv_item *item, double size) {
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(
        font, item->mono ? "DejaVu Sans Mono,Noto Sans Mono CJK SC,monospace"
                         : "Noto Sans CJK SC,Noto Sans,DejaVu Sans,sans-serif");
    pango_font_description_set_weight(font, item->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
}

/* Lays a text out in its box. */
static void lay_out(const rv_labels *labels, const rv_item *item, const char *text, kept *entry) {
    PangoLayout *layout = pango_layout_new(labels->context);
    int width, height;
    pango_layout_set_text(layout, text, -1);
    pango_layout_set_alignment(layout, item->align == RV_LEFT     ? PANGO_ALIGN_LEFT
                                       : item->align == RV_MIDDLE ? PANGO_ALIGN_CENTER
                                                                  : PANGO_ALIGN_RIGHT);
    if (item->wrap) {
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        pango_layout_set_width(layout, (int)(item->box.w * PANGO_SCALE));
    }
    double size = item->radius;
    for (int i = 0; i < 5; i++) {
        set_font(layout, item, size);
        pango_layout_get_pixel_size(layout, &width, &height);
        if (width <= item->box.w + 0.5 && height <= item->box.h + 0.5 * size) break;
        if (size <= LEAST * item->radius) break;
        const double fit = fmin(item->box.w / width, (item->box.h + 0.5 * size) / height);
        const double wanted = item->wrap ? 0.92 * size : size * fmin(0.99, fit);
        size = fmax(LEAST * item->radius, wanted);
    }
    if (!item->wrap) pango_layout_set_width(layout, (int)(item->box.w * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    if (item->wrap) pango_layout_set_height(layout, (int)(item->box.h * PANGO_SCALE));
    pango_layout_get_pixel_size(layout, &width, &height);
    entry->layout = layout;
    entry->text_height = height;
}

static uint32_t hash_of(const rv_item *item, const char *text) {
    uint32_t hash = 2166136261U;
    for (const char *c = text; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 16777619U;
    hash = (hash ^ (uint32_t)(item->radius * 64)) * 16777619U;
    hash = (hash ^ (uint32_t)(item->box.w * 16)) * 16777619U;
    return (hash ^ (uint32_t)(item->bold + 2 * item->mono)) * 16777619U;
}

static kept *find(rv_labels *labels, const rv_item *item, const char *text) {
    kept *entry = &labels->table[hash_of(item, text) & (N_KEPT - 1)];
    if (entry->text != NULL && strcmp(entry->text, text) == 0 && entry->size == item->radius &&
        entry->width == item->box.w && entry->height == item->box.h && entry->bold == item->bold &&
        entry->mono == item->mono && entry->wrap == item->wrap && entry->align == item->align) {
        return entry;
    }
    drop(entry);
    const size_t n = strlen(text) + 1;
    entry->text = malloc(n);
    if (entry->text == NULL) return NULL;
    memcpy(entry->text, text, n);
    entry->size = item->radius;
    entry->width = item->box.w;
    entry->height = item->box.h;
    entry->bold = item->bold;
    entry->mono = item->mono;
    entry->wrap = item->wrap;
    entry->align = item->align;
    lay_out(labels, item, text, entry);
    return entry;
}

void rv_label_paint(rv_labels *labels, cairo_t *cr, const rv_item *item, const char *text) {
    if (text[0] == '\0' || item->box.w < 1 || item->box.h < 1) return;
    kept *entry = find(labels, item, text);
    if (entry == NULL) return;
    const double y = item->top ? item->box.y : item->box.y + (item->box.h - entry->text_height) / 2;
    cairo_set_source_rgba(cr, (item->fill >> 24) / 255.0, (item->fill >> 16 & 0xFF) / 255.0,
                          (item->fill >> 8 & 0xFF) / 255.0, (item->fill & 0xFF) / 255.0);
    cairo_move_to(cr, item->box.x, y);
    pango_cairo_show_layout(cr, entry->layout);
}

bool rv_labels_can_write(rv_labels *labels, const char *text) {
    PangoLayout *layout = pango_layout_new(labels->context);
    pango_layout_set_text(layout, text, -1);
    const bool can = pango_layout_get_unknown_glyphs_count(layout) == 0;
    g_object_unref(layout);
    return can;
}
