/* frame_cache.c: makes the frame of a story's moment once and keeps it for the drivers. See
   frame.h. */
#include "story/board.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void rv_frame_cache_start(rv_frame_cache *frames, const rv_story *story) {
    *frames = (rv_frame_cache){.story = story, .before_ps = -1};
    rs_arena_init(&frames->arena, NULL);
}

void rv_frame_cache_free(rv_frame_cache *frames) {
    if (frames->story != NULL) rs_arena_free(&frames->arena);
    *frames = (rv_frame_cache){0};
}

/* Empties the arena and makes the frame in it. */
static void make_frame(rv_frame_cache *frames, int32_t step, int32_t rank) {
    rs_arena_free(&frames->arena);
    assert(step >= -1 && step <= frames->story->n_steps);
    rs_arena_init(&frames->arena, NULL);
    frames->frame = (rv_frame){.arena = &frames->arena, .now_ps = -1};
    frames->story->frame(frames->story, step, rank, &frames->frame);
    if (!frames->arena.lacked) return;
    rs_error error;
    rs_no_memory(&error);
    frames->frame = (rv_frame){.arena = &frames->arena, .now_ps = -1, .bad = true, .lacking = true};
    char text[RS_ERROR_TEXT];
    rv_frame_say(&frames->frame, "%s", rs_error_said(&error, rv_gettext, text, sizeof text));
}

const rv_frame *rv_frame_cache_at(rv_frame_cache *frames, int32_t step, int32_t rank) {
    const char *language = rv_language();
    if (frames->fresh && frames->step == step && frames->rank == rank &&
        strcmp(frames->language, language) == 0) {
        return &frames->frame;
    }
    frames->before_ps = -1;
    if (step >= 0) {
        make_frame(frames, step - 1, rank);
        frames->before_ps = frames->frame.now_ps;
    }
    make_frame(frames, step, rank);
    frames->fresh = true;
    frames->step = step;
    frames->rank = rank;
    snprintf(frames->language, sizeof frames->language, "%s", language);
    return &frames->frame;
}

const char *rv_story_title(const rv_story *story) {
    return story->title != NULL ? story->title(story) : _(story->name);
}

void rv_tones_of(const rv_frame *frame, bool there[RV_N_TONES]) {
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        const int64_t n = (int64_t)grid->n_rows * grid->n_columns;
        assert(n > 0);
        for (int64_t i = 0; i < n; i++) {
            if (!rv_is_gone(&grid->entries[i])) there[grid->entries[i].tone] = true;
        }
    }
}

const char *rv_tone_word(const rv_story *story, rv_tone tone) {
    assert(tone < RV_N_TONES);
    if (story->words[tone] != NULL) return _(story->words[tone]);
    switch (tone) {
    case RV_TONE_QUIET: return _("not now");
    case RV_TONE_LEAVES: return _("leaves, is worked on");
    case RV_TONE_NEW: return _("new");
    case RV_TONE_ADDED: return _("added");
    case RV_TONE_GOOD: return _("right");
    case RV_TONE_BAD: return _("wrong");
    case RV_TONE_PLAIN:
    case RV_N_TONES: break;
    }
    return "";
}

int32_t rv_count_kinds(const rv_story *story) {
    int32_t n = 0;
    while (n < RV_MOST_KINDS && story->kinds[n].name != NULL) n++;
    return n;
}

const char *rv_kind_word(const rv_story *story, int32_t kind) {
    return kind >= 0 && kind < rv_count_kinds(story) ? _(story->kinds[kind].name) : "";
}

/* ------------------------------------------------------------------------------------- all steps */

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
    const rv_board board = rv_plan_board(grid, rank, WIDE, 1 << 20);
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

void rv_survey_story(const rv_story *story, int32_t rank, rv_survey *survey) {
    rv_frame_cache frames;
    int64_t n_entries = 0;
    bool good = story->n_steps <= MOST_ASKED;
    *survey = (rv_survey){0};
    rv_frame_cache_start(&frames, story);
    for (int32_t step = -1; step <= story->n_steps && good; step++) {
        make_frame(&frames, step, rank);
        n_entries += note_grids(&frames.frame, rank, survey);
        if (step >= 0 && step < story->n_steps) good = note_phase(&frames.frame, step, survey);
        good = good && n_entries <= MOST_ENTRIES;
    }
    const bool unnamed = survey->n_phases == 1 && survey->names[0][0] == '\0';
    if (!good || unnamed) survey->n_phases = 0;
    rv_frame_cache_free(&frames);
}

/* --------------------------------------------------------------------------------------- parts */

rv_story rv_lanes_now(const rv_story *story, const rv_frame *frame) {
    rv_story now = *story;
    if (frame->n_lanes <= 0 || frame->n_lanes >= now.n_lanes) return now;
    now.n_lanes = frame->n_lanes;
    now.end_ps = 0;
    for (int64_t i = 0; i < now.n_spans; i++) {
        const rv_work_span *work = &now.spans[i];
        if (work->lane < now.n_lanes && work->end_ps > now.end_ps) now.end_ps = work->end_ps;
    }
    return now;
}

int32_t rv_count_parts(const rv_story *story, const rv_frame *frame) {
    return (frame->sequence.title != NULL ? 1 : 0) + frame->n_grids + (story->n_lanes > 0 ? 1 : 0) +
           frame->n_plots;
}

rv_piece_kind rv_part_of(const rv_story *story, const rv_frame *frame, int32_t part,
                         int32_t *index) {
    *index = part - (frame->sequence.title != NULL ? 1 : 0);
    if (*index < 0) return RV_PART_SEQUENCE;
    if (*index < frame->n_grids) return RV_PART_GRID;
    *index -= frame->n_grids;
    if (story->n_lanes > 0 && *index == 0) return RV_PART_LANES;
    if (story->n_lanes > 0) --*index;
    return RV_PART_PLOT;
}
