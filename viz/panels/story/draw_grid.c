/* draw_grid.c: a story's table: entries in the colour of their rank, and what happens to them.
 *
 *     +-- Who sees what ------- < new  > leaves --+
 *     |          batch 0     batch 1              |     a stripe in the rank's colour and hatching;
 *     | GPU 0   [|12    ]   [|7    <]             |     a frame and a sign for what has just happened
 *     +-------------------------------------------+
 *
 * board.h chooses the rows and columns to show, as for the terminal.
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"
#include "text/words.h"

#include <math.h>
#include <string.h>

static const double STRETCH = 1.6, HIGHEST_LINE = 2.4, HIGHEST_UPRIGHT = 3.4;

typedef struct table {
    const rv_stage *stage;
    rv_board board;
    rv_box box; /* of heads and rows */
    double size, line;
    double head_w, widths[RV_MOST_COLUMNS]; /* in pixels */
    double heads_h, gap;
} table;

double rv_grid_height(const rv_stage *stage, int lines, double size) {
    return lines * RV_GRID_LINE * size + 1.4 * stage->look.unit;
}

/* -------------------------------------------------------------------------------------- entries */

static int sign_of(rv_tone tone) {
    switch (tone) {
    case RV_TONE_LEAVES: return RV_SIGN_MICRO_NEXT;
    case RV_TONE_NEW: return RV_SIGN_MICRO_BACK;
    case RV_TONE_ADDED: return RV_SIGN_PLUS;
    case RV_TONE_GOOD: return RV_SIGN_CHECK;
    case RV_TONE_BAD: return RV_SIGN_CROSS;
    default: return -1;
    }
}

/* Draws a tone's sign. Triangles look small in their square: they get a larger one. */
static void draw_tone(rv_scene *scene, rv_point centre, double side, rv_tone tone, rv_colour ink) {
    if (sign_of(tone) < 0) return;
    if (tone == RV_TONE_LEAVES || tone == RV_TONE_NEW) side *= 1.5;
    const rv_box box = {centre.x - side / 2, centre.y - side / 2, side, side};
    rv_draw_sign(scene, box, (rv_sign)sign_of(tone), ink);
}

static void draw_ground(const table *t, const rv_entry *entry, rv_scene *scene, rv_box box) {
    const rv_look *look = &t->stage->look;
    const bool quiet = entry->tone == RV_TONE_QUIET, framed = sign_of(entry->tone) >= 0;
    const rv_colour ink = rv_tone_ink(look, entry->tone);
    rv_colour fill = framed ? rv_mix(look->panel, ink, 0.12) : 0;
    if (entry->rank >= 0 && !quiet) {
        const rv_dye dye = rv_dye_of(look, entry->rank);
        fill = rv_mix(look->panel, dye.fill, look->dark ? 0.26 : 0.24);
    }
    if (fill == 0 && !framed) return;
    rv_item *ground = rv_scene_rect(scene, box, 0.25 * t->size, fill);
    if (framed) {
        rv_outline(ground, ink, 1.5 * look->hair);
    }
}

static void draw_stripe(const table *t, const rv_entry *entry, rv_scene *scene, rv_box box) {
    const rv_look *look = &t->stage->look;
    const rv_dye dye = rv_dye_of(look, entry->rank);
    const bool quiet = entry->tone == RV_TONE_QUIET;
    rv_hatch(rv_scene_rect(scene, rv_cut_left(&box, fmin(0.38 * t->size, 0.2 * box.w)),
                           0.1 * t->size, rv_fade(dye.fill, quiet ? 0.35 : 1)),
             dye.pattern, rv_fade(dye.hatch, quiet ? 0.35 : 1));
}

/* Draws a shrinking frame round an entry that has just come, while the moment begins. */
static void draw_glow(const table *t, const rv_entry *entry, rv_scene *scene, rv_box box) {
    const double progress = t->stage->progress;
    const bool glows = entry->tone == RV_TONE_NEW || entry->tone == RV_TONE_ADDED;
    if (!glows || progress >= 1) return;
    scene->layer = RV_MOVING;
    rv_outline(
        rv_scene_rect(scene, rv_inset(box, -0.22 * t->size * (1 - progress)), 0.35 * t->size, 0),
        rv_fade(rv_tone_ink(&t->stage->look, entry->tone), 1 - progress), 0.3 * t->size);
    scene->layer = RV_STILL;
}

/* ---------------------------------------------------------------------------------------- tiles */

/* Draws a tile in its place; one that is on its way there, once it has come. */
static void draw_tile(const table *t, const rv_entry *entry, rv_scene *scene, rv_box box,
                      rv_target target) {
    const rv_stage *stage = t->stage;
    rv_entry shown = *entry;
    rv_note_move(stage, entry, box, t->size, true);
    if (rv_is_gone(entry) || (entry->text == NULL && entry->rank < 0)) return;
    const bool away = rv_comes_from_afar(stage, entry) && rv_has_come(stage) < 1;
    if (away && entry->before == NULL) return;
    if (away) {
        shown.text = entry->before;
        shown.tone = RV_TONE_PLAIN;
    }
    rv_draw_tile(stage, &shown, scene, box, t->size);
    scene->items[scene->n_items - 1].target = target;
    const bool now =
        entry->tone == RV_TONE_NEW || entry->tone == RV_TONE_ADDED || entry->tone == RV_TONE_LEAVES;
    if (away || !now || entry->lock) return;
    rv_outline(rv_scene_rect(scene, rv_inset(box, -0.12 * t->size), 0.3 * t->size, 0),
               rv_tone_ink(&stage->look, entry->tone), 2 * stage->look.hair);
}

static void draw_entry(const table *t, const rv_entry *entry, bool number, rv_scene *scene,
                       rv_box box, rv_target target) {
    const rv_look *look = &t->stage->look;
    const int sign = sign_of(entry->tone);
    const char *text = entry->text != NULL ? entry->text : "";
    if (t->board.grid->tiles) {
        draw_tile(t, entry, scene, box, target);
        return;
    }
    if (text[0] == '\0' && sign < 0 && entry->rank < 0) return;
    const bool bare = entry->rank < 0 && sign < 0;
    draw_ground(t, entry, scene, box);
    if (entry->rank >= 0) draw_stripe(t, entry, scene, box);
    draw_glow(t, entry, scene, box);
    rv_box inside = box;
    if (entry->rank >= 0) rv_cut_left(&inside, 0.3 * t->size);
    if (sign >= 0) {
        const rv_box right = rv_cut_right(&inside, fmin(1.0 * t->size, 0.4 * inside.w));
        const double side = fmin(0.72 * t->size, right.w);
        const rv_point c = rv_centre(right);
        draw_tone(scene, (rv_point){c.x - 0.1 * side, c.y}, side, entry->tone,
                  rv_tone_ink(look, entry->tone));
    }
    if (!bare) rv_cut_left(&inside, (number ? 0.12 : 0.35) * t->size);
    const bool dot = strcmp(text, ".") == 0 || strcmp(text, "-") == 0;
    const rv_colour ink = dot ? look->faint
                          : entry->tone == RV_TONE_QUIET || entry->tone == RV_TONE_BAD
                              ? rv_tone_ink(look, entry->tone)
                              : look->ink;
    rv_note_move(t->stage, entry, box, t->size, false);
    const bool away = rv_comes_from_afar(t->stage, entry);
    if (away) scene->layer = RV_MOVING;
    const double there = away ? fmax(0, 4 * t->stage->progress - 3) : 1;
    rv_item *label = rv_scene_label(scene, inside, number ? RV_MIDDLE : RV_LEFT, t->size,
                                    rv_fade(ink, there), text);
    label->bold = sign >= 0;
    label->target = target;
    scene->layer = RV_STILL;
}

/* ----------------------------------------------------------------------------------------- rows */

static rv_box entry_box(const table *t, int32_t row, int32_t column) {
    double x = t->box.x + t->head_w;
    for (int32_t c = 0; c < column; c++) x += t->widths[c] + t->gap;
    const double y = t->box.y + t->heads_h + (row + 0.1) * t->line;
    return (rv_box){x, y, t->widths[column], 0.8 * t->line};
}

static void draw_row_head(const table *t, int32_t row, int32_t at, rv_scene *scene) {
    const rv_look *look = &t->stage->look;
    const rv_grid *grid = t->board.grid;
    const bool followed = grid->ranks && at == t->stage->playback.rank;
    const bool lit = grid->ranks && rv_is_lit(t->stage, at, -1);
    rv_box line = {t->box.x, t->box.y + t->heads_h + row * t->line, t->box.w, t->line};
    if (grid->ranks) {
        rv_item *ground = rv_scene_rect(scene, line, 0.25 * t->size,
                                        followed ? rv_fade(look->focus, 0.12)
                                        : lit    ? rv_fade(look->ink, 0.1)
                                                 : 0);
        ground->target = rv_target_of(RV_GPU, at, 0);
    }
    const char *head = grid->row_heads != NULL ? grid->row_heads[at] : NULL;
    if (head == NULL || t->board.head_width < 1) return;
    rv_box box = rv_cut_left(&line, t->head_w - 0.3 * t->gap);
    rv_cut_left(&box, 0.2 * t->size);
    rv_item *label = rv_scene_label(scene, box, RV_LEFT, 0.95 * t->size,
                                    followed ? look->focus
                                    : lit    ? look->ink
                                             : look->quiet,
                                    head);
    label->bold = followed || lit;
    if (grid->ranks) label->target = rv_target_of(RV_GPU, at, 0);
}

static void draw_column_heads(const table *t, rv_scene *scene) {
    const rv_look *look = &t->stage->look;
    for (int32_t c = 0; c < t->board.n_columns; c++) {
        const char *head = t->board.grid->column_heads[t->board.first_column + c];
        if (head == NULL) continue;
        rv_box box = entry_box(t, 0, c);
        box.y = t->box.y;
        box.h = t->heads_h;
        const bool middle = t->board.right[c] || t->board.grid->tiles;
        rv_scene_label(scene, box, middle ? RV_MIDDLE : RV_LEFT, 0.88 * t->size, look->quiet, head);
    }
    const double y = t->box.y + t->heads_h;
    rv_scene_line(scene, t->box.x, y, t->box.x + t->box.w, y, look->hair, look->edge);
}

static void draw_rows(const table *t, rv_scene *scene) {
    const rv_board *board = &t->board;
    if (board->headed) draw_column_heads(t, scene);
    for (int32_t r = 0; r < board->n_rows; r++) {
        const int32_t row = board->first_row + r;
        draw_row_head(t, r, row, scene);
        for (int32_t c = 0; c < board->n_columns; c++) {
            const rv_target target =
                board->grid->ranks ? rv_target_of(RV_GPU, row, 0) : (rv_target){0};
            draw_entry(t, rv_grid_entry(board->grid, row, board->first_column + c), board->right[c],
                       scene, entry_box(t, r, c), target);
        }
    }
}

/* ---------------------------------------------------------------------------------------- panel */

/* Writes, from the right, what the moment's signs mean. */
static void draw_legend(const rv_stage *stage, const rv_frame *frame, rv_scene *scene,
                        rv_box line) {
    const rv_look *look = &stage->look;
    const double u = look->unit, size = 0.8 * u;
    bool there[RV_N_TONES] = {false};
    rv_tones_of(frame, there);
    for (rv_tone tone = RV_TONE_BAD; tone > RV_TONE_QUIET; tone--) {
        if (!there[tone]) continue;
        const char *word = rv_tone_word(rv_stage_story(stage), tone);
        const double w = rv_label_width(word, size) * 1.04 + 0.3 * u;
        if (line.w < w + 1.6 * u) return;
        const rv_colour ink = rv_tone_ink(look, tone);
        rv_scene_label(scene, rv_cut_right(&line, w), RV_LEFT, size, ink, word);
        const rv_box sign = rv_cut_right(&line, 1.05 * u);
        draw_tone(scene, (rv_point){sign.x + 0.4 * u, rv_centre(sign).y}, 0.75 * u, tone, ink);
        rv_cut_right(&line, 0.5 * u);
    }
}

/* Draws the title, which part of the grid is shown, and on the first grid the legend. */
static void draw_head(const table *t, const rv_frame *frame, int which, rv_scene *scene,
                      rv_box line) {
    const rv_look *look = &t->stage->look;
    const double u = look->unit;
    const char *title = t->board.grid->title != NULL ? t->board.grid->title : "";
    char part[RV_ENTRY_BYTES];
    rv_say_part(&t->board, part, sizeof part);
    const char *rest = part + strspn(part, " ");
    const double w = fmin(line.w, rv_label_width(title, 0.9 * u) * 1.06 + 0.6 * u);
    rv_scene_label(scene, rv_cut_left(&line, w), RV_LEFT, 0.9 * u, look->ink, title)->bold = true;
    const double wide = rv_label_width(rest, 0.78 * u) * 1.04 + 0.5 * u;
    if (rest[0] != '\0' && line.w >= 0.75 * wide) {
        rv_scene_label(scene, rv_cut_left(&line, fmin(line.w, wide)), RV_LEFT, 0.78 * u,
                       look->quiet, rest);
    }
    if (which == 0) draw_legend(t->stage, frame, scene, line);
}

/* Returns the width of a column's widest text, including its head; the board only counts
   characters. */
static double words_width(const table *t, int32_t column) {
    const rv_grid *grid = t->board.grid;
    const int32_t c = t->board.first_column + column;
    const char *head = grid->column_heads != NULL ? grid->column_heads[c] : NULL;
    double width = head != NULL ? rv_label_width(head, 0.88 * t->size) : 0;
    for (int32_t r = 0; r < t->board.n_rows; r++) {
        const rv_entry *entry = rv_grid_entry(grid, t->board.first_row + r, c);
        double wide = entry->text != NULL ? rv_label_width(entry->text, t->size) : 0;
        if (grid->tiles) {
            width = fmax(width, wide + 1.3 * t->size);
            continue;
        }
        wide += (sign_of(entry->tone) >= 0 ? 1.3 : 0.3) * t->size;
        width = fmax(width, wide + (entry->rank >= 0 ? 0.4 * t->size : 0));
    }
    return 1.04 * width;
}

static double heads_width(const table *t) {
    const rv_grid *grid = t->board.grid;
    double width = 0;
    if (t->board.head_width < 1) return 0;
    for (int32_t r = 0; r < t->board.n_rows; r++) {
        const char *head = grid->row_heads[t->board.first_row + r];
        if (head != NULL) width = fmax(width, rv_label_width(head, 0.95 * t->size));
    }
    return fmin(1.12 * width + 0.2 * t->size, 0.5 * t->box.w) + t->gap;
}

/* Sets the widths of the columns: those of their texts, stretched or shrunk to the box. */
static void set_columns(table *t) {
    const rv_grid_room *most = rv_room_of(rv_stage_survey(t->stage), t->board.grid);
    const int32_t n = t->board.n_columns;
    double all = 0;
    t->gap = 0.7 * t->size;
    t->head_w = heads_width(t);
    for (int32_t c = 0; c < n; c++) {
        /* its width at any moment, so it never moves */
        const int32_t at = t->board.first_column + c;
        const int ever = most != NULL && at < RV_MOST_COLUMNS ? most->columns[at] : 0;
        const bool tiles = t->board.grid->tiles; /* they have no marks, but edges */
        const double characters = tiles ? ever - 2 : fmax(ever, t->board.widths[c]);
        t->widths[c] =
            fmax(words_width(t, c),
                 (characters * RV_GRID_CHARACTER + (tiles && ever > 0 ? 1.3 : 0)) * t->size);
        all += t->widths[c];
    }
    for (int32_t c = 0; t->board.grid->tiles && c < n; c++) { /* tiles are all as wide */
        double widest = 0;
        for (int32_t i = 0; i < n; i++) widest = fmax(widest, t->widths[i]);
        all = widest * n;
        t->widths[c] = widest;
    }
    double room = t->box.w - t->head_w - t->gap * (n - 1);
    if (all > room) { /* first the gaps shrink */
        t->gap = fmax(0.2 * t->size, t->gap - (all - room) / fmax(1, n));
        room = t->box.w - t->head_w - t->gap * (n - 1);
    }
    /* Without heads, a column stands near what it belongs to. */
    const bool spread = t->board.headed || t->board.grid->tiles;
    const double share = fmin(spread ? STRETCH : 1.1, room / fmax(1, all));
    for (int32_t c = 0; c < n; c++) t->widths[c] *= share;
}

static table plan(const rv_stage *stage, const rv_grid *grid, double size, rv_box inside,
                  bool titled) {
    table t = {.stage = stage, .box = inside, .size = size};
    const int columns = (int)fmax(4, inside.w / (RV_GRID_CHARACTER * size));
    const int lines = (int)fmax(1, inside.h / (RV_GRID_LINE * size) + 0.01);
    t.board = rv_plan_board(grid, NULL, stage->playback.rank, columns, lines + (titled ? 1 : 0));
    set_columns(&t);
    const int rows = t.board.n_rows + (t.board.headed ? 1 : 0);
    const double highest = stage->height > stage->width ? HIGHEST_UPRIGHT : HIGHEST_LINE;
    t.line = fmin(inside.h / fmax(1, rows), highest * size);
    t.heads_h = t.board.headed ? fmin(t.line, RV_GRID_LINE * size) : 0;
    return t;
}

void rv_draw_grid(const rv_stage *stage, const rv_frame *frame, int which, double size,
                  rv_scene *scene, rv_box box) {
    const rv_grid *grid = &frame->grids[which];
    const double u = stage->look.unit;
    rv_box inside = rv_draw_panel(stage, scene, box, NULL);
    if (box.h < 5 * u) {
        inside = (rv_box){inside.x, box.y + 0.3 * u, inside.w, box.h - 0.6 * u};
    }
    const bool titled = grid->title != NULL && box.h > 3.9 * u;
    const rv_box head = titled ? rv_cut_top(&inside, 1.4 * u) : (rv_box){0};
    if (inside.w < 3 * u || inside.h < 0.9 * size) return;
    const table t = plan(stage, grid, fmin(size, inside.h / 1.1), inside, titled);
    if (titled) draw_head(&t, frame, which, scene, head);
    draw_rows(&t, scene);
}

/* ------------------------------------------------------------------------------------------ key */

void rv_draw_story_key(const rv_stage *stage, rv_scene *scene, rv_box box, double type) {
    const rv_look *look = &stage->look;
    box = rv_inset(box, 0.6 * type);
    rv_scene_label(scene, rv_cut_top(&box, 1.8 * type), RV_LEFT, 1.15 * type, look->accent,
                   _("How to read it"))
        ->bold = true;
    for (rv_tone tone = RV_TONE_LEAVES; tone <= RV_TONE_BAD; tone++) {
        rv_box line = rv_cut_top(&box, 1.75 * type);
        const rv_box sign = rv_cut_left(&line, 2.2 * type);
        const rv_colour ink = rv_tone_ink(look, tone);
        draw_tone(scene, rv_centre(sign), type, tone, ink);
        rv_scene_label(scene, line, RV_LEFT, 0.9 * type, ink,
                       rv_tone_word(rv_stage_story(stage), tone));
    }
}
