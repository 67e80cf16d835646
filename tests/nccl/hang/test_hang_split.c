/* test_hang_split.c: all ranks are in an all-to-all: every split of a few sizes, against the plain rule that what all send
 * together is what all receive, and that one rank is named where all others send and receive one size.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FEW = 4, MOST_MEMBERS = 4096, MOST = MOST_MEMBERS + 1 };
enum { W_ALL = 1, W_SPLIT, W_OTHER, N_WORDS };
static const int64_t most_elements = (int64_t)1 << 48;

static rs_arena keep;
static rs_error error;
static rn_hang hang;
static rn_dump dumps[MOST];
static rn_call calls[MOST];
static rn_call_group groups[MOST];
static int32_t ranks[MOST];

static void start(void) {
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_split, .init = start, .fini = stop);

/* Each of n ranks sends and receives so much. */
static void judge(int32_t n, const int64_t in[], const int64_t out[], const char *name) {
    const char *words[N_WORDS] = {"", "0", name, "barrier"};
    stop();
    start();
    for (int32_t r = 0; r < n; r++) {
        ranks[r] = r;
        calls[r] = (rn_call){.seq = 1,
                             .name = W_SPLIT,
                             .n_in = in[r],
                             .n_out = out[r],
                             .peer = -1,
                             .root = -1,
                             .op = -1};
        groups[r] = (rn_call_group){W_ALL, 0, n, -1, ranks, -1, 0, 0, false, 0};
        dumps[r] = (rn_dump){.rank = r,
                             .whole = true,
                             .calls = &calls[r],
                             .n_calls = 1,
                             .groups = &groups[r],
                             .n_groups = 1,
                             .words = words,
                             .n_words = N_WORDS};
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
}

/* Returns the one rank but for which all send and receive one size; -1: there is none. */
static int32_t odd_one(int32_t n, const int64_t in[], const int64_t out[]) {
    for (int32_t odd = 0; odd < n && n > 2; odd++) {
        const int32_t like = odd == 0;
        bool even = in[like] == out[like];
        for (int32_t r = 0; r < n; r++)
            even = even && (r == odd || (in[r] == in[like] && out[r] == out[like]));
        if (even && (in[odd] != in[like] || out[odd] != out[like])) return odd;
    }
    return -1;
}

static void same_verdict(int32_t n, const int64_t in[], const int64_t out[]) {
    int64_t sum = 0;
    bool known = n > 1 && n <= MOST_MEMBERS;
    judge(n, in, out, n % 2 == 0 ? "all_to_all_single" : "alltoall_base");
    for (int32_t r = 0; r < n; r++) {
        sum += in[r] - out[r];
        known = known && in[r] <= most_elements && out[r] <= most_elements;
    }
    if (sum == 0 || !known) {
        cr_assert_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
        cr_assert_eq(hang.difference, RN_DIFFERS_NOT);
        return;
    }
    const int32_t odd = odd_one(n, in, out);
    cr_assert_eq(hang.verdict, odd >= 0 ? RN_HANG_MISMATCH : RN_HANG_UNDECIDED, "%s",
                 rn_hang_name(hang.verdict));
    cr_assert_eq(hang.difference, RN_DIFFERS_SPLIT);
    cr_assert_eq(hang.n_culprits, odd >= 0 ? 1 : n);
    for (int32_t i = 0; i < hang.n_culprits; i++) {
        const rn_hang_place *at = &hang.culprits[i];
        const int32_t rank = odd >= 0 ? odd : i;
        cr_assert(at->rank == rank && at->n_in == in[rank] && at->n_out == out[rank]);
    }
    cr_assert_eq(hang.has_others, odd >= 0);
    if (odd < 0) return;
    cr_assert(hang.n_agree == n - 1 && hang.n_of == n && hang.others.rank == (odd == 0));
}

/* Every split of some of these sizes among n ranks. */
static void try_all(int32_t n, const int64_t sizes[], int32_t n_sizes) {
    int32_t n_splits = 1;
    for (int32_t i = 0; i < 2 * n; i++) n_splits *= n_sizes;
    for (int32_t split = 0; split < n_splits; split++) {
        int64_t in[FEW], out[FEW];
        for (int32_t r = 0, left = split; r < n; r++) {
            in[r] = sizes[left % n_sizes], left /= n_sizes;
            out[r] = sizes[left % n_sizes], left /= n_sizes;
        }
        same_verdict(n, in, out);
    }
}

Test(hang_split, of_few_ranks_is_judged_by_the_plain_rule) {
    static const int64_t sizes[] = {4, 5, 7};
    for (int32_t n = 1; n < FEW; n++) try_all(n, sizes, 3);
    try_all(FEW, sizes, 2);
    try_all(FEW, sizes + 1, 2);
}

Test(hang_split, of_sizes_that_cannot_be_is_none) {
    const int64_t sizes[] = {4, most_elements - 1, most_elements, most_elements + 1};
    try_all(3, sizes, 4);
}

Test(hang_split, of_many_ranks_is_judged_up_to_a_bound) {
    static int64_t in[MOST], out[MOST];
    for (int32_t r = 0; r < MOST; r++) in[r] = out[r] = 8;
    in[7] = 9;
    same_verdict(MOST_MEMBERS, in, out);
    same_verdict(MOST, in, out);
}

/* Sizes of other operations need not fit. */
Test(hang_split, of_other_calls_is_none) {
    static const char *const others[] = {"all_to_one", "xalltoall", "all_gather"};
    const int64_t in[] = {4, 4, 4}, out[] = {12, 12, 12};
    for (int i = 0; i < 3; i++) {
        judge(3, in, out, others[i]);
        cr_assert_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
    }
}
