/* screen_svg.c: the grid of cells as an SVG picture, for the README, slides and `s`.
 *
 * Every word has its own x and its length in cells, and every wide character stands alone: so
 * columns stay aligned in any font.
 */
#include "terminal/screen.h"

#include <stdio.h>
#include <string.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 20, BASELINE = 15, EDGE = 12, PIECE = 512 };

typedef struct pen {
    const rv_screen *screen;
    rs_write write;
    void *context;
    bool colour;
} pen;

static void say(const pen *p, const char *text) {
    p->write(p->context, text, strlen(text));
}

static uint32_t ink_of(const pen *p, rv_style style) {
    const rv_style_look *look = &rv_looks[style];
    if (p->colour) return look->rgb;
    return look->dim ? 0x999999 : look->bold ? 0xffffff : 0xdddddd;
}

/* Writes a coloured ground behind each run of reversed cells of one style. */
static void ground_row(const pen *p, int y) {
    for (int x = 0; x < p->screen->width;) {
        const uint8_t style = rv_cell_at(p->screen, x, y)->style;
        int end = x + 1;
        while (end < p->screen->width && rv_cell_at(p->screen, end, y)->style == style) end++;
        if (rv_looks[style].reverse) {
            char text[PIECE];
            snprintf(text, sizeof text,
                     "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
                     EDGE + x * CELL_WIDTH, EDGE + y * CELL_HEIGHT, (end - x) * CELL_WIDTH,
                     CELL_HEIGHT, (unsigned)ink_of(p, (rv_style)style));
            say(p, text);
        }
        x = end;
    }
}

static void escaped(const pen *p, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': say(p, "&amp;"); break;
        case '<': say(p, "&lt;"); break;
        case '>': say(p, "&gt;"); break;
        default: p->write(p->context, text, 1); break;
        }
    }
}

static bool blank(const rv_cell *cell) {
    return cell->width == 0 || strcmp(cell->text, " ") == 0;
}

/* Writes one word: cells x..end-1, all of one style, none blank. */
static void word(const pen *p, int x, int end, int y) {
    const rv_style style = (rv_style)rv_cell_at(p->screen, x, y)->style;
    const rv_style_look *look = &rv_looks[style];
    char text[PIECE];
    snprintf(text, sizeof text, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s>",
             EDGE + x * CELL_WIDTH, EDGE + y * CELL_HEIGHT + BASELINE, (end - x) * CELL_WIDTH,
             look->reverse ? (unsigned)RV_GROUND_RGB : (unsigned)ink_of(p, style),
             look->bold ? " font-weight=\"bold\"" : "");
    say(p, text);
    for (int i = x; i < end; i++) escaped(p, rv_cell_at(p->screen, i, y)->text);
    say(p, "</text>\n");
}

static void text_row(const pen *p, int y) {
    const int width = p->screen->width;
    for (int x = 0; x < width;) {
        const rv_cell *first = rv_cell_at(p->screen, x, y);
        if (blank(first)) {
            x++;
            continue;
        }
        int end = x + first->width;
        while (first->width == 1 && end < width) {
            const rv_cell *next = rv_cell_at(p->screen, end, y);
            if (next->style != first->style || next->width != 1 || blank(next)) break;
            end++;
        }
        word(p, x, end, y);
        x = end;
    }
}

void rv_screen_svg(const rv_screen *screen, bool colour, rs_write write, void *context) {
    const pen p = {screen, write, context, colour};
    const int width = 2 * EDGE + screen->width * CELL_WIDTH;
    const int height = 2 * EDGE + screen->height * CELL_HEIGHT;
    char text[PIECE];
    snprintf(text, sizeof text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" font-size=\"15\" font-family=\"'DejaVu Sans Mono','Noto Sans "
             "Mono CJK SC','Menlo','Consolas',monospace\">\n",
             width, height, width, height);
    say(&p, text);
    snprintf(text, sizeof text,
             "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#%06x\"/>\n",
             (unsigned)RV_GROUND_RGB);
    say(&p, text);
    for (int y = 0; y < screen->height; y++) ground_row(&p, y);
    for (int y = 0; y < screen->height; y++) text_row(&p, y);
    say(&p, "</svg>\n");
}
