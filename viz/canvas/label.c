/* label.c: text, which pango sets inside its box; shrunk if it is too large, cut if that is not
 * enough. A table keeps each text that is set: as a layout for files, as an image of its ink for
 * frames.
 *
 *       box +-----------------------------+
 *           |   Ag  -- the middle of its capitals stands in the middle of the box --
 *           +-----------------------------+  baseline on a whole pixel in frames
 *
 *   - Pango sets a text once for all the boxes that it fits: a label that moves costs one copy of
 *     its ink in its colour.
 *   - No ink leaves the box: a text too wide or too high shrinks to no less than LEAST of its size,
 *     then ends with an ellipsis; ink that still stands out is clipped.
 *   - Pango sets every text in one size, SET_AT, and cairo scales it: to look for a font in another
 *     size takes milliseconds each time, and unhinted letters have the same shape in all sizes.
 *   - Without any font the canvas draws no text: pango's sizes would be uninitialised memory.
 *   - The table forgets the texts that were not used for longest; it never holds more than
 *     IMAGE_BYTES of images.
 */
#include "canvas/canvas.h"
#include "base/containers.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

/* Words with changes of style among them, as pango sets them.
 *
 *     "a \x11strong\x10 word"  -->  text "a strong word", attributes: bold 2..8
 */

/* ------------------------------------------------------------------------ styles inside a text */

typedef struct font_set {
    PangoFontDescription *of[2][2]; /* [bold][mono] */
    double size;                    /* in which pango sets them */
} font_set;

static const double CODE_SIZE = 0.93; /* of the size: the letters of code look larger than others */

static void add_style(PangoAttrList *list, const font_set *fonts, unsigned style, const char *text,
                      size_t from, size_t to) {
    PangoAttribute *made[2] = {NULL};
    int n = 0;
    uint32_t first;
    rv_decode(text + from, &first);
    /* Chinese has no italics: its terms are bold. */
    if (style == RV_STYLE_EMPHASIS && rv_code_width(first) == 2) style = RV_STYLE_STRONG;
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

static void lay_words(PangoLayout *layout, const font_set *fonts, const char *text) {
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
        if (style != 0 && n > from) add_style(list, fonts, style, plain, from, n);
        style = (unsigned char)text[i] & 7U;
        from = n;
    }
    pango_layout_set_text(layout, plain != NULL ? plain : "", (int)n);
    pango_layout_set_attributes(layout, list);
    pango_attr_list_unref(list);
    free(plain);
}

/* --------------------------------------------------------------------------------------- texts */

enum { N_SETS = 512, N_WAYS = 8, IMAGE_BYTES = 32 << 20 };

static const double SET_AT = 32;      /* pixels */
static const double LEAST = 0.7;      /* of the wanted size */
static const double UNBROKEN = 32768; /* pixels: no line is as long */
static const double RAISED = 0.36;    /* of the size: half a capital */
static const double HALO = 0.24;      /* of the size: the stroke round a letter */

/* How a text looks depends on this and on nothing else. */
typedef struct face {
    double size;
    double width, height; /* at which it breaks or is cut; 0: on one line of any width */
    uint8_t align;
    bool bold, mono;
} face;

/* An image of ink; x, y: where it lies, seen from the left end of the text's (first) baseline. */
typedef struct ink {
    cairo_surface_t *mask; /* NULL: not made yet */
    int x, y;
} ink;

typedef struct kept {
    char *text; /* NULL: free */
    face face;
    PangoLayout *layout;
    double width, height;            /* of the text as set */
    double baseline;                 /* of its first line, below its top */
    double left, right, top, bottom; /* its ink, seen from the left end of that baseline */
    int n_lines;
    ink plain, halo;
    uint64_t used;
} kept;

struct rv_labels {
    PangoContext *context;
    font_set fonts;
    bool wordless; /* the machine has no font at all */
    uint64_t clock;
    size_t image_bytes;
    kept table[N_SETS][N_WAYS];
};

/* ---------------------------------------------------------------------------- birth and forgetting */

static PangoFontDescription *font_of(bool bold, bool mono) {
    PangoFontDescription *font = pango_font_description_new();
    /* One family for Latin and Chinese where there is one; all of them have digits of one width. */
    pango_font_description_set_family_static(
        font, mono ? "DejaVu Sans Mono,Noto Sans Mono CJK SC,Noto Sans Mono,monospace"
                   : "Noto Sans CJK SC,Source Han Sans SC,Noto Sans,DejaVu Sans,PingFang SC,"
                     "Microsoft YaHei,WenQuanYi Micro Hei,sans-serif");
    pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(font, SET_AT * PANGO_SCALE);
    return font;
}

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
    pango_context_set_round_glyph_positions(labels->context, FALSE);
    pango_cairo_context_set_resolution(labels->context, 72); /* points are pixels */
    pango_context_set_language(labels->context, pango_language_from_string("zh-cn"));
    for (int i = 0; i < 4; i++) labels->fonts.of[i / 2][i % 2] = font_of(i / 2 == 1, i % 2 == 1);
    labels->fonts.size = SET_AT;
    labels->wordless = !rv_labels_can_write(labels, "0");
    return labels;
}

static void drop_image(rv_labels *labels, ink *image) {
    if (image->mask == NULL) return;
    labels->image_bytes -= (size_t)cairo_image_surface_get_stride(image->mask) *
                           (size_t)cairo_image_surface_get_height(image->mask);
    cairo_surface_destroy(image->mask);
    image->mask = NULL;
}

static void drop_text(rv_labels *labels, kept *entry) {
    if (entry->layout != NULL) g_object_unref(entry->layout);
    drop_image(labels, &entry->plain);
    drop_image(labels, &entry->halo);
    free(entry->text);
    *entry = (kept){0};
}

static void drop_all(rv_labels *labels) {
    for (int i = 0; i < N_SETS * N_WAYS; i++)
        drop_text(labels, &labels->table[i / N_WAYS][i % N_WAYS]);
}

void rv_labels_free(rv_labels *labels) {
    if (labels == NULL) return;
    drop_all(labels);
    for (int i = 0; i < 4; i++) pango_font_description_free(labels->fonts.of[i / 2][i % 2]);
    g_object_unref(labels->context);
    free(labels);
}

/* ----------------------------------------------------------------------------------- setting a text */

static PangoLayout *layout_of(const rv_labels *labels, const face *f, const char *text) {
    PangoLayout *layout = pango_layout_new(labels->context);
    const double units = PANGO_SCALE * SET_AT / f->size;
    pango_layout_set_font_description(layout, labels->fonts.of[f->bold][f->mono]);
    pango_layout_set_single_paragraph_mode(layout, f->width <= 0);
    lay_words(layout, &labels->fonts, text);
    if (f->width > 0) {
        pango_layout_set_width(layout, (int)(f->width * units));
        pango_layout_set_alignment(layout, f->align == RV_LEFT     ? PANGO_ALIGN_LEFT
                                           : f->align == RV_MIDDLE ? PANGO_ALIGN_CENTER
                                                                   : PANGO_ALIGN_RIGHT);
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        if (f->height > 0) pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        if (f->height > 0) pango_layout_set_height(layout, (int)(f->height * units));
    }
    return layout;
}

static void set_text(const rv_labels *labels, kept *entry) {
    PangoRectangle black, all;
    entry->layout = layout_of(labels, &entry->face, entry->text);
    pango_layout_get_extents(entry->layout, &black, &all);
    const double scale = PANGO_SCALE * SET_AT / entry->face.size,
                 base = pango_layout_get_baseline(entry->layout);
    entry->width = all.width / scale;
    entry->height = all.height / scale;
    entry->baseline = base / scale;
    entry->left = black.x / scale;
    entry->right = (black.x + black.width) / scale;
    entry->top = (black.y - base) / scale;
    entry->bottom = (black.y + black.height - base) / scale;
    entry->n_lines = pango_layout_get_line_count(entry->layout);
}

static uint32_t hash_of(const face *f, const char *text) {
    const double of_face[] = {f->size, f->width, f->bold + 2 * f->mono};
    return (uint32_t)rs_hash(rs_hash(0, text, strlen(text)), of_face, sizeof of_face);
}

static bool same_face(const face *a, const face *b) {
    return a->size == b->size && a->width == b->width && a->height == b->height &&
           a->align == b->align && a->bold == b->bold && a->mono == b->mono;
}

/* Finds a text that is set in a face; else sets it, in the place of the one not used for
   longest. */
static kept *find_text(rv_labels *labels, face f, const char *text) {
    kept *set = labels->table[hash_of(&f, text) % N_SETS], *oldest = set;
    for (int i = 0; i < N_WAYS; i++) {
        kept *entry = &set[i];
        if (entry->text != NULL && same_face(&entry->face, &f) && strcmp(entry->text, text) == 0) {
            entry->used = ++labels->clock;
            return entry;
        }
        if (entry->used < oldest->used) oldest = entry;
    }
    drop_text(labels, oldest);
    const size_t n = strlen(text) + 1;
    oldest->text = malloc(n);
    if (oldest->text == NULL) return NULL;
    memcpy(oldest->text, text, n);
    oldest->face = f;
    oldest->used = ++labels->clock;
    set_text(labels, oldest);
    return oldest;
}

/* ------------------------------------------------------------------------------ fitting it in its box */

/* Sets one line: in its size, else smaller, else cut. */
static kept *fit_line(rv_labels *labels, const rv_item *item, const char *text) {
    face f = {.size = item->radius, .bold = item->bold, .mono = item->mono};
    kept *entry = find_text(labels, f, text);
    if (entry == NULL) return NULL;
    const double share = fmin((item->box.w + 0.5) / entry->width,
                              (item->box.h + 0.5) / (entry->bottom - entry->top));
    if (share >= 1) return entry;
    f.size = fmax(LEAST, floor(64 * share) / 64) * item->radius;
    entry = find_text(labels, f, text);
    if (entry == NULL || entry->width <= item->box.w + 0.5) return entry;
    f.width = item->box.w;
    f.height = 1; /* one line, with an ellipsis */
    f.align = item->align;
    return find_text(labels, f, text);
}

/* Sets several lines: smaller and smaller, then cut. */
static kept *fit_lines(rv_labels *labels, const rv_item *item, const char *text) {
    face f = {.size = item->radius,
              .width = item->box.w,
              .align = item->align,
              .bold = item->bold,
              .mono = item->mono};
    for (double share = 1; share >= LEAST; share *= 0.92) {
        f.size = share * item->radius;
        kept *entry = find_text(labels, f, text);
        if (entry == NULL || (entry->bottom - entry->top <= item->box.h + 0.5 &&
                              entry->width <= item->box.w + 0.5)) {
            return entry;
        }
    }
    f.size = LEAST * item->radius;
    f.height = item->box.h;
    return find_text(labels, f, text);
}

bool rv_label_is_whole(rv_labels *labels, const rv_item *item, const char *text) {
    if (labels->wordless) return true;
    const kept *entry = item->wrap ? fit_lines(labels, item, text) : fit_line(labels, item, text);
    return entry != NULL && entry->face.height <= 0;
}

rv_extent rv_label_extent(rv_labels *labels, const char *text, double size, double width,
                          unsigned style) {
    const face f = {.size = size,
                    .width = width > 0 ? width : UNBROKEN,
                    .bold = (style & RV_STYLE_STRONG) != 0,
                    .mono = (style & RV_STYLE_CODE) != 0};
    if (labels->wordless || size <= 0) return rv_measure(NULL, text, size, width, style);
    const kept *entry = find_text(labels, f, text);
    return entry != NULL ? (rv_extent){entry->width, entry->height} : (rv_extent){0, 0};
}

/* Returns where the left end of the text's first baseline lies. */
static rv_point place_text(const kept *entry, const rv_item *item) {
    const rv_box b = item->box;
    const double room = entry->face.width > 0 ? 0 : b.w - entry->width;
    const double below = entry->height / entry->n_lines * (entry->n_lines - 1);
    rv_point at = {.x = b.x};
    if (item->align == RV_MIDDLE) at.x += room / 2;
    if (item->align == RV_RIGHT) at.x += room;
    at.y =
        item->top ? b.y + entry->baseline : b.y + b.h / 2 - below / 2 + RAISED * entry->face.size;
    at.y = fmin(at.y, b.y + b.h - entry->bottom); /* descenders stay inside; ascenders go first */
    at.y = fmax(at.y, b.y - entry->top);
    return at;
}

/* --------------------------------------------------------------------------------------- painting */

/* Draws the letters, or a stroke round them, in the current colour. As outlines the letters stand
   at exact places; as glyphs, which take less room in files, cairo rounds their places. */
static void draw_text(cairo_t *cr, const kept *entry, rv_point at, double halo, bool outlines) {
    const double scale = entry->face.size / SET_AT;
    cairo_new_path(cr);
    cairo_save(cr);
    cairo_translate(cr, at.x, at.y - entry->baseline);
    cairo_scale(cr, scale, scale);
    cairo_move_to(cr, 0, 0);
    if (halo > 0) {
        pango_cairo_layout_path(cr, entry->layout);
        cairo_set_dash(cr, NULL, 0, 0);
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_width(cr, halo / scale);
        cairo_stroke(cr);
    } else if (outlines) {
        pango_cairo_layout_path(cr, entry->layout);
        cairo_fill(cr);
    } else {
        pango_cairo_show_layout(cr, entry->layout);
    }
    cairo_restore(cr);
    cairo_new_path(cr);
}

static void make_image(rv_labels *labels, const kept *entry, ink *image, double halo) {
    const double around = halo / 2 + 1;
    image->x = (int)floor(entry->left - around);
    image->y = (int)floor(entry->top - around);
    const int width = (int)ceil(entry->right + around) - image->x;
    const int height = (int)ceil(entry->bottom + around) - image->y;
    image->mask = cairo_image_surface_create(CAIRO_FORMAT_A8, width, height);
    labels->image_bytes += (size_t)cairo_image_surface_get_stride(image->mask) *
                           (size_t)cairo_image_surface_get_height(image->mask);
    cairo_t *cr = cairo_create(image->mask);
    draw_text(cr, entry, (rv_point){-image->x, -image->y}, halo, true);
    cairo_destroy(cr);
    cairo_surface_flush(image->mask);
}

static void lay_image(rv_labels *labels, cairo_t *cr, const kept *entry, ink *image, double halo,
                      rv_point at, rv_colour colour) {
    if (image->mask == NULL) make_image(labels, entry, image, halo);
    rv_set_colour(cr, colour);
    cairo_mask_surface(cr, image->mask, at.x + image->x, at.y + image->y);
}

static void draw_vectors(cairo_t *cr, const kept *entry, const rv_item *item, rv_point at) {
    if (item->stroke != 0) {
        rv_set_colour(cr, item->stroke);
        draw_text(cr, entry, at, HALO * entry->face.size, true);
    }
    rv_set_colour(cr, item->fill);
    draw_text(cr, entry, at, 0, false);
}

/* Tells whether ink, with a halo around it, would stand out of the pixels that the box touches. */
static bool stands_out(const kept *entry, const rv_item *item, rv_point at, bool pixels) {
    const double halo = item->stroke != 0 ? HALO / 2 * entry->face.size : 0;
    const double near = pixels ? 0.06 : 0.5; /* pango rounds extents; cairo rounds glyphs' places */
    const rv_box b = item->box;
    return at.x + entry->left - halo < floor(b.x) + near ||
           at.y + entry->top - halo < floor(b.y) + near ||
           at.x + entry->right + halo > ceil(b.x + b.w) - near ||
           at.y + entry->bottom + halo > ceil(b.y + b.h) - near;
}

void rv_label_paint(rv_labels *labels, cairo_t *cr, const rv_item *item, const char *text,
                    bool pixels) {
    if (labels->wordless || text[0] == '\0' || item->box.w < 1 || item->box.h < 1 ||
        item->radius <= 0)
        return;
    if (labels->image_bytes > IMAGE_BYTES) drop_all(labels);
    kept *entry = item->wrap ? fit_lines(labels, item, text) : fit_line(labels, item, text);
    if (entry == NULL || entry->right <= entry->left) return;
    rv_point at = place_text(entry, item);
    if (pixels) at = (rv_point){floor(at.x + 0.5), floor(at.y + 0.5)};
    const rv_box b = item->box;
    const bool clipped = stands_out(entry, item, at, pixels);
    if (clipped) {
        cairo_save(cr);
        cairo_new_path(cr);
        if (pixels) {
            cairo_rectangle(cr, floor(b.x), floor(b.y), ceil(b.x + b.w) - floor(b.x),
                            ceil(b.y + b.h) - floor(b.y));
        } else {
            cairo_rectangle(cr, b.x, b.y, b.w, b.h);
        }
        cairo_clip(cr);
    }
    if (!pixels) {
        draw_vectors(cr, entry, item, at);
    } else {
        const double halo = HALO * entry->face.size;
        if (item->stroke != 0) lay_image(labels, cr, entry, &entry->halo, halo, at, item->stroke);
        lay_image(labels, cr, entry, &entry->plain, 0, at, item->fill);
    }
    if (clipped) cairo_restore(cr);
}

bool rv_labels_can_write(rv_labels *labels, const char *text) {
    const face f = {.size = 16};
    PangoLayout *layout = layout_of(labels, &f, text);
    const bool can = pango_layout_get_unknown_glyphs_count(layout) == 0;
    g_object_unref(layout);
    return can;
}
