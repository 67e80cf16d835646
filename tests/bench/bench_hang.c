/* bench_hang.c: does `hang` name the right rank and call, and how fast?
 *
 *     generated jobs of every fault, 2 to 1,024 ranks     score by kind and size, and that of pairing by number
 *     RANKS x ENTRIES with two frames each in files       written to FOLDER for `time ringsim hang FOLDER`
 *
 * Usage: bench_hang [JOBS = 10000] [SEED = 1]
 *        bench_hang show SEED [FOLDER]                    one job: what it is; its dumps
 *        bench_hang write FOLDER RANKS ENTRIES
 *        HANG_FORM=NUMBER: made_form, what there is to read; HANG_EXPERTS=1: groups of two dimensions, too
 *        HANG_KIND=NUMBER: jobs of one kind of fault; HANG_MOST=RANKS: all of up to so many ranks, not one in 100 of up to
 *        1,024; HANG_SHOW=1: each that was not scored right
 */
#include "hangs/hang_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int write_dumps(const made_job *j, const char *folder) {
    const bool log = j->wish.form == MADE_LOG || j->wish.form == MADE_RESTARTED;
    for (int32_t r = 0; r < (log ? 1 : j->n_ranks); r++) {
        char path[512];
        size_t n = 0;
        char *bytes = log ? log_of_job(j, &n) : dump_rank(j, r, &n);
        if (bytes == NULL) continue;
        snprintf(path, sizeof path, "%.400s/trace_rank_%d%s", folder, (int)r,
                 log             ? ".log"
                 : j->style == 1 ? ".json"
                                 : "");
        FILE *out = fopen(path, "wb");
        if (out == NULL || fwrite(bytes, 1, n, out) != n || fclose(out) != 0) {
            perror(path);
            return 1;
        }
        free(bytes);
    }
    return 0;
}

/* What the environment asks for. */
static made_wish wished(uint64_t seed) {
    const char *kind = getenv("HANG_KIND"), *form = getenv("HANG_FORM");
    return (made_wish){.seed = seed,
                       .form = form != NULL ? (made_form)atoi(form) : MADE_DUMPS,
                       .experts = getenv("HANG_EXPERTS") != NULL,
                       .fault = kind != NULL ? (made_fault)atoi(kind) : MADE_N_FAULTS};
}

static int show(uint64_t seed, const char *folder) {
    static const char *const scores[] = {"right", "another kind", "another call", "undecided",
                                         "wrong"};
    const made_wish wish = wished(seed);
    made_job *j = make_hang(&wish);
    rn_hang_verdict verdict;
    const made_score score = try_hang(j, &verdict);
    printf(
        "seed %llu: %s, rank %d, call %d..%d of group %d (%s, %d ranks), dp %d tp %d pp %d, ahead %d, "
        "buffer %d, style %d, %s; verdict %s: %s\n",
        (unsigned long long)seed, made_fault_name(j->fault), j->culprit, j->low, j->high, j->group,
        j->groups[j->group].desc, j->groups[j->group].n_ranks, j->dp, j->tp, j->pp, j->ahead,
        j->buffer, j->style, j->decidable ? "decidable" : "not decidable", rn_hang_name(verdict),
        scores[score]);
    const int status = folder != NULL ? write_dumps(j, folder) : 0;
    free_hang(j);
    return status;
}

static const char *const short_scores[N_SCORES] = {"right", "kind", "call", "undec.", "wrong"};

/* counts: of jobs that are not decidable, and of those that are. */
static void row(const char *name, const int64_t counts[2][N_SCORES], bool percent) {
    int64_t all[2] = {0, 0};
    for (int k = 0; k < N_SCORES; k++) {
        all[0] += counts[0][k];
        all[1] += counts[1][k];
    }
    printf("%-18s %7lld", name, (long long)all[1]);
    for (int k = 0; k < N_SCORES; k++) {
        if (percent) {
            printf(" %6.2f%%", 100.0 * (double)counts[1][k] / (double)(all[1] > 0 ? all[1] : 1));
        } else {
            printf(" %7lld", (long long)counts[1][k]);
        }
    }
    const int64_t wrong = all[0] - counts[0][SCORE_RIGHT] - counts[0][SCORE_UNDECIDED];
    printf(" | %10lld %7lld\n", (long long)all[0], (long long)wrong);
}

/* Jobs of so many ranks at most are counted together. */
enum { N_SIZES = 6 };
static const int32_t sizes[N_SIZES] = {4, 8, 16, 32, 64, 1024};

static int size_of(const made_job *j) {
    int s = 0;
    while (s < N_SIZES - 1 && j->n_ranks > sizes[s]) s++;
    return s;
}

static void by_size(const int64_t counts[N_SIZES][2][N_SCORES]) {
    for (int s = 0; s < N_SIZES; s++) {
        char name[32];
        snprintf(name, sizeof name, "%d..%d ranks", s > 0 ? sizes[s - 1] + 1 : 2, sizes[s]);
        row(name, counts[s], false);
    }
}

static void measure(int n_jobs, uint64_t seed) {
    static int64_t count[2][MADE_N_FAULTS][2][N_SCORES]; /* ours, by number; decidable */
    static int64_t count_of_size[2][N_SIZES][2][N_SCORES];
    const int32_t most = getenv("HANG_MOST") != NULL ? atoi(getenv("HANG_MOST")) : 0;
    const double began_s = now_s();
    double judged_s = 0;
    for (int i = 0; i < n_jobs; i++) {
        made_wish wish = wished(seed + (uint64_t)i);
        wish.n_ranks = most > 0 ? most : i % 100 == 99 ? 1024 : 0;
        made_job *j = make_hang(&wish);
        const double start_s = now_s();
        rn_hang_verdict verdict;
        const made_score score = try_hang(j, &verdict);
        judged_s += now_s() - start_s;
        const made_score by_number = score_by_number(j);
        count[0][j->fault][j->decidable][score]++;
        count[1][j->fault][j->decidable][by_number]++;
        count_of_size[0][size_of(j)][j->decidable][score]++;
        count_of_size[1][size_of(j)][j->decidable][by_number]++;
        if (score != SCORE_RIGHT && getenv("HANG_SHOW") != NULL && wish.n_ranks == 0) {
            show(wish.seed, NULL);
        }
        free_hang(j);
    }
    for (int way = 0; way < 2; way++) {
        int64_t sum[2][N_SCORES] = {{0}};
        printf("%-18s %7s", way == 0 ? "ringsim hang" : "pairing by number", "jobs");
        for (int k = 0; k < N_SCORES; k++) printf(" %7s", short_scores[k]);
        printf(" | %10s %7s\n", "not decid.", "wrong");
        for (int f = 0; f < MADE_N_FAULTS; f++) {
            row(made_fault_name((made_fault)f), count[way][f], false);
            for (int k = 0; k < N_SCORES; k++) {
                sum[1][k] += count[way][f][1][k];
                sum[0][k] += count[way][f][0][k];
            }
        }
        row("all", sum, true);
        by_size(count_of_size[way]);
    }
    printf("%d jobs in %.1f s, %.1f s of it writing, reading and judging\n", n_jobs,
           now_s() - began_s, judged_s);
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "show") == 0) {
        return show(strtoull(argv[2], NULL, 10), argc > 3 ? argv[3] : NULL);
    }
    if (argc > 4 && strcmp(argv[1], "write") == 0) {
        const made_wish wish = {
            .seed = 1, .n_ranks = atoi(argv[3]), .fault = MADE_EXTRA, .n_entries = atoi(argv[4])};
        made_job *j = make_hang(&wish);
        const int status = write_dumps(j, argv[2]);
        free_hang(j);
        return status;
    }
    measure(argc > 1 ? atoi(argv[1]) : 10000, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    return 0;
}
