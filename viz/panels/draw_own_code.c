/* draw_own_code.c: a learner's function in the rule's panel: what it was asked and answered, its lines, and in the step
 * that goes wrong what is wrong with it.
 *
 *     send_chunk(step = 1, rank = 0, n = 5) = 1
 *     int send_chunk(int step, int rank, int n) {
 *         return (rank + step) % n;    (0 + 1) % 5 = 1       the numbers beside the line, or below it
 *     }
 *     | GPU 1 adds GPU 0's contribution ...
 *
 * Where there is little room signature and last brace go first, then the last lines.
 */
#include "panels/draw.h"
#include "panels/own_code.h"
#include "panels/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAST = 0.62, ROW = 1.3; /* size of type in units; height of a row in sizes */

typedef struct fit {
    bool below, bare; /* numbers on a row of their own; without signature and last brace */
    int rows, columns;
    double size;
} fit;

static bool is_left_out(const rv_own_line *line, const fit *f) {
    return f->bare && line->outer;
}

static int columns_of(const char *text) {
    return (int)ceil(rv_text_width(text));
}

static fit try_fit(const rv_own_code *code, rv_box box, double unit, bool below, bool bare) {
    fit f = {.below = below, .bare = bare};
    f.rows = code->call[0] != '\0';
    f.columns = columns_of(code->call);
    for (int i = 0; i < code->n_lines; i++) {
        const rv_own_line *line = &code->lines[i];
        const bool numbers = line->numbers[0] != '\0';
        int columns = columns_of(line->text);
        if (is_left_out(line, &f)) continue;
        if (numbers && !below) columns += 3 + columns_of(line->numbers);
        f.rows += 1 + (numbers && below);
        if (columns > f.columns) f.columns = columns;
    }
    f.size = fmin(box.w / (RV_MONO * fmax(1, f.columns)), box.h / (ROW * fmax(1, f.rows)));
    f.size = fmin(f.size, 1.05 * unit);
    return f;
}

/* The first shape whose type is large enough, else the largest type. */
static fit choose(const rv_own_code *code, rv_box box, double unit) {
    static const bool shapes[][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
    fit best = {.size = 0};
    for (int i = 0; i < 4; i++) {
        const fit f = try_fit(code, box, unit, shapes[i][0], shapes[i][1]);
        if (f.size >= 0.75 * unit) return f;
        if (f.size > best.size) best = f;
    }
    best.size = fmax(LEAST * unit, best.size);
    return best;
}

static rv_item *put_row(rv_scene *scene, rv_box row, double size, rv_colour ink, const char *text) {
    rv_item *item = rv_scene_label(scene, row, RV_LEFT, size, ink, text);
    item->mono = true;
    return item;
}

/* Writes the reason at the bottom, with a bar beside it. */
static void draw_mistake(const rv_stage *stage, rv_scene *scene, const char *text, rv_box *box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    if (text[0] == '\0' || box->h < 3 * u) return;
    const double wide = rv_label_width(text, 0.85 * u) * 1.06;
    rv_box place = rv_cut_bottom(box, wide > box->w - 0.8 * u ? 2.4 * u : 1.3 * u);
    const rv_box bar = rv_cut_left(&place, 0.2 * u);
    rv_scene_rect(scene, bar, 0.1 * u, look->bad);
    rv_cut_left(&place, 0.5 * u);
    rv_scene_label(scene, place, RV_LEFT, 0.85 * u, look->bad, text)->wrap = true;
}

/* What was not executed steps back; the return that gave a wrong answer is marked. */
static rv_colour ink_of(const rv_look *look, const rv_own_code *code, const rv_own_line *line) {
    if (line->mark == RV_LINE_SKIPPED) return look->quiet;
    return line->mark == RV_LINE_RETURNS && code->blamed ? look->bad : look->ink;
}

void rv_draw_own_code(const rv_stage *stage, const rv_own_code *code, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    if (code->judged) draw_mistake(stage, scene, code->mistake, &box);
    const fit f = choose(code, box, look->unit);
    const double row = ROW * f.size;
    if (code->call[0] != '\0') {
        const rv_colour ink = code->blamed ? look->bad : look->accent;
        put_row(scene, rv_cut_top(&box, row), f.size, ink, code->call)->bold = true;
    }
    for (int i = 0; i < code->n_lines && box.h >= 0.9 * row; i++) {
        const rv_own_line *line = &code->lines[i];
        if (is_left_out(line, &f)) continue;
        const bool last = box.h < 1.9 * row && i + 2 < code->n_lines;
        rv_box place = rv_cut_top(&box, row);
        rv_item *text =
            put_row(scene, place, f.size, ink_of(look, code, line), last ? "..." : line->text);
        text->bold = line->mark == RV_LINE_RETURNS && !last;
        if (line->numbers[0] == '\0' || last) continue;
        double indent = (double)(columns_of(line->text) + 3);
        if (f.below) {
            if (box.h < 0.9 * row) break;
            place = rv_cut_top(&box, row);
            indent = (double)strspn(line->text, " ");
        }
        rv_cut_left(&place, indent * RV_MONO * f.size);
        const bool bad =
            code->blamed && (line->mark == RV_LINE_RETURNS || line->mark == RV_LINE_PLAIN);
        put_row(scene, place, f.size, bad ? look->bad : look->accent, line->numbers);
    }
}
