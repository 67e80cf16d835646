/* test_failing_memory.c: a command that finds no memory, once, wherever that is: it says so in a line and ends with 3 (2
 * where the system says it of a file), or nobody sees any of it: the same output, the same status. Never half of it.
 */
#include "config.h"
#include "support/failing_malloc.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/command.h"

enum { MOST_WORDS = 24, MOST_SHOWN = 1 << 20, SPREAD = 24 };

/* What fails: the n-th call from 0, of malloc and its like or of rs_alloc; n < 0: none. */
typedef struct failure {
    bool of_arena;
    long n;
} failure;

/* What a process leaves behind for the one that started it. */
typedef struct outcome {
    int status;
    bool reached; /* the allocation that was to fail */
    rs_error error;
    long n_shown;
    char shown[MOST_SHOWN];
    call_places places; /* of a run in which nothing is to fail */
} outcome;

static void run_words(int n, char *words[], failure what, outcome *o) {
    static rs_error error = {.text = ""};
    rs_arena arena;
    FILE *out = tmpfile();
    rs_arena_init(&arena, NULL);
    fflush(stdout);
    dup2(fileno(out), STDOUT_FILENO);
    const rc_command *command = rc_find_command(words[1]);
    rc_session session = {
        .program = "ringsim", .arguments = words, .arena = &arena, .error = &error};
    if (what.n < 0 && what.of_arena) noted_arrays = &o->places;
#ifndef OWN_ALLOCATOR
    if (what.n < 0 && !what.of_arena) noted_calls = &o->places;
#endif
    n_until_failure = what.of_arena ? -1 : what.n;
    n_arrays_until_failure = what.of_arena ? what.n : -1;
    rc_exit status = rc_options_parse(n - 1, words + 1, command, &arena, &error, &session.options);
    if (status == RC_GOOD) {
        session.host = rc_host_new();
        status =
            session.host == NULL ? rc_fail(&error, RC_LACKS, "no memory to start with") : RC_GOOD;
    }
    if (status == RC_GOOD) {
        arena.host = rc_host_face(session.host);
        status = command->run(&session);
    }
    o->reached = what.n >= 0 && (what.of_arena ? n_arrays_until_failure : n_until_failure) < 0;
    n_until_failure = n_arrays_until_failure = -1;
    noted_arrays = NULL;
#ifndef OWN_ALLOCATOR
    noted_calls = NULL;
#endif
    if (session.host != NULL) rc_host_quiet(session.host);
    if (fflush(stdout) != 0 || ferror(stdout)) status = RC_USAGE;
    rs_arena_free(&arena);
    rc_host_free(session.host);
    o->status = (int)status;
    o->error = error;
    rewind(out);
    o->n_shown = (long)fread(o->shown, 1, sizeof o->shown, out);
}

/* In a process of its own, since commands keep things for as long as they live. */
static void run_line(const char *line, failure what, outcome *o) {
    char text[600], *words[MOST_WORDS] = {(char[]){"ringsim"}};
    int n = 1, how = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && n < MOST_WORDS - 1;
         word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    o->status = -1;
    o->n_shown = 0;
    o->places.n = 0;
    o->places.n_calls = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        run_words(n, words, what, o);
        _exit(0);
    }
    waitpid(pid, &how, 0);
    cr_expect(WIFEXITED(how) && o->status >= 0, "%s, %s %ld: signal %d", line,
              what.of_arena ? "array" : "allocation", what.n, WIFSIGNALED(how) ? WTERMSIG(how) : 0);
}

/* Whether a place was tried by an earlier line; from now on it was. */
static bool was_tried(const void *at) {
    static const void *tried[MOST_PLACES];
    static int n;
    for (int i = 0; i < n; i++)
        if (tried[i] == at) return true;
    cr_assert_lt(n, MOST_PLACES);
    tried[n++] = at;
    return false;
}

/* Lets each call fail that is the first from its place, unless an earlier line has tried the place, and some of all. */
static void fail_each(const char *line, bool of_arena) {
    outcome *good =
        mmap(NULL, 2 * sizeof *good, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    outcome *o = good + 1;
    const char *name = of_arena ? "array" : "allocation";
    run_line(line, (failure){of_arena, -1}, good);
    cr_expect(good->status == RC_GOOD || good->status == RC_NO, "%s: %s", line, good->error.text);
    cr_expect(good->n_shown > 0 && good->n_shown < MOST_SHOWN, "%s shows %ld bytes", line,
              good->n_shown);
    long n_said = 0;
    for (long i = 0; i < good->places.n + SPREAD; i++) {
        const long n = i < good->places.n ? good->places.first[i]
                                          : (i - good->places.n) * good->places.n_calls / SPREAD;
        if (i < good->places.n && was_tried(good->places.at[i])) continue;
        run_line(line, (failure){of_arena, n}, o);
        if (o->status < 0) continue; /* it crashed: told */
        if (!o->reached) continue;
        if (o->status == good->status) {
            cr_expect(o->n_shown == good->n_shown &&
                          memcmp(o->shown, good->shown, (size_t)good->n_shown) == 0,
                      "%s, %s %ld: something else is shown", line, name, n);
            continue;
        }
        n_said++;
        cr_expect(o->status == RC_LACKS || (!of_arena && o->status == RC_USAGE),
                  "%s, %s %ld: exit %d, %s", line, name, n, o->status, o->error.text);
        cr_expect(o->error.text[0] != '\0' && strchr(o->error.text, '\n') == NULL,
                  "%s, %s %ld: '%s'", line, name, n, o->error.text);
    }
    cr_expect((!of_arena && !MALLOC_FAILS) || n_said > 0, "%s never lacks memory", line);
    munmap(good, 2 * sizeof *good);
}

static const char *const lines[] = {
    "run --gpus 4 --count 40 --json",
    "run --machine box:2,gpus=4,port=100GB/s,nics=2x100Gb/s --bytes 1MB --json",
    "run --gpus 4 --algo tree --late 0:3us --kill 1@2 --json",
    "run --algo tests/golden/flows/07.sched --json",
    "check tests/golden/flows/07.sched --json",
    "compare --gpus 4 --bytes 1KiB,1MiB --json",
    "compare --machine assets/machines/thin-wire.machine --bytes 1MiB",
    "machine assets/machines/dgx-h100.machine:2",
    "machine assets/machines/thin-wire.machine --json",
    "machine tests/data/topologies/dgx-h100.topo",
    "machine tests/data/topologies/dgx1-v100.xml --json",
    "train --gpus 3 --model linreg --json",
    "train --gpus 4 --model assets/gpt2.lay --mode zero2 --json",
    "sampler --dataset 10 --gpus 3 --json",
    "mapreduce --text tests/data/lesson.md --json",
    "launch --json",
    "list",
    "explain tests/data/nccl-logs/two-nodes.log --json",
    "explain tests/data/nccl-logs/two-nodes.log --why 1MiB",
    "explain tests/data/topologies/dgx1-v100.topo",
    "explain lessons/20-reading-nccl/perf.log --machine assets/machines/dgx-h100.machine:2",
    "explain lessons/20-reading-nccl/good.log --step --view text",
    "estimate --machine assets/machines/dgx-h100.machine:2 --collective all-gather",
    "estimate --machine assets/machines/thin-wire.machine --like hgx-a100 --json",
    "run --gpus 4 --algo double-tree --chunks 3 --json --transfers",
    "run --collective all-to-all --machine assets/machines/torus4x4.machine --bytes 64KiB --json",
    "fit lessons/15-on-a-gpu/first.trace lessons/15-on-a-gpu/second.trace --json",
    "view lessons/15-on-a-gpu/first.trace --view text",
    "run --gpus 4 --count 60 --op avg --dtype bf16 --check always --values all --json",
    "run --gpus 6 --algo doubling --protocol eager --slow-link 1:4 --json",
    "run --gpus 8 --algo two-level --gpus-per-node 4 --engine events --json",
    "run --collective broadcast --root 2 --gpus 5 --algo tree --count 10 --json",
    "run --machine assets/machines/dgx1-v100.machine --place ring --bytes 1MB --slow-link gpu0:gpu1:2 --json",
    "compare --gpus 6 --algo ring,tree,halving --bytes 1MiB --csv",
    "train --gpus 4 --model linreg --machine assets/machines/dgx1-v100.machine --json",
    "mapreduce --text tests/data/lesson.md --gpus 3 --op max --json",
    "sampler --dataset 11 --gpus 3 --batch 2 --epochs 2 --shuffle --json",
    "launch --nodes 2 --with srun --json",
    "train --model linreg --gpus 4 --mode zero3 --view text --at 3",
    "compare --gpus 2,4 --count 1,100 --algo ring,tree --json",
    "compare --gpus 2..5 --algo ring,tree --bytes 1KiB --csv",
    "gil --cores 4 --iters 0 --slices 3 --json",
    "mapreduce --text tests/data/lesson.md --gpus 2 --combine",
    "launch --with srun --gpus-per-node 3 --gpus-per-proc 3 --json",
    "explain tests/data/topologies/hgx-a100.xml --json",
    "estimate --machine box:2,gpus=8,port=200GB/s,nics=8x50GB/s --like dgx-h100 --nccl 2.21.5 --csv",
    "machine box:4,gpus=4,port=100GB/s,nics=4x25GB/s --json",
};

Test(failing_memory, of_any_command_is_told_or_not_seen) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) fail_each(lines[i], false);
}

Test(failing_memory, of_any_array_of_a_command_is_told_or_not_seen) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) fail_each(lines[i], true);
}

Test(failing_memory, for_an_interpreted_program_is_no_fault_of_its_own) {
    setenv("RINGSIM_LESSONS", "lessons", 1);
    fail_each("run --gpus 5 --algo lessons/05-scatter-reduce/own.c --interpret --json", false);
    fail_each("check lessons/05-scatter-reduce/own.c --gpus 4 --interpret --json", true);
}

/* A ring of three as an MSCCL program, which has its readers to itself. */
Test(failing_memory, for_a_program_in_xml_is_told_or_not_seen) {
#ifdef HAVE_EXPAT
    char path[] = "/tmp/ringsim-memory-XXXXXX.xml", line[100];
    const int descriptor = mkstemps(path, 4);
    cr_assert_geq(descriptor, 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(
        "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"3\" ngpus=\"3\" coll=\"allreduce\" inplace=\"1\">\n",
        file);
    for (int g = 0; g < 3; g++) {
        static const char *const types[] = {"s", "rrs", "rrcs", "rcs", "r"};
        const int chunks[] = {g, g + 2, g + 1, g, g + 2};
        fprintf(
            file,
            "<gpu id=\"%d\" i_chunks=\"3\" o_chunks=\"0\" s_chunks=\"0\">\n<tb id=\"0\" send=\"%d\" recv=\"%d\" chan=\"0\">\n",
            g, (g + 1) % 3, (g + 2) % 3);
        for (int at = 0; at < 5; at++)
            fprintf(
                file,
                "<step s=\"%d\" type=\"%s\" srcbuf=\"i\" srcoff=\"%d\" dstbuf=\"i\" dstoff=\"%d\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
                at, types[at], chunks[at] % 3, chunks[at] % 3);
        fputs("</tb>\n</gpu>\n", file);
    }
    fputs("</algo>\n", file);
    fclose(file);
    snprintf(line, sizeof line, "check %s --json", path);
    fail_each(line, true);
    fail_each(line, false);
    snprintf(line, sizeof line, "run --algo %s --json --transfers", path);
    fail_each(line, true);
    unlink(path);
#else
    cr_skip("built without expat");
#endif
}

Test(failing_memory, for_a_lesson_leaves_no_half_of_it) {
    setenv("RINGSIM_LESSONS", "lessons", 1);
    fail_each("lesson 5 --json --key", false);
    fail_each("lesson 16 --json", true);
    fail_each("lesson 7 --gift -", false);
    fail_each("lesson 3 --view text", false);
    fail_each("lesson 18 --gift -", true);
}

/* Dumps of a hang, in a folder, by a pattern, in an archive: one that is not read would change the verdict, so there is
   none. */
static void fail_dumps(bool of_arena) {
    static const char *const asked[] = {"job1/*_[0-3]", "job1", "a.tar", "a.tar.gz"};
    char folder[] = "/tmp/ringsim-memory-XXXXXX", line[200];
    cr_assert_not_null(mkdtemp(folder));
    setenv("RINGSIM_LESSONS", "lessons", 0);
    outcome *made =
        mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(line, sizeof line, "grade 11 --seed 17 --dump %s", folder);
    run_line(line, (failure){false, -1}, made);
    cr_assert_eq(made->status, RC_GOOD, "%s", made->error.text);
    snprintf(line, sizeof line, "cd %s && tar -cf a.tar job1 && gzip -k a.tar", folder);
    cr_expect_eq(system(line), 0);
    for (size_t i = of_arena ? 0 : 1; i < 4; i++) { /* glob itself frees twice */
        snprintf(line, sizeof line, "hang %s/%s --json", folder, asked[i]);
        run_line(line, (failure){false, -1}, made);
        if (i == 3 && made->status == RC_USAGE) break; /* a build without zlib */
        fail_each(line, of_arena);
    }
    munmap(made, sizeof *made);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    cr_expect_eq(system(line), 0);
}

Test(failing_memory, for_a_dump_leaves_no_verdict) {
    fail_dumps(false);
}
Test(failing_memory, for_an_array_of_a_dump_leaves_no_verdict) {
    fail_dumps(true);
}
