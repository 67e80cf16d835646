/* test_story_hang.c: a standstill as a story: the last step before the end has every call of the group, the end who waits
 * for whom; many ranks are told in few rows; every moment fits its frame.
 */
#include "hangs/hang_maker.h"
#include "story/story_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena keep, frames;
static rs_error error;
static rn_hang hang;
static rv_story story;
static rv_frame frame;

static void start(void) {
    rs_arena_init(&keep, NULL);
    rs_arena_init(&frames, NULL);
}
static void stop(void) {
    rs_arena_free(&keep);
    rs_arena_free(&frames);
}
TestSuite(story_hang, .init = start, .fini = stop);

static char *sentence(const rn_hang *h, char out[RV_HANG_TEXT]) {
    snprintf(out, RV_HANG_TEXT, "it is %s", rn_hang_name(h->verdict));
    return out;
}

static void tell_of(made_form form, uint64_t seed, int32_t n_ranks, made_fault fault) {
    const made_wish wish = {.seed = seed, .n_ranks = n_ranks, .fault = fault, .form = form};
    made_job *job = make_hang(&wish);
    judge_made(job, &keep, &hang);
    free_hang(job);
    cr_assert_eq(rv_story_hang(&hang, sentence, &keep, &error, &story), RS_OK, "%s", error.text);
}

static void tell(uint64_t seed, int32_t n_ranks, made_fault fault) {
    tell_of(MADE_DUMPS, seed, n_ranks, fault);
}

static void show(int32_t step) {
    frame = (rv_frame){.arena = &frames, .now_ps = -1};
    story.frame(&story, step, 0, &frame);
}

static const rv_grid *grid(const char *title) {
    for (int32_t g = 0; g < frame.n_grids; g++) {
        if (strncmp(frame.grids[g].title, title, strlen(title)) == 0) return &frame.grids[g];
    }
    return NULL;
}

static int count(const rv_grid *g, rv_tone tone) {
    int n = 0;
    for (int32_t i = 0; g != NULL && i < g->n_rows * g->n_columns; i++) {
        n += g->entries[i].text != NULL && g->entries[i].tone == tone;
    }
    return n;
}

/* Does somebody in the group wait for the culprit? */
static bool waits_here(void) {
    for (int64_t i = 0; i < hang.n_waits; i++) {
        const rn_hang_wait *wait = &hang.waits[i];
        for (int32_t r = 0; wait->at.group == hang.lanes.group && r < wait->n_ranks; r++) {
            if (wait->ranks[r] == hang.culprits[0].rank) return true;
        }
    }
    return false;
}

Test(story_hang, a_call_left_out_is_red_from_its_step_on) {
    uint64_t seed = 0;
    do tell(++seed, 16, MADE_MISSING);
    while (hang.verdict != RN_HANG_MISSING_CALL || hang.lanes.n_columns < 3 || !waits_here());
    int last = 0;
    for (int32_t step = -1; step <= story.n_steps; step++) {
        show(step);
        const int red = count(grid("The calls"), RV_TONE_BAD);
        cr_expect_geq(red, last, "step %d: what was red stays so", (int)step);
        cr_expect_gt(strlen(frame.caption), 0);
        cr_expect_eq(frame.bad, step == story.n_steps);
        last = red;
    }
    cr_expect_gt(last, 0);
    cr_expect_str_eq(frame.caption, "it is missing-call");
    cr_expect_not_null(grid("Who waits for whom"));
    cr_expect_not_null(frame.sequence.title);
    const rv_message *end = &frame.sequence.messages[frame.sequence.n_messages - 1];
    cr_expect(end->lost && end->from != end->to, "the last arrow waits, and does not arrive");
    cr_expect_eq(frame.sequence.n_told, frame.sequence.n_messages);
}

static bool is_noted(const char *note) {
    for (int32_t i = 0; i < frame.sequence.n_lines; i++) {
        const char *own = frame.sequence.lines[i].note;
        if (own != NULL && strcmp(own, note) == 0) return true;
    }
    return false;
}

/* Of a log nobody knows whether there is a dump. */
Test(story_hang, a_silent_rank_lacks_what_was_read) {
    static const char *const lacks[] = {[MADE_DUMPS] = "no dump", [MADE_LOG] = "no line"};
    for (int form = MADE_DUMPS; form <= MADE_LOG; form += MADE_LOG) {
        uint64_t seed = 0;
        do tell_of((made_form)form, ++seed, 8, MADE_SILENT);
        while (hang.verdict != RN_HANG_SILENT_RANK || hang.spoke);
        show(story.n_steps);
        cr_expect(is_noted(lacks[form]), "%s", lacks[form]);
    }
}

Test(story_hang, the_lists_of_ranks_are_short) {
    char out[24];
    const int32_t ranks[] = {0, 1, 2, 3, 7, 9, 10};
    cr_expect_str_eq(rv_rank_list(ranks, 7, out, sizeof out), "0-3, 7, 9, 10");
    cr_expect_str_eq(rv_rank_list(ranks, 0, out, sizeof out), "");
    int32_t even[64];
    for (int32_t i = 0; i < 64; i++) even[i] = 2 * i;
    cr_expect_str_eq(rv_rank_list(even, 64, out, sizeof out), "0, 2, 4, 6, 8, 10, ...");
}

Test(story_hang, every_fault_is_told_from_start_to_end) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        tell(seed, seed % 3 == 0 ? 96 : 16, MADE_N_FAULTS);
        cr_assert_geq(story.n_steps, 1);
        for (int32_t step = -1; step <= story.n_steps; step++) {
            show(step);
            cr_expect_gt(strlen(frame.caption), 0);
            for (int32_t g = 0; g < frame.n_grids; g++) {
                cr_expect_leq(frame.grids[g].n_rows, 64,
                              "seed %d: ranks that fare alike are one row", (int)seed);
            }
            for (int32_t m = 1; m < frame.sequence.n_messages; m++) {
                cr_expect_leq(frame.sequence.messages[m - 1].step, frame.sequence.messages[m].step);
            }
        }
        cr_expect_eq(frame.bad, hang.verdict != RN_HANG_NONE && hang.verdict != RN_HANG_SLOW);
        cr_expect_eq(grid("Who waits") != NULL, hang.n_waits > 0, "seed %d", (int)seed);
        rs_arena_free(&frames);
        rs_arena_init(&frames, NULL);
    }
}

/* Of the messages those of the steps so far have been told, and no others. */
Test(story_hang, a_step_has_told_the_calls_up_to_it) {
    int n_seen = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        tell(seed, 16, MADE_N_FAULTS);
        for (int32_t step = -1; step <= story.n_steps; step++) {
            show(step);
            const rv_sequence *s = &frame.sequence;
            for (int32_t m = 0; s->title != NULL && m < s->n_messages; m++, n_seen++) {
                cr_expect_eq(m < s->n_told, s->messages[m].step <= step,
                             "seed %d, step %d: message %d of %d is of %d", (int)seed, (int)step,
                             (int)m, (int)s->n_told, (int)s->messages[m].step);
            }
        }
        rs_arena_free(&frames);
        rs_arena_init(&frames, NULL);
    }
    cr_expect_gt(n_seen, 1000);
}

/* Paths of real programs are long: their ends are told, from a slash on. */
Test(story_hang, places_are_cut_at_slashes) {
    static const struct {
        const char *where, *is;
        size_t most;
    } cases[] = {{"train.py:42", "train.py:42", 24},
                 {"lab/train.py:42", "lab/train.py:42", 15},
                 {"lab/train.py:42", "train.py:42", 14},
                 {"/a/lab/train.py:42", "lab/train.py:42", 15},
                 {"/a/b/a_name_that_is_longer.py:1", "a_name_that_is_longer.py:1", 5},
                 {"a/b/", "b/", 1},
                 {"", "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(rv_short_place(cases[i].where, cases[i].most), cases[i].is);
}
