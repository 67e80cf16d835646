/* test_hang_difference.c: one rank of several makes a call that differs from the others' in this or that: what differs is said,
 * the first of operation, root, type and sizes.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 5 };
enum { W_ALL = 1, W_REDUCE, W_BROADCAST, W_ALL_TO_ALL, W_FLOAT, W_HALF, W_LINE, N_WORDS };
enum { OP = 1, ROOT = 2, TYPE = 4, SIZE_IN = 8, SIZE_OUT = 16, NAME = 32, N_WAYS = 64 };

static rs_arena keep;
static rs_error error;
static rn_dump dumps[RANKS];
static rn_hang hang;

static void start(void) {
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_difference, .init = start, .fini = stop);

/* Each of five ranks makes a call, over, and one in which `odd` differs in so many ways. untyped: nobody's type is known. */
static void judge(int32_t odd, int ways, uint32_t name, bool untyped) {
    static const char *const words[N_WORDS] = {"",           "0",     "all_reduce", "broadcast",
                                               "all_to_all", "Float", "Half",       "a.py:7"};
    static int32_t ranks[RANKS] = {0, 1, 2, 3, 4};
    stop();
    start();
    for (int32_t r = 0; r < RANKS; r++) {
        rn_dump *d = &dumps[r];
        *d = (rn_dump){.rank = r, .whole = true, .n_groups = 1, .n_words = N_WORDS, .n_calls = 2};
        d->words = rs_alloc(&keep, N_WORDS, sizeof *d->words);
        memcpy(d->words, words, sizeof words);
        d->groups = rs_alloc(&keep, 1, sizeof *d->groups);
        d->groups[0] = (rn_call_group){W_ALL, 0, RANKS, -1, ranks, -1, 0, 0, false, 0};
        d->calls = rs_alloc(&keep, 2, sizeof *d->calls);
        for (int i = 0; i < 2; i++) {
            const int own = r == odd && i == 1 ? ways : 0;
            const uint32_t called = own & NAME ? W_REDUCE + W_BROADCAST - name : name;
            d->calls[i] = (rn_call){.seq = i + 1,
                                    .name = called,
                                    .dtype = untyped      ? 0
                                             : own & TYPE ? W_HALF
                                                          : W_FLOAT,
                                    .where = W_LINE,
                                    .n_in = own & SIZE_IN ? 9 : 4,
                                    .n_out = own & SIZE_OUT ? 9 : 4,
                                    .peer = -1,
                                    .root = own & ROOT ? 3 : 2,
                                    .op = own & OP ? 1 : 0,
                                    .state = i == 0 ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
        }
    }
    cr_assert_eq(rn_judge_hang(dumps, RANKS, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
}

Test(hang_difference, says_what_differs_first) {
    for (int ways = 1; ways < N_WAYS; ways++) {
        for (uint32_t name = W_REDUCE; name <= W_BROADCAST; name++) {
            for (int untyped = 0; untyped < 2; untyped++) {
                const int32_t odd = (ways + untyped) % RANKS;
                const int known = untyped ? ways & ~TYPE : ways;
                if (known == 0) continue;
                judge(odd, ways, name, untyped);
                cr_assert_eq(hang.verdict, RN_HANG_MISMATCH, "%d: %s", ways,
                             rn_hang_name(hang.verdict));
                cr_assert(hang.n_culprits == 1 && hang.culprits[0].rank == odd && hang.has_others);
                cr_assert(hang.culprits[0].seq == 2 && hang.n_agree == RANKS - 1 &&
                          hang.n_of == RANKS);
                cr_expect_eq(hang.difference,
                             known & (NAME | OP) ? RN_DIFFERS_OPERATION
                             : known & ROOT      ? RN_DIFFERS_ROOT
                             : known & TYPE      ? RN_DIFFERS_TYPE
                                                 : RN_DIFFERS_SIZE,
                             "%d: %d", ways, (int)hang.difference);
            }
        }
    }
}
