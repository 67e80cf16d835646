/* differences.c: see differences.h. A picture is a list of lines, one an item; what differs between two lists is found in both,
 * sorted.
 */
#include "support/differences.h"
#include "support/scene_words.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 6000,
    ITEM = 640,
    FEW = 8,     /* items that are told with style and place */
    ROWS = 5,    /* of a screen */
    WORD = 5,    /* with its quotes: letters and digits of cells are no words */
    WIDTH = 110, /* of a line of words */
    LINES = 3,   /* of words that go, and of those that come */
    MOST = 1 << 18
};

typedef struct shown {
    char line[MOST_ITEMS][ITEM];   /* an item's words; a row */
    const char *label[MOST_ITEMS]; /* its text, inside of line; NULL: it has none */
    const char *sorted[MOST_ITEMS];
    bool other[MOST_ITEMS]; /* the list beside this one lacks it */
    int n;
} shown;

static char text[MOST];
static size_t used;
static shown lists[2];
static shown *before = &lists[0], *now = &lists[1];

void differences_begin(void) {
    used = 0;
    text[0] = '\0';
}

const char *differences_text(void) {
    return text;
}

void differences_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && used + (size_t)n + 1 < sizeof text, "too much changes for one text");
    used += (size_t)n;
    text[used++] = '\n';
    text[used] = '\0';
}

/* ------------------------------------------------------------------------------------ two lists */

static int by_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(shown *list) {
    for (int i = 0; i < list->n; i++) list->sorted[i] = list->line[i];
    qsort(list->sorted, (size_t)list->n, sizeof list->sorted[0], by_words);
}

static void mark(shown *list, const char *line) {
    list->other[(line - list->line[0]) / ITEM] = true;
}

/* Marks in both lists what only one of them has; returns how many. */
static int tell_apart(shown *a, shown *b) {
    int i = 0, k = 0, n = 0;
    memset(a->other, 0, sizeof a->other);
    memset(b->other, 0, sizeof b->other);
    sort(a);
    sort(b);
    while (i < a->n || k < b->n) {
        const int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->sorted[i], b->sorted[k]);
        if (order == 0) {
            i++;
            k++;
            continue;
        }
        if (order < 0) mark(a, a->sorted[i++]);
        if (order > 0) mark(b, b->sorted[k++]);
        n++;
    }
    return n;
}

/* ------------------------------------------------------------------------------------- pictures */

static void list_items(shown *list, const rv_scene *scene, const rv_look *look) {
    cr_assert(scene->n_items <= MOST_ITEMS && !scene->failed);
    list->n = scene->n_items;
    for (int i = 0; i < scene->n_items; i++) {
        scene_item_words(scene, look, &scene->items[i], list->line[i], ITEM);
        list->label[i] = scene->items[i].shape == RV_LABEL ? strchr(list->line[i], '"') : NULL;
    }
}

/* Without the target behind it. */
static int length_of(const char *label) {
    return (int)(strrchr(label, '"') + 1 - label);
}

/* The labels' words that the other list lacks, wherever they stand there. */
static int say_labels(const char *sign, const shown *list, const shown *other) {
    static bool taken[MOST_ITEMS];
    int said = 0, lines = 0, left = 0;
    char line[WIDTH + ITEM] = "";
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < list->n; i++) {
        const int n = list->label[i] != NULL ? length_of(list->label[i]) : 0;
        if (!list->other[i] || n < WORD) continue;
        int k = 0;
        while (k < other->n && (taken[k] || !other->other[k] || other->label[k] == NULL ||
                                length_of(other->label[k]) != n ||
                                strncmp(other->label[k], list->label[i], (size_t)n) != 0))
            k++;
        if (k < other->n) { /* it has only moved */
            taken[k] = true;
            continue;
        }
        said++;
        if (line[0] != '\0' && strlen(line) + (size_t)n > WIDTH) {
            if (lines++ < LINES) differences_say("  %s%s", sign, line + 1);
            line[0] = '\0';
        }
        left += lines >= LINES;
        snprintf(line + strlen(line), sizeof line - strlen(line), "  %.*s", n, list->label[i]);
    }
    if (line[0] != '\0' && lines < LINES) differences_say("  %s%s", sign, line + 1);
    if (left > 0) differences_say("  %s and %d more", sign, left);
    return said;
}

static void say_items(const char *sign, const shown *list) {
    for (int i = 0; i < list->n; i++) {
        if (list->other[i]) differences_say("  %s %s", sign, list->line[i]);
    }
}

static void swap(void) {
    shown *was = before;
    before = now;
    now = was;
}

void differences_keep(const rv_scene *scene, const rv_look *look) {
    list_items(before, scene, look);
}

void differences_add(const rv_scene *scene, const rv_look *look) {
    list_items(now, scene, look);
    const int n = tell_apart(before, now);
    if (n <= FEW) {
        say_items("-", before);
        say_items("+", now);
    } else {
        const int said = say_labels("-", before, now) + say_labels("+", now, before);
        differences_say("  and %d other items, of %d", n - said, now->n);
    }
    swap();
}

/* -------------------------------------------------------------------------------------- screens */

static void list_rows(shown *list, const rv_screen *screen) {
    static const char letters[] = ".dbtclaxoARw"; /* in the order of rv_style */
    list->n = 2 * screen->height;
    for (int y = 0; y < screen->height; y++) {
        char *line = list->line[2 * y], *styles = list->line[2 * y + 1];
        size_t n = 0, s = 0, end = 0, styled = 0;
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            cr_assert(n + 16 < ITEM && s + 2 < ITEM);
            n += (size_t)snprintf(line + n, ITEM - n, "%s", cell->text);
            styles[s++] = cell->style == RV_PLAIN ? ' ' : letters[cell->style];
            if (strcmp(cell->text, " ") != 0) end = n;
            if (cell->style != RV_PLAIN) styled = s;
        }
        line[end] = '\0';
        styles[styled] = '\0';
    }
}

void differences_keep_rows(const rv_screen *screen) {
    list_rows(before, screen);
}

int differences_add_rows(const rv_screen *screen) {
    int n = 0;
    list_rows(now, screen);
    for (int y = 0; y < now->n; y += 2) {
        const bool words = y >= before->n || strcmp(before->line[y], now->line[y]) != 0;
        const bool styles = y >= before->n || strcmp(before->line[y + 1], now->line[y + 1]) != 0;
        if (!words && !styles) continue;
        if (++n > ROWS) continue;
        if (words || now->line[y][0] != '\0') differences_say("  | %s", now->line[y]);
        if (styles) differences_say("  ~ %s", now->line[y + 1]);
    }
    if (n > ROWS) differences_say("  and %d more rows", n - ROWS);
    swap();
    return n;
}
