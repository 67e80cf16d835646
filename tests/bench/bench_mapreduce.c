/* bench_mapreduce.c: how fast words are counted, beside `wc -w` on the same file in the same run.
 *
 *     core s    processor time of all threads, user and system: the machine's other work does not count
 *     x wc      wc's core time over ours: 1 is as fast as wc a core; 0.5 is the least that we promise
 *
 * The file holds words whose frequencies fall as in a natural text (the k-th has weight 1 / (k + 3)).
 * Usage: bench_mapreduce [MB = 256] [FILE]. Best of three. A FILE of one's own is only read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/host.h"
#include "ringsim_mapreduce.h"

enum { VOCABULARY = 200000, LONGEST = 16, RUNS = 3 };

typedef struct spent {
    double wall_s, core_s;
} spent;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double core_s(int who) {
    struct rusage used;
    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* ------------------------------------------------------------------ a text */

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

static void make_word(uint64_t k, char out[LONGEST]) {
    uint64_t state = k * 0x9e3779b97f4a7c15 + 1;
    int n = 1 + (int)(next_random(&state) % 4);
    for (uint64_t rest = k; rest > 0; rest /= 32) n += 1;
    n += (int)(next_random(&state) % 3);
    for (int i = 0; i < n; i++) out[i] = (char)('a' + next_random(&state) % 26);
    out[n] = '\0';
}

/* cumulative[k]: the weights up to word k, of 2^31. */
static uint32_t pick(const uint32_t cumulative[], uint32_t at) {
    uint32_t low = 0, high = VOCABULARY - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (cumulative[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool write_text(const char *path, int64_t n_bytes) {
    FILE *file = fopen(path, "w");
    char(*words)[LONGEST] = malloc(sizeof *words * VOCABULARY);
    uint32_t *cumulative = malloc(sizeof *cumulative * VOCABULARY);
    if (file == NULL || words == NULL || cumulative == NULL) return false;
    double sum = 0, total = 0;
    for (int k = 0; k < VOCABULARY; k++) total += 1.0 / (k + 3);
    for (int k = 0; k < VOCABULARY; k++) {
        make_word((uint64_t)k, words[k]);
        sum += 1.0 / (k + 3);
        cumulative[k] = (uint32_t)(sum / total * 2147483647.0);
    }
    uint64_t state = 42;
    for (int64_t n = 0, i = 1; n < n_bytes; i++) {
        const uint32_t at = next_random(&state) & 0x7fffffff;
        n += fprintf(file, i % 12 == 0 ? "%s\n" : "%s ", words[pick(cumulative, at)]);
    }
    free(words);
    free(cumulative);
    return fclose(file) == 0;
}

/* ------------------------------------------------------------------ wc and we */

static spent run_wc(const char *path, const char *locale) {
    spent best = {1e9, 1e9};
    char command[1200];
    snprintf(command, sizeof command, "LC_ALL=%s wc -w '%s' >/dev/null", locale, path);
    for (int i = 0; i < RUNS; i++) {
        const double wall = now_s(), core = core_s(RUSAGE_CHILDREN);
        if (system(command) != 0) return (spent){0, 0};
        const spent one = {now_s() - wall, core_s(RUSAGE_CHILDREN) - core};
        if (one.core_s < best.core_s) best = one;
    }
    return best;
}

static bool read_file(const void *context, int64_t offset, int64_t n, char *out) {
    return pread(*(const int *)context, out, (size_t)n, (off_t)offset) == (ssize_t)n;
}

static spent count_words(const char *path, const rs_host *host, int32_t n_ranks, rs_mr_op op,
                         int64_t *n_words) {
    spent best = {1e9, 1e9};
    struct stat found;
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &found) != 0) return (spent){0, 0};
    for (int i = 0; i < RUNS; i++) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_mr_report report = {.n_words = 0};
        rs_arena_init(&arena, host);
        const rs_mr_request request = {
            .text = {.n_bytes = found.st_size, .context = &fd, .read = read_file},
            .n_ranks = n_ranks,
            .op = op,
            .net = {.link = {.alpha_ps = 5000000, .bandwidth_Bps = 20000000000}}};
        const double wall = now_s(), core = core_s(RUSAGE_SELF);
        if (rs_mapreduce(&request, &arena, &error, &report) != RS_OK) puts(error.text);
        const spent one = {now_s() - wall, core_s(RUSAGE_SELF) - core};
        if (one.core_s < best.core_s) best = one;
        *n_words = report.n_words;
        rs_arena_free(&arena);
    }
    close(fd);
    return best;
}

static void print(const char *what, spent s, double n_bytes, double wc_core_s) {
    printf("%-34s %7.2f %8.2f %9.0f %8.2f\n", what, s.wall_s, s.core_s, n_bytes / s.core_s * 1e-6,
           wc_core_s / s.core_s);
}

static void compare(const char *path, double n_bytes) {
    rc_host *host = rc_host_new();
    const rs_host *face = rc_host_face(host);
    const spent wc = run_wc(path, "C");
    int64_t n_words = 0;
    printf("%.0f MB; %d cores\n%-34s %7s %8s %9s %8s\n", n_bytes * 1e-6, rc_cores(), "", "wall s",
           "core s", "MB/s core", "x wc");
    print("wc -w, LC_ALL=C", wc, n_bytes, wc.core_s);
    print("wc -w, LC_ALL=C.UTF-8", run_wc(path, "C.UTF-8"), n_bytes, wc.core_s);
    print("mapreduce, 1 core, 1 GPU", count_words(path, NULL, 1, RS_MR_SUM, &n_words), n_bytes,
          wc.core_s);
    print("mapreduce, all cores, 1 GPU", count_words(path, face, 1, RS_MR_SUM, &n_words), n_bytes,
          wc.core_s);
    print("mapreduce, all cores, 8 GPUs", count_words(path, face, 8, RS_MR_SUM, &n_words), n_bytes,
          wc.core_s);
    print("mapreduce, all cores, 8 GPUs, max", count_words(path, face, 8, RS_MR_MAX, &n_words),
          n_bytes, wc.core_s);
    printf("%lld words\n", (long long)n_words);
    rc_host_free(host);
}

int main(int argc, char **argv) {
    const int64_t n_bytes = (argc > 1 ? atoll(argv[1]) : 256) * 1000000;
    struct stat found;
    char path[] = "/tmp/ringsim-bench-XXXXXX";
    const char *file = argc > 2 ? argv[2] : path;
    if (argc <= 2) {
        const int fd = mkstemp(path);
        if (fd < 0 || !write_text(path, n_bytes)) return 1;
        close(fd);
    }
    const bool there = stat(file, &found) == 0;
    if (there) compare(file, (double)found.st_size);
    if (argc <= 2) unlink(path);
    return !there;
}
