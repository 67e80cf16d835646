/* judge_plan.c: judges a schedule that a learner's functions, or a file, describe.
 *
 *     scatter-reduce alone:  its steps + an all-gather of ours, from whoever holds a chunk complete
 *     any all-reduce:        its steps alone
 *                            --> rs_check --> sound, or the first wrong step
 *                            --> bytes of the busiest GPU, steps: times the least
 *
 *   - It expects no convention: whichever order, direction or owner, sound is sound.
 *   - The least is what the ring needs: 2 (N - 1) steps of a largest chunk each, half of that for
 *     scatter-reduce alone; and an element a chunk more, for those who cut the array in another way.
 */
#include "grade/judge_plan.h"
#include "sandbox/first_phase.h"

#include <assert.h>

/* Returns who holds chunk c complete, else who got it last: then the check says what is wrong with it. */
static int32_t owner_of(const rs_contents *contents, const rs_schedule *s, const int32_t last[],
                        int32_t c) {
    for (int32_t r = 0; r < s->n_ranks; r++) {
        if (rs_contents_complete(contents, r, c)) return r;
    }
    return last[c];
}

/* Copies the schedule's transfers into list, and notes who got each chunk last. */
static int64_t copy_steps(const rs_schedule *s, rs_transfer list[], int64_t first[],
                          int32_t last[]) {
    int64_t n = 0;
    for (int32_t step = 0; step < s->n_steps; step++) {
        rs_cursor cursor = {0};
        first[step] = n;
        for (rs_transfer t; rs_next_transfer(s, step, &cursor, &t);) {
            list[n++] = t;
            for (int32_t c = 0; c < t.n_chunks; c++) last[t.chunk + c] = t.dst;
        }
    }
    return n;
}

/* Adds an all-gather: each chunk goes once round the ring from its owner. */
static rc_exit add_gather(const rs_contents *contents, rs_arena *arena, rs_error *error,
                          rs_schedule *s) {
    const int32_t n_ranks = s->n_ranks, n_chunks = s->n_chunks, n_steps = s->n_steps + n_ranks - 1;
    const int64_t most = s->n_transfers + (int64_t)(n_ranks - 1) * n_chunks;
    rs_transfer *list = rs_alloc(arena, (size_t)most + 1, sizeof *list);
    int64_t *first = rs_alloc(arena, (size_t)n_steps + 1, sizeof *first);
    int32_t *last = rs_alloc(arena, (size_t)n_chunks, sizeof *last);
    if (list == NULL || first == NULL || last == NULL) return rc_no_memory(error);
    int64_t n = copy_steps(s, list, first, last);
    for (int32_t hop = 0; hop < n_ranks - 1; hop++) {
        first[s->n_steps + hop] = n;
        for (int32_t c = 0; c < n_chunks; c++) {
            const int32_t src = (owner_of(contents, s, last, c) + hop) % n_ranks;
            list[n++] = (rs_transfer){.src = src,
                                      .dst = (src + 1) % n_ranks,
                                      .chunk = c,
                                      .n_chunks = 1,
                                      .effect = RS_COPY};
        }
    }
    assert(n <= most);
    first[n_steps] = n;
    return rc_exit_of(
        rs_schedule_from_list(n_ranks, n_chunks, n_steps, first, list, arena, error, s));
}

static int64_t busiest(const rs_schedule *s, int64_t count) {
    int64_t most = 0;
    for (int32_t r = 0; r < s->n_ranks; r++) {
        const int64_t sent = rs_elements_sent(s, count, r);
        if (sent > most) most = sent;
    }
    return most;
}

/* Judges what comes before the all-gather, and adds one: *explained if the reason is known already. */
static rc_exit judge_first_phase(rs_arena *arena, rs_error *error, rs_schedule *s, char *why,
                                 size_t n_why, int *step, int32_t *rank, bool *explained) {
    rs_contents *contents;
    const rc_exit status =
        rc_explain_first_phase(s, s->n_steps, arena, error, &contents, why, n_why, step, rank);
    *explained = why[0] != '\0';
    return status == RC_GOOD ? add_gather(contents, arena, error, s) : status;
}

rc_exit rc_judge_plan(bool first_phase_only, rs_arena *arena, rs_error *error,
                      rs_schedule *schedule, rc_plan_case *one, int *step) {
    assert(schedule->n_ranks >= 1 && schedule->n_chunks >= 1);
    assert(one->count >= 0);
    const int32_t n = schedule->n_ranks, n_own = schedule->n_steps;
    const int64_t turns = (int64_t)(n - 1) * (first_phase_only ? 1 : 2);
    const int64_t least = turns * ((one->count + n - 1) / n) + schedule->n_chunks;
    bool explained = false;
    char text[400] = "";
    rs_verdict verdict;
    one->bytes = n > 1 ? (double)busiest(schedule, one->count) / (double)least : 1;
    one->steps = n > 1 ? (double)n_own / (double)turns : 1;
    one->why[0] = '\0';
    *step = -1;
    one->wrong_rank = -1;
    if (first_phase_only && n > 1) {
        const rc_exit status = judge_first_phase(arena, error, schedule, text, sizeof text, step,
                                                 &one->wrong_rank, &explained);
        if (status != RC_GOOD) return status;
        if (explained) snprintf(one->why, RC_WHY, _("N = %d: %.400s"), (int)n, text);
    }
    const rs_status checked = rs_check(schedule, NULL, error, &verdict);
    if (checked != RS_OK) return rc_exit_of(checked);
    one->sound = verdict.sound;
    if (verdict.sound) return RC_GOOD;
    if (explained && (verdict.step < 0 || verdict.step >= n_own)) return RC_GOOD;
    if (!first_phase_only) {
        const rc_exit status = rc_explain_ring(schedule, &verdict, arena, error, text, sizeof text,
                                               step, &one->wrong_rank);
        if (status != RC_GOOD) return status;
        explained = text[0] != '\0';
    }
    if (!explained || first_phase_only) {
        *step = verdict.step < 0 ? 0 : verdict.step;
        one->wrong_rank = -1;
        rv_verdict_text(&verdict, text, sizeof text);
    }
    snprintf(one->why, sizeof one->why, _("N = %d: %.400s"), (int)n, text);
    return RC_GOOD;
}
