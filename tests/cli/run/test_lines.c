/* test_lines.c: command lines that nobody would think of: for each command, options of its own table with values of their
 * own types, drawn by chance.
 *
 *   - Whatever is typed: the exit status is one of four; what is refused says so in one line, shows nothing and writes
 *     nothing; the JSON is JSON, and nothing stands behind it.
 *   - The same line, typed again, ends, shows, says and writes the same.
 *
 * RINGSIM_LINES=DIR writes what each line shows, says and writes to DIR/KIND.txt: tools/baseline compares two trees by it.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CJSON
#include <cjson/cJSON.h>
#endif

#include "drawn_line.h"
#include "run/command.h"
#include "support/session.h"

enum {
    MOST_WORDS = 24,
#ifdef SANITIZED
    LINES = 12, /* they are slow */
#else
    LINES = 40,
#endif
    MOST_SHOWN = 1 << 22,
    MOST_NOTED = 1 << 16,
    MOST_TOLD = 1 << 18
};

/* What a process leaves behind for the one that started it. */
typedef struct outcome {
    int status;
    rs_error error;
    long n_shown;
    char shown[MOST_SHOWN], noted[MOST_NOTED]; /* on stdout and stderr */
} outcome;

static void run_words(int n, char *words[], outcome *o) {
    static rs_error error = {.text = ""};
    rs_arena arena;
    FILE *out = tmpfile(), *notes = tmpfile();
    rs_arena_init(&arena, NULL);
    fflush(stdout);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(notes), STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    const rc_command *command = rc_find_command(words[1]);
    rc_session session = {
        .program = "./ringsim", .arguments = words, .arena = &arena, .error = &error};
    rc_exit status = rc_options_parse(n - 1, words + 1, command, &arena, &error, &session.options);
    if (status == RC_GOOD) {
        session.host = rc_host_new();
        assert(session.host != NULL);
        arena.host = rc_host_face(session.host);
        status = command->run(&session);
    }
    fflush(stdout);
    rs_arena_free(&arena);
    rc_host_free(session.host);
    o->status = (int)status;
    o->error = error;
    rewind(out);
    o->n_shown = (long)fread(o->shown, 1, sizeof o->shown - 1, out);
    o->shown[o->n_shown] = '\0';
    rewind(notes);
    o->noted[fread(o->noted, 1, sizeof o->noted - 1, notes)] = '\0';
}

/* In a process of its own: it must be able to crash. */
static void run_line(const char *line, outcome *o) {
    char text[LINE], *words[MOST_WORDS] = {(char[]){"./ringsim"}};
    int n = 1, how = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && n < MOST_WORDS - 1;
         word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    o->status = -1;
    o->n_shown = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        run_words(n, words, o);
        _exit(0);
    }
    waitpid(pid, &how, 0);
    cr_expect(WIFEXITED(how) && o->status >= 0, "%s: signal %d", line,
              WIFSIGNALED(how) ? WTERMSIG(how) : 0);
}

/* ------------------------------------------------------------------ what holds of any */

/* Adds what files lie in the folder, and what is in them, and takes them away: but those that were there before. */
static size_t take_files(const char *folder, char *told, size_t used) {
    struct dirent **list;
    const int n = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat is;
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        const bool special = list[i]->d_name[0] == '.';
        free(list[i]);
        if (special || lstat(path, &is) != 0 || (is.st_mode & S_IWUSR) == 0 || S_ISLNK(is.st_mode))
            continue;
        if (S_ISDIR(is.st_mode)) {
            used = take_files(path, told, used);
            rmdir(path);
            continue;
        }
        FILE *file = fopen(path, "r");
        used += (size_t)snprintf(told + used, MOST_TOLD - used, "--- %s\n", path);
        used += fread(told + used, 1, MOST_TOLD - 1 - used, file);
        fclose(file);
        remove(path);
    }
    free(list);
    told[used] = '\0';
    return used;
}

static void expect_sound(const char *line, const outcome *o, const char *files) {
    const bool refused = o->status == RC_USAGE || o->status == RC_LACKS;
    cr_expect(o->status >= RC_GOOD && o->status <= RC_LACKS, "%s: exit %d", line, o->status);
    cr_expect(o->n_shown < MOST_SHOWN - 1, "%s: shows more than this test takes", line);
    if (!refused) {
#ifdef HAVE_CJSON
        const char *end = "";
        cJSON *json =
            strstr(line, "--json") == NULL ? NULL : cJSON_ParseWithOpts(o->shown, &end, false);
        cr_expect(strstr(line, "--json") == NULL || strstr(line, " - ") != NULL || json != NULL,
                  "%s: no JSON", line);
        cr_expect(json == NULL || strstr(line, " - ") != NULL || strcmp(end, "\n") == 0,
                  "%s: behind the JSON: %.40s", line, end);
        cJSON_Delete(json);
#endif
        return;
    }
    cr_expect(o->error.text[0] != '\0' && strchr(o->error.text, '\n') == NULL, "%s: '%s'", line,
              o->error.text);
    cr_expect(o->n_shown == 0, "%s: refused, and shows %ld bytes", line, o->n_shown);
    cr_expect(files[0] == '\0', "%s: refused, and writes %s", line, files);
}

static void keep(int kind, const char *line, const outcome *o, const char *files) {
    const char *folder = getenv("RINGSIM_LINES");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%02d.txt", folder != NULL ? folder : "", kind);
    FILE *file = folder == NULL ? NULL : fopen(path, "a");
    if (file == NULL) return;
    fprintf(file, "$ %s\n%s--- exit %d %s\n%s%s\n", line, o->shown, o->status, o->error.text,
            o->noted, files);
    fclose(file);
}

/* A folder with what the lines read; the tree's own files under their own names. */
static void make_inputs(char folder[], outcome *o) {
    static const char *const lines[] = {
        "run --gpus 4 --bytes 1MB --view none --trace four.trace",
        "run --gpus 4 --bytes 1MB --slow-link 3:4 --view none --trace slow.trace",
        "run --gpus 5 --kill 3@2 --view none --trace dead.trace",
        "run --gpus 4 --count 0 --alpha 0 --view none --trace zero.trace",
        "run --algo tree --gpus 4 --view none --save tree.sched",
        "grade 11 --seed 17 --dump jobs",
    };
    static const char *const trees[] = {"assets", "lessons", "tests"};
    char top[PATH_MAX], path[PATH_MAX + 16];
    cr_assert_not_null(getcwd(top, sizeof top));
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", top, trees[i]);
        cr_assert_eq(symlink(path, trees[i]), 0);
    }
    setenv("RINGSIM_LESSONS", "lessons", 1);
    setenv("HOME", ".", 1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run_line(lines[i], o);
        cr_assert(o->status == RC_GOOD || o->status == RC_NO, "%s: %s", lines[i], o->error.text);
    }
    FILE *file = fopen("links.csv", "w");
    fputs("src,dst,alpha,bandwidth\n2,3,50us,2GB/s\n0,1,1us,40GB/s\n", file);
    fclose(file);
    file = fopen("perf.txt", "w");
    for (int size = 1024; size <= 1 << 28; size *= 4) {
        const double us = 6 * (4 + size / 2e5);
        fprintf(file, "%d %d float sum -1", size, size / 4);
        for (int i = 0; i < 2; i++)
            fprintf(file, " %.2f %.2f %.2f 0", us, size / us / 1000, size / us / 1000 * 1.5);
        fputc('\n', file);
    }
    fclose(file);
    file = fopen("learner.c", "w");
    fputs("int send_chunk(int step, int rank, int n) { return ((rank - step) % n + n) % n; }\n",
          file);
    fclose(file);
    cr_assert_eq(system("sed '$d' tree.sched >short.sched; find . -type f -exec chmod a-w {} +"),
                 0);
}

Test(lines, end_in_order_and_twice_alike_whatever_is_typed) {
    char folder[] = "/tmp/ringsim-lines-XXXXXX", top[PATH_MAX], line[LINE];
    static char files[2][MOST_TOLD];
    outcome *o =
        mmap(NULL, 2 * sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(o, MAP_FAILED);
    cr_assert_not_null(getcwd(top, sizeof top));
    make_inputs(folder, o);
    for (int k = 0; k < n_line_kinds; k++) {
        session_begin((uint64_t)k + 1);
        for (int i = 0; i < LINES; i++) {
            draw_line(k, line);
            for (int times = 0; times < 2; times++) {
                run_line(line, &o[times]);
                files[times][0] = '\0';
                take_files(".", files[times], 0);
            }
            expect_sound(line, &o[0], files[0]);
            cr_expect(o[0].status == o[1].status && strcmp(o[0].shown, o[1].shown) == 0 &&
                          strcmp(o[0].noted, o[1].noted) == 0 &&
                          strcmp(o[0].error.text, o[1].error.text) == 0 &&
                          strcmp(files[0], files[1]) == 0,
                      "%s: again, and something else", line);
            keep(k, line, &o[0], files[0]);
        }
    }
    munmap(o, 2 * sizeof *o);
    cr_assert_eq(chdir(top), 0);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    cr_expect_eq(system(line), 0);
}
