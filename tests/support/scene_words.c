/* scene_words.c: see scene_words.h. */
#include "support/scene_words.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITEMS = 6000, MOST_STYLES = 2000, STYLE = 160, LINE = 100, WORDS = 1 << 18 };

typedef struct scene_text {
    char *bytes;
    size_t used, room;
} scene_text;

__attribute__((format(printf, 2, 3))) static void say(scene_text *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(to->bytes + to->used, to->room - to->used, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && (size_t)n < to->room - to->used, "more words than there is room for");
    to->used += (size_t)n;
}

/* A length in units; what lies between two tenths counts up on every machine. */
static double units(const rv_look *look, double pixels) {
    const double tenths = floor(10 * pixels / look->unit + 0.5 + 1e-6);
    return tenths == 0 ? 0 : tenths / 10;
}

/* ---------------------------------------------------------------------------------------- colours */

static const char *name_of(const rv_look *look, rv_colour opaque) {
    static char letter[8];
    const struct {
        rv_colour colour;
        const char *name;
    } names[] = {{look->ground, "ground"}, {look->panel, "panel"},
                 {look->raised, "raised"}, {look->edge, "edge"},
                 {look->ink, "ink"},       {look->quiet, "quiet"},
                 {look->faint, "faint"},   {look->accent, "accent"},
                 {look->good, "good"},     {look->accent_ink, "accent-ink"},
                 {look->bad, "bad"},       {look->warn, "warn"},
                 {look->link, "link"},     {look->outline, "outline"},
                 {0x000000FF, "black"},    {0xFFFFFFFF, "white"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].colour == opaque) return names[i].name;
    }
    for (int32_t r = 0; r < 8; r++) {
        const rv_dye dye = rv_dye_of(look, r);
        if (dye.fill != opaque) continue;
        snprintf(letter, sizeof letter, "%.7s", dye.letter);
        return letter;
    }
    return NULL;
}

void scene_colour(const rv_look *look, rv_colour colour, char *out, size_t n_out) {
    const char *name = name_of(look, colour | 0xFF);
    char number[16];
    if (name == NULL) snprintf(number, sizeof number, "#%06x", (unsigned)(colour >> 8));
    snprintf(out, n_out, "%s", name != NULL ? name : number);
    const unsigned opacity = colour & 0xFF;
    const size_t used = strlen(out);
    if (opacity == 0) snprintf(out, n_out, "none");
    if (opacity > 0 && opacity < 255) {
        snprintf(out + used, n_out - used, "*%.2f", opacity / 255.0);
    }
}

/* ----------------------------------------------------------------------------------------- styles */

static void say_shape(const rv_look *look, const rv_item *item, scene_text *to) {
    static const char *const shapes[] = {"rect",    "disc",  "segment", "arc",
                                         "polygon", "label", "grid"};
    static const char *const layers[] = {"", "moving ", "over "};
    char colour[32];
    say(to, "%s%s", layers[item->layer], shapes[item->shape]);
    if (item->shape != RV_SEGMENT) {
        say(to, " %gx%g", units(look, item->box.w), units(look, item->box.h));
    }
    scene_colour(look, item->fill, colour, sizeof colour);
    if (item->fill != 0) say(to, " %s", colour);
    scene_colour(look, item->stroke, colour, sizeof colour);
    if (item->stroke != 0) say(to, " line %s", colour);
    if (item->line != 0) say(to, " %.2f", item->line / look->unit + 1e-6);
}

static void say_style(const rv_look *look, const rv_item *item, scene_text *to) {
    static const char *const patterns[] = {"solid", "rising",  "falling", "dots",
                                           "level", "upright", "crossed", "checks"};
    static const char *const sides[] = {"left", "middle", "right"};
    char colour[32];
    say_shape(look, item, to);
    if (item->radius != 0) say(to, " size %.2f", item->radius / look->unit + 1e-6);
    if (item->pattern != RV_SOLID) {
        scene_colour(look, item->hatch, colour, sizeof colour);
        say(to, " %s %s", patterns[item->pattern], colour);
    }
    if (item->shape == RV_ARC) say(to, " from %.2f to %.2f", item->from, item->to);
    if (item->shape == RV_LABEL) say(to, " %s", sides[item->align]);
    say(to, "%s%s%s%s%s%s", item->bold ? " bold" : "", item->mono ? " mono" : "",
        item->wrap ? " wrapped" : "", item->dashed ? " dashed" : "", item->arrow ? " arrow" : "",
        item->top ? " top" : "");
}

/* ----------------------------------------------------------------------------------------- places */

static void say_target(rv_target at, scene_text *to) {
    static const char *const things[] = {"",         "area",     "gpu",       "cell",   "link",
                                         "transfer", "step",     "timeline",  "button", "choice",
                                         "slider",   "stop",     "command",   "letter", "fault",
                                         "wire",     "wire-ill", "time-axis", "map"};
    _Static_assert(sizeof things / sizeof *things == RV_THINGS, "each thing has its name");
    if (at.thing != RV_NOTHING) say(to, " %s %d %d %d", things[at.thing], at.a, at.b, at.c);
}

static void say_pixels(const rv_look *look, rv_colour colour, int n, scene_text *to) {
    char name[32];
    scene_colour(look, colour, name, sizeof name);
    say(to, " %s %d", name, n);
}

/* A grid's pixels, row by row: each run of one colour, where they are few; else how many runs, and how many pixels of each
 * colour, in the order in which they come first. */
static void say_grid(const rv_scene *scene, const rv_look *look, const rv_item *item,
                     scene_text *to) {
    enum { MOST = 12 };
    const rv_colour *pixels = &scene->pixels[item->first];
    rv_colour runs[MOST], colours[MOST];
    int lengths[MOST] = {0}, counts[MOST] = {0}, n_runs = 0, n_colours = 0, n_others = 0;
    for (int32_t i = 0; i < item->n; i++) {
        int c = 0;
        if ((i == 0 || pixels[i] != pixels[i - 1]) && n_runs++ < MOST) runs[n_runs - 1] = pixels[i];
        if (n_runs <= MOST) lengths[n_runs - 1]++;
        while (c < n_colours && colours[c] != pixels[i]) c++;
        if (c == n_colours && c < MOST) colours[n_colours++] = pixels[i];
        if (c < MOST) counts[c]++;
        n_others += c == MOST;
    }
    say(to, " %d columns:", item->columns);
    for (int r = 0; n_runs <= MOST && r < n_runs; r++) say_pixels(look, runs[r], lengths[r], to);
    if (n_runs <= MOST) return;
    for (int c = 0; c < n_colours; c++) say_pixels(look, colours[c], counts[c], to);
    say(to, " others %d, in %d runs", n_others, n_runs);
}

static void say_place(const rv_scene *scene, const rv_look *look, const rv_item *item,
                      scene_text *to) {
    say(to, "  %g,%g", units(look, item->box.x), units(look, item->box.y));
    if (item->shape == RV_SEGMENT) {
        say(to, " to %g,%g", units(look, item->box.x + item->box.w),
            units(look, item->box.y + item->box.h));
    }
    if (item->shape == RV_LABEL) say(to, " \"%s\"", rv_label_text(scene, item));
    if (item->shape == RV_GRID) say_grid(scene, look, item, to);
    for (int32_t i = 0; item->shape == RV_POLYGON && i < item->n; i++) {
        if (item->n > 14 && i > 2 && i < item->n - 3 && i != item->n / 2) continue;
        const rv_point *p = &scene->points[item->first + i];
        say(to, " %g,%g", units(look, p->x), units(look, p->y));
    }
    say_target(item->target, to);
}

void scene_target_words(rv_target at, char *out, size_t n_out) {
    scene_text to = {out, 0, n_out};
    out[0] = '\0';
    say_target(at, &to);
}

void scene_item_words(const rv_scene *scene, const rv_look *look, const rv_item *item, char *out,
                      size_t n_out) {
    scene_text to = {out, 0, n_out};
    say_style(look, item, &to);
    say_place(scene, look, item, &to);
}

/* ------------------------------------------------------------------------------------- all of them */

typedef struct scene_style {
    char words[STYLE];
    unsigned sum;        /* of the words: they are compared where it is the same */
    int32_t first, last; /* items of it */
} scene_style;

/* Where a line of many pieces goes on to, and how long it is. */
static void say_path(const rv_scene *scene, const rv_look *look, int32_t first, int32_t last,
                     int32_t pieces, scene_text *to) {
    const rv_box *from = &scene->items[first].box, *end = &scene->items[last].box;
    const rv_point middle = {(from->x + end->x + end->w) / 2, (from->y + end->y + end->h) / 2};
    double reach = 0; /* of its pieces, from the middle between its ends */
    for (int32_t i = first; i <= last; i++) {
        const rv_box *b = &scene->items[i].box;
        reach = fmax(reach, hypot(b->x - middle.x, b->y - middle.y));
    }
    say(to, " and %d more to %g,%g reach %g", (int)pieces, units(look, end->x + end->w),
        units(look, end->y + end->h), units(look, reach));
}

/* Whether a segment goes on where the other ends: together they are one line, told once. */
static bool goes_on(const rv_item *from, const rv_item *item) {
    return item->shape == RV_SEGMENT && rv_same_target(from->target, item->target) &&
           hypot(from->box.x + from->box.w - item->box.x, from->box.y + from->box.h - item->box.y) <
               0.01;
}

/* All items of a style, as many on a line as fit. */
static void say_items(const rv_scene *scene, const rv_look *look, int32_t i, const int32_t next[],
                      scene_text *to) {
    size_t line = to->used;
    while (i >= 0) {
        char words[1024];
        scene_text place = {words, 0, sizeof words};
        int32_t pieces = 0, last = i;
        say_place(scene, look, &scene->items[i], &place);
        for (; next[last] >= 0 && goes_on(&scene->items[last], &scene->items[next[last]]); pieces++)
            last = next[last];
        if (pieces > 0) say_path(scene, look, i, last, pieces, &place);
        if (to->used > line && to->used - line + place.used > LINE) {
            say(to, "\n");
            line = to->used;
        }
        say(to, "%s", words);
        i = next[last];
    }
    say(to, "\n");
}

/* Sorts the items into styles: the first of each, and for each item the next of its style. */
static int32_t sort_out(const rv_scene *scene, const rv_look *look, scene_style styles[],
                        int32_t next[]) {
    int32_t n_styles = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        scene_style own = {.first = i, .last = i};
        scene_text words = {own.words, 0, sizeof own.words};
        int32_t s = 0;
        say_style(look, &scene->items[i], &words);
        for (size_t c = 0; c < words.used; c++)
            own.sum = 31 * own.sum + (unsigned char)own.words[c];
        while (s < n_styles &&
               (styles[s].sum != own.sum || strcmp(styles[s].words, own.words) != 0))
            s++;
        cr_assert(s < MOST_STYLES);
        next[i] = -1;
        if (s == n_styles) {
            styles[n_styles++] = own;
        } else {
            next[styles[s].last] = i;
            styles[s].last = i;
        }
    }
    return n_styles;
}

const char *scene_words(const rv_scene *scene, const rv_look *look) {
    static char bytes[WORDS];
    static scene_style styles[MOST_STYLES];
    static int32_t next[MOST_ITEMS];
    scene_text to = {bytes, 0, sizeof bytes};
    cr_assert(scene->n_items <= MOST_ITEMS && !scene->failed);
    say(&to, "picture %gx%g\n", units(look, scene->width), units(look, scene->height));
    const int32_t n_styles = sort_out(scene, look, styles, next);
    for (int32_t s = 0; s < n_styles; s++) {
        say(&to, "%s\n", styles[s].words);
        say_items(scene, look, styles[s].first, next, &to);
    }
    return bytes;
}
