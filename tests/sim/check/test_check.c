/* The checker: good schedules are sound, and each fault has its name, its place and its words. */
#include <criterion/criterion.h>

#include <string.h>

#include "ringsim.h"
#include "support/sim_jobs.h"
#include "support/rounds.h"

enum { MOST = 4096 };

/* A schedule by hand: steps are separated by {.src = -1}. */
typedef struct line {
    int32_t src, dst, chunk, n_chunks;
    rs_effect effect;
} line;
#define STEP ((line){.src = -1})

static rs_verdict judge_lines(int32_t n, int32_t n_chunks, const line lines[], int n_lines) {
    static rs_transfer list[MOST];
    static int64_t first[MOST];
    int64_t at = 0;
    int32_t n_steps = 0;
    for (int i = 0; i < n_lines; i++) {
        if (lines[i].src < 0) {
            first[n_steps++] = at;
            continue;
        }
        list[at++] = (rs_transfer){.src = lines[i].src,
                                   .dst = lines[i].dst,
                                   .chunk = lines[i].chunk,
                                   .n_chunks = lines[i].n_chunks,
                                   .effect = (uint8_t)lines[i].effect};
    }
    first[n_steps] = at;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule schedule;
    rs_error error = {.text = ""};
    rs_verdict verdict;
    cr_assert_eq(
        rs_schedule_from_list(n, n_chunks, n_steps, first, list, &arena, &error, &schedule), RS_OK,
        "%s", error.text);
    cr_assert_eq(rs_check(&schedule, NULL, &error, &verdict), RS_OK);
    rs_arena_free(&arena);
    return verdict;
}
#define JUDGE(n, chunks, ...)                                                                      \
    judge_lines(n, chunks, (const line[]){__VA_ARGS__},                                            \
                (int)(sizeof((const line[]){__VA_ARGS__}) / sizeof(line)))

/* Writes a generated schedule as lines; returns how many. */
static int lines_of(const char *algorithm, int32_t n, line out[]) {
    rs_schedule s;
    rs_error error;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED, n, 1000,
                     &error, &s);
    int at = 0;
    for (int32_t step = 0; step < s.n_steps; step++) {
        out[at++] = STEP;
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(&s, step, &cursor, &t)) {
            out[at++] = (line){t.src, t.dst, t.chunk, t.n_chunks, (rs_effect)t.effect};
        }
    }
    return at;
}

/* Finds the line of rank `src` in `step`. */
static int find(const line lines[], int step, int32_t src) {
    int at = -1;
    for (int seen = -1; seen < step; seen += lines[at].src < 0) at++;
    while (lines[at].src != src) at++;
    return at;
}

static void expect(const rs_verdict *v, rs_verdict_fault fault, int32_t step, int32_t rank,
                   int32_t chunk, int32_t src, int32_t who, const char *had, const char *expected,
                   const char *text) {
    cr_expect_eq(v->fault, fault);
    cr_expect_eq(v->sound, fault == RS_SOUND);
    cr_expect(v->step == step && v->rank == rank && v->chunk == chunk && v->src == src &&
                  v->who == who,
              "step %d rank %d chunk %d src %d who %d", v->step, v->rank, v->chunk, v->src, v->who);
    cr_expect_str_eq(v->had, had);
    cr_expect_str_eq(v->expected, expected);
    cr_expect_str_eq(v->text, text);
}

Test(check, calls_every_algorithm_sound_up_to_256_ranks) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= ROUNDS(256, 40); n++) {
            for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                if (order == RS_ORDER_NCCL && strcmp(rs_algorithms[i]->name, "ring") != 0) continue;
                rs_schedule s;
                rs_error error;
                rs_verdict verdict;
                rs_schedule_make(rs_algorithms[i], order, n, 1000, &error, &s);
                cr_assert_eq(rs_check(&s, NULL, &error, &verdict), RS_OK);
                cr_assert(verdict.sound, "%s N=%d: %s", s.name, n, verdict.text);
            }
        }
    }
}

Test(check, follows_more_ranks_than_one_sweep_looks_at) {
    const int32_t sizes[] = {257, 511, 512, 513, 700};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int k = 0; k < 5; k += ROUNDS(1, 2)) {
            rs_schedule s;
            rs_error error;
            rs_verdict verdict;
            rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, sizes[k], 1000, &error, &s);
            cr_assert_eq(rs_check(&s, NULL, &error, &verdict), RS_OK);
            cr_assert(verdict.sound, "%s N=%d: %s", s.name, sizes[k], verdict.text);
        }
    }
}

Test(check, nothing_to_reduce_is_sound) {
    rs_schedule s;
    rs_error error;
    rs_verdict v;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 9, 0, &error,
                     &s);
    cr_expect_eq(rs_check(&s, NULL, &error, &v), RS_OK);
    expect(&v, RS_SOUND, -1, -1, -1, -1, -1, "", "",
           "sound: at the end every rank holds every contribution exactly once");
    cr_expect(rs_fault_name(v.fault) == NULL);
}

Test(check, names_the_step_that_adds_a_chunk_twice) {
    static line lines[MOST];
    const int n = lines_of("ring", 5, lines);
    lines[find(lines, 1, 1)].chunk = 4; /* its own share, one step before it passes on the sum */
    const rs_verdict v = judge_lines(5, 5, lines, n);
    expect(&v, RS_COUNTED_TWICE, 2, 2, 4, 1, 1, "rank 1 twice", "rank 1 once",
           "step 2: rank 2 adds rank 1's contribution to chunk 4 a second time");
    cr_expect_str_eq(rs_fault_name(v.fault), "counted-twice");
}

Test(check, names_all_that_is_counted_twice) {
    const rs_verdict v = JUDGE(3, 1, STEP, {0, 1, 0, 1, RS_REDUCE}, STEP, {1, 2, 0, 1, RS_REDUCE},
                               STEP, {2, 1, 0, 1, RS_REDUCE});
    expect(&v, RS_COUNTED_TWICE, 2, 1, 0, 2, 0, "ranks 0 1 twice", "ranks 0 1 once",
           "step 2: rank 1 adds the contributions of ranks 0 1 to chunk 0 a second time");
}

Test(check, names_the_second_of_two_equal_messages_in_one_step) {
    const rs_verdict v = JUDGE(2, 1, STEP, {0, 1, 0, 1, RS_REDUCE}, {0, 1, 0, 1, RS_REDUCE},
                               {1, 0, 0, 1, RS_REDUCE});
    expect(&v, RS_COUNTED_TWICE, 0, 1, 0, 0, 0, "rank 0 twice", "rank 0 once",
           "step 0: rank 1 adds rank 0's contribution to chunk 0 a second time");
}

Test(check, names_the_copy_that_comes_too_early) {
    static line lines[MOST];
    const int n = lines_of("ring", 4, lines);
    lines[find(lines, 2, 2)].effect = RS_COPY; /* rank 3's own share of chunk 0 goes under */
    const rs_verdict v = judge_lines(4, 4, lines, n);
    expect(
        &v, RS_OVERWRITTEN_TOO_EARLY, 2, 3, 0, 2, 3, "ranks 0..2", "ranks 0..3",
        "step 2: rank 3's chunk 0 is overwritten with ranks 0..2; rank 3's contribution is lost");
    cr_expect_str_eq(rs_fault_name(v.fault), "overwritten-too-early");
}

Test(check, a_ring_that_drops_an_addition_loses_it_in_the_all_gather) {
    static line lines[MOST];
    int n = lines_of("ring", 4, lines);
    const int at = find(lines, 1, 1); /* chunk 0, with ranks 0 and 1, never reaches rank 2 */
    memmove(&lines[at], &lines[at + 1], (size_t)(--n - at) * sizeof *lines);
    const rs_verdict v = judge_lines(4, 4, lines, n);
    expect(&v, RS_OVERWRITTEN_TOO_EARLY, 3, 0, 0, 3, 0, "ranks 2 3", "ranks 0 2 3",
           "step 3: rank 0's chunk 0 is overwritten with ranks 2 3; rank 0's contribution is lost");
}

Test(check, a_ring_that_drops_its_last_copy_is_unfinished) {
    static line lines[MOST];
    int n = lines_of("ring", 4, lines);
    const int at = find(lines, 5, 2);
    const int32_t chunk = lines[at].chunk;
    memmove(&lines[at], &lines[at + 1], (size_t)(--n - at) * sizeof *lines);
    const rs_verdict v = judge_lines(4, 4, lines, n);
    cr_expect_eq(chunk, 1);
    expect(&v, RS_UNFINISHED, 1, 3, 1, -1, 0, "ranks 1..3", "ranks 0..3",
           "unfinished: after the last step rank 3's chunk 1 lacks the contribution of rank 0 "
           "(last touched in step 1)");
    cr_expect_str_eq(rs_fault_name(v.fault), "unfinished");
}

Test(check, nothing_sent_is_unfinished_and_never_touched) {
    const rs_verdict v = JUDGE(3, 2, STEP, STEP);
    expect(&v, RS_UNFINISHED, -1, 0, 0, -1, 1, "rank 0", "ranks 0..2",
           "unfinished: after the last step rank 0's chunk 0 lacks the contributions of ranks 1 2 "
           "(never touched)");
}

Test(check, a_copy_beside_another_message_is_wrong) {
    const rs_verdict v =
        JUDGE(3, 1, STEP, {1, 0, 0, 1, RS_REDUCE}, STEP, {2, 0, 0, 1, RS_REDUCE}, STEP,
              {0, 1, 0, 1, RS_COPY}, {2, 1, 0, 1, RS_REDUCE}, {0, 2, 0, 1, RS_COPY});
    expect(&v, RS_WRONG, 2, 1, 0, 2, -1, "a copy and another message, from ranks 0 2",
           "one copy alone, or additions only",
           "step 2: rank 1's chunk 0 is overwritten and gets another message in the same step "
           "(from ranks 0 2); what it then holds is not defined");
    cr_expect_str_eq(rs_fault_name(v.fault), "wrong");
}

Test(check, two_copies_into_one_cell_are_wrong_even_when_equal) {
    const rs_verdict v = JUDGE(2, 1, STEP, {1, 0, 0, 1, RS_REDUCE}, STEP, {0, 1, 0, 1, RS_COPY},
                               {0, 1, 0, 1, RS_COPY});
    cr_expect_eq(v.fault, RS_WRONG);
    cr_expect_eq(v.step, 1);
}

Test(check, a_mistake_that_a_copy_heals_is_sound) {
    const line twice[] = {STEP, {1, 0, 0, 1, RS_REDUCE}, {0, 1, 0, 1, RS_REDUCE},
                          STEP, {0, 1, 0, 1, RS_REDUCE}, /* rank 1: 0 and 1, both twice */
                          STEP, {0, 1, 0, 1, RS_COPY}};
    cr_expect(judge_lines(2, 1, twice, 7).sound);
    const line clash[] = {
        STEP, {1, 0, 0, 1, RS_REDUCE}, STEP, {0, 1, 0, 1, RS_COPY}, {0, 1, 0, 1, RS_REDUCE},
        STEP, {0, 1, 0, 1, RS_COPY}};
    cr_expect(judge_lines(2, 1, clash, 7).sound);
}

Test(check, a_copy_whose_loss_is_kept_elsewhere_is_sound) {
    const rs_verdict v =
        JUDGE(3, 1, STEP, {1, 2, 0, 1, RS_REDUCE}, STEP, {0, 1, 0, 1, RS_COPY}, STEP,
              {1, 2, 0, 1, RS_REDUCE}, STEP, {2, 0, 0, 1, RS_COPY}, {2, 1, 0, 1, RS_COPY});
    cr_expect(v.sound, "%s", v.text);
}

Test(check, does_not_blame_a_copy_whose_loss_was_made_good) {
    /* As above, but rank 1 never hears the end: it holds rank 0's value only. */
    const rs_verdict v =
        JUDGE(4, 1, STEP, {1, 2, 0, 1, RS_REDUCE}, STEP, {0, 1, 0, 1, RS_COPY}, STEP,
              {1, 2, 0, 1, RS_REDUCE}, STEP, {2, 0, 0, 1, RS_COPY}, {2, 1, 0, 1, RS_COPY});
    expect(&v, RS_UNFINISHED, 3, 0, 0, -1, 3, "ranks 0..2", "ranks 0..3",
           "unfinished: after the last step rank 0's chunk 0 lacks the contribution of rank 3 "
           "(last touched in step 3)");
}

Test(check, an_exchange_reads_before_it_writes) {
    cr_expect(JUDGE(2, 1, STEP, {0, 1, 0, 1, RS_REDUCE}, {1, 0, 0, 1, RS_REDUCE}).sound);
    const rs_verdict v = JUDGE(2, 1, STEP, {0, 1, 0, 1, RS_COPY}, {1, 0, 0, 1, RS_COPY});
    cr_expect_eq(v.fault, RS_OVERWRITTEN_TOO_EARLY);
}

Test(check, several_additions_in_one_step_are_sound) {
    cr_expect(JUDGE(3, 2, STEP, {1, 0, 0, 2, RS_REDUCE}, {2, 0, 0, 2, RS_REDUCE}, STEP,
                    {0, 1, 0, 2, RS_COPY}, {0, 2, 0, 2, RS_COPY})
                  .sound);
}

Test(check, the_earliest_transfer_counts_over_all_chunks_and_cells) {
    /* Chunk 1 is spoilt in step 1, chunk 0 only in step 2; chunk 2 is never touched. */
    const rs_verdict v = JUDGE(2, 3, STEP, {0, 1, 0, 2, RS_REDUCE}, STEP, {0, 1, 1, 1, RS_REDUCE},
                               STEP, {0, 1, 0, 1, RS_REDUCE});
    cr_expect_eq(v.fault, RS_COUNTED_TWICE);
    cr_expect(v.step == 1 && v.rank == 1 && v.chunk == 1);
}

Test(check, in_one_step_the_first_of_the_list_counts) {
    const rs_verdict v = JUDGE(2, 2, STEP, {0, 1, 0, 2, RS_REDUCE}, STEP, {0, 1, 1, 1, RS_REDUCE},
                               {0, 1, 0, 1, RS_REDUCE});
    cr_expect(v.fault == RS_COUNTED_TWICE && v.step == 1 && v.chunk == 1, "%s", v.text);
}

Test(check, in_one_message_the_lowest_chunk_counts) {
    const rs_verdict v = JUDGE(2, 4, STEP, {0, 1, 0, 4, RS_REDUCE}, STEP, {0, 1, 1, 3, RS_REDUCE});
    cr_expect(v.fault == RS_COUNTED_TWICE && v.step == 1 && v.chunk == 1, "%s", v.text);
}

Test(check, does_not_blame_what_a_copy_has_healed) {
    const rs_verdict v = JUDGE(3, 1, STEP, {0, 1, 0, 1, RS_REDUCE}, {1, 0, 0, 1, RS_REDUCE}, STEP,
                               {0, 1, 0, 1, RS_REDUCE}, /* rank 1 holds 0 and 1 twice */
                               STEP, {0, 1, 0, 1, RS_COPY});
    cr_expect_eq(v.fault, RS_UNFINISHED, "%s", v.text);
    cr_expect(v.rank == 0 && v.who == 2 && v.step == 0);
}

Test(check, follows_a_slip_through_a_copy_to_where_it_was_made) {
    const rs_verdict v = JUDGE(3, 1, STEP, {0, 2, 0, 1, RS_REDUCE}, {1, 2, 0, 1, RS_REDUCE}, STEP,
                               {1, 0, 0, 1, RS_REDUCE}, STEP, {1, 0, 0, 1, RS_REDUCE}, /* here */
                               STEP, {0, 1, 0, 1, RS_COPY},  /* rank 1 inherits it */
                               STEP, {2, 0, 0, 1, RS_COPY}); /* rank 0 is healed */
    expect(&v, RS_COUNTED_TWICE, 2, 0, 0, 1, 1, "rank 1 twice", "rank 1 once",
           "step 2: rank 0 adds rank 1's contribution to chunk 0 a second time");
}

Test(check, unfinished_names_the_lowest_rank_then_chunk) {
    const line lines[] = {STEP, {1, 0, 0, 3, RS_REDUCE}, {2, 0, 0, 3, RS_REDUCE},
                          STEP, {0, 1, 0, 1, RS_COPY},   {0, 2, 1, 2, RS_COPY}};
    const rs_verdict v = judge_lines(3, 3, lines, 6); /* wrong: rank 2 chunk 0, rank 1 chunks 1 2 */
    cr_expect(v.fault == RS_UNFINISHED && v.rank == 1 && v.chunk == 1 && v.step == -1, "%s",
              v.text);
}

Test(check, names_lost_and_doubled_ranks_far_beyond_one_sweep) {
    static line lines[4 * MOST];
    const int n = lines_of("naive", 600, lines);
    line dropped[MOST];
    memcpy(dropped, lines, (size_t)n * sizeof *lines);
    dropped[find(dropped, 570, 571)].src = 300; /* rank 300 speaks for rank 571 too */
    rs_verdict v = judge_lines(600, 1, dropped, n);
    cr_expect_str_eq(v.text,
                     "step 570: rank 0 adds rank 300's contribution to chunk 0 a second time");
    lines[find(lines, 597, 598)].effect = RS_COPY;
    v = judge_lines(600, 1, lines, n);
    cr_expect_str_eq(v.text, "step 597: rank 0's chunk 0 is overwritten with rank 598; the "
                             "contributions of ranks 0..597 are lost");
    cr_expect_str_eq(v.expected, "ranks 0..598");
}

Test(check, cuts_long_lists_of_ranks) {
    static line lines[MOST];
    int n = 0;
    for (int32_t r = 2; r < 200; r += 2) {
        lines[n++] = STEP;
        lines[n++] = (line){r, 0, 0, 1, RS_REDUCE};
    }
    const rs_verdict v = judge_lines(200, 1, lines, n);
    cr_expect_eq(v.fault, RS_UNFINISHED);
    cr_expect_str_eq(v.had, "ranks 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 "
                            "46 48 50 52 54 56 58 \xe2\x80\xa6");
    cr_expect_lt(strlen(v.text), sizeof v.text);
}

/* Bad rings (nccl 179): the ring algorithm along links that form no ring. */
static rs_verdict judge_links(int32_t n, const int32_t next[]) {
    static line lines[MOST];
    const int n_lines = lines_of("ring", n, lines);
    for (int i = 0; i < n_lines; i++) {
        if (lines[i].src >= 0) lines[i].dst = next[lines[i].src];
    }
    return judge_lines(n, n, lines, n_lines);
}

Test(check, links_that_form_no_ring_are_unsound) {
    cr_expect(judge_links(6, (const int32_t[]){1, 2, 3, 4, 5, 0}).sound);
    cr_expect_not(judge_links(6, (const int32_t[]){1, 2, 0, 4, 5, 3}).sound, "two small cycles");
    cr_expect_not(judge_links(6, (const int32_t[]){1, 2, 3, 4, 0, 1}).sound, "one rank left out");
    cr_expect_not(judge_links(6, (const int32_t[]){1, 2, 3, 4, 5, 2}).sound, "no way back to 0");
    cr_expect_not(judge_links(6, (const int32_t[]){5, 0, 1, 2, 3, 4}).sound, "the wrong way round");
}

/* Stops as soon as it hears of that part. */
static bool stop_at(void *context, const char *what, int64_t done, int64_t total) {
    const char **part = context;
    cr_expect(*part != NULL && done >= 0 && done <= total);
    if (strcmp(what, *part) != 0) return true;
    *part = NULL;
    return false;
}

Test(check, can_be_cancelled_and_leaves_the_verdict_alone) {
    static const char *const parts[] = {"reading the schedule", "checking"};
    for (int i = 0; i < 2; i++) {
        const char *part = parts[i];
        const rs_host host = {.context = &part, .progress = stop_at};
        rs_schedule s;
        rs_error error;
        rs_verdict v = {.step = 77};
        rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 1024, 1024,
                         &error, &s);
        cr_expect_eq(rs_check(&s, &host, &error, &v), RS_CANCELLED);
        cr_expect_eq(part, NULL);
        cr_expect_eq(v.step, 77);
    }
}

/* Views say whose contribution is lacking, so there must be one. */
Test(check, an_unfinished_verdict_names_a_rank_whose_contribution_is_lacking) {
    enum { LINES = 40 };
    uint64_t state = 88172645463325252;
    int n_unfinished = 0;
    for (int i = 0; i < 5000; i++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 5);
        const int32_t n_chunks = (int32_t)sim_between(&state, 1, 3);
        line lines[LINES] = {STEP};
        const int n_lines = (int)sim_between(&state, 1, LINES);
        for (int k = 1; k < n_lines; k++) {
            const int32_t src = (int32_t)sim_between(&state, 0, n - 1);
            const int32_t chunk = (int32_t)sim_between(&state, 0, n_chunks - 1);
            lines[k] = (line){src, (src + (int32_t)sim_between(&state, 1, n - 1)) % n, chunk,
                              (int32_t)sim_between(&state, 1, n_chunks - chunk),
                              (rs_effect)sim_between(&state, RS_REDUCE, RS_COPY)};
            if (sim_between(&state, 0, 2) == 0) lines[k] = STEP;
        }
        const rs_verdict v = judge_lines(n, n_chunks, lines, n_lines);
        if (v.fault != RS_UNFINISHED) continue;
        n_unfinished++;
        cr_assert(v.who >= 0 && v.who < n, "%s", v.text);
    }
    cr_expect_gt(n_unfinished, 100);
}
