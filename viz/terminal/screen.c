/* screen.c: see screen.h. */
#include "terminal/screen.h"

#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A terminal's ground may be light or dark: its colours can be read on both. */
const rv_style_look rv_looks[RV_N_STYLES] = {
    [RV_PLAIN] = {0xdddddd, 252, 9, false, false, false},
    [RV_DIM] = {0x999999, 246, 9, false, false, true},
    [RV_BOLD] = {0xffffff, 231, 9, true, false, false},
    [RV_TITLE] = {0xffffff, 231, 9, true, true, false},
    [RV_CHOSEN] = {0xf0e442, 33, 6, true, false, false},   /* yellow */
    [RV_LEAVING] = {0xcc79a7, 175, 5, true, false, false}, /* reddish purple */
    [RV_ADDING] = {0xe69f00, 214, 3, true, true, false},   /* orange */
    [RV_COPYING] = {0x56b4e9, 74, 6, true, true, false},   /* sky blue */
    [RV_COMPLETE] = {0x2bc79b, 35, 2, true, false, false}, /* bluish green, lighter */
    [RV_OWN] = {0x2bc79b, 35, 2, false, false, false},
    [RV_RIVAL] = {0xe69f00, 214, 3, false, false, false},
    [RV_WARNING] = {0xd55e00, 202, 1, true, false, false}, /* vermillion */
};

bool rv_screen_new(int width, int height, rv_screen *screen) {
    if (width < 1) width = 1;
    if (height < 1) height = 1;
    if (width > RV_MAX_WIDTH) width = RV_MAX_WIDTH;
    if (height > RV_MAX_HEIGHT) height = RV_MAX_HEIGHT;
    *screen = (rv_screen){.width = width, .height = height};
    screen->cells = calloc((size_t)width * (size_t)height, sizeof *screen->cells);
    if (screen->cells == NULL) return false;
    for (int y = 0; y < height; y++) rv_fill_row(screen, 0, y, width, RV_PLAIN);
    return true;
}

bool rv_text_screen_new(int width, int height, rv_screen *screen) {
    if (!rv_screen_new(width, height, screen)) return false;
    screen->rest = calloc((size_t)screen->height, sizeof *screen->rest);
    if (screen->rest == NULL) rv_screen_free(screen);
    return screen->rest != NULL;
}

void rv_screen_free(rv_screen *screen) {
    free(screen->cells);
    free(screen->rest);
    *screen = (rv_screen){0};
}

static rv_cell *cell_at(const rv_screen *screen, int x, int y) {
    assert(x >= 0 && x < screen->width && y >= 0 && y < screen->height);
    return &screen->cells[(size_t)y * (size_t)screen->width + (size_t)x];
}

const rv_cell *rv_cell_at(const rv_screen *screen, int x, int y) {
    return cell_at(screen, x, y);
}

/* Makes a cell a blank; if that cuts a wide character, its other half, too. */
static void clear(rv_screen *screen, int x, int y, rv_style style) {
    const rv_cell blank = {" ", 1, (uint8_t)style};
    rv_cell *cell = cell_at(screen, x, y);
    if (cell->width == 0 && x > 0 && cell->text[0] == '\0' &&
        cell_at(screen, x - 1, y)->width == 2) {
        *cell_at(screen, x - 1, y) = blank;
    }
    if (cell->width == 2 && x + 1 < screen->width) *cell_at(screen, x + 1, y) = blank;
    *cell = blank;
}

void rv_fill_row(rv_screen *screen, int x, int y, int n, rv_style style) {
    if (y < 0 || y >= screen->height) return;
    for (int i = x < 0 ? 0 : x; i < x + n && i < screen->width; i++) clear(screen, i, y, style);
}

/* Joins a combining character to the cell before it, if there is room. */
static void combine(rv_screen *screen, int x, int y, const char *bytes, int n) {
    if (x < 1) return;
    rv_cell *cell = cell_at(screen, x - 1, y);
    if (cell->width == 0 && x > 1) cell = cell_at(screen, x - 2, y);
    const size_t used = strlen(cell->text);
    if (used + (size_t)n < RV_CELL_BYTES) memcpy(cell->text + used, bytes, (size_t)n);
}

int rv_put(rv_screen *screen, int x, int y, int most, rv_style style, const char *text) {
    if (y < 0 || y >= screen->height || x < 0) return x;
    const int end = most < screen->width - x ? x + most : screen->width;
    while (*text != '\0') {
        uint32_t code;
        const int n = rv_decode(text, &code);
        const int width = code < 0x20 || code == 0x7f ? 1 : rv_code_width(code);
        assert(n >= 1 && width >= 0 && width <= 2);
        if (x + width > end) break;
        if (width == 0) {
            combine(screen, x, y, text, n);
        } else {
            clear(screen, x, y, style);
            if (width == 2) clear(screen, x + 1, y, style);
            rv_cell *cell = cell_at(screen, x, y);
            *cell = (rv_cell){.width = (uint8_t)width, .style = (uint8_t)style};
            const bool bad = code < 0x20 || code == 0x7f || code == 0xfffd;
            memcpy(cell->text, bad ? "?" : text, bad ? 1 : (size_t)n);
            if (width == 2) {
                *cell_at(screen, x + 1, y) = (rv_cell){.width = 0, .style = (uint8_t)style};
            }
        }
        x += width;
        text += n;
    }
    return x;
}

/* Returns how many bytes of the text fit into so many columns. */
static size_t bytes_in(const char *text, int room) {
    size_t n = 0;
    for (uint32_t code; text[n] != '\0';) {
        const int length = rv_decode(text + n, &code);
        room -= code < 0x20 || code == 0x7f ? 1 : rv_code_width(code);
        if (room < 0) break;
        n += (size_t)length;
    }
    return n;
}

/* Returns where to cut the text, at n or before: not in or right behind a word that holds a digit; a word is
   printable ASCII here. */
static size_t before_number(const char *text, size_t n) {
    size_t at = n;
    while (at > 0 && text[at - 1] > ' ' && (unsigned char)text[at - 1] < 0x7f) at--;
    return at > 0 && at + strcspn(text + at, "0123456789 ") < n ? at : n;
}

int rv_put_words(rv_screen *screen, int x, int y, int most, rv_style style, const char *text) {
    const int room = most < screen->width - x ? most : screen->width - x;
    char kept[512];
    if (rv_text_width(text) <= room) return rv_put(screen, x, y, most, style, text);
    if (room < 4) return x;
    const int edge = screen->width - x;
    if (screen->rest != NULL && room >= edge - 2 && y >= 0 && y < screen->height) {
        snprintf(screen->rest[y], sizeof *screen->rest, "%s", text + bytes_in(text, edge));
        return rv_put(screen, x, y, edge, style, text);
    }
    const size_t n = before_number(text, bytes_in(text, room - 3));
    snprintf(kept, sizeof kept, "%.*s", (int)n, text);
    x = rv_put(screen, x, y, room - 3, style, kept);
    return rv_put(screen, x, y, 3, style, "...");
}

int rv_put_wrapped(rv_screen *screen, int x, int y, int n_lines, rv_style style, const char *text) {
    int used = 0;
    while (*text != '\0' && used < n_lines) {
        char line[512];
        size_t next;
        const size_t n = rv_wrap(text, screen->width - x - 1, &next);
        assert(next > 0 && n <= next);
        const size_t length = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, text, length);
        line[length] = '\0';
        const bool cut = used == n_lines - 1 && text[next] != '\0';
        if (cut) snprintf(line, sizeof line, "%s", text);
        rv_put_words(screen, x, y + used++, screen->width - x, style, line);
        text += next;
    }
    return used;
}

void rv_screen_text(const rv_screen *screen, rs_write write, void *context) {
    for (int y = 0; y < screen->height; y++) {
        int end = screen->width;
        const char *rest = screen->rest != NULL ? screen->rest[y] : "";
        while (end > 0 && rest[0] == '\0' && strcmp(rv_cell_at(screen, end - 1, y)->text, " ") == 0)
            end--;
        for (int x = 0; x < end; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            if (cell->width > 0) write(context, cell->text, strlen(cell->text));
        }
        write(context, rest, strlen(rest));
        write(context, "\n", 1);
    }
}
