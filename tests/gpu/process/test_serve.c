/* test_serve.c: a spawned rank, by what goes in and what comes out of it. (serve_stage.h) */
#include "gpu/process/serve_stage.h"

static void wants_runs(const doing runs[], int n) {
    cr_assert_eq(shared->n_run, n, "%d runs, not %d", shared->n_run, n);
    for (int i = 0; i < n; i++) cr_expect_eq(shared->runs[i], runs[i], "run %d", i);
    cr_expect_eq(shared->status, RS_OK);
    cr_expect_eq(shared->n_opened, 1);
    cr_expect_eq(shared->n_closed, 1);
}

/* ------------------------------------------------------------------ jobs */

static const doing usual[] = {GOOD, REFUSED, GOOD};

static input usual_input(rg_frame then) {
    input in = {.n = 0};
    for (int i = 0; i < 3; i++) add_job(&in, usual[i], 100 + i);
    if (then != RG_FRAME_JOB) add_empty(&in, then);
    if (then != RG_FRAME_JOB) add_job(&in, GOOD, 1);
    return in;
}

/* Rank 0 says who they are, then one answer a job, until the frame that is none, or the end. All that came is shared,
   length first; no length: there is no more. */
Test(serve, rank_0_answers_each_job_once) {
    for (int then = RG_FRAME_HELLO; then <= RG_FRAME_WAITS; then++) {
        const bool ends = then == RG_FRAME_JOB;
        const input in = usual_input((rg_frame)then);
        const served s = serve(&in, ends ? CLOSES : PLAIN);
        wants_hello(&s);
        wants_result(&s, 1, 100);
        wants_error(&s, RS_NO_MEMORY, reason);
        wants_result(&s, 3, 102);
        wants_end(s.out);
        wants_runs(usual, 3);
        cr_expect_eq(shared->n_lingered, 0);
        for (int i = 0, at = 0; i < (ends ? 3 : 4); at += (int)in.lengths[i++]) {
            int64_t length;
            char bytes[4096];
            cr_assert_eq(read(fileno(s.wire), &length, sizeof length), sizeof length);
            cr_assert_eq(length, (int64_t)in.lengths[i]);
            cr_assert_eq(read(fileno(s.wire), bytes, in.lengths[i]), length);
            cr_expect_arr_eq(bytes, in.bytes + at, in.lengths[i]);
        }
        int64_t none = 1;
        if (ends) cr_expect_eq(read(fileno(s.wire), &none, sizeof none), sizeof none);
        cr_expect_eq(none, ends ? 0 : 1);
        wants_end(s.wire);
        drop(&s);
    }
}

/* The others run the same jobs, as they are shared, and say nothing. */
Test(serve, the_others_run_what_is_shared_in_silence) {
    for (int then = RG_FRAME_HELLO; then <= RG_FRAME_WAITS; then++) {
        const input in = usual_input((rg_frame)then);
        shared->rank = 1;
        const served s = serve(&in, PLAIN);
        wants_end(s.out);
        wants_runs(usual, 3);
        cr_expect_eq(shared->n_lingered, 0);
        drop(&s);
    }
}

/* A job whose bytes make no sense is answered like one that cannot run; bytes that are no frame are the end. */
Test(serve, what_makes_no_sense_is_said_and_what_is_no_frame_ends) {
    input in = {.n = 0};
    add_empty(&in, RG_FRAME_JOB);
    add_job(&in, GOOD, 7);
    memset(in.bytes + in.n, 'x', 100);
    in.n += 100;
    add_job(&in, GOOD, 8);
    const served s = serve(&in, PLAIN);
    wants_hello(&s);
    wants_error(&s, RS_BAD_INPUT, "what came from another process cannot be read");
    wants_result(&s, 1, 7);
    wants_end(s.out);
    wants_runs((const doing[]){GOOD}, 1);
    drop(&s);
}

#ifndef SANITIZED /* which ends a program that asks for so much */
Test(serve, a_rank_without_memory_for_a_job_ends) {
    input in = {.n = 0};
    add_job(&in, GOOD, 7);
    in.forged = 1LL << 62;
    shared->rank = 1;
    const served s = serve(&in, PLAIN);
    wants_end(s.out);
    wants_runs(&(doing){GOOD}, 1);
    drop(&s);
}
#endif

/* ------------------------------------------------------------------ who cannot go on */

/* A rank that waits too long says where it stands, whichever it is, and then runs nothing more; nor does one that is
   stopped. It stays for a moment, so that all are heard, unless nobody listens; only then it closes its group. */
Test(serve, who_cannot_go_on_says_where_it_stands_and_stays_a_moment) {
    static const doing troubles[] = {LATE, LATE_IN_STEP, STOPPED};
    for (int turn = 0; turn < 12; turn++) {
        const doing what = troubles[turn % 3];
        const bool closes = turn / 3 % 2 == 1;
        input in = {.n = 0};
        add_job(&in, GOOD, 5);
        add_job(&in, what, 6);
        add_job(&in, GOOD, 7);
        shared->rank = turn / 6;
        const served s = serve(&in, closes ? CLOSES : PLAIN);
        if (shared->rank == 0) {
            wants_hello(&s);
            wants_result(&s, 1, 5);
        }
        if (what != STOPPED) wants_waits(&s, shared->rank, what == LATE ? NULL : &stand);
        wants_end(s.out);
        wants_runs((const doing[]){GOOD, what}, 2);
        cr_expect_eq(shared->n_lingered, closes ? 0 : 1, "turn %d", turn);
        cr_expect_eq(shared->lingered_us, closes ? 0 : LINGER_US);
        cr_expect_not(shared->closed_first);
        drop(&s);
    }
}

/* ------------------------------------------------------------------ signs of life */

static const int64_t every_ps = 200000000000;

/* Whether it is to go on is asked at all these times: it tells so at most every 200 ms; goes_on: what it should hear. */
static void wants_alive(int ways, int rank) {
    input in = {.n = 0};
    add_job(&in, TELLING, 5);
    add_empty(&in, RG_FRAME_END);
    shared->rank = rank;
    const served s = serve(&in, ways);
    if (rank == 0 && !(ways & NO_READER)) wants_hello(&s);
    int64_t last_ps = 0;
    for (int i = 0; i < shared->n_at; i++) {
        const bool due = rank == 0 && shared->at_ps[i] >= last_ps + every_ps;
        cr_expect_eq(shared->goes_on[i], !due || !(ways & (CLOSES | NO_READER)),
                     "look %d, rank %d, ways %d", i, rank, ways);
        if (!due) continue;
        last_ps = shared->at_ps[i];
        if (ways & NO_READER) continue;
        rg_frame kind;
        rg_reader reader;
        char *bytes = next_frame(&s, &kind, &reader);
        cr_expect_eq(kind, RG_FRAME_ALIVE);
        cr_expect(rg_get(&reader) == i && rg_get(&reader) == 1000 + i);
        cr_expect(reader.left == 0 && !reader.bad);
        free(bytes);
    }
    if (rank == 0 && !(ways & NO_READER)) wants_result(&s, 1, 5);
    wants_end(s.out);
    drop(&s);
}

Test(serve, rank_0_tells_that_it_is_alive_and_hears_who_is_gone) {
    static const int64_t after_ns[] = {1000,      199999999, 1, 199999999, 0, 1,        1,
                                       600000000, 199999999, 2, 200000000, 5, 200000000};
    shared->n_at = sizeof after_ns / sizeof *after_ns;
    for (int i = 0; i < shared->n_at; i++) {
        shared->at_ps[i] = (i > 0 ? shared->at_ps[i - 1] : 0) + after_ns[i] * 1000;
    }
    for (int rank = 0; rank < 2; rank++) {
        wants_alive(PLAIN, rank);
        wants_alive(CLOSES, rank);
        wants_alive(NO_READER, rank);
    }
}

/* ------------------------------------------------------------------ standard output */

static void wants_noise(FILE *file, bool there) {
    char got[100] = "";
    const ssize_t n = read(fileno(file), got, sizeof got - 1);
    cr_expect_eq(n, there ? (ssize_t)strlen(noise) : 0);
    cr_expect_str_eq(got, there ? noise : "");
}

/* What a library prints goes to standard error and is not among the frames; where these go elsewhere, it stays. */
Test(serve, what_libraries_print_is_not_among_the_frames) {
    static const int ways[] = {PLAIN, APART, CLOSES | APART};
    for (int i = 0; i < 3; i++) {
        const input in = usual_input(RG_FRAME_END);
        const served s = serve(&in, ways[i]);
        wants_hello(&s);
        wants_noise(s.err, ways[i] == PLAIN);
        wants_noise(s.printed, ways[i] != PLAIN);
        cr_expect_not(shared->kept_by_children);
        drop(&s);
    }
}

/* Without a descriptor for the frames they go the old way, behind what was printed. */
Test(serve, without_a_descriptor_more_the_frames_still_come) {
    const input in = usual_input(RG_FRAME_END);
    const served s = serve(&in, NO_ROOM);
    char got[sizeof noise] = "";
    cr_assert_eq(read(fileno(s.out), got, strlen(noise)), (ssize_t)strlen(noise));
    cr_expect_str_eq(got, noise);
    wants_hello(&s);
    wants_result(&s, 1, 100);
    wants_noise(s.err, false);
    drop(&s);
}

/* ------------------------------------------------------------------ who does not begin */

/* Why a group does not open is said by each of its ranks; nothing was opened, nothing is closed. */
Test(serve, why_it_does_not_begin_is_said) {
    for (int status = RS_OK + 1; status <= RS_CANCELLED; status++) {
        const input in = usual_input(RG_FRAME_END);
        shared->rank = status % 2;
        shared->opens = (rs_status)status;
        const served s = serve(&in, PLAIN);
        wants_error(&s, (rs_status)status, reason);
        wants_end(s.out);
        cr_expect_eq(shared->status, (rs_status)status);
        cr_expect(shared->n_opened == 1 && shared->n_closed == 0 && shared->n_run == 0);
        drop(&s);
    }
    const input in = usual_input(RG_FRAME_END);
    shared->no_module = true;
    const served s = serve(&in, PLAIN);
    cr_expect_eq(shared->status, RS_UNSUPPORTED);
    wants_error(&s, RS_UNSUPPORTED, lacks);
    wants_end(s.out);
    cr_expect_eq(shared->n_opened, 0);
    drop(&s);
}

Test(serve, a_rank_is_of_the_kind_that_it_is_told) {
    unsetenv(RG_SERVE_VARIABLE);
    cr_expect_eq(rg_served_kind(), -1);
    for (int k = 0; k < RG_N_KINDS; k++) {
        const char *name = rg_kind_name((rg_kind)k);
        for (size_t n = 0; n <= strlen(name) + 1; n++) { /* its first letters, and one too many */
            char text[16];
            snprintf(text, sizeof text, "%.*s%s", (int)n, name, n > strlen(name) ? "x" : "");
            setenv(RG_SERVE_VARIABLE, text, 1);
            cr_expect_eq(rg_served_kind(), n == strlen(name) ? k : -1, "'%s'", text);
        }
    }
}
