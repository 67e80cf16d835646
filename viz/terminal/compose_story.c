/* compose_story.c: a moment of a story on a screen of any size: which block gets how many lines.
 *
 * Each block, the most important first, gets the least that it needs; then the blocks share the
 * rest, each up to what it wants. A block without lines is not drawn.
 */
#include "terminal/compose_frame.h"
#include "text/say.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024, BESIDE = 4, PLOT_WIDTH = 36, MOST_WHOLE = 40, MOST_BLOCKS = RV_MOST_GRIDS + 3 };

static void compose_title(const rv_playback *playback, rv_screen *screen) {
    const rv_story *story = rv_story_of(&playback->subject);
    rv_fill_row(screen, 0, 0, screen->width, RV_TITLE);
    rv_put_words(screen, 1, 0, screen->width - 2, RV_TITLE, rv_story_title(story));
}

/* Writes the phase at the left, squares for the steps, and the step at the right. */
static void compose_phase(const rv_playback *playback, const rv_frame *frame, rv_screen *screen,
                          int y) {
    const rv_glyphs *glyphs = rv_glyphs_of(playback);
    const int32_t at = rv_position_of(playback).step, n_steps = playback->subject.n_steps;
    char text[96];
    rv_step_text(playback, text, sizeof text);
    const int end = screen->width - rv_text_width(text) - 2;
    rv_put(screen, end < 1 ? 1 : end + 1, y, TEXT, RV_BOLD, text);
    int x = 1;
    if (frame->phase != NULL) {
        x = rv_put_words(screen, 1, y, end - 2, RV_BOLD, frame->phase) + 2;
    }
    const int room = end - x - 1;
    if (room < 4) return;
    const int32_t per = (n_steps + room - 1) / room;
    for (int32_t step = 0; step < n_steps; step += per) {
        const bool done = step <= at;
        x = rv_put(screen, x, y, end - x, done ? RV_OWN : RV_DIM,
                   done ? glyphs->done : glyphs->to_do);
    }
}

static int count_lines(const char *text, int width) {
    int n = 0;
    while (*text != '\0') {
        size_t next;
        rv_wrap(text, width, &next);
        text += next;
        n++;
    }
    return n;
}

void rv_compose_marks(const rv_story *story, const bool there[RV_N_TONES], rv_screen *screen,
                      int y) {
    int x = 1;
    for (rv_tone tone = RV_TONE_QUIET; tone < RV_N_TONES; tone++) {
        char text[TEXT / 4];
        const char *mark = rv_tone_mark(tone), *word = rv_tone_word(story, tone);
        if (!there[tone]) continue;
        snprintf(text, sizeof text, mark[0] != '\0' ? "%s %s" : "(%.0s%s)", mark, word);
        if (x + rv_text_width(text) > screen->width) return;
        x = rv_put(screen, x, y, screen->width - x, RV_DIM, text) + 2;
    }
}

/* -------------------------------------------------------------------------------------- blocks */

/* What needs lines: the sequence, some grids beside each other, the lanes, or the plots. */
typedef struct block {
    rv_piece_kind kind;
    int first, n;                   /* of the grids, or plots */
    int least, wanted, most, given; /* most: where lines are left over */
} block;

typedef struct blocks {
    block list[MOST_BLOCKS]; /* in the order in which they stand */
    int n;
} blocks;

static void add_block(blocks *all, rv_piece_kind kind, int first, int n, int least, int wanted) {
    if (wanted < 1) return;
    all->list[all->n++] =
        (block){kind, first, n, wanted < least ? wanted : least, wanted, wanted, 0};
}

static blocks list_blocks(const rv_playback *playback, const rv_frame *frame, int width) {
    blocks all = {.n = 0};
    rv_shelf shelves[RV_MOST_GRIDS];
    add_block(&all, RV_PART_SEQUENCE, 0, 1, 9, rv_sequence_lines(&frame->sequence));
    const int n = rv_shelve_grids(frame, rv_survey_of(&playback->subject, playback->rank),
                                  playback->rank, width, BESIDE, RV_MOST_GRIDS, shelves);
    for (int i = 0; i < n; i++) { /* at least a title, heads, a few rows */
        add_block(&all, RV_PART_GRID, shelves[i].first, shelves[i].n, all.n == 0 ? 6 : 5,
                  shelves[i].lines);
    }
    const rv_story now = rv_lanes_now(rv_story_of(&playback->subject), frame);
    add_block(&all, RV_PART_LANES, 0, 1, 5, rv_lanes_lines(&now, width));
    const int most = width / PLOT_WIDTH < 1 ? 1 : width / PLOT_WIDTH;
    const int n_plots = frame->n_plots < most ? frame->n_plots : most;
    int wanted = 0, grown = 0;
    for (int p = 0; p < n_plots; p++) {
        const int lines = rv_plot_lines(&frame->plots[p]);
        if (lines > wanted) wanted = lines;
        if (!frame->plots[p].bars) grown = RV_MOST_CURVE_LINES;
    }
    add_block(&all, RV_PART_PLOT, 0, n_plots, 5, wanted);
    if (wanted > 0 && grown > wanted) all.list[all.n - 1].most = grown;
    return all;
}

/* Gives a block the least it needs, with `gap` blank lines after it. It takes less if that is still
   4 lines; else nothing. Tells whether it got what it needs. */
static bool give_least(block *b, int gap, int *left) {
    const int given = b->least < *left - gap ? b->least : *left - gap;
    if (b->given > 0) return true;
    if (given < b->least && given < 4) return false;
    b->given = given;
    *left -= given + gap;
    return given == b->least;
}

/* Shares the lines out; tells whether all blocks got what they need. */
static bool share_lines(blocks *all, int left, int gap) {
    bool good = true;
    left += gap; /* the last block needs no gap after it */
    for (int i = 0; i < all->n; i++) all->list[i].given = 0;
    for (int i = 0; i < all->n; i++) { /* the first block and the lanes come first */
        if (i > 0 && all->list[i].kind != RV_PART_LANES) continue;
        good = give_least(&all->list[i], gap, &left) && good;
    }
    for (int i = 0; i < all->n; i++) good = give_least(&all->list[i], gap, &left) && good;
    for (int i = 0; i < 2 * all->n && left > 0; i++) { /* what all want, then what one can take */
        block *b = &all->list[i % all->n];
        const int room = (i < all->n ? b->wanted : b->most) - b->given;
        const int more = b->given == 0 ? 0 : room < left ? room : left;
        b->given += more;
        left -= more;
    }
    return good;
}

/* Tells whether a block shows less than it could. */
static bool is_cut(const blocks *all) {
    for (int i = 0; i < all->n; i++) {
        if (all->list[i].given < all->list[i].wanted) return true;
    }
    return false;
}

static void draw_block(const rv_playback *playback, const rv_frame *frame, const block *b,
                       rv_screen *screen, int y) {
    const rv_story now = rv_lanes_now(rv_story_of(&playback->subject), frame);
    const int width = screen->width - 2, each = (width + BESIDE) / b->n - BESIDE;
    const rv_survey *survey = rv_survey_of(&playback->subject, playback->rank);
    int x = 1;
    switch (b->kind) {
    case RV_PART_SEQUENCE:
        rv_compose_sequence(playback, &frame->sequence, screen, y, b->given);
        break;
    case RV_PART_GRID:
        for (int g = b->first; g < b->first + b->n; g++) {
            const rv_board board =
                rv_plan_board(&frame->grids[g], rv_room_of(survey, &frame->grids[g]),
                              playback->rank, width - x + 1, b->given);
            rv_compose_board(&board, playback->rank, screen, x, y);
            x += board.width + BESIDE;
        }
        break;
    case RV_PART_LANES:
        rv_compose_lanes(&now, rv_position_of(playback).step, frame->now_ps, screen, y, b->given);
        break;
    case RV_PART_PLOT:
        for (int p = b->first; p < b->first + b->n; p++, x += each + BESIDE) {
            rv_compose_plot(&frame->plots[p], screen, x, y, each, b->given);
        }
        break;
    }
}

/* Draws alone the part that the reader has chosen. */
static void draw_part(const rv_playback *playback, const rv_frame *frame, rv_screen *screen, int y,
                      int n_lines) {
    int32_t index;
    const rv_piece_kind kind =
        rv_part_of(rv_story_of(&playback->subject), frame, playback->part, &index);
    const block alone = {.kind = kind, .first = (int)index, .n = 1, .given = n_lines};
    draw_block(playback, frame, &alone, screen, y);
}

static void draw_blocks(const rv_playback *playback, const rv_frame *frame, const blocks *all,
                        int gap, rv_screen *screen, int y) {
    for (int i = 0; i < all->n; i++) {
        if (all->list[i].given == 0) continue;
        draw_block(playback, frame, &all->list[i], screen, y);
        y += all->list[i].given + gap;
    }
}

/* ----------------------------------------------------------------------------------- scrolling */

/* Returns the first line of the followed GPU on a screen; -1: it has none. */
static int followed_line(const rv_screen *screen) {
    for (int i = 0; i < screen->height * screen->width; i++) {
        if (screen->cells[i].style == RV_CHOSEN) return i / screen->width;
    }
    return -1;
}

/* Chooses the first line that is seen of `tall`, of which n_lines are. */
static int first_line(const rv_playback *playback, const rv_screen *tall, int n_lines) {
    const int last = tall->height - n_lines, row = followed_line(tall);
    int first = playback->first < last ? playback->first : last;
    if (playback->wants_row && row >= 0 && row < first) first = row;
    if (playback->wants_row && row >= first + n_lines) first = row - n_lines + 1;
    return first;
}

/* Draws all blocks whole, of which the reader sees n_lines at a time; false: no memory. */
static bool draw_scrolled(const rv_playback *playback, const rv_frame *frame, const blocks *all,
                          rv_screen *screen, int y, int n_lines) {
    blocks whole = *all;
    rv_screen tall;
    int height = -1;
    for (int i = 0; i < whole.n; i++) {
        block *b = &whole.list[i];
        const bool sequence = b->kind == RV_PART_SEQUENCE; /* its end is always seen */
        const int most = sequence ? n_lines : MOST_WHOLE;
        b->given = b->wanted < most ? b->wanted : most;
        height += b->given + 1;
    }
    if (!rv_screen_new(screen->width, height, &tall)) return false;
    draw_blocks(playback, frame, &whole, 1, &tall, 0);
    screen->first = first_line(playback, &tall, n_lines);
    screen->n_below = tall.height - n_lines - screen->first;
    memcpy(&screen->cells[y * screen->width], &tall.cells[screen->first * screen->width],
           sizeof *tall.cells * (size_t)(n_lines * screen->width));
    rv_screen_free(&tall);
    return true;
}

/* ------------------------------------------------------------------------------------- together */

/* The lines of the parts that every moment has. */
typedef struct lines {
    int title, phase, caption, legend, message, hint;
    int free; /* left for the blocks */
} lines;

static lines lines_of(const rv_frame *frame, int width, int height) {
    lines f = {.title = height < 8 ? 0 : 1,
               .phase = height < 3 ? 0 : 1,
               .legend = height < 14 ? 0 : 1,
               .message = height < 20 ? 0 : 1,
               .hint = height < 4 ? 0 : 1};
    const int most = height < 12 ? 2 : height < 20 ? 3 : 6, least = height < 20 ? 1 : 2;
    const int needed = count_lines(frame->caption, width - 2);
    f.caption = needed > most ? most : needed > least ? needed : least;
    f.free = height - f.title - f.phase - f.caption - f.legend - f.message - f.hint;
    return f;
}

/* Draws the caption and the blocks. There are blank lines around the caption, and between the
   blocks, only if all blocks get what they need all the same. */
static void compose_blocks(const rv_playback *playback, const rv_frame *frame, const lines *f,
                           rv_screen *screen) {
    int y = f->title + f->phase, air = screen->height >= 24 ? 1 : 0, gap = 1;
    const bool alone = playback->part >= 0 &&
                       playback->part < rv_count_parts(rv_story_of(&playback->subject), frame);
    const rv_style style = frame->bad ? RV_WARNING : frame->good ? RV_COMPLETE : RV_BOLD;
    blocks all = list_blocks(playback, frame, screen->width - 2);
    if (!alone && !share_lines(&all, f->free - 2 * air, gap)) {
        air = 0;
        if (!share_lines(&all, f->free, gap)) gap = 0;
        if (gap == 0) share_lines(&all, f->free, gap);
    }
    rv_put_wrapped(screen, 1, y + air, f->caption, style, frame->caption);
    y += f->caption + 2 * air;
    const int room = f->free - 2 * air;
    if (!alone && is_cut(&all) && room > 3 &&
        draw_scrolled(playback, frame, &all, screen, y, room)) {
        char text[TEXT / 4];
        const int line = screen->height - f->hint - f->message, last = screen->first + room;
        rv_say_text(text, sizeof text,
                    _("Lines %d-%d of %d: Shift+Down or } shows more, Shift+Up or { what is above"),
                    screen->first + 1, last, last + screen->n_below);
        if (f->message > 0) rv_put_words(screen, 1, line, screen->width - 1, RV_DIM, text);
    } else if (!alone) {
        draw_blocks(playback, frame, &all, gap, screen, y);
    } else if (f->free - 2 * air > 0) {
        draw_part(playback, frame, screen, y, f->free - 2 * air);
    }
}

static void compose_moment(const rv_playback *playback, const rv_frame *frame, rv_screen *screen) {
    const int width = screen->width, height = screen->height;
    const lines f = lines_of(frame, width, height);
    bool there[RV_N_TONES] = {false};
    if (f.title) compose_title(playback, screen);
    if (f.phase) compose_phase(playback, frame, screen, f.title);
    compose_blocks(playback, frame, &f, screen);
    rv_tones_of(frame, there);
    if (f.legend) {
        rv_compose_marks(rv_story_of(&playback->subject), there, screen,
                         height - f.hint - f.message - f.legend);
    }
    if (f.hint) rv_compose_hint(playback, screen, height - 1, width < 60 || height < 16);
    rv_compose_message(playback, screen, height - f.hint - f.message, f.message);
    if (playback->mode == RV_READING_HELP) rv_compose_help(playback, NULL, screen);
}

void rv_compose_story(const rv_playback *playback, rv_screen *screen) {
    rv_refresh_story(&playback->subject);
    compose_moment(playback, rv_frame_of(&playback->subject, playback->rank), screen);
}
