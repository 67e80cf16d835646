/* serve_stage.h: a spawned rank on a stage: its module is ours, and its group does what a job's seed says. A test program
 * includes it once.
 *
 *     shared->rank = 1;  served s = serve(&input, CLOSES);  wants_waits(&s, ...);  wants_end(s.out);  drop(&s);
 *
 * What rank 0 shares goes through a file, the wire. What a rank writes goes to files, which are read once it has ended;
 * nothing waits for a clock.
 */
#pragma once

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/backend_module.h"
#include "process/pipe.h"
#include "ranks/communicator.h"

enum { N = 2, MOST = 40, MOST_BYTES = 1 << 16, LINGER_US = 3000000, PRINTING_FD = 9 };
/* What a group does with a job of this seed. */
typedef enum doing { GOOD, REFUSED, LATE, LATE_IN_STEP, STOPPED, TELLING } doing;

static const char where[] = "two processes here", noise[] = "NCCL INFO from a library\n",
                  reason[] = "no memory for that job", lacks[] = "there is no module",
                  waiting[] = "rank 1 waits for rank 0";
static const int64_t pids[3] = {11, 1LL << 40, -7};
static const rg_library library = {22907, 3};
static const rg_stand stand = {
    .rank = 1, .n_runs = 5, .step = 3, .open_sends = 1ULL << 63, .open_recvs = 6};

typedef struct page { /* what the test and the rank share */
    int32_t rank;     /* which the group is */
    rs_status opens;  /* != RS_OK: it does not open, for `reason` */
    bool no_module;
    int64_t at_ps[MOST];
    int n_at; /* when TELLING asks the host whether to go on */

    int n_opened, n_closed, n_run;
    doing runs[MOST];
    bool goes_on[MOST];
    int n_lingered;
    unsigned lingered_us;
    bool closed_first;     /* before it lingered */
    bool kept_by_children; /* a descriptor of its own that an exec would not close */
    rs_status status;
    bool done;
} page;

static page *shared;
static int wire;
static int64_t told_ps; /* what the clock says; 0: the time */

/* ------------------------------------------------------------------ what the system does */

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*system)(clockid_t, struct timespec *);
    *(void **)&system = dlsym(RTLD_NEXT, "clock_gettime");
    if (told_ps == 0) return system(clock, out);
    *out = (struct timespec){.tv_sec = told_ps / 1000000000000,
                             .tv_nsec = told_ps % 1000000000000 / 1000};
    return 0;
}

int usleep(useconds_t us) {
    shared->n_lingered++;
    shared->lingered_us = us;
    shared->closed_first = shared->n_closed > 0;
    return 0;
}

/* ------------------------------------------------------------------ the module */

static rs_status open_fake(const rg_setup *setup, const rs_host *host, rs_error *error,
                           rg_group **group);

static rs_status run_fake(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                          rg_result *result) {
    (void)arena;
    const doing what = (doing)job->seed;
    shared->runs[shared->n_run++] = what;
    if (what == REFUSED) return rs_fail(error, RS_NO_MEMORY, "%s", reason);
    if (what == STOPPED) return RS_CANCELLED;
    if (what == LATE || what == LATE_IN_STEP) {
        static rg_stand place;
        place = stand;
        result->completed = false;
        snprintf(result->failure, sizeof result->failure, "%s", waiting);
        result->stuck = &place;
        result->n_stuck = what == LATE_IN_STEP;
    }
    for (int i = 0; what == TELLING && i < shared->n_at; i++) {
        told_ps = shared->at_ps[i];
        shared->goes_on[i] = rs_go_on(group->host, "running", i, 1000 + i);
    }
    told_ps = 0;
    result->n_wrong = 10 * shared->n_run;
    result->crc32[1] = (uint32_t)job->count;
    return RS_OK;
}

static void close_fake(rg_group *group) {
    shared->n_closed++;
    free(group);
}

static void share_fake(rg_group *group, void *bytes, size_t n) {
    const bool gives = ((rg_ranks *)group)->rank == 0;
    if (gives && write(wire, bytes, n) != (ssize_t)n) _exit(2);
    if (!gives && read(wire, bytes, n) != (ssize_t)n) _exit(3);
}

static const rg_backend fake = {"fake", NULL, open_fake, run_fake, close_fake};

static rs_status open_fake(const rg_setup *setup, const rs_host *host, rs_error *error,
                           rg_group **group) {
    shared->n_opened++;
    if (write(STDOUT_FILENO, noise, strlen(noise)) < 0) _exit(4);
    for (int fd = 3; fd < 64; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        if (fd != wire && fd != PRINTING_FD && flags >= 0 && (flags & FD_CLOEXEC) == 0)
            shared->kept_by_children = true;
    }
    if (shared->opens != RS_OK) return rs_fail(error, shared->opens, "%s", reason);
    rg_ranks *ranks = calloc(1, sizeof *ranks);
    ranks->group = (rg_group){.library = library,
                              .backend = &fake,
                              .host = host,
                              .n_ranks = setup->n_ranks,
                              .reports = true};
    snprintf(ranks->group.where, sizeof ranks->group.where, "%s", where);
    ranks->rank = shared->rank;
    ranks->pids = (int64_t *)(uintptr_t)pids;
    ranks->n_pids = 3;
    *group = &ranks->group;
    return RS_OK;
}

static const rg_module module = {.backend = &fake, .share = share_fake};

bool rg_module_path(const rg_setup *setup, char *out, size_t n_out) {
    (void)setup;
    return snprintf(out, n_out, "here") > 0;
}

rs_status rg_module_get(rg_kind kind, const rg_setup *setup, rs_error *error,
                        const rg_module **found) {
    if (kind != RG_MPI || setup->n_ranks != N || shared->no_module) {
        return rs_fail(error, RS_UNSUPPORTED, "%s", lacks);
    }
    *found = &module;
    return RS_OK;
}

/* ------------------------------------------------------------------ the stage */

static void begin(void) {
    setenv(RG_SERVE_VARIABLE, "mpi", 1);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED);
}

TestSuite(serve, .init = begin, .timeout = 30);

typedef struct input { /* frames, one behind the other */
    char bytes[MOST_BYTES];
    size_t n, lengths[MOST];
    int n_frames;
    int64_t forged; /* a length on the wire, behind them, with nothing that follows; 0: the end */
} input;

static void add(input *in, rg_writer *writer) {
    cr_assert(!writer->bad && in->n + writer->n <= sizeof in->bytes);
    memcpy(in->bytes + in->n, writer->bytes, writer->n);
    in->n += writer->n;
    in->lengths[in->n_frames++] = writer->n;
    free(writer->bytes);
}

static void add_empty(input *in, rg_frame kind) {
    rg_writer writer = {0};
    rg_begin_frame(&writer, kind);
    rg_end_frame(&writer);
    add(in, &writer);
}

static void add_job(input *in, doing what, int64_t count) {
    const rs_spec spec = {.n_ranks = N};
    rs_schedule ring;
    rg_writer writer = {0};
    const rs_algorithm *algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, NULL, &ring), RS_OK);
    const rg_job job = {.schedule = &ring,
                        .data = RS_DATA_RANDOM,
                        .seed = (uint64_t)what,
                        .count = count,
                        .times = 1,
                        .flip_rank = -1};
    rg_put_job(&writer, &job);
    add(in, &writer);
}

typedef struct served {
    FILE *out, *err, *wire,
        *printed; /* what it has written; printed: standard output, if not out */
} served;

typedef enum way { PLAIN = 0, CLOSES = 1, APART = 2, NO_READER = 4, NO_ROOM = 8 } way;

static FILE *new_file(void) {
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    return file;
}

/* Serves as shared->rank until it ends by itself. CLOSES: our end of its input is closed; APART: it writes to another
   descriptor than standard output; NO_READER: to nobody; NO_ROOM: it can open no descriptor more. */
static served serve(const input *in, int ways) {
    served s = {new_file(), new_file(), new_file(), new_file()};
    int ends[2], gone[2];
    const page before = *shared;
    memset(shared, 0, sizeof *shared);
    shared->rank = before.rank, shared->opens = before.opens, shared->n_at = before.n_at;
    shared->no_module = before.no_module;
    memcpy(shared->at_ps, before.at_ps, sizeof before.at_ps);
    cr_assert(pipe(ends) == 0 && pipe(gone) == 0);
    close(gone[0]);
    FILE *taken = shared->rank == 0 ? NULL : s.wire;
    for (size_t i = 0, at = 0; taken != NULL && i < (size_t)in->n_frames; at += in->lengths[i++]) {
        const int64_t length = (int64_t)in->lengths[i];
        fwrite(&length, sizeof length, 1, taken);
        fwrite(in->bytes + at, 1, in->lengths[i], taken);
    }
    if (taken != NULL) fwrite(&in->forged, sizeof in->forged, 1, taken);
    fflush(s.wire);
    rewind(s.wire);
    if (shared->rank == 0) cr_assert_eq(write(ends[1], in->bytes, in->n), (ssize_t)in->n);
    if (ways & CLOSES) close(ends[1]);
    const pid_t pid = fork();
    if (pid == 0) {
        const rg_setup setup = {.n_ranks = N};
        rs_error error = {.text = ""};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int out = ways & NO_READER ? gone[1] : fileno(s.out);
        wire = fcntl(fileno(s.wire), F_DUPFD, 40);
        dup2(ends[0], STDIN_FILENO);
        dup2(out, PRINTING_FD);
        dup2(ways & APART ? fileno(s.printed) : out, STDOUT_FILENO);
        dup2(fileno(s.err), STDERR_FILENO);
        for (int fd = 3; fd < 40; fd++) {
            if (fd != PRINTING_FD) close(fd); /* what the test itself has open there */
        }
        struct rlimit room;
        getrlimit(RLIMIT_NOFILE, &room);
        const struct rlimit none = {3, room.rlim_max};
        if (ways & NO_ROOM) setrlimit(RLIMIT_NOFILE, &none);
        shared->status =
            rg_serve(&setup, STDIN_FILENO, ways & APART ? PRINTING_FD : STDOUT_FILENO, &error);
        setrlimit(RLIMIT_NOFILE, &room);
        shared->done = true;
        _exit(0);
    }
    close(ends[0]);
    close(gone[1]);
    int how = -1;
    waitpid(pid, &how, 0);
    if (!(ways & CLOSES)) close(ends[1]);
    cr_assert(shared->done && how == 0, "it ended by %d", how);
    rewind(s.out), rewind(s.err), rewind(s.wire), rewind(s.printed);
    return s;
}

static void drop(const served *s) {
    fclose(s->out), fclose(s->err), fclose(s->wire), fclose(s->printed);
}

/* The next frame that it wrote. */
static char *next_frame(const served *s, rg_frame *kind, rg_reader *reader) {
    rg_child rank = {.out = fileno(s->out), .err = -1};
    cr_assert_eq(rg_child_receive(&rank, INT64_MAX, NULL, "", kind, reader), RG_PIPE_FRAME,
                 "there is no further frame");
    lseek(rank.out, -(off_t)(rank.n - rank.taken), SEEK_CUR); /* those behind it */
    return rank.bytes;
}

static void wants_text(rg_reader *reader, const char *text) {
    char got[512];
    rg_get_text(reader, got, sizeof got);
    cr_expect_str_eq(got, text);
}

static void wants_hello(const served *s) {
    rg_frame kind;
    rg_reader reader;
    size_t n;
    char *bytes = next_frame(s, &kind, &reader);
    cr_expect_eq(kind, RG_FRAME_HELLO);
    wants_text(&reader, where);
    const void *told = rg_get_bytes(&reader, &n);
    cr_expect(n == sizeof pids && memcmp(told, pids, n) == 0);
    told = rg_get_bytes(&reader, &n);
    cr_expect(n == sizeof library && memcmp(told, &library, n) == 0);
    cr_expect(reader.left == 0 && !reader.bad);
    free(bytes);
}

static void wants_error(const served *s, rs_status status, const char *text) {
    rg_frame kind;
    rg_reader reader;
    char *bytes = next_frame(s, &kind, &reader);
    cr_expect_eq(kind, RG_FRAME_ERROR);
    cr_expect_eq(rg_get(&reader), status);
    wants_text(&reader, text);
    cr_expect(reader.left == 0 && !reader.bad);
    free(bytes);
}

static void wants_result(const served *s, int turn, int64_t count) {
    rg_frame kind;
    rg_reader reader;
    rs_arena arena;
    rs_error error;
    bool wrong[N];
    uint32_t crc32[N];
    rg_result result = {.wrong = wrong, .crc32 = crc32};
    rs_arena_init(&arena, NULL);
    char *bytes = next_frame(s, &kind, &reader);
    cr_expect_eq(kind, RG_FRAME_RESULT);
    cr_assert_eq(rg_get_result(&reader, N, &arena, &error, &result), RS_OK, "%s", error.text);
    cr_expect(result.n_wrong == 10 * turn && crc32[1] == count);
    rs_arena_free(&arena);
    free(bytes);
}

static void wants_waits(const served *s, int32_t rank, const rg_stand *place) {
    rg_frame kind;
    rg_reader reader;
    char *bytes = next_frame(s, &kind, &reader);
    cr_expect_eq(kind, RG_FRAME_WAITS);
    cr_expect_eq(rg_get(&reader), rank);
    wants_text(&reader, waiting);
    cr_expect_eq(rg_get(&reader), place != NULL ? place->n_runs : 0);
    cr_expect_eq(rg_get(&reader), place != NULL ? place->step : -1);
    cr_expect_eq((uint64_t)rg_get(&reader), place != NULL ? place->open_sends : 0);
    cr_expect_eq((uint64_t)rg_get(&reader), place != NULL ? place->open_recvs : 0);
    cr_expect(reader.left == 0 && !reader.bad);
    free(bytes);
}

/* The file is at its end, and so is what it wrote. */
static void wants_end(FILE *file) {
    char more;
    cr_expect_eq(read(fileno(file), &more, 1), 0, "there is more");
}
