/* draw_lesson.c: the panel with a lesson's text, beside the animation or alone.
 *
 *     5. Scatter-reduce                      [o][zh][?]     these buttons only where it stands
 *     alone All in the same direction These are the five messages of ...                    words,
 *     code, cards of myths, choices ----- ----- ----- . . . . .                           the
 *     lesson's stops, and those already read [< Back]      page 2 of 6            [Next >]
 *
 *   - The text comes in whole screens: nothing scrolls half out of run.
 *   - Right and wrong have a sign beside their colour; the chosen answer has a frame.
 */
#include "lesson/course.h"
#include "lesson/lesson_flow.h"
#include "panels/draw.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WIDEST = 42; /* the widest line of a text that stands alone, in sizes of type */

typedef struct lesson_page {
    const rv_stage *stage;
    rv_scene *scene;
    const rv_flow *flow;
    double size;
} lesson_page;

/* ---------------------------------------------------------------------------------------- pieces */

static rv_colour ink_of(const rv_look *look, rv_text_tone tone) {
    switch (tone) {
    case RV_TONE_QUIET:
    case RV_TONE_FADED: return look->quiet;
    case RV_TONE_ACCENT: return look->accent;
    default: return look->ink;
    }
}

/* Returns the colour that marks a card. */
static rv_colour mark_of(const rv_look *look, rv_text_tone tone) {
    switch (tone) {
    case RV_TONE_MYTH:
    case RV_TONE_WRONG: return look->bad;
    case RV_TONE_TRUTH:
    case RV_TONE_RIGHT: return look->good;
    case RV_TONE_CHOSEN: return look->accent;
    default: return look->edge;
    }
}

static rv_item *draw_text(const lesson_page *p, rv_box box, double size, rv_colour ink,
                          const char *text) {
    rv_item *label = rv_scene_label(p->scene, box, RV_LEFT, size, ink, text);
    label->wrap = label->top = true;
    return label;
}

/* Cuts the place of a sign or letter off a card's left side. */
static rv_box cut_sign(const lesson_page *p, rv_box *inside) {
    rv_box place = rv_cut_left(inside, 2 * p->size);
    place.w = 1.35 * p->size;
    place.h = fmin(place.h, 1.46 * p->size);
    return place;
}

static void draw_letter(const lesson_page *p, rv_box place, const rv_piece *piece) {
    const rv_look *look = &p->stage->look;
    const bool lit = piece->tone == RV_TONE_RIGHT || piece->tone == RV_TONE_WRONG ||
                     piece->tone == RV_TONE_CHOSEN;
    const rv_colour mark = mark_of(look, piece->tone);
    const double d = fmin(place.w, place.h);
    const rv_point centre = {place.x + place.w / 2, place.y + place.h / 2};
    rv_item *disc = rv_scene_disc(p->scene, centre, 0.5 * d,
                                  lit ? mark : rv_mix(look->raised, look->ink, 0.08));
    if (!lit) disc->stroke = look->edge, disc->line = look->hair;
    const rv_box all = {centre.x - d / 2, centre.y - d / 2, d, d};
    rv_scene_labelf(p->scene, all, RV_MIDDLE, 0.85 * p->size, lit ? look->panel : look->ink, "%c",
                    'a' + piece->choice)
        ->bold = true;
}

/* Draws on the card's right side whether the choice is right. */
static void draw_judgement(const lesson_page *p, rv_box place, rv_text_tone tone) {
    if (tone != RV_TONE_RIGHT && tone != RV_TONE_WRONG) return;
    rv_draw_sign(p->scene, (rv_box){place.x, place.y, place.w, fmin(place.h, 1.46 * p->size)},
                 tone == RV_TONE_RIGHT ? RV_SIGN_CHECK : RV_SIGN_CROSS,
                 mark_of(&p->stage->look, tone));
}

/* Draws a class's votes for a choice as bars, one below the other. */
static void draw_votes(const lesson_page *p, rv_box box, const rv_piece *piece) {
    const rv_look *look = &p->stage->look;
    /* "1234, 100 %" behind the longest */
    const double size = 0.8 * p->size, room = box.w - 6 * size;
    const double row = box.h / piece->n_votes;
    for (int v = 0; v < piece->n_votes; v++) {
        const rv_colour ink = v == piece->n_votes - 1 ? look->accent : look->quiet;
        const double length = piece->lengths[v] * room, thick = fmin(0.9 * size, 0.8 * row);
        rv_box line = rv_cut_top(&box, row);
        if (length <= 0) continue;
        const rv_box bar = {line.x, line.y + (row - thick) / 2, length, thick};
        rv_scene_rect(p->scene, bar, 0, ink);
        rv_cut_left(&line, length + 0.4 * size);
        rv_scene_label(p->scene, line, RV_LEFT, size, ink, piece->votes[v]);
    }
}

static void draw_option(const lesson_page *p, const rv_piece *piece, rv_box box) {
    const rv_look *look = &p->stage->look;
    const rv_target target = rv_target_of(RV_LETTER, piece->choice, 0);
    const bool hot = piece->pressed && rv_same_target(p->stage->hover, target);
    const bool marked = piece->tone != RV_TONE_PLAIN && piece->tone != RV_TONE_FADED;
    const rv_colour mark = mark_of(look, piece->tone);
    const rv_colour ground = marked ? rv_mix(look->panel, mark, 0.10)
                             : hot  ? rv_mix(look->raised, look->accent, 0.18)
                                    : look->raised;
    rv_item *card = rv_scene_rect(p->scene, box, 0.4 * p->size,
                                  piece->tone == RV_TONE_FADED ? look->panel : ground);
    card->stroke = marked ? mark : hot ? look->accent : look->edge;
    card->line = (marked ? 2 : 1) * look->hair;
    if (piece->pressed) card->target = target;
    rv_box inside = rv_inset(box, piece->pad * p->size);
    draw_letter(p, cut_sign(p, &inside), piece);
    const rv_box side = rv_cut_right(&inside, RV_JUDGED * p->size);
    draw_judgement(p, (rv_box){side.x + 0.3 * p->size, side.y, p->size, side.h}, piece->tone);
    if (piece->aside > 0) {
        const rv_box votes = rv_cut_right(&inside, piece->aside * box.w);
        const double edge = 0.2 * p->size; /* two bars need the card's whole height */
        draw_votes(p, (rv_box){votes.x, box.y + edge, votes.w, box.h - 2 * edge}, piece);
    }
    rv_item *text =
        draw_text(p, inside, piece->size * p->size, ink_of(look, piece->tone), piece->text);
    text->top = false; /* one line stands in the middle of a high button */
}

static void draw_words(const lesson_page *p, const rv_piece *piece, rv_box box) {
    const rv_look *look = &p->stage->look;
    const double size = piece->size * p->size;
    if (piece->pad > 0) { /* a card */
        const rv_colour mark = mark_of(look, piece->tone);
        rv_scene_rect(p->scene, box, 0.3 * p->size, rv_mix(look->panel, mark, 0.09));
        rv_scene_rect(p->scene, (rv_box){box.x, box.y, 0.25 * p->size, box.h}, 0.1 * p->size, mark);
        box = rv_inset(box, piece->pad * p->size);
        rv_box sign = cut_sign(p, &box);
        sign = rv_inset(sign, 0.16 * p->size);
        rv_draw_sign(p->scene, sign, piece->tone == RV_TONE_MYTH ? RV_SIGN_CROSS : RV_SIGN_CHECK,
                     mark);
    }
    const double indent = piece->indent * p->size;
    if (piece->mark != NULL) {
        const rv_box mark = {box.x + indent - 1.3 * p->size, box.y, 1.2 * p->size, 1.5 * size};
        rv_scene_label(p->scene, mark, RV_LEFT, size, look->quiet, piece->mark)->top = true;
    }
    rv_cut_left(&box, indent);
    rv_colour ink = ink_of(look, piece->tone);
    if (piece->tone == RV_TONE_RIGHT) ink = look->good;
    if (piece->tone == RV_TONE_WRONG) ink = look->bad;
    draw_text(p, box, size, ink, piece->text)->bold = piece->bold;
}

static void draw_cells(const lesson_page *p, const rv_piece *piece, rv_box box) {
    const rv_look *look = &p->stage->look;
    const double y = box.y + box.h + 0.1 * p->size, width = box.w;
    rv_scene_segment(p->scene, (rv_point){box.x, y}, (rv_point){box.x + box.w, y}, look->hair,
                     piece->bold ? look->quiet : look->edge);
    for (int c = 0; c < piece->n_cells; c++) {
        rv_box cell = rv_cut_left(&box, piece->shares[c] * width);
        rv_cut_right(&cell, 0.8 * p->size);
        draw_text(p, cell, piece->size * p->size, look->ink, piece->cells[c])->bold = piece->bold;
    }
}

static void draw_lines(const lesson_page *p, const rv_piece *piece, rv_box box) {
    const rv_look *look = &p->stage->look;
    const double size = rv_piece_size(p->flow, piece, p->stage->ruler, box.w);
    const rv_target target = rv_target_of(RV_COMMAND, piece->nth_command, 0);
    const bool plays = piece->command != NULL, hot = rv_same_target(p->stage->hover, target);
    const bool shown = plays && strcmp(piece->command, p->stage->playing) == 0;
    rv_item *ground = rv_scene_rect(p->scene, box, 0.3 * p->size,
                                    plays && hot ? rv_mix(look->raised, look->accent, 0.14)
                                                 : rv_mix(look->panel, look->raised, 0.75));
    if (plays) ground->target = target;
    if (shown) {
        rv_scene_rect(p->scene, (rv_box){box.x, box.y, 0.2 * p->size, box.h}, 0.1 * p->size,
                      look->accent);
    }
    rv_box inside = rv_inset(box, piece->pad * p->size);
    if (plays) {
        const rv_box place = rv_cut_left(&inside, RV_PLAY_SIGN * p->size);
        const rv_box sign = {place.x, place.y + 0.1 * size, 0.85 * p->size, 1.05 * size};
        rv_draw_sign(p->scene, sign, RV_SIGN_PLAY, shown || hot ? look->accent : look->quiet);
    }
    draw_text(p, inside, size, look->ink, piece->text)->mono = true;
}

/* Returns the room above a short text that stands alone: it lies somewhat above the middle, not at
   the very top. */
static double spare_above(const lesson_page *p, rv_box box) {
    double used = 0;
    if (p->flow->n_screens > 1) return 0;
    for (int i = 0; i < p->flow->n; i++) {
        used += p->flow->pieces[i].height + (i > 0 ? p->flow->pieces[i].gap * p->size : 0);
    }
    return fmax(0, 0.3 * (box.h - used));
}

static void draw_flow(const lesson_page *p, rv_box box) {
    bool first = true;
    if (p->stage->layout.title.w <= 0) rv_cut_top(&box, spare_above(p, box));
    for (int i = 0; i < p->flow->n; i++) {
        const rv_piece *piece = &p->flow->pieces[i];
        if (piece->screen != p->stage->screen) continue;
        if (!first) rv_cut_top(&box, piece->gap * p->size);
        first = false;
        const rv_box place = rv_cut_top(&box, piece->height);
        switch (piece->kind) {
        case RV_WORDS: draw_words(p, piece, place); break;
        case RV_LINES: draw_lines(p, piece, place); break;
        case RV_CELLS: draw_cells(p, piece, place); break;
        case RV_OPTION: draw_option(p, piece, place); break;
        }
    }
}

/* --------------------------------------------------------------------------------- head and foot */

static double button_width(const rv_stage *stage, const char *text) {
    return rv_label_width(text, 0.9 * stage->look.unit) + 2.4 * stage->look.unit;
}

/* Draws the head. A text that stands alone has no title panel above it: so its buttons are here. */
static void draw_head(const rv_stage *stage, rv_scene *scene, rv_box row) {
    const rv_look *look = &stage->look;
    const rv_lesson *lesson = stage->course->reading.lesson;
    const double u = look->unit, b = rv_button_size(stage);
    const bool alone = stage->layout.title.w <= 0 && !stage->bare;
    if (alone) {
        rv_draw_button(stage, scene, rv_cut_right(&row, b), "?", false, RV_HELP);
        rv_cut_right(&row, 0.3 * u);
        rv_draw_button(stage, scene, rv_cut_apart(&row, rv_cut_right, b, 0.3 * u),
                       strcmp(rv_language(), "en") == 0 ? "中" : "EN", false, RV_LANGUAGE);
        rv_draw_sign_button(stage, scene, rv_cut_right(&row, b), RV_SIGN_THEME, false, RV_THEME);
        rv_cut_right(&row, 0.5 * u);
    }
    rv_draw_home(stage, scene, &row);
    if (alone && !rv_lesson_veils(stage)) {
        const double width = fmin(0.5 * row.w, button_width(stage, _("Animation")));
        rv_draw_button(stage, scene, rv_cut_apart(&row, rv_cut_right, width, 0.5 * u),
                       _("Animation"), false, RV_LESSON_SWAP);
    }
    rv_scene_labelf(scene, row, RV_LEFT, 0.9 * u, look->quiet, "%d. %s", lesson->number,
                    lesson->title);
}

/* Draws the stops as a line of bars; a click goes to one that the reader has reached. */
static void draw_stops(const rv_stage *stage, rv_scene *scene, rv_box row) {
    const rv_look *look = &stage->look;
    const rv_reading *reading = &stage->course->reading;
    const int n = rv_stop_count(reading->lesson);
    const double gap = fmin(0.25 * look->unit, 0.2 * row.w / n), each = (row.w + gap) / n - gap;
    for (int i = 0; i < n; i++) {
        const rv_box place = rv_cut_left(&row, each);
        const rv_target target = rv_target_of(RV_STOP, i, 0);
        const bool here = i == reading->at, hot = rv_same_target(stage->hover, target);
        const double h = (here || hot ? 0.38 : 0.22) * look->unit;
        const rv_box bar = {place.x, place.y + (place.h - h) / 2, place.w, h};
        rv_colour fill = look->edge;
        if (i <= reading->most) fill = rv_mix(look->panel, look->accent, hot ? 0.8 : 0.45);
        if (here) fill = look->accent;
        if (i <= reading->most) rv_scene_rect(scene, place, 0, 0)->target = target;
        rv_scene_rect(scene, bar, h / 2, fill);
        rv_cut_left(&row, gap);
    }
}

static void draw_name(const rv_stage *stage, rv_scene *scene, rv_box box) {
    char name[64], text[96];
    const rv_reading *reading = &stage->course->reading;
    rv_name_stop(reading->lesson, reading->at, name, sizeof name);
    snprintf(text, sizeof text, "%s", name);
    if (stage->n_screens > 1) {
        snprintf(text, sizeof text, "%s (%d/%d)", name, stage->screen + 1, stage->n_screens);
    }
    rv_scene_label(scene, box, RV_MIDDLE, 0.85 * stage->look.unit, stage->look.quiet, text);
}

/* Says on every page whose the keys are. */
static void draw_keys(const rv_stage *stage, rv_scene *scene, rv_box *row) {
    const bool alone = stage->layout.title.w <= 0;
    const char *text =
        alone ? _("Enter, Right: next page") : _("Enter: next page \xC2\xB7 Right: next step");
    const double size = 0.75 * stage->look.unit, width = rv_label_width(text, size);
    if (stage->by_finger || width + 8 * stage->look.unit > row->w) return;
    rv_scene_label(scene, rv_cut_right(row, width + 0.4 * size), RV_LEFT, size, stage->look.quiet,
                   text);
}

static void draw_foot(const rv_stage *stage, rv_scene *scene, rv_box row, bool has_code) {
    const rv_reading *reading = &stage->course->reading;
    const double u = stage->look.unit;
    const bool open = !stage->course->poll.on && rv_is_open(reading, reading->at);
    const bool gate = open && (reading->at == RV_STOP_PREDICTION || reading->chosen >= 0);
    const bool last =
        reading->at == rv_stop_count(reading->lesson) - 1 && stage->screen + 1 >= stage->n_screens;
    const bool follows = last && stage->course->follow != NULL && stage->course->next != 0;
    const bool two = follows && stage->course->other != 0;
    char lesson[64], other[64];
    const bool done = stage->course->hour_done;
    snprintf(lesson, sizeof lesson,
             !two   ? _("Next: lesson %d")
             : done ? _("Lesson %d (what you left out)")
                    : _("Lesson %d (the ring in an hour)"),
             stage->course->next);
    snprintf(other, sizeof other,
             done ? _("Lesson %d (training with DDP)") : _("Lesson %d (all of them)"),
             stage->course->other);
    const char *back = _("Back");
    const char *on = gate ? _("Commit") : follows ? lesson : _("Next");
    const double width =
        fmin(0.4 * row.w, fmax(button_width(stage, on), button_width(stage, back)));
    const rv_box left = rv_cut_left(&row, two ? button_width(stage, back) : width),
                 right = rv_cut_right(&row, width);
    if (two) {
        rv_cut_right(&row, 0.4 * u);
        const rv_box place = rv_cut_right(&row, fmin(0.6 * row.w, button_width(stage, other)));
        rv_draw_button(stage, scene, place, other, false, RV_LESSON_OTHER);
    }
    if (reading->at > 0 || stage->screen > 0) {
        rv_draw_button(stage, scene, left, back, false, RV_LESSON_BACK);
    }
    if (!last || follows) {
        rv_draw_button(stage, scene, right, on, !gate || reading->chosen >= 0, RV_LESSON_NEXT);
    }
    if (has_code) {
        const char *copy = _("Copy code (y)");
        const double wide = button_width(stage, copy);
        rv_cut_left(&row, 0.4 * u);
        if (wide + 8 * u < row.w) {
            rv_draw_button(stage, scene, rv_cut_left(&row, wide), copy, false, RV_LESSON_COPY);
        }
    }
    row = rv_inset(row, 0.2 * u);
    if (!open && !last && !stage->course->poll.on) draw_keys(stage, scene, &row);
    draw_name(stage, scene, row);
}

/* In a page the exercise is a button away. */
static bool has_lab(const rv_stage *stage) {
    const rv_reading *reading = &stage->course->reading;
    return stage->output == RV_TO_PAGE && !stage->course->poll.on && !stage->bare &&
           reading->at == rv_stop_count(reading->lesson) - 1;
}

static void draw_lab(const rv_stage *stage, rv_scene *scene, rv_box row) {
    const char *text = _("Do the exercise here");
    const double width = fmin(row.w, button_width(stage, text));
    rv_cut_left(&row, (row.w - width) / 2);
    rv_draw_button(stage, scene, rv_cut_left(&row, width), text, true, RV_LESSON_LAB);
}

/* Writes a line above the foot: what the reader must do, what just happened, or which keys there
   are. */
static void draw_notice(const rv_stage *stage, rv_scene *scene, rv_box row) {
    const rv_look *look = &stage->look;
    const rv_reading *reading = &stage->course->reading;
    const double u = look->unit;
    const bool open = rv_is_open(reading, reading->at);
    const char *text = "";
    rv_colour ink = look->quiet;
    const bool votes = stage->course->poll.on && rv_stop_quiz(reading->lesson, reading->at) != NULL;
    if (votes && stage->course->poll.revealed) {
        text = _("A letter: what misleads to that choice; r hides it, Enter goes on");
    } else if (votes) {
        text = _("a 3 b 12: hands; v votes again, r reveals, Enter goes on");
    } else if (stage->says_wait) {
        text = _("First your prediction: choose, then commit it.");
        ink = look->bad;
    } else if (stage->layout.title.w <= 0 && stage->playback.message[0] != '\0') {
        text = stage->playback.message;
        ink = look->accent;
    } else if (open && reading->chosen >= 0) {
        text = stage->by_finger ? _("Sure? Commit it, or tap another choice.")
                                : _("Sure? Enter commits it; another letter changes it.");
        ink = look->accent;
    } else if (open) {
        text =
            stage->by_finger ? _("Tap your choice.") : _("Click your choice, or type its letter.");
    } else if (reading->at == RV_STOP_START) {
        text = stage->by_finger ? _("Swipe left, or tap Next, to read on; swipe right to go back.")
                                : _("Enter or PgDn reads on, PgUp back; ? shows all keys.");
    }
    if (text[0] != '\0') rv_scene_label(scene, row, RV_MIDDLE, 0.85 * u, ink, text)->wrap = true;
}

/* --------------------------------------------------------------------------------------- the panel */

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit, b = rv_button_size(stage);
    const bool alone = stage->layout.title.w <= 0;
    rs_arena arena;
    rv_flow flow = {.arena = &arena, .pixel = look->pixel};
    rv_box inside = rv_draw_panel(stage, scene, box, NULL);
    rv_item *ground = &scene->items[scene->n_items - 1];
    ground->target = rv_target_of(RV_AREA, 1, 0);
    const rv_box foot = rv_cut_apart(&inside, rv_cut_bottom, b, 0.2 * u);
    const rv_box stops = rv_cut_bottom(&inside, 0.9 * u);
    const rv_reading *reading = &stage->course->reading;
    const bool votes = stage->course->poll.on && rv_stop_quiz(reading->lesson, reading->at) != NULL;
    const bool talks = votes || stage->says_wait || rv_is_open(reading, reading->at) ||
                       reading->at == RV_STOP_START ||
                       (alone && stage->playback.message[0] != '\0');
    if (has_lab(stage)) draw_lab(stage, scene, rv_cut_apart(&inside, rv_cut_bottom, b, 0.3 * u));
    const rv_box notice = rv_cut_bottom(&inside, talks ? 1.7 * u : 0.3 * u);
    rv_box head = rv_cut_apart(&inside, rv_cut_top,
                               alone || stage->output == RV_TO_PAGE ? b : 1.5 * u, 0.5 * u);
    rv_cut_left(&inside, 0.3 * u);
    rv_cut_right(&inside, 0.3 * u);
    rv_cut_left(&head, 0.3 * u); /* it begins where the text does */
    const double most = (stage->course->poll.on ? 2
                         : alone                ? 1.35
                                                : 1.3) *
                        u,
                 least = fmax(0.84 * u, fmin(11, u));
    if (alone && inside.w > WIDEST * most) {
        rv_cut_left(&inside, (inside.w - WIDEST * most) / 2);
        inside.w = WIDEST * most;
    }
    rs_arena_init(&arena, NULL);
    rv_flow_stop(&flow, stage->course);
    const double usual = fmax(least, 0.95 * u);
    const double largest = votes ? rv_flow_poll_size(stage->course, stage->ruler, inside.w,
                                                     inside.h, least, usual, most)
                                 : most;
    rv_flow_set(&flow, stage->ruler, inside.w, inside.h, least, usual, largest);
    stage->n_screens = flow.n_screens;
    if (stage->screen >= stage->n_screens) stage->screen = stage->n_screens - 1;
    const lesson_page p = {stage, scene, &flow, flow.size};
    draw_head(stage, scene, head);
    draw_flow(&p, inside);
    if (!stage->bare) {
        draw_notice(stage, scene, notice);
        draw_stops(stage, scene, stops);
        bool has_code = false;
        for (int i = 0; i < flow.n; i++) has_code |= flow.pieces[i].kind == RV_LINES;
        draw_foot(stage, scene, foot, has_code);
    }
    rs_arena_free(&arena);
}

const rv_panel rv_panel_lesson = {.place = RV_PLACE_LESSON, .draw = draw};
