/* test_clash.c: several messages of one step to one cell, all orders of copies and reductions: which of them meet another, one of
 * them a copy, against a plain account.
 */
#include "check/sweep.h"

#include <criterion/criterion.h>

enum { RANKS = 6, MOST = 5 };

Test(clash, a_message_that_meets_a_copy_or_is_one_that_meets_is_marked) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_sweep sweep;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rs_sweep_new(RANKS, &arena, &error, &sweep), RS_OK);
    cr_assert_eq(rs_sweep_room(MOST, MOST, &arena, &error, &sweep), RS_OK);
    for (int n = 1; n <= MOST; n++) {
        for (unsigned code = 0; code < 1u << (2 * n); code++) { /* of each: a copy?, to rank 1? */
            rs_chunk_event events[MOST];
            int n_to[2] = {0}, n_copies[2] = {0};
            for (int i = 0; i < n; i++) {
                const int copy = code >> (2 * i) & 1, to = code >> (2 * i + 1) & 1;
                events[i] = (rs_chunk_event){.src = i + 1 == to ? 0 : i + 1, .dst = to, .order = i};
                events[i].effect = copy ? RS_COPY : RS_REDUCE;
                n_to[to]++;
                n_copies[to] += copy;
            }
            rs_sweep_start(&sweep, 0, (rs_ends){.from = RS_EVERY_RANK, .to = RS_EVERY_RANK});
            rs_sweep_forward(&sweep, events, n, true);
            int before[2] = {0}, copies_before[2] = {0};
            for (int i = 0; i < n; i++) {
                const int to = events[i].dst, copy = events[i].effect == RS_COPY;
                const bool crowded = n_to[to] > 1 && n_copies[to] > 0;
                const bool meets = crowded && before[to] > 0 && (copy || copies_before[to] > 0);
                const unsigned mark = sweep.marks[i];
                cr_assert_eq((mark & RS_MARK_IN_CLASH) != 0, crowded, "%d: %x, %d", n, code, i);
                cr_assert_eq((mark & RS_MARK_CLASH) != 0, meets, "%d: %x, %d", n, code, i);
                before[to]++;
                copies_before[to] += copy;
            }
        }
    }
    rs_arena_free(&arena);
}
