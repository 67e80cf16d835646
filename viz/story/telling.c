/* telling.c: a story as a subject. See telling.h. */
#include "story/board.h"
#include "story/telling.h"
#include "text/say.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void rv_telling_start(rv_telling *telling, const rv_story *story) {
    *telling = (rv_telling){.story = story, .at = {-1, RV_DONE}, .before_ps = -1};
    rs_arena_init(&telling->arena, NULL);
}

void rv_telling_free(rv_telling *telling) {
    if (telling->story != NULL) rs_arena_free(&telling->arena);
    *telling = (rv_telling){0};
}

const rv_story *rv_story_of(const rv_subject *subject) {
    assert(subject->telling != NULL);
    return subject->telling->story;
}

/* ------------------------------------------------------------------------------------ the moment */

/* Empties the arena and makes the frame in it. */
static void make_frame(const rv_story *story, int32_t step, int32_t rank, rs_arena *arena,
                       rv_frame *frame) {
    rs_arena_free(arena);
    assert(step >= -1 && step <= story->n_steps);
    rs_arena_init(arena, NULL);
    *frame = (rv_frame){.arena = arena, .now_ps = -1};
    story->frame(story, step, rank, frame);
    if (!arena->lacked) return;
    rs_error error;
    char text[RS_ERROR_TEXT];
    rs_no_memory(&error);
    *frame = (rv_frame){.arena = arena, .now_ps = -1, .bad = true, .lacking = true};
    rv_frame_say(frame, "%s", rs_error_said(&error, rv_gettext, text, sizeof text));
}

const rv_frame *rv_frame_of(const rv_subject *subject, int32_t rank) {
    rv_telling *t = subject->telling;
    assert(t != NULL);
    const int32_t step = t->at.step;
    if (t->fresh && t->step == step && t->rank == rank && strcmp(t->language, rv_language()) == 0) {
        return &t->frame;
    }
    t->before_ps = -1;
    if (step >= 0) {
        make_frame(t->story, step - 1, rank, &t->arena, &t->frame);
        t->before_ps = t->frame.now_ps;
    }
    make_frame(t->story, step, rank, &t->arena, &t->frame);
    t->fresh = true;
    t->step = step;
    t->rank = rank;
    snprintf(t->language, sizeof t->language, "%s", rv_language());
    return &t->frame;
}

void rv_refresh_story(const rv_subject *subject) {
    rv_telling *t = subject->telling;
    if (t == NULL || t->story->has_news == NULL || !t->story->has_news(t->story->teller)) return;
    t->fresh = false;
    t->surveyed[0] = '\0';
}

/* ------------------------------------------------------------------------------------ all moments */

enum { MOST_ASKED = 400, MOST_ENTRIES = 300000, WIDE = 400 };

/* Keeps a phase's name where it changes; false: there are too many. */
static bool note_phase(const rv_frame *frame, int32_t step, rv_survey *survey) {
    const char *name = frame->phase != NULL ? frame->phase : "";
    const int32_t n = survey->n_phases;
    if (n > 0 && strncmp(survey->names[n - 1], name, RV_PHASE_BYTES - 1) == 0) return true;
    if (n >= RV_MOST_PHASES) return false;
    survey->first[n] = step;
    snprintf(survey->names[n], RV_PHASE_BYTES, "%s", name);
    survey->n_phases++;
    return true;
}

static void note_grid(const rv_grid *grid, int32_t rank, rv_survey *survey) {
    const rv_board board = rv_plan_board(grid, NULL, rank, WIDE, 1 << 20);
    const rv_grid_room *known = rv_room_of(survey, grid);
    const int32_t at = known != NULL ? (int32_t)(known - survey->rooms) : survey->n_rooms;
    if (at >= RV_MOST_ROOMS) return;
    rv_grid_room *room = &survey->rooms[at];
    if (at == survey->n_rooms) {
        survey->n_rooms++;
        room->n_columns = grid->n_columns;
        snprintf(room->title, sizeof room->title, "%s", grid->title != NULL ? grid->title : "");
    }
    if (board.width > room->width) room->width = board.width;
    if (board.height > room->lines) room->lines = board.height;
    for (int32_t c = 0; c < board.n_columns && board.first_column == 0; c++) {
        if (board.widths[c] > room->columns[c]) room->columns[c] = (uint8_t)board.widths[c];
        if (!board.right[c]) room->words[c] = true;
    }
}

/* Returns how many entries the moment's grids have. */
static int64_t note_grids(const rv_frame *frame, int32_t rank, rv_survey *survey) {
    int64_t n = 0;
    rv_tones_of(frame, survey->tones);
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        note_grid(grid, rank, survey);
        n += (int64_t)grid->n_rows * grid->n_columns;
    }
    return n;
}

static void survey_story(const rv_story *story, int32_t rank, rv_survey *survey) {
    rs_arena arena;
    rv_frame frame;
    int64_t n_entries = 0;
    bool good = story->n_steps <= MOST_ASKED;
    *survey = (rv_survey){0};
    rs_arena_init(&arena, NULL);
    for (int32_t step = -1; step <= story->n_steps && good; step++) {
        make_frame(story, step, rank, &arena, &frame);
        n_entries += note_grids(&frame, rank, survey);
        if (step >= 0 && step < story->n_steps) good = note_phase(&frame, step, survey);
        good = good && n_entries <= MOST_ENTRIES;
    }
    const bool unnamed = survey->n_phases == 1 && survey->names[0][0] == '\0';
    if (!good || unnamed) survey->n_phases = 0;
    rs_arena_free(&arena);
}

const rv_survey *rv_survey_of(const rv_subject *subject, int32_t rank) {
    rv_telling *telling = subject->telling;
    assert(telling != NULL);
    if (strcmp(telling->surveyed, rv_language()) == 0) return &telling->survey;
    snprintf(telling->surveyed, sizeof telling->surveyed, "%s", rv_language());
    survey_story(telling->story, rank, &telling->survey);
    return &telling->survey;
}

/* -------------------------------------------------------------------------------- as a subject */

static void free_telling(rv_subject *subject) {
    rv_telling_free(subject->telling);
}

static rv_position position(const rv_subject *subject) {
    return subject->telling->at;
}

static rs_status seek(const rv_subject *subject, int32_t step, rv_moment moment, rs_error *error) {
    const bool inside = step >= 0 && step < subject->n_steps;
    (void)error;
    subject->telling->at = (rv_position){step < -1                 ? -1
                                         : step > subject->n_steps ? subject->n_steps
                                                                   : step,
                                         inside ? moment : RV_DONE};
    return RS_OK;
}

static size_t title(const rv_subject *subject, char *out, size_t n_out) {
    return rv_say_text(out, n_out, "%s", rv_story_title(rv_story_of(subject)));
}

static size_t sheet_title(const rv_subject *subject, char *out, size_t n_out) {
    return rv_say_text(out, n_out, _("%s: step by step"), rv_story_title(rv_story_of(subject)));
}

static bool phase(const rv_subject *subject, int32_t rank, int32_t i, rv_phase *found) {
    const rv_survey *survey = rv_survey_of(subject, rank);
    if (i >= survey->n_phases) return false;
    *found = (rv_phase){survey->first[i], survey->names[i]};
    return true;
}

static size_t step_text(const rv_subject *subject, int32_t rank, int32_t step, char *out,
                        size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    rv_phase found, last = {.name = ""};
    for (int32_t i = 0; phase(subject, rank, i, &found); i++) {
        if (found.first_step <= step) last = found;
    }
    rv_say_more(&say, _("step %d"), (int)step);
    if (last.name[0] != '\0') rv_say_more(&say, _(": %s"), last.name);
    return say.used;
}

/* A story is never on its way between two moments: `at` is its position. */
static void caption(const rv_subject *subject, rv_position at, int32_t rank, rv_sentence *out) {
    const rv_frame *frame = rv_frame_of(subject, rank);
    assert(at.step == position(subject).step);
    *out = (rv_sentence){.good = frame->good, .bad = frame->bad, .at_length = true};
    snprintf(out->text, sizeof out->text, "%s", frame->caption);
}

/* A story has no collective to ask about or to break; a micro-step is a whole step. */
static rv_action meaning(rv_action action) {
    if (action >= RV_SHOW_VIEW && action <= RV_SHOW_LAST_VIEW) return RV_NO_ACTION;
    switch (action) {
    case RV_MICRO_NEXT: return RV_NEXT;
    case RV_MICRO_BACK: return RV_BACK;
    case RV_PREDICT:
    case RV_SLOW_THE_LINK:
    case RV_DELAY_GPU:
    case RV_BURDEN_GPU:
    case RV_KILL_GPU:
    case RV_HEAL_GPU:
    case RV_BREAK_MENU:
    case RV_MEND:
    case RV_FORK:
    case RV_RACE:
    case RV_KNOB_NEXT:
    case RV_KNOB_LESS:
    case RV_KNOB_MORE: return RV_NO_ACTION;
    default: return action;
    }
}

static const char *help(const rv_key_row *row) {
    if (row->action == RV_SHOW_ALL) return _("one part alone, the next, all of them");
    return _(row->help);
}

static size_t refuse(const char *keys, char *out, size_t n_out) {
    return rv_say_text(out, n_out, _("%s works where a collective runs; this story has none"),
                       keys);
}

/* Shows one part alone, then the next one, after the last all of them. */
static int32_t next_part(const rv_subject *subject, int32_t rank, int32_t part) {
    const int32_t n = rv_count_parts(rv_story_of(subject), rv_frame_of(subject, rank));
    assert(part >= -1);
    return n < 2 || part + 1 >= n ? -1 : part + 1;
}

/* The play head moves from its place at the step before to its place at this one. */
static int64_t now_ps(const rv_subject *subject, int32_t rank, double progress) {
    const rv_frame *frame = rv_frame_of(subject, rank);
    if (frame->now_ps < 0) return -1;
    const int64_t before_ps = subject->telling->before_ps;
    if (before_ps < 0) return frame->now_ps;
    const double way = (double)(frame->now_ps - before_ps);
    return before_ps + (int64_t)llround(way * fmin(1, progress));
}

static size_t clock_text(const rv_subject *subject, int32_t rank, double progress, char *out,
                         size_t n_out) {
    const int64_t at_ps = now_ps(subject, rank, progress);
    out[0] = '\0';
    if (at_ps < 0 || rv_story_of(subject)->n_lanes == 0) return 0;
    return rv_clock_text(at_ps, rv_story_of(subject)->end_ps, out, n_out);
}

/* A lesson's page that asks for no step shows the end: the command beside it prints all of the
   story. */
static int32_t page_step(const rv_subject *subject, int32_t step) {
    return step < 0 ? subject->n_steps : step;
}

static const rv_subject_kind story_kind = {.free = free_telling,
                                           .position = position,
                                           .seek = seek,
                                           .title = title,
                                           .sheet_title = sheet_title,
                                           .phase = phase,
                                           .step_text = step_text,
                                           .caption = caption,
                                           .frame = rv_frame_of,
                                           .meaning = meaning,
                                           .refuse = refuse,
                                           .help = help,
                                           .next_part = next_part,
                                           .now_ps = now_ps,
                                           .clock = clock_text,
                                           .page_step = page_step};

rv_subject rv_story_subject(rv_telling *telling) {
    return (rv_subject){.kind = &story_kind,
                        .n_steps = telling->story->n_steps,
                        .n_ranks = telling->story->n_ranks,
                        .algorithm = "",
                        .telling = telling};
}
