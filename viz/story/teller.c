/* teller.c: a moment of a story, told once and kept: what drivers draw from. See told.h. */
#include "told.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

void rv_teller_start(rv_teller *teller, const rv_story *story) {
    *teller = (rv_teller){.story = story, .before_ps = -1};
    rs_arena_init(&teller->arena, NULL);
}

void rv_teller_free(rv_teller *teller) {
    if (teller->story != NULL) rs_arena_free(&teller->arena);
    *teller = (rv_teller){0};
}

/* Tells into the emptied arena. */
static void tell(rv_teller *teller, int32_t step, int32_t rank) {
    rs_error error = {0};
    rs_arena_free(&teller->arena);
    rs_arena_init(&teller->arena, NULL);
    teller->told = (rv_told){.arena = &teller->arena, .now_ps = -1};
    const rs_status status = teller->story->tell(teller->story, step, rank, &teller->told, &error);
    if (status == RS_OK) return;
    teller->told = (rv_told){.arena = &teller->arena, .now_ps = -1, .bad = true};
    rv_tell(&teller->told, "%s", error.text);
}

const rv_told *rv_teller_at(rv_teller *teller, int32_t step, int32_t rank) {
    const char *language = rv_language();
    if (teller->fresh && teller->step == step && teller->rank == rank &&
        strcmp(teller->language, language) == 0) {
        return &teller->told;
    }
    teller->before_ps = -1;
    if (step >= 0) {
        tell(teller, step - 1, rank);
        teller->before_ps = teller->told.now_ps;
    }
    tell(teller, step, rank);
    teller->fresh = true;
    teller->step = step;
    teller->rank = rank;
    snprintf(teller->language, sizeof teller->language, "%s", language);
    return &teller->told;
}

const char *rv_tone_word(const rv_story *story, rv_tone tone) {
    if (story->words[tone] != NULL) return story->words[tone]();
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
    return kind >= 0 && kind < rv_count_kinds(story) ? story->kinds[kind].name() : "";
}

/* -------------------------------------------------------------------------------------- phases */

enum { MOST_ASKED = 400 };

/* Tells every step and keeps where the phase's name changes. */
void rv_story_phases(const rv_story *story, int32_t rank, rv_phases *phases) {
    rv_teller teller;
    phases->n = 0;
    if (story->n_steps > MOST_ASKED) return;
    rv_teller_start(&teller, story);
    for (int32_t step = 0; step < story->n_steps; step++) {
        tell(&teller, step, rank);
        const char *name = teller.told.phase != NULL ? teller.told.phase : "";
        if (phases->n > 0 && strncmp(phases->names[phases->n - 1], name, RV_PHASE_BYTES - 1) == 0) {
            continue;
        }
        if (phases->n >= RV_MOST_PHASES) {
            phases->n = 0;
            break;
        }
        phases->first[phases->n] = step;
        snprintf(phases->names[phases->n++], RV_PHASE_BYTES, "%s", name);
    }
    if (phases->n == 1 && phases->names[0][0] == '\0') phases->n = 0;
    rv_teller_free(&teller);
}

int32_t rv_story_phase_step(const rv_story *story, int32_t step, int32_t rank, int direction) {
    rv_phases phases;
    int32_t to = direction > 0 ? story->n_steps : -1;
    rv_story_phases(story, rank, &phases);
    for (int32_t i = 0; i < phases.n; i++) {
        const int32_t first = phases.first[i];
        if (direction > 0 && first > step && first < to) to = first;
        if (direction < 0 && first < step && first > to) to = first;
    }
    return to;
}

/* --------------------------------------------------------------------------------------- parts */

int32_t rv_count_parts(const rv_story *story, const rv_told *told) {
    return told->n_grids + (story->n_lanes > 0 ? 1 : 0) + told->n_plots;
}

rv_piece_kind rv_part_of(const rv_story *story, const rv_told *told, int32_t part, int32_t *index) {
    *index = part;
    if (part < told->n_grids) return RV_PART_GRID;
    *index -= told->n_grids;
    if (story->n_lanes > 0 && *index == 0) return RV_PART_LANES;
    if (story->n_lanes > 0) --*index;
    return RV_PART_PLOT;
}

int32_t rv_next_part(const rv_story *story, int32_t step, int32_t rank, int32_t part) {
    rv_teller teller;
    rv_teller_start(&teller, story);
    tell(&teller, step, rank);
    const int32_t n = rv_count_parts(story, &teller.told);
    rv_teller_free(&teller);
    return n < 2 || part + 1 >= n ? -1 : part + 1;
}
