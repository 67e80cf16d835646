/* first_phase.c: where a ring went wrong. A checker sees a sum only when it is lost, in the second phase, though
 * the mistake was made in the first; and of a second phase that copies in vain or adds it sees only the end.
 */
#include "sandbox/first_phase.h"

#include <stdio.h>

enum { TEXT = 400 };

/* Says which chunk is complete nowhere after the learner's steps, and who comes nearest. */
static bool say_incomplete(const rs_contents *contents, const rs_schedule *s, int32_t n_steps,
                           char *out, size_t n_out) {
    for (int32_t c = 0; c < s->n_chunks; c++) {
        int32_t fullest = 0;
        bool done = false;
        for (int32_t r = 0; r < s->n_ranks; r++) {
            done = done || rs_contents_complete(contents, r, c);
            if (rs_contents_count(contents, r, c) > rs_contents_count(contents, fullest, c))
                fullest = r;
        }
        if (done) continue;
        if (rs_contents_count(contents, fullest, c) >= s->n_ranks) {
            snprintf(out, n_out,
                     _("after step %d no GPU has chunk %d complete; on GPU %d somebody's data are "
                       "inside more than once"),
                     n_steps - 1, (int)c, (int)fullest);
            return true;
        }
        snprintf(out, n_out,
                 _("after step %d no GPU has chunk %d complete; GPU %d has it from %d of %d"),
                 (int)n_steps - 1, (int)c, (int)fullest,
                 (int)rs_contents_count(contents, fullest, c), (int)s->n_ranks);
        return true;
    }
    return false;
}

/* Tells whether everybody always sends to the same GPU, and no two to one. Only in a ring must a GPU pass on
   what has just arrived. */
static bool is_ring(const rs_schedule *s, int32_t n_steps, rs_transfer first[]) {
    for (int32_t r = 0; r < s->n_ranks; r++) first[r].n_chunks = 0;
    for (int32_t step = 0; step < n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(s, step, &cursor, &t);) {
            if (first[t.src].n_chunks == 0) first[t.src] = t;
            if (first[t.src].dst != t.dst) return false;
        }
    }
    for (int32_t r = 0; r < s->n_ranks; r++) {
        for (int32_t q = 0; q < r && first[r].n_chunks > 0; q++) {
            if (first[q].n_chunks > 0 && first[q].dst == first[r].dst) return false;
        }
    }
    for (int32_t r = 0; r < s->n_ranks; r++) first[r].n_chunks = 0;
    return true;
}

/* Finds the first step in which a GPU does not pass on what it has just added to, so that a sum stays behind.
   Returns the step, -1 if all pass on; *rank leaves `chunk` and sends `instead`. */
static int32_t find_left_behind(const rs_schedule *s, int32_t n_steps, rs_transfer got[],
                                int32_t *rank, int32_t *chunk, int32_t *instead) {
    for (int32_t step = 0; step < n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; step > 0 && rs_next_transfer(s, step, &cursor, &t);) {
            if (got[t.src].n_chunks == 0 || got[t.src].chunk == t.chunk) continue;
            *rank = t.src, *chunk = got[t.src].chunk, *instead = t.chunk;
            return step;
        }
        for (int32_t r = 0; r < s->n_ranks; r++) got[r].n_chunks = 0;
        cursor = (rs_cursor){0};
        for (rs_transfer t; rs_next_transfer(s, step, &cursor, &t);) got[t.dst] = t;
    }
    return -1;
}

rc_exit rc_explain_first_phase(const rs_schedule *s, int32_t n_steps, rs_arena *arena,
                               rs_error *error, rs_contents **contents, char *why, size_t n_why,
                               int *step, int32_t *rank) {
    int32_t chunk, instead;
    char text[TEXT];
    rs_transfer *got = rs_alloc(arena, (size_t)s->n_ranks, sizeof *got);
    why[0] = '\0';
    *rank = -1;
    if (got == NULL) return rc_no_memory(error);
    rs_status status = rs_contents_new(s, arena, error, contents);
    if (status == RS_OK) status = rs_contents_seek(*contents, n_steps, NULL, error);
    if (status != RS_OK) return rc_exit_of(status);
    if (!say_incomplete(*contents, s, n_steps, text, sizeof text)) return RC_GOOD;
    const int32_t at =
        is_ring(s, n_steps, got) ? find_left_behind(s, n_steps, got, rank, &chunk, &instead) : -1;
    *step = at >= 0 ? at : n_steps - 1;
    if (at < 0) {
        snprintf(why, n_why, "%.400s", text);
    } else {
        snprintf(
            why, n_why,
            _("Step %d: GPU %d sends chunk %d; chunk %d, which it has just added to, stays behind: "
              "%.250s"),
            (int)at, (int)*rank, (int)instead, (int)chunk, text);
    }
    return RC_GOOD;
}

/* Says which step after the first phase, all of whose chunks are complete somewhere, copies in vain: a chunk
   that is not complete where it comes from, or is already where it goes; or that adds what is complete. */
static rs_status say_in_vain(rs_contents *contents, const rs_schedule *s, int32_t n_first,
                             rs_error *error, char *why, size_t n_why, int *step, int32_t *rank) {
    for (int32_t at = n_first; at < s->n_steps; at++) {
        rs_cursor cursor = {0};
        const rs_status status = rs_contents_seek(contents, at, NULL, error);
        if (status != RS_OK) return status;
        for (rs_transfer t; rs_next_transfer(s, at, &cursor, &t);) {
            const bool complete = rs_contents_complete(contents, t.src, t.chunk);
            const bool adds = complete && t.effect == RS_REDUCE;
            if (complete && !adds && !rs_contents_complete(contents, t.dst, t.chunk)) continue;
            *step = at;
            *rank = adds ? t.dst : t.src;
            if (adds) {
                snprintf(
                    why, n_why,
                    _("Step %d: GPU %d adds the complete chunk %d of GPU %d to its own, which is in it already: in "
                      "the all-gather the receiver overwrites"),
                    (int)at, (int)t.dst, (int)t.chunk, (int)t.src);
            } else if (complete) {
                snprintf(why, n_why,
                         _("Step %d: GPU %d sends chunk %d, which GPU %d has complete already"),
                         (int)at, (int)t.src, (int)t.chunk, (int)t.dst);
            } else {
                snprintf(
                    why, n_why,
                    _("Step %d: GPU %d sends chunk %d, which it has from %d of %d only: in the "
                      "all-gather each passes on what is complete"),
                    (int)at, (int)t.src, (int)t.chunk,
                    (int)rs_contents_count(contents, t.src, t.chunk), (int)s->n_ranks);
            }
            return RS_OK;
        }
    }
    return RS_OK;
}

rc_exit rc_explain_ring(const rs_schedule *s, const rs_verdict *verdict, rs_arena *arena,
                        rs_error *error, char *why, size_t n_why, int *step, int32_t *rank) {
    const int32_t n_first = s->n_ranks - 1;
    rs_contents *contents;
    why[0] = '\0';
    *rank = -1;
    /* What never came was last touched anywhere: its step is nobody's mistake. */
    if (verdict->sound || s->n_chunks != s->n_ranks || s->n_steps != 2 * n_first || n_first < 1 ||
        (verdict->fault != RS_UNFINISHED && verdict->step < n_first)) {
        return RC_GOOD;
    }
    rs_transfer *first = rs_alloc(arena, (size_t)s->n_ranks, sizeof *first);
    if (first == NULL) return rc_no_memory(error);
    if (!is_ring(s, s->n_steps, first)) return RC_GOOD;
    const rc_exit status =
        rc_explain_first_phase(s, n_first, arena, error, &contents, why, n_why, step, rank);
    if (status != RC_GOOD || why[0] != '\0') return status;
    return rc_exit_of(say_in_vain(contents, s, n_first, error, why, n_why, step, rank));
}
