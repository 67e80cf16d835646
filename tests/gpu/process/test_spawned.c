/* test_spawned.c: what becomes of ranks that this process has spawned: by what they say, or do not, or by their end.
 * (spawn_stage.h) */
#include "gpu/process/spawn_stage.h"

/* ------------------------------------------------------------------ their start */

static void wants_no_start(int b, int32_t timeout_ms, deed what, rg_writer says, rs_status status,
                           const char *text) {
    plot p = {.n = 0};
    rs_host host;
    rs_error error;
    rg_group *group;
    add(&p, what, says);
    cr_expect_eq(open_ranks(backends[b], &p, &host, timeout_ms, &error, &group), status, "%s",
                 error.text);
    cr_expect_str_eq(error.text, text, "'%s', not '%s'", error.text, text);
    cr_expect_null(group);
    const int64_t ms = (timeout_ms > 0 ? timeout_ms : 60000) + (b == 0 ? 2000 : 0);
    cr_expect_eq(p.totals[0], ms * ms_ps);
    cr_expect_str_eq(p.whats[0], "starting ranks");
    if (what == STAYS_SILENT) cr_expect_eq(p.late_ps, ms * ms_ps);
    clear(&p);
    wants_nobody();
}

/* They say why they do not begin, or end, or say nothing or nonsense, with and without words on standard error. */
Test(spawned, why_they_do_not_begin_is_told) {
    static const int32_t timeouts[] = {0, 1, 250, 2500};
    play_mpirun();
    static const char *const sayings[] = {NULL, "ringsim: no GPU here", "x"};
    for (int i = 0; i < 4 * 2 * 3; i++) {
        const int b = i % 2;
        const int32_t ms = timeouts[i / 6];
        const char *words = sayings[i / 2 % 3];
        char text[200];
        if (words != NULL) setenv("WORDS", words, 1);
        if (words == NULL) unsetenv("WORDS");
        snprintf(text, sizeof text, "%s ended before its ranks began: %s", starters[b],
                 words != NULL ? words : "it did not say why");
        wants_no_start(b, ms, ENDS, (rg_writer){0}, RS_UNSUPPORTED, text);
        const rg_frame kind =
            (rg_frame)(RG_FRAME_HELLO + i % 8); /* no hello, or one without pids */
        if (kind != RG_FRAME_ERROR) {
            wants_no_start(b, ms, SAYS, ended(frame(kind)), RS_UNSUPPORTED, text);
        }
        rg_writer nonsense = hello("x", NULL, 0);
        nonsense.bytes[0] = 'x';
        wants_no_start(b, ms, SAYS, nonsense, RS_UNSUPPORTED, text);
        snprintf(text, sizeof text, "%s has not started 3 ranks within %g s%s%s", starters[b],
                 (ms > 0 ? ms : 60000) / 1000.0, words != NULL ? ": " : "",
                 words != NULL ? words : "");
        wants_no_start(b, ms, STAYS_SILENT, (rg_writer){0}, RS_UNSUPPORTED, text);
        wants_no_start(b, ms, IS_STOPPED, (rg_writer){0}, RS_CANCELLED, "cancelled");
        const rs_status status = (rs_status)(i % (RS_CANCELLED + 1));
        wants_no_start(b, ms, SAYS, trouble(status, "the reason"),
                       status == RS_OK ? RS_BAD_INPUT : status, "the reason");
    }
}

Test(spawned, where_they_are_is_told_as_far_as_there_is_room) {
    for (int n = 0; n < RG_WHERE_BYTES + 10; n += n < RG_WHERE_BYTES - 5 ? 21 : 1) {
        plot p = {.n = 0};
        rs_host host;
        rs_error error;
        rg_group *group;
        char where[RG_WHERE_BYTES + 20] = "";
        for (int i = 0; i < n; i++) where[i] = (char)('a' + i % 26);
        add(&p, SAYS, hello(where, NULL, 0));
        cr_assert_eq(open_ranks(&rg_nccl_backend, &p, &host, 0, &error, &group), RS_OK, "%s",
                     error.text);
        if (n >= RG_WHERE_BYTES) where[RG_WHERE_BYTES - 1] = '\0';
        cr_expect_str_eq(rg_group_where(group), where);
        rg_group_close(group);
        clear(&p);
        wants_nobody();
    }
}

/* ------------------------------------------------------------------ their runs */

typedef struct ranks { /* a group, and what happens to it */
    plot plot;
    rs_host host;
    rs_error error;
    rg_group *group;
    rs_arena arena;
} ranks;

static void open_good(ranks *r, int b, const int64_t pids[], size_t n_pids) {
    memset(r, 0, sizeof *r);
    rs_arena_init(&r->arena, NULL);
    add(&r->plot, SAYS, hello("here", pids, n_pids));
    cr_assert_eq(open_ranks(backends[b], &r->plot, &r->host, 0, &r->error, &r->group), RS_OK, "%s",
                 r->error.text);
}

static rg_job make_job(rs_schedule *ring, int32_t timeout_ms) {
    const rs_spec spec = {.n_ranks = N};
    const rs_algorithm *algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, 9, NULL, ring), RS_OK);
    return (rg_job){.schedule = ring,
                    .data = RS_DATA_RANDOM,
                    .count = 9,
                    .times = 1,
                    .flip_rank = -1,
                    .timeout_ms = timeout_ms};
}

static rs_status run(ranks *r, int32_t timeout_ms, rg_result *result) {
    rs_schedule ring;
    const rg_job job = make_job(&ring, timeout_ms);
    memset(result, 0, sizeof *result);
    return rg_group_run(r->group, &job, &r->arena, &r->error, result);
}

/* Closes it; it was sent so many jobs, and its end. */
static void wants_sent(ranks *r, int n_jobs, bool end_too) {
    rs_schedule ring;
    rg_writer job_bytes = {0}, end_bytes = ended(frame(RG_FRAME_END));
    const rg_job job = make_job(&ring, 2500);
    char sent[4096];
    rg_put_job(&job_bytes, &job);
    rg_group_close(r->group);
    FILE *file = fopen(sent_path, "rb");
    cr_assert_not_null(file);
    const size_t n = fread(sent, 1, sizeof sent, file), n_end = end_too ? end_bytes.n : 0;
    fclose(file);
    cr_assert_eq(n, (size_t)n_jobs * job_bytes.n + n_end, "%d bytes", (int)n);
    for (int i = 0; i < n_jobs; i++) {
        cr_expect_arr_eq(sent + (size_t)i * job_bytes.n, job_bytes.bytes, job_bytes.n);
    }
    cr_expect_arr_eq(sent + n - n_end, end_bytes.bytes, n_end);
    free(job_bytes.bytes), free(end_bytes.bytes);
    clear(&r->plot);
    rs_arena_free(&r->arena);
    wants_nobody();
}

/* What they answer, also that they cannot, is told, and they can run more. */
Test(spawned, who_answers_can_run_more) {
    for (int i = 0; i <= RS_CANCELLED + 2; i++) {
        ranks r;
        rg_result result;
        open_good(&r, 0, NULL, 0);
        const rs_status status = i <= RS_CANCELLED ? (rs_status)i : RS_BAD_INPUT;
        rg_writer says = i <= RS_CANCELLED ? trouble(status, "the reason") : answer(4);
        if (i ==
            RS_CANCELLED + 1) { /* the frame of a result, and of an error, with nothing in it */
            free(says.bytes);
            says = ended(frame(RG_FRAME_RESULT));
        }
        add(&r.plot, SAYS, says);
        add(&r.plot, SAYS, answer(17));
        const rs_status got = run(&r, 2500, &result);
        if (i <= RS_CANCELLED + 1) {
            cr_expect_eq(got, status == RS_OK ? RS_BAD_INPUT : status);
            cr_expect_str_eq(r.error.text, i <= RS_CANCELLED
                                               ? "the reason"
                                               : "what came from another process cannot be read");
        } else {
            cr_expect(got == RS_OK && result.completed && result.n_wrong == 4);
        }
        cr_expect_eq(run(&r, 2500, &result), RS_OK, "%s", r.error.text);
        cr_expect(result.completed && result.n_wrong == 17 && result.wrong[1] && !result.wrong[2] &&
                  result.crc32[2] == 3);
        wants_sent(&r, 2, true);
        cr_expect_eq(n_signalled, 0);
    }
}

/* After each sign of life they have the whole time again, a little more than they have for each other. */
Test(spawned, who_is_alive_has_the_whole_time_again) {
    static const int32_t timeouts[] = {2500, 0, 1, 100000};
    play_mpirun();
    for (int i = 0; i < 4; i++) {
        const int64_t ms = (timeouts[i] > 0 ? timeouts[i] : 60000) + 2000;
        ranks r;
        rg_result result;
        open_good(&r, i % 2, NULL, 0);
        for (int k = 0; k < 3; k++) add(&r.plot, SAYS, ended(frame(RG_FRAME_ALIVE)));
        add(&r.plot, SAYS, answer(5));
        cr_expect_eq(run(&r, timeouts[i], &result), RS_OK);
        cr_expect(result.completed && result.n_wrong == 5);
        cr_expect_eq(r.plot.at, 5);
        for (int k = 1; k < 5; k++) {
            cr_expect_eq(r.plot.totals[k], ms * ms_ps);
            cr_expect_str_eq(r.plot.whats[k], "waiting for the ranks");
        }
        rg_group_close(r.group);
        clear(&r.plot);
        rs_arena_free(&r.arena);
    }
}

/* Who ends, says nothing or nonsense is asked nothing more; there is no result, and a reason. */
Test(spawned, who_gives_no_answer_is_given_up) {
    play_mpirun();
    static const char *const sayings[] = {NULL, "ringsim: a rank is lost", "x"};
    for (int i = 0; i < 2 * 3 * 7; i++) {
        const int b = i % 2, how = i / 6;
        const char *words = sayings[i / 2 % 3];
        char text[200], again[200];
        ranks r;
        rg_result result;
        if (words != NULL) setenv("WORDS", words, 1);
        if (words == NULL) unsetenv("WORDS");
        snprintf(again, sizeof again, "%s%s%s", result_is, words != NULL ? words : starters[b],
                 words != NULL ? "" : " did not say why");
        snprintf(text, sizeof text, "%s", again);
        open_good(&r, b, NULL, 0);
        add(&r.plot, SAYS, ended(frame(RG_FRAME_ALIVE)));
        if (how == 0) add(&r.plot, ENDS, (rg_writer){0});
        if (how == 1) add(&r.plot, STAYS_SILENT, (rg_writer){0});
        if (how == 2) add(&r.plot, IS_STOPPED, (rg_writer){0});
        if (how == 3) add(&r.plot, SAYS, hello("here", NULL, 0));
        if (how == 4) add(&r.plot, SAYS, ended(frame(RG_FRAME_JOB)));
        if (how == 5) add(&r.plot, SAYS, ended(frame(RG_FRAME_END)));
        if (how == 6) add(&r.plot, SAYS, answer(1));
        if (how == 6) r.plot.turns[2].says.bytes[3] = 'x';
        if (how == 1) {
            snprintf(text, sizeof text, "no answer within 2.5 s, from no rank: are they stopped?");
        }
        const rs_status status = run(&r, 2500, &result);
        cr_expect_eq(status, how == 2 ? RS_CANCELLED : RS_OK);
        if (how == 2) cr_expect_str_eq(r.error.text, "cancelled");
        if (how != 2) cr_expect_not(result.completed);
        if (how != 2) cr_expect_str_eq(result.failure, text, "%d: '%s'", how, result.failure);
        if (how == 1) cr_expect_eq(r.plot.late_ps, 4500 * ms_ps);
        cr_expect_eq(run(&r, 2500, &result), RS_OK);
        cr_expect(!result.completed && strcmp(result.failure, again) == 0, "%s", result.failure);
        cr_expect_eq(r.plot.at, r.plot.n);
        wants_sent(&r, 1, false);
    }
}

/* A job that they do not take within a minute, and more than a pipe holds, is not sent for ever. */
Test(spawned, who_takes_no_job_is_given_up_after_a_minute) {
    enum { MANY = 20000 };
    static double list[MANY];
    const rs_spec spec = {.n_ranks = MANY};
    const rg_setup setup = {.n_ranks = MANY, .program = program};
    plot p = {.n = 0};
    const rs_host host = {.context = &p, .progress = next_turn};
    rs_error error = {.text = ""};
    rg_group *group;
    rs_arena arena;
    rs_schedule ring;
    rg_result result;
    rg_job job = make_job(&ring, 1000);
    setenv("DEAF", "1", 1);
    add(&p, SAYS, hello("here", NULL, 0));
    cr_assert_eq(rg_nccl_backend.open(&setup, &host, &error, &group), RS_OK, "%s", error.text);
    cr_assert_eq(rs_schedule_from_spec(ring.algorithm, &spec, 9, NULL, &ring), RS_OK);
    job.data = RS_DATA_LIST;
    job.list = list;
    rs_arena_init(&arena, NULL);
    const int64_t start_ps = told_ps;
    wait_ps = 1000 * ms_ps;
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK, "%s", error.text);
    cr_expect_eq(told_ps - start_ps, 61 * wait_ps);
    cr_expect(!result.completed &&
                  strcmp(result.failure + strlen(result_is), "their starter did not say why") == 0,
              "%s", result.failure);
    wait_ps = 0;
    close(fifo), fifo = -1;
    rg_group_close(group);
    rs_arena_free(&arena);
    clear(&p);
    wants_nobody();
}

/* ------------------------------------------------------------------ their end */

enum { N_OTHERS = 12 };

/* Starts a process with these words on its command line, which ends when *held is closed. */
static pid_t begin_other(const char *const words[], int *held) {
    int in[2], begun[2];
    char c;
    cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(begun, O_CLOEXEC) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        const char *all[9] = {"sh", "-c", "read line"};
        for (int i = 0; words[i] != NULL; i++) all[3 + i] = words[i];
        dup2(in[0], STDIN_FILENO);
        execv("/bin/sh", (char *const *)(uintptr_t)all);
        _exit(1);
    }
    close(begun[1]);
    cr_assert_eq(read(begun[0], &c, 1), 0); /* it is that program now */
    close(begun[0]), close(in[0]);
    *held = in[1];
    return pid;
}

static int n_open(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Ranks that give no answer are killed; whoever has one of their numbers by now is not, nor is anybody after a good run. */
Test(spawned, only_what_is_still_a_rank_is_killed) {
    static const struct {
        const char *words[6];
        int rank_of; /* which backend's it is; -1: neither's */
    } others[N_OTHERS] = {{{"verify", "--on", "nccl"}, 0},
                          {{"verify", "--on", "mpi"}, 1},
                          {{"verify", "--on", "nccl", "--gpus", "2"}, 0},
                          {{"verify", "--on", "cpu"}, -1},
                          {{"verify", "--on", "ncc"}, -1},
                          {{"verify", "--on", "nccl2"}, -1},
                          {{"verify", "--on=nccl"}, -1},
                          {{"verify --on nccl"}, -1},
                          {{"verify", "nccl"}, -1},
                          {{"--on", "mpi"}, -1},
                          {{"verify", "--on"}, -1},
                          {{"x", "verify", "--on", "mpi", "--gpus"}, 1}};
    play_mpirun();
    for (int i = 0; i < 4; i++) {
        const int b = i % 2;
        const bool good = i / 2 == 1;
        static const int64_t nobody[5] = {0, -1, INT64_MAX, INT64_MIN, 1LL << 40};
        int64_t pids[N_OTHERS + 5];
        int held[N_OTHERS], n_killed = 0;
        ranks r;
        rg_result result;
        for (int k = 0; k < N_OTHERS + 5; k++) {
            const int at = k < N_OTHERS / 2 ? k : k - 5; /* nobody stands in the middle */
            pids[k] = k != at && at < N_OTHERS / 2 ? nobody[at + 5 - N_OTHERS / 2]
                                                   : begin_other(others[at].words, &held[at]);
        }
        const int n_before = n_open();
        open_good(&r, b, pids, N_OTHERS + 5);
        add(&r.plot, good ? SAYS : ENDS, good ? answer(0) : (rg_writer){0});
        cr_expect_eq(run(&r, 2500, &result), RS_OK);
        rg_group_close(r.group);
        if (fifo >= 0) close(fifo), fifo = -1;
        cr_expect_eq(n_open(), n_before);
        for (int k = 0; k < N_OTHERS; k++) {
            const int64_t pid = pids[k < N_OTHERS / 2 ? k : k + 5];
            const bool wanted = !good && others[k].rank_of == b;
            int how = -1;
            if (wanted) cr_expect(n_killed < n_signalled && signalled[n_killed] == pid);
            n_killed += wanted;
            close(held[k]);
            waitpid((pid_t)pid, &how, 0);
            cr_expect_eq(WIFSIGNALED(how), wanted, "%s %s", starters[b], others[k].words[0]);
        }
        cr_expect_eq(n_signalled, n_killed);
        clear(&r.plot);
        rs_arena_free(&r.arena);
        wants_nobody();
    }
}
