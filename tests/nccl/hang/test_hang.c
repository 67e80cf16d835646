/* test_hang.c: the right rank and call in made jobs of every fault; pickles that are none; files that end too early. */
#include "hangs/hang_maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static rs_arena scratch, keep;
static rs_error error;
static rn_dump dump;

static void start(void) {
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&scratch);
    rs_arena_free(&keep);
}
TestSuite(hang, .init = start, .fini = stop);

static rs_status read_bytes(const char *bytes, size_t n) {
    char *exact = malloc(n + 1); /* no byte more: a read beyond them is caught */
    cr_assert_not_null(exact);
    memcpy(exact, bytes, n);
    const rs_status status = rn_read_recorder(exact, n, &scratch, &keep, &error, &dump);
    free(exact);
    return status;
}

Test(hang, names_rank_and_call_of_made_faults) {
    enum { JOBS = 240, OTHERS = 240 /* in other forms, and with groups of two dimensions */ };
    int n[N_SCORES] = {0}, n_decidable = 0;
    for (uint64_t seed = 1; seed <= JOBS + OTHERS; seed++) {
        const made_wish wish = {.seed = seed,
                                .n_ranks = seed <= JOBS ? 24 : 48,
                                .form =
                                    seed <= JOBS ? MADE_DUMPS : (made_form)(seed % MADE_N_FORMS),
                                .experts = seed > JOBS,
                                .fault = MADE_N_FAULTS};
        made_job *job = make_hang(&wish);
        rn_hang_verdict verdict;
        const made_score score = try_hang(job, &verdict);
        cr_assert(score == SCORE_RIGHT || (job->decidable && score != SCORE_WRONG),
                  "seed %d, form %d: %s of rank %d: %s", (int)seed, (int)wish.form,
                  made_fault_name(job->fault), (int)job->culprit, rn_hang_name(verdict));
        n_decidable += job->decidable;
        n[score] += job->decidable;
        free_hang(job);
    }
    cr_assert_geq(100 * n[SCORE_RIGHT], 99 * n_decidable);
    cr_assert_gt(n_decidable, JOBS / 2);
}

/* Returns the lane of a rank; -1: it is not of the group. */
static int32_t lane_of(const rn_hang_lanes *lanes, int32_t rank) {
    for (int32_t i = 0; i < lanes->n_lanes; i++) {
        if (lanes->ranks[i] == rank) return i;
    }
    return -1;
}

/* Does what the culprit did stand in its lane, and in no other? */
static void expect_lanes(int seed, const rn_hang *hang) {
    const rn_hang_lanes *lanes = &hang->lanes;
    const rn_hang_place *culprit = &hang->culprits[0];
    const int32_t own = lane_of(lanes, culprit->rank);
    int n_odd = 0, n_named = 0;
    cr_assert(own >= 0 && lanes->n_columns > 0, "seed %d: no lane", seed);
    for (int32_t i = 0; i < lanes->n_lanes * lanes->n_columns; i++) {
        const rn_lane_cell *cell = &lanes->cells[i], *most = &lanes->most[i % lanes->n_columns];
        cr_expect(cell->call != NULL || cell->mark < RN_LANE_OPEN);
        if (i / lanes->n_columns != own) {
            cr_expect_not(cell->odd && cell->call != NULL, "seed %d", seed);
            continue;
        }
        const rn_call *call = cell->mark == RN_LANE_ABSENT ? most->call : cell->call;
        n_odd += cell->odd || cell->mark == RN_LANE_ABSENT;
        n_named += call != NULL && (cell->odd || cell->mark == RN_LANE_ABSENT) &&
                   strcmp(lanes->words[call->name], culprit->call) == 0 &&
                   call->seq == culprit->seq;
    }
    cr_expect_gt(n_odd, 0, "seed %d: rank %d does as all do", seed, (int)culprit->rank);
    cr_expect_gt(n_named, 0, "seed %d: %s, not call %d", seed, rn_hang_name(hang->verdict),
                 (int)culprit->seq);
}

Test(hang, lays_calls_side_by_side) {
    int n = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 24, .fault = MADE_N_FAULTS};
        made_job *job = make_hang(&wish);
        rn_hang hang;
        judge_made(job, &keep, &hang);
        const bool by_calls =
            hang.verdict >= RN_HANG_MISSING_CALL && hang.verdict <= RN_HANG_MISMATCH;
        /* Messages from point to point are not side by side. */
        const bool message = by_calls && (strcmp(hang.culprits[0].call, "send") == 0 ||
                                          strcmp(hang.culprits[0].call, "recv") == 0);
        if (by_calls && !message && hang.n_culprits == 1 && job->decidable) {
            expect_lanes((int)seed, &hang);
            n++;
        }
        free_hang(job);
    }
    cr_assert_gt(n, 50);
}

Test(hang, pairing_by_number_is_often_wrong) {
    int n_wrong = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 24, .fault = MADE_N_FAULTS};
        made_job *job = make_hang(&wish);
        n_wrong += score_by_number(job) == SCORE_WRONG;
        free_hang(job);
    }
    cr_assert_gt(n_wrong, 10);
}

/* However a dump was written, it says the same. */
Test(hang, reads_every_way_of_writing_alike) {
    const made_wish wish = {.seed = 11, .n_ranks = 8, .fault = MADE_MISSING};
    made_job *job = make_hang(&wish);
    int64_t n_calls = 0, elements = 0;
    for (int style = 0; style <= 5; style++) {
        size_t n;
        job->style = style;
        char *bytes = dump_rank(job, 0, &n);
        cr_assert_eq(read_bytes(bytes, n), RS_OK, "%s", error.text);
        free(bytes);
        int64_t sum = 0;
        for (int64_t i = 0; i < dump.n_calls; i++) {
            sum += dump.calls[i].n_in + (int64_t)strlen(dump.words[dump.calls[i].where]);
        }
        if (style == 0) n_calls = dump.n_calls, elements = sum;
        cr_assert_eq(dump.n_calls, n_calls);
        cr_assert_eq(sum, elements);
        cr_assert_eq(dump.n_groups, job->ranks[0].n_groups);
    }
    cr_assert_gt(n_calls, 10);
    free_hang(job);
}

/* Reads and judges the job, with every so many-th call of one rank without its line. */
static void judge_without_lines(const made_job *job, int32_t rank, int64_t every, rn_hang *hang) {
    rn_dump *dumps = rs_alloc(&keep, (size_t)job->n_ranks, sizeof *dumps);
    int32_t n = 0;
    for (int32_t r = 0; r < job->n_ranks; r++) {
        size_t n_bytes = 0;
        char *bytes = dump_rank(job, r, &n_bytes);
        if (bytes == NULL || read_bytes(bytes, n_bytes) != RS_OK) continue;
        free(bytes);
        dumps[n] = dump;
        dumps[n++].rank = r;
        for (int64_t i = 0; r == rank && i < dump.n_calls; i += every)
            dump.calls[i].where = 0, dump.calls[i].stack = 0;
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, hang), RS_OK, "%s", error.text);
}

/* A call whose line nobody knows is no other call: what is wrong stays what it was. */
Test(hang, lines_that_are_not_known_accuse_nobody) {
    int n = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        static const made_fault faults[] = {MADE_INSIDE, MADE_STOPPED, MADE_SILENT, MADE_NONE};
        const made_wish wish = {.seed = seed, .n_ranks = 8, .fault = faults[seed % 4]};
        made_job *job = make_hang(&wish);
        if (job->frames && job->decidable) {
            rn_hang known, unknown;
            judge_without_lines(job, -1, 1, &known);
            judge_without_lines(job, (int32_t)(seed % 5) % job->n_ranks, 1 + (int64_t)seed % 4,
                                &unknown);
            cr_expect_eq(unknown.verdict, known.verdict, "seed %d: %s, not %s", (int)seed,
                         rn_hang_name(unknown.verdict), rn_hang_name(known.verdict));
            cr_assert_eq(unknown.n_culprits, known.n_culprits);
            for (int32_t c = 0; c < known.n_culprits; c++)
                cr_expect_eq(unknown.culprits[c].rank, known.culprits[c].rank);
            n++;
        }
        free_hang(job);
    }
    cr_assert_gt(n, 30);
}

Test(hang, uses_a_file_that_ends_too_early) {
    static const int styles[] = {0, 1, 2, 5};
    for (int s = 0; s < 4; s++) {
        const made_wish wish = {.seed = 11, .n_ranks = 8, .fault = MADE_MISSING};
        made_job *job = make_hang(&wish);
        size_t n;
        job->style = styles[s];
        char *bytes = dump_rank(job, 0, &n);
        int64_t before = 0;
        cr_assert_eq(read_bytes(bytes, n), RS_OK);
        const int64_t whole = dump.n_calls;
        for (size_t k = 0; k < n - 1; k += 1 + n / 200) {
            const rs_status status = read_bytes(bytes, k);
            if (status != RS_OK) continue;
            cr_assert(dump.cut, "%d of %d bytes", (int)k, (int)n);
            cr_assert_geq(dump.n_calls, before);
            before = dump.n_calls;
        }
        cr_assert_gt(before, whole - 4);
        free(bytes);
        free_hang(job);
    }
}

Test(hang, refuses_what_is_no_data) {
    static const struct {
        const char *bytes;
        size_t n;
        const char *says;
    } bad[] = {
#define CASE(bytes, says) {bytes, sizeof bytes - 1, says}
        CASE("\x80\2cos\nsystem\n(X\4\0\0\0truetR.", "byte 2: GLOBAL"),
        CASE("\x80\2}R.", "REDUCE"),
        CASE("\x80\2ctorch.jit._pickle\nrestore_type_tag\n)R.", "REDUCE"),
        CASE("\x80\4\x93.", "STACK_GLOBAL"),
        CASE("\x80\2}b.", "BUILD"),
        CASE("\x80\2)\x81.", "NEWOBJ"),
        CASE("\x80\2(i", "INST"),
        CASE("\x80\2}Q.", "BINPERSID"),
        CASE("\x80\2\xff", "0xff: no opcode"),
        CASE("\x80\11", "protocol"),
        CASE("\x80\2}r\xff\xff\xff\xff.", "memo"),
        CASE("\x80\2h\1.", "memo"),
        CASE("\x80\2e.", "mark"),
        CASE("\x80\2s.", "stack"),
        CASE("\x80\2]K\1K\1s.", "dictionary"),
        CASE("\x80\2K\1.", "no entries"),
        CASE("\x80\2}.", "no entries"),
        CASE("\x80\2\x8a\11", "8 bytes"),
        CASE("", "ends before"),
        CASE("{\"a\" 1}", "colon"),
        CASE("{\"a\":1 2}", "comma"),
        CASE("{\"a\":[1}", "bracket"),
        CASE("{a", "quotes"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const rs_status status = read_bytes(bad[i].bytes, bad[i].n);
        if (i == 17) { /* the length is there, the number is not: the file is cut */
            cr_assert_neq(status, RS_OK);
            continue;
        }
        cr_assert_eq(status, RS_BAD_INPUT, "%d: %d", (int)i, (int)status);
        cr_assert_not_null(strstr(error.text, bad[i].says), "%d: %s", (int)i, error.text);
    }
}

/* Lengths of 2^63, depth, the same data named again and again: bounded by the file. */
Test(hang, holds_no_bomb) {
    enum { N = 200000 };
    char *bytes = malloc(N + 64);
    cr_assert_not_null(bytes);
    cr_assert_neq(read_bytes("\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx", 12), RS_OK);
    memcpy(bytes, "\x80\2", 2);
    memset(bytes + 2, ']', N);
    bytes[N] = '.';
    cr_assert_eq(read_bytes(bytes, N + 1), RS_BAD_INPUT);
    memset(bytes + 2, '(', N);
    cr_assert_neq(read_bytes(bytes, N), RS_OK);
    /* entries: one list of 40,000 frames, 40,000 times */
    static const char head[] = "\x80\2}(X\7\0\0\0entries](}q\0(X\6\0\0\0frames](";
    size_t n = sizeof head - 1;
    memcpy(bytes, head, n);
    memset(bytes + n, '}', 40000);
    n += 40000;
    memcpy(bytes + n, "eu", 2);
    n += 2;
    for (int i = 0; i < 40000; i++, n += 2) memcpy(bytes + n, "h\0", 2);
    memcpy(bytes + n, "eu.", 3);
    const rs_status status = read_bytes(bytes, n + 3);
    cr_assert(status == RS_OK || status == RS_TOO_LARGE, "%s", error.text);
    free(bytes);
}
