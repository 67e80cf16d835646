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

int32_t rv_count_kinds(const rv_story *story) {
    int32_t n = 0;
    while (n < RV_MOST_KINDS && story->kinds[n].name != NULL) n++;
    return n;
}

const char *rv_kind_word(const rv_story *story, int32_t kind) {
    return kind >= 0 && kind < rv_count_kinds(story) ? story->kinds[kind].name() : "";
}
