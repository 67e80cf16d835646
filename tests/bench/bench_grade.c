/* bench_grade.c: how long does grading take: one submission of the largest lab, and a class of 200?
 *
 * Half of the class is right (eight conventions), half is not: among them one that never ends and one that
 * sleeps. Usage: bench_grade [class = 200]. The program is the one that lies beside this build.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 120 };
static int n_class = 200;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double run(const char *command) {
    const double begin = now_s();
    const int status = system(command);
    const double took = now_s() - begin;
    if (status == -1 || (status != 0 && status != 1 << 8)) {
        printf("%s: status %d\n", command, status);
        exit(1);
    }
    return took;
}

/* Fills a folder with links' worth of copies: 8 right ones, 5 wrong, an endless one and a sleeper. */
static void fill(const char *folder) {
    char command[2048];
    snprintf(command, sizeof command,
             "i=0; while [ $i -lt %d ]; do "
             "for f in tests/submissions/right/*.c lessons/06-all-gather/wrong/*.c "
             "lessons/05-scatter-reduce/wrong/*.c; do "
             "[ $i -ge %d ] || cp \"$f\" %s/$(printf %%03d $i).c; i=$((i+1)); done; done; "
             "[ ! -e %s/017.c ] || cp tests/submissions/hostile/endless-loop.c %s/017.c; "
             "[ ! -e %s/117.c ] || cp tests/submissions/hostile/sleeps.c %s/117.c",
             n_class, n_class, folder, folder, folder, folder, folder);
    run(command);
}

int main(int argc, char **argv) {
    if (argc > 1) n_class = atoi(argv[1]);
    const char *program = getenv("RINGSIM") != NULL ? getenv("RINGSIM") : "./ringsim";
    char folder[] = "/tmp/ringsim-class-XXXXXX", command[1024];
    double best = 1e9;
    if (mkdtemp(folder) == NULL) return 1;
    fill(folder);
    for (int i = 0; i < 5 && i < n_class; i++) {
        snprintf(command, sizeof command,
                 "%s grade 06 tests/submissions/right/seed-order.c >/dev/null", program);
        const double took = run(command);
        if (took < best) best = took;
    }
    printf("one submission of lab 06: %.2f s (best of 5; wanted: < 1 s)\n", best);
    snprintf(command, sizeof command, "%s grade 06 %s --format csv >/dev/null", program, folder);
    const double took = run(command);
    printf("a class of %d, one job a core: %.1f s, %.2f s each (wanted: < %d s)\n", n_class, took,
           took / n_class, LIMIT_S);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    run(command);
    return 0;
}
