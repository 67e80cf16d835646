/* test_verify_read.c: what drawn command lines ask `verify` to run, beside a plain account of the same words; what is
   refused names its option. */
#include "verify/verify.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/session.h"

enum { MOST_WORDS = 32, LINE = 600 };

extern const rc_command rc_command_verify;

typedef struct asked {
    char text[LINE];
    char *words[MOST_WORDS + 1];
    rs_arena arena;
    rs_error error;
    rc_session session;
    rc_verify_plan plan;
    rc_exit status;
} asked;

static void ask(asked *a, const char *line) {
    memset(a, 0, sizeof *a);
    snprintf(a->text, sizeof a->text, "verify %s", line);
    int n = 0;
    for (char *at = strtok(a->text, " "); at != NULL && n < MOST_WORDS; at = strtok(NULL, " ")) {
        a->words[n++] = at;
    }
    rs_arena_init(&a->arena, NULL);
    a->session = (rc_session){
        .program = "ringsim", .arguments = a->words, .arena = &a->arena, .error = &a->error};
    a->status = rc_options_parse(n, a->words, &rc_command_verify, &a->arena, &a->error,
                                 &a->session.options);
    if (a->status == RC_GOOD) a->status = rc_verify_read(&a->session, &a->plan);
}
static void forget(asked *a) {
    rs_arena_free(&a->arena);
}

static void expect_refused(const char *line, const char *says) {
    asked a;
    ask(&a, line);
    cr_expect_eq(a.status, RC_USAGE, "%s: %d, %s", line, (int)a.status, a.error.text);
    cr_expect(strncmp(a.error.text, says, strlen(says)) == 0, "%s: %s", line, a.error.text);
    forget(&a);
}
static void expect_good(const char *line) {
    asked a;
    ask(&a, line);
    cr_expect_eq(a.status, RC_GOOD, "%s: %d, %s", line, (int)a.status, a.error.text);
    forget(&a);
}

/* A file in a folder that exists; this user may be kept out of it. */
static void expect_file(const char *folder, const char *name) {
    char line[200], says[200];
    snprintf(line, sizeof line, "--on nccl --count 8 --init file://%s%s", folder, name);
    snprintf(says, sizeof says, "--init file://%s%s: no file can be made in %s", folder, name,
             folder);
    if (access(folder, W_OK) == 0) expect_good(line);
    if (access(folder, W_OK) != 0) expect_refused(line, says);
}

static const char *const dtypes[] = {"i8",  "u8",  "i32",  "u32", "i64",
                                     "u64", "f16", "bf16", "f32", "f64"};
static const int64_t bytes_of[] = {1, 1, 4, 4, 8, 8, 2, 2, 4, 8};

/* -b -e -f: from the first to the last, each f times the one before; nothing alone. */
Test(verify_read, sizes_go_up_by_the_factor) {
    static const int64_t sizes[] = {0, 1,  2,  3,    4,       7,       8,
                                    9, 64, 65, 1000, 4194303, 4194304, 9000000};
    session_begin(3);
    for (int k = 0; k < 600; k++) {
        const bool b = session_below(4) != 0, e = session_below(4) != 0 || !b;
        const bool f = session_below(2) == 0;
        int64_t first = b ? sizes[session_below(14)] : 4194304;
        int64_t last = e ? sizes[session_below(14)] : first;
        const int64_t factor = f ? 2 + session_below(9) : 2;
        char line[200] = "", word[60];
        if (b) strcat(line, (snprintf(word, sizeof word, "-b %lld ", (long long)first), word));
        if (e) strcat(line, (snprintf(word, sizeof word, "-e %lld ", (long long)last), word));
        if (f) strcat(line, (snprintf(word, sizeof word, "-f %lld ", (long long)factor), word));
        if (!b && last < first) first = last;
        asked a;
        ask(&a, line);
        if (last < first || (first == 0 && last > 0)) {
            cr_expect(a.status == RC_USAGE && strncmp(a.error.text, "--maxbytes: ", 12) == 0,
                      "%s: %s", line, a.error.text);
        } else {
            int64_t n = 0, size = first;
            cr_assert_eq(a.status, RC_GOOD, "%s: %s", line, a.error.text);
            for (; n < 64 && size <= last; size *= factor) {
                cr_assert(n < a.plan.n_sizes && a.plan.sizes[n] == size, "%s: size %lld", line,
                          (long long)n);
                n++;
                if (size == 0) break;
            }
            cr_expect_eq(a.plan.n_sizes, n, "%s: %lld sizes", line, (long long)a.plan.n_sizes);
            cr_expect(a.plan.factor == factor && !a.plan.sizes_are_counts, "%s", line);
        }
        forget(&a);
    }
}

/* The largest that can still be counted for so many ranks is taken, one more refused by its option. */
Test(verify_read, sizes_end_where_they_cannot_be_counted) {
    static const char *const of[] = {"all-reduce", "broadcast"};
    static const char *const names[] = {"--count", "--bytes", "-b"};
    static const char *const blamed[] = {"--count: ", "--bytes: ", "--minbytes: "};
    for (int c = 0; c < 2; c++) {
        for (int n = 2; n < 40; n += 7) {
            const int64_t most = INT64_MAX / 8 / n;
            for (int i = 0; i < 3; i++) {
                char line[200], says[200];
                snprintf(line, sizeof line, "--collective %s --gpus %d %s %lld", of[c], n, names[i],
                         (long long)most);
                expect_good(line);
                snprintf(line, sizeof line, "--collective %s --gpus %d %s %lld", of[c], n, names[i],
                         (long long)most + 1);
                snprintf(says, sizeof says, "%s%lld is too much for %d ranks", blamed[i],
                         (long long)most + 1, n);
                expect_refused(line, says);
            }
        }
    }
    expect_refused("--count 5 --bytes 8", "--count, --bytes and -b -e -f all say how much");
    expect_refused("--count 5 -b 8", "--count, --bytes and -b -e -f all say how much");
    expect_refused("--bytes 5 -e 8", "--count, --bytes and -b -e -f all say how much");
    expect_refused("--bytes 5 -f 3", "--count, --bytes and -b -e -f all say how much");
}

/* How many elements a row has: of shards as many as fill 16 bytes each. */
Test(verify_read, rows_have_as_many_elements_as_their_size_holds) {
    static const char *const collectives[] = {"all-reduce", "reduce-scatter", "all-gather",
                                              "broadcast",  "reduce",         "all-to-all"};
    session_begin(4);
    for (int k = 0; k < 400; k++) {
        const int c = session_below(6), d = session_below(10), n = 1 + session_below(9);
        const bool counts = session_below(2) == 0;
        const int64_t size = session_below(3) == 0 ? session_below(40) : session_below(100000);
        char line[200];
        asked a;
        snprintf(line, sizeof line, "--collective %s --dtype %s --gpus %d %s %lld", collectives[c],
                 dtypes[d], n, counts ? "--count" : "--bytes", (long long)size);
        ask(&a, line);
        cr_assert_eq(a.status, RC_GOOD, "%s: %s", line, a.error.text);
        int64_t want = counts ? size : size / bytes_of[d];
        if (n > 1 && (c == 1 || c == 2 || c == 5)) {
            want /= n;
            while (want * bytes_of[d] % 16 != 0) want--;
            want *= n;
        }
        cr_expect_eq(rc_verify_count_at(&a.plan, a.plan.sizes[0], a.plan.dtypes[0]), want, "%s",
                     line);
        cr_expect(a.plan.n_sizes == 1 && a.plan.n_dtypes == 1 && a.plan.setup.n_ranks == n, "%s",
                  line);
        forget(&a);
    }
}

Test(verify_read, what_runs_it_is_what_was_named) {
    static const char *const kinds[RG_N_KINDS] = {
        [RG_CPU] = "cpu", [RG_CUDA] = "cuda", [RG_NCCL] = "nccl", [RG_MPI] = "mpi"};
    for (int mask = 0; mask < 1 << RG_N_KINDS; mask++) {
        static const char *const owned[] = {"--kernel 2", "--init env://", "--hostfile /dev/null"};
        static const rg_kind owners[] = {RG_CUDA, RG_NCCL, RG_MPI};
        char line[200] = "--count 8", on[100] = "";
        asked a;
        for (int k = 0; k < RG_N_KINDS; k++) {
            if ((mask >> k & 1) == 0) continue;
            strcat(strcat(on, on[0] == '\0' ? " --on " : ","), kinds[k]);
        }
        strcat(line, on);
        ask(&a, line);
        cr_assert_eq(a.status, RC_GOOD, "%s: %s", line, a.error.text);
        cr_expect_eq(a.plan.by_name, mask != 0);
        for (int k = 0; k < RG_N_KINDS; k++) {
            cr_expect_eq(a.plan.wanted[k], mask == 0 || (mask >> k & 1) == 1, "%s: %s", line,
                         kinds[k]);
        }
        cr_expect(a.plan.n_kernels == 0 && a.plan.trace == NULL && a.plan.dump == NULL);
        forget(&a);
        for (int i = 0; i < 3; i++) {
            char says[100];
            snprintf(line, sizeof line, "--count 8%s %s", on, owned[i]);
            snprintf(says, sizeof says, "%.*s is for %s only", (int)strcspn(owned[i], " "),
                     owned[i], kinds[owners[i]]);
            if (mask == 0 || (mask >> owners[i] & 1) == 1) {
                expect_good(line);
            } else {
                expect_refused(line, says);
            }
        }
        snprintf(line, sizeof line, "--count 8%s --trace a.trace", on);
        if (mask == 1 << RG_CPU) {
            expect_refused(line, "--trace: cpu keeps no trace");
        } else {
            expect_good(line);
        }
        snprintf(line, sizeof line, "--count 8%s --trace -", on);
        expect_refused(line, mask == 1 << RG_CPU ? "--trace: cpu" : "--trace -: ");
        snprintf(line, sizeof line, "--count 8%s --dump out", on);
        if (mask == 0 || (mask >> RG_MPI & 1) == 1 || (mask >> RG_NCCL & 1) == 1) {
            expect_good(line);
        } else {
            expect_refused(line, "--dump: only ranks that are processes");
        }
    }
}

Test(verify_read, kernels_are_those_named_or_all) {
    session_begin(5);
    for (int k = 0; k < 60; k++) {
        char line[200] = "--on cuda --count 8 --kernel ";
        int32_t want[RC_MOST_VARIANTS] = {0};
        int n = 0;
        for (int i = 0; i < RC_MOST_VARIANTS; i++) {
            char word[8];
            if (session_below(2) == 0) continue;
            snprintf(word, sizeof word, "%s%d", n > 0 ? "," : "", i + 1);
            strcat(line, word);
            want[n++] = i + 1;
        }
        if (n == 0) {
            strcat(line, "all");
            for (; n < RC_MOST_VARIANTS; n++) want[n] = n + 1;
        }
        asked a;
        ask(&a, line);
        cr_assert_eq(a.status, RC_GOOD, "%s: %s", line, a.error.text);
        cr_expect_eq(a.plan.n_kernels, n, "%s", line);
        for (int i = 0; i < n; i++) cr_expect_eq(a.plan.kernels[i], want[i], "%s", line);
        forget(&a);
    }
}

Test(verify_read, waiting_is_from_a_millisecond_to_a_day) {
    static const struct {
        const char *text;
        int32_t ms; /* 0: refused */
    } times[] = {{"0", 0},      {"0.999ms", 0}, {"1ms", 1},           {"1.999ms", 1},
                 {"2ms", 2},    {"60s", 60000}, {"86400s", 86400000}, {"86400.001s", 0},
                 {"100000s", 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char line[100], says[100];
        asked a;
        snprintf(line, sizeof line, "--count 8 --timeout %s", times[i].text);
        snprintf(says, sizeof says, "--timeout %s lies outside 1ms..1 day", times[i].text);
        ask(&a, line);
        if (times[i].ms == 0) {
            expect_refused(line, says);
        } else {
            cr_expect(a.status == RC_GOOD && a.plan.job.timeout_ms == times[i].ms &&
                          a.plan.setup.timeout_ms == times[i].ms,
                      "%s: %d", line, (int)a.plan.job.timeout_ms);
        }
        forget(&a);
    }
}

/* A host and a port, 1..65535; an IPv6 address in brackets. */
Test(verify_read, where_ranks_meet_is_a_host_and_a_port) {
    static const char *const hosts[] = {"", "node0", "10.0.0.1", "[::1]", "[fe80::1]"};
    static const char *const no_hosts[] = {"a/b", "me@node0", "node0/x"};
    static const char *const ports[] = {"1", "2", "29500", "65534", "65535"};
    static const char *const no_ports[] = {"0", "65536", "", "x", "-1", "29500x"};
    char line[200];
    for (int h = 0; h < 5; h++) {
        for (int p = 0; p < 5; p++) {
            snprintf(line, sizeof line, "--on nccl --count 8 --init tcp://%s:%s", hosts[h],
                     ports[p]);
            expect_good(line);
        }
        for (int p = 0; p < 6; p++) {
            char says[200];
            snprintf(line, sizeof line, "--on nccl --count 8 --init tcp://%s:%s", hosts[h],
                     no_ports[p]);
            snprintf(says, sizeof says, "--init tcp://%s:%s: a port is a number, 1..65535",
                     hosts[h], no_ports[p]);
            expect_refused(line, says);
        }
        char says[200];
        snprintf(line, sizeof line, "--on nccl --count 8 --init tcp://%s", hosts[h]);
        snprintf(says, sizeof says, "--init tcp://%s: no port", hosts[h]);
        expect_refused(line, says);
    }
    for (int h = 0; h < 3; h++) {
        char says[200];
        snprintf(line, sizeof line, "--on nccl --count 8 --init tcp://%s:1", no_hosts[h]);
        snprintf(says, sizeof says, "--init tcp://%s:1: that is no name of a machine", no_hosts[h]);
        expect_refused(line, says);
    }
    expect_refused("--on nccl --count 8 --init tcp://::1:29500",
                   "--init tcp://::1:29500: write an IPv6 address in brackets");
    expect_refused("--on nccl --count 8 --init tcp://[::1:29500",
                   "--init tcp://[::1:29500: no port");
    expect_refused("--on nccl --count 8 --init udp://node0:1",
                   "--init udp://node0:1: write env://");
    expect_refused("--on nccl --count 8 --init env://x", "--init env://x: write env://");
    expect_good("--on nccl --count 8 --init env://");
    expect_file("/tmp/", "meet");
    expect_file("/", "meet");
    expect_refused("--on nccl --count 8 --init file:///tmp/", "--init file:///tmp/: name a file");
    expect_refused("--on nccl --count 8 --init file:///no/such/folder/meet",
                   "--init file:///no/such/folder/meet: no file can be made in /no/such/folder/");
    expect_refused("--on nccl --count 8 --init file://meet", "--init file://meet: write env://");
    expect_refused("--on mpi --count 8 --hostfile /tmp", "--hostfile /tmp: Is a directory");
    expect_refused("--on mpi --count 8 --hostfile /no/such", "--hostfile /no/such: No such file");
}

/* One fault a run; it must hit something at every size and type. */
Test(verify_read, a_flip_needs_a_bit_at_every_size) {
    session_begin(6);
    for (int k = 0; k < 300; k++) {
        const int n = 2 + session_below(5), rank = session_below(n + 1);
        const int step = session_below(2 * n), count = session_below(2 * n);
        char line[200];
        asked a;
        snprintf(line, sizeof line, "--on cpu --gpus %d --count %d,%d --dtype f32,u8 --flip %d@%d",
                 n, 3 * n, count, rank, step);
        ask(&a, line);
        /* the ring sends chunk rank - step, and a chunk has an element if there are enough */
        const int chunk = ((rank - step) % n + n) % n;
        const bool there = rank < n && step < 2 * n - 2;
        const int64_t size = count / n + (chunk < count % n);
        if (there && size > 0) {
            cr_expect(a.status == RC_GOOD && a.plan.job.flip_rank == rank &&
                          a.plan.job.flip_step == step,
                      "%s: %s", line, a.error.text);
        } else {
            cr_expect(a.status == RC_USAGE && strncmp(a.error.text, "--flip ", 7) == 0, "%s: %s",
                      line, a.error.text);
        }
        forget(&a);
    }
    expect_refused("--on cpu --count 8 --flip 0@0 --flip 0@0", "--flip: verify plants one fault");
    asked a;
    ask(&a, "--on cpu --count 8");
    cr_expect_eq(a.plan.job.flip_rank, -1);
    forget(&a);
}
