/* test_waits.c: what spawned ranks say that failed, or wait too long: the same bytes in whatever order their words come.
 *
 * The ranks here are a program that says what is in a file, once the job has come.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/backend_module.h"
#include "process/pipe.h"

enum { MOST = 24, N_ORDERS = 24 };

static char folder[] = "/tmp/ringsim-waits-XXXXXX", program[64];

static void begin(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/ranks", folder);
    setenv("SAID", folder, 1);
    FILE *script = fopen(program, "w");
    cr_assert_not_null(script);
    fputs("#!/bin/sh\ncat $SAID/hello\nhead -c 24 >$SAID/job\ncat $SAID/waits\n", script);
    fclose(script);
    chmod(program, 0700);
}

static void end(void) {
    static const char *const names[] = {"ranks", "hello", "job", "waits"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

TestSuite(waits, .init = begin, .fini = end);

typedef struct word { /* of a rank: it failed, or it waits for one */
    int32_t rank, for_rank;
    const char *failed;
    int64_t n_runs, step; /* both 0: 3, and the step after its number */
} word;

static const char not_own[] = "not its own"; /* what failed elsewhere */

static FILE *open_said(const char *name) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    return file;
}

static void say_hello(void) {
    FILE *file = open_said("hello");
    rg_writer w = {0};
    rg_begin_frame(&w, RG_FRAME_HELLO);
    rg_put_bytes(&w, "here", 4);
    rg_put_bytes(&w, "", 0);
    rg_end_frame(&w);
    fwrite(w.bytes, 1, w.n, file);
    free(w.bytes);
    fclose(file);
}

static void say(FILE *file, const word *said) {
    char text[320];
    rg_writer w = {0};
    const bool usual = said->n_runs == 0 && said->step == 0;
    if (said->failed == not_own) {
        snprintf(text, sizeof text, "another rank failed: rank %d waits for the others",
                 (int)said->rank);
    } else if (said->failed != NULL) {
        snprintf(text, sizeof text, "rank %d: %s", (int)said->rank, said->failed);
    } else {
        snprintf(text, sizeof text, "no answer within 2 s: rank %d waits in step %d for rank %d",
                 (int)said->rank, (int)said->rank + 1, (int)said->for_rank);
    }
    rg_begin_frame(&w, RG_FRAME_WAITS);
    rg_put(&w, said->rank);
    rg_put_bytes(&w, text, strlen(text));
    rg_put(&w, usual ? 3 : said->n_runs);
    rg_put(&w, usual ? said->rank + 1 : said->step);
    rg_put(&w, 1);
    rg_put(&w, 2);
    rg_end_frame(&w);
    fwrite(w.bytes, 1, w.n, file);
    free(w.bytes);
}

/* Runs a job of which n ranks say these words, in this order. */
static rg_result run(int32_t n_ranks, int n, const word *const said[], rs_arena *arena) {
    const rg_setup setup = {.n_ranks = n_ranks, .program = program, .timeout_ms = 2000};
    const rs_spec spec = {.n_ranks = n_ranks};
    rs_error error = {.text = ""};
    rg_group *group;
    rg_result result;
    rs_schedule ring;
    FILE *file = open_said("waits");
    for (int i = 0; i < n; i++) say(file, said[i]);
    fclose(file);
    say_hello();
    cr_assert_eq(
        rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), &spec, 9, NULL, &ring),
        RS_OK);
    const rg_job job = {.schedule = &ring,
                        .data = RS_DATA_RANDOM,
                        .count = 9,
                        .times = 1,
                        .flip_rank = -1,
                        .timeout_ms = 2000};
    cr_assert_eq(rg_nccl_backend.open(&setup, NULL, &error, &group), RS_OK, "%s", error.text);
    cr_assert_eq(rg_group_run(group, &job, arena, &error, &result), RS_OK, "%s", error.text);
    rg_group_close(group);
    cr_assert_not(result.completed);
    return result;
}

/* The k-th order of four. */
static void in_order(int k, const word words[4], const word *said[4]) {
    int left[4] = {0, 1, 2, 3}, n = 4;
    for (int i = 0, f = 6; i<4; f = n> 1 ? f / (n - 1) : 1, i++) {
        const int at = k / f % n;
        said[i] = &words[left[at]];
        memmove(&left[at], &left[at + 1], (size_t)(n - at - 1) * sizeof *left);
        k %= f;
        n--;
    }
}

/* Whoever comes first: those that failed first, then those that wait, each by rank; nobody is lost or told twice. */
static void expect_one_text(const word words[4], const char *wanted) {
    for (int k = 0; k < N_ORDERS; k++) {
        const word *said[4];
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        in_order(k, words, said);
        const rg_result r = run(5, 4, said, &arena);
        cr_expect_str_eq(r.failure, wanted, "order %d: %s", k, r.failure);
        cr_expect_eq(r.n_stuck, 4);
        for (int32_t i = 0; i < r.n_stuck; i++) {
            cr_expect_eq(r.stuck[i].step, r.stuck[i].rank + 1);
            cr_expect(i == 0 || r.stuck[i - 1].rank < r.stuck[i].rank, "order %d: rank %d", k,
                      (int)r.stuck[i].rank);
        }
        rs_arena_free(&arena);
    }
}

Test(waits, of_ranks_that_wait_are_told_by_rank) {
    const word words[4] = {
        {0, 2, NULL, 0, 0}, {1, 0, NULL, 0, 0}, {3, 2, NULL, 0, 0}, {4, 3, NULL, 0, 0}};
    expect_one_text(words, "rank 2 said nothing within 2 s: rank 0 waits in step 1 for rank 2; "
                           "rank 1 waits in step 2 for rank 0; rank 3 waits in step 4 for rank 2; "
                           "rank 4 waits in step 5 for rank 3");
}

Test(waits, what_failed_is_told_before_those_that_wait) {
    const word words[4] = {{4, 0, "ncclSend: out", 0, 0},
                           {3, 0, "of sorts", 0, 0},
                           {0, 3, NULL, 0, 0},
                           {1, 0, NULL, 0, 0}};
    expect_one_text(words, "rank 3: of sorts; rank 4: ncclSend: out; "
                           "rank 0 waits in step 1 for rank 3; rank 1 waits in step 2 for rank 0");
}

/* More ranks than the line has room for: the first of them, however late they come. */
Test(waits, of_many_ranks_are_those_of_the_first) {
    word words[MOST];
    char wanted[320] = "";
    for (int turn = 0; turn < MOST; turn += 5) {
        const word *said[MOST];
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        for (int i = 0; i < MOST; i++) {
            words[i] = (word){.rank = i, .failed = "no way"};
            said[(i * 7 + turn) % MOST] = &words[i];
        }
        const rg_result r = run(MOST, MOST, said, &arena);
        if (turn == 0) snprintf(wanted, sizeof wanted, "%s", r.failure);
        cr_expect_str_eq(r.failure, wanted);
        cr_expect_eq(strncmp(r.failure, "rank 0: no way; rank 1: no way; rank 2: ", 40), 0, "%s",
                     r.failure);
        cr_expect_eq(r.n_stuck, MOST);
        rs_arena_free(&arena);
    }
}

/* As long as what NCCL says of a peer that is gone: the first is told whatever its length, and no failure is silent. */
Test(waits, a_failure_is_told_however_long_it_is) {
    char text[400];
    for (int length = 150; length < 320; length++) {
        memset(text, 'x', sizeof text);
        snprintf(text, sizeof text, "ncclGroupEnd: ");
        text[strlen(text)] = 'y';
        text[length] = '\0';
        const word long_one = {1, 0, text, 0, 0}, short_one = {2, 0, "out", 0, 0};
        const word *said[] = {&long_one, &short_one};
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rg_result r = run(3, 2, said, &arena);
        const size_t n = strlen(r.failure);
        cr_expect_eq(strncmp(r.failure, "rank 1: ncclGroupEnd: yxxx", 26), 0, "%d: %s", length,
                     r.failure);
        const bool fits = length + 8 + 2 + 11 < (int)sizeof r.failure;
        cr_expect_eq(strstr(r.failure, "; rank 2: out") != NULL, fits, "%d: %zu", length, n);
        const size_t alone = (size_t)length + 8, most = sizeof r.failure - 1;
        if (!fits) cr_expect_eq(n, alone < most ? alone : most, "half of rank 2's: %s", r.failure);
        rs_arena_free(&arena);
    }
}

Test(waits, who_waits_because_of_another_is_told_behind_it) {
    const word words[4] = {
        {4, 0, "out", 0, 0}, {0, 0, not_own, 0, 0}, {1, 0, NULL, 0, 0}, {3, 0, not_own, 0, 0}};
    expect_one_text(words,
                    "rank 4: out; rank 0 waits for the others; rank 1 waits in step 2 for rank 0; "
                    "rank 3 waits for the others");
}

/* Of n ranks the first `silent` say nothing, and the others wait: the line begins with those, eight by their numbers. */
Test(waits, silent_ranks_are_named_first) {
    for (int n = 2; n <= 14; n++) {
        for (int silent = 0; silent < n; silent++) {
            word words[MOST];
            const word *said[MOST];
            char wanted[320] = "no answer within 2 s";
            rs_arena arena;
            rs_arena_init(&arena, NULL);
            for (int i = 0; i + silent < n; i++) {
                words[i] = (word){.rank = silent + i};
                said[i] = &words[i];
            }
            size_t used = 0;
            for (int r = 0; r < silent && r < 8; r++) {
                used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s %d",
                                         r > 0         ? ","
                                         : silent == 1 ? "rank"
                                                       : "ranks",
                                         r);
            }
            if (silent > 8) {
                used += (size_t)snprintf(wanted + used, sizeof wanted - used, " and %d more",
                                         silent - 8);
            }
            if (silent > 0)
                snprintf(wanted + used, sizeof wanted - used, " said nothing within 2 s");
            snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), ": rank %d waits",
                     silent);
            const rg_result r = run(n, n - silent, said, &arena);
            cr_expect_eq(strncmp(r.failure, wanted, strlen(wanted)), 0, "%d of %d: %s, not %s",
                         silent, n, r.failure, wanted);
            rs_arena_free(&arena);
        }
    }
}

/* What is no place of a rank is left out; its words are not. */
Test(waits, a_stand_is_a_place_of_a_rank) {
    static const struct {
        int32_t rank;
        int64_t n_runs, step;
        bool taken;
    } cases[] = {{0, 0, 1, true},         {2, 0, -1, true},         {1, INT32_MAX, INT32_MAX, true},
                 {3, 1, 1, false},        {-1, 1, 1, false},        {0, -1, 1, false},
                 {0, 1, -2, false},       {0, 1, 1LL << 31, false}, {0, 1LL << 31, 1, false},
                 {0, INT64_MIN, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const word one = {cases[i].rank, 0, "out", cases[i].n_runs, cases[i].step};
        const word *said[] = {&one};
        char wanted[40];
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rg_result r = run(3, 1, said, &arena);
        snprintf(wanted, sizeof wanted, "rank %d: out", (int)cases[i].rank);
        cr_expect_str_eq(r.failure, wanted);
        cr_expect_eq(r.n_stuck, cases[i].taken, "case %d", (int)i);
        if (r.n_stuck == 1) {
            cr_expect(r.stuck[0].rank == cases[i].rank && r.stuck[0].n_runs == cases[i].n_runs &&
                      r.stuck[0].step == cases[i].step && r.stuck[0].open_sends == 1 &&
                      r.stuck[0].open_recvs == 2);
        }
        rs_arena_free(&arena);
    }
}
