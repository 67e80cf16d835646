/* A sandbox's scratch folder goes with its owner, or with the next one; nothing else does. */
#ifdef __linux__
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "sandbox/sandbox.h"

static char top[64], outside[128];
static rs_error error;

static void put(const char *folder, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    cr_assert_not_null(stream, "%s", path);
    fclose(stream);
}

static bool exists(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0;
}

static void make_old(const char *path) {
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    cr_assert_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void open_top(void) {
    snprintf(top, sizeof top, "/tmp/ringsim-test-XXXXXX");
    cr_assert_not_null(mkdtemp(top));
    cr_assert_eq(chmod(top, 0755), 0);
    snprintf(outside, sizeof outside, "%s/outside", top);
    cr_assert_eq(mkdir(outside, 0755), 0);
    put(outside, "kept");
    setenv("TMPDIR", top, 1);
}
static void close_top(void) {
    char line[100];
    snprintf(line, sizeof line, "rm -rf %s", top);
    cr_expect_eq(system(line), 0);
}
TestSuite(scratch_folder, .init = open_top, .fini = close_top);

/* Starts a process that makes a folder with this and that in it, and then waits for its end. */
static pid_t start_owner(char folder[256]) {
    int made[2];
    cr_assert_eq(pipe(made), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        rc_sandbox own = {.kind = RC_SANDBOX_FILTER};
        char path[400];
        if (rc_scratch_folder_make(&own, &error) != RC_GOOD) _exit(1);
        snprintf(path, sizeof path, "%s/box/inner/most", own.folder);
        *strrchr(path, '/') = '\0';
        mkdir(path, 0755);
        put(path, "file");
        strcat(path, "/link");
        if (symlink(outside, path) != 0) _exit(1);
        if (write(made[1], own.folder, sizeof own.folder) < 0) _exit(1);
        pause();
        _exit(0);
    }
    close(made[1]);
    cr_assert_eq(read(made[0], folder, 256), 256);
    close(made[0]);
    return owner;
}

/* Opens the next sandbox and closes it. */
static void make_next(void) {
    rc_sandbox next = {.kind = RC_SANDBOX_FILTER};
    cr_assert_eq(rc_scratch_folder_make(&next, &error), RC_GOOD, "%s", error.text);
    cr_assert(exists(next.folder));
    char folder[256];
    memcpy(folder, next.folder, sizeof folder);
    rc_scratch_folder_remove(&next);
    cr_assert_not(exists(folder));
}

Test(scratch_folder, of_a_killed_program_goes_with_the_next_and_no_link_is_followed) {
    char folder[256], kept[200];
    const pid_t owner = start_owner(folder);
    snprintf(kept, sizeof kept, "%s/kept", outside);
    make_old(folder);
    make_next();
    cr_assert(exists(folder), "its owner lives");
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    make_next();
    cr_assert_not(exists(folder));
    cr_assert(exists(kept));
}

Test(scratch_folder, a_young_one_stays_for_its_owner_may_be_about_to_lock_it) {
    char folder[256];
    const pid_t owner = start_owner(folder);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    make_next();
    cr_assert(exists(folder));
}

Test(scratch_folder, what_is_not_ours_stays) {
    static const char *const names[] = {"ringsim-sandbox-abcde", "ringsim-sandbox-abcdefg",
                                        "ringsim-sandbox", "other-sandbox-abcdef"};
    char path[200];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        cr_assert_eq(mkdir(path, 0755), 0);
        make_old(path);
    }
    put(top, "ringsim-sandbox-a-file");
    char file[200], link[200], foreign[200];
    snprintf(file, sizeof file, "%s/ringsim-sandbox-a-file", top);
    make_old(file);
    snprintf(link, sizeof link, "%s/ringsim-sandbox-a-link", top);
    cr_assert_eq(symlink(outside, link), 0);
    make_old(link);
    make_old(outside);
    snprintf(foreign, sizeof foreign, "%s/ringsim-sandbox-abcdef", top);
    cr_assert_eq(mkdir(foreign, 0755), 0);
    const bool given = chown(foreign, 12345, 12345) == 0; /* only root can */
    make_old(foreign);
    make_next();
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        cr_expect(exists(path), "%s", names[i]);
    }
    cr_expect(exists(file) && exists(link) && exists(outside));
    cr_expect_eq(exists(foreign), given);
    snprintf(path, sizeof path, "%s/kept", outside);
    cr_expect(exists(path));
}

/* In TMPDIR where that is an absolute path of at most 200 bytes, else in /tmp; a folder that is not there is told. */
Test(scratch_folder, lies_where_tmpdir_says_if_that_can_be) {
    char deep[400];
    snprintf(deep, sizeof deep, "%s/%0*d", top, 200 - (int)strlen(top) - 1, 0);
    cr_assert_eq(strlen(deep), 200);
    cr_assert_eq(mkdir(deep, 0755), 0);
    char deeper[400], missing[200], slashes[100];
    snprintf(deeper, sizeof deeper, "%s/%0*d", top, 200 - (int)strlen(top), 0);
    cr_assert_eq(mkdir(deeper, 0755), 0);
    snprintf(missing, sizeof missing, "%s/missing", top);
    snprintf(slashes, sizeof slashes, "%s//", top);
    cr_assert_eq(chdir(top), 0);
    cr_assert_eq(mkdir("relative", 0755), 0);
    const struct {
        const char *tmpdir, *parent; /* NULL: it cannot be made */
    } cases[] = {{NULL, "/tmp"},  {"", "/tmp"},     {"relative", "/tmp"}, {"./relative", "/tmp"},
                 {deep, deep},    {deeper, "/tmp"}, {top, top},           {slashes, slashes},
                 {missing, NULL}, {"/", "/"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].tmpdir == NULL) unsetenv("TMPDIR");
        if (cases[i].tmpdir != NULL) setenv("TMPDIR", cases[i].tmpdir, 1);
        if (strcmp(top, "/") == 0 || (i == 9 && access("/", W_OK) != 0)) continue;
        rc_sandbox own = {.kind = RC_SANDBOX_FILTER};
        error.text[0] = '\0';
        const rc_exit status = rc_scratch_folder_make(&own, &error);
        if (cases[i].parent == NULL) {
            cr_expect_eq(status, RC_LACKS);
            cr_expect(strstr(error.text, missing) != NULL && strstr(error.text, "TMPDIR") != NULL);
            cr_expect_eq(own.folder[0], '\0');
            continue;
        }
        cr_assert_eq(status, RC_GOOD, "%s: %s", cases[i].tmpdir, error.text);
        const size_t n = strlen(cases[i].parent);
        cr_expect(strncmp(own.folder, cases[i].parent, n) == 0 &&
                      strncmp(own.folder + n, "/ringsim-sandbox-", 17) == 0,
                  "%s: %s", cases[i].tmpdir, own.folder);
        rc_scratch_folder_remove(&own);
    }
}

/* Each byte that a program is fed comes, and each that it writes up to the limit. */
Test(scratch_folder, a_program_hears_all_and_is_heard_up_to_its_limit) {
    static const size_t sizes[] = {0, 1, 2, 100, 4095, 4096, 4097, 65535, 65536, 65537, 300000};
    static const char *const argv[] = {"/usr/bin/cat", NULL};
    char *input = malloc(300000);
    cr_assert_not_null(input);
    for (size_t i = 0; i < 300000; i++) input[i] = (char)('a' + i * 7 % 26);
    rc_sandbox sandbox;
    cr_assert_eq(rc_sandbox_open(RC_SANDBOX_FILTER, &error, &sandbox), RC_GOOD, "%s", error.text);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int limit = -1; limit <= 1; limit++) { /* a byte less than comes, as many, one more */
            if (sizes[i] == 0 && limit < 0) continue;
            const size_t most = sizes[i] + (size_t)(limit + 1) - 1,
                         kept = most < sizes[i] ? most : sizes[i];
            const rc_exec exec = {.compiler = true,
                                  .argv = argv,
                                  .input = input,
                                  .n_input = sizes[i],
                                  .cpu_seconds = 2,
                                  .wall_ms = 20000,
                                  .memory_bytes = 1 << 29,
                                  .most_text = most};
            rc_exec_result result;
            cr_assert_eq(rc_sandbox_exec(&sandbox, &exec, &error, &result), RC_GOOD, "%s",
                         error.text);
            cr_expect(result.end == RC_END_EXIT && result.code == 0);
            cr_expect_eq(result.out.n_bytes, kept, "%zu", sizes[i]);
            cr_expect_eq(result.out.n_dropped, sizes[i] - kept, "%zu", sizes[i]);
            if (kept > 0) {
                cr_expect_arr_eq(result.out.data, input, kept);
                cr_expect_eq(result.out.data[kept], '\0');
            }
            cr_expect(result.err.n_bytes == 0 && result.answers.n_bytes == 0);
            rc_exec_result_free(&result);
        }
    }
    rc_sandbox_close(&sandbox);
    free(input);
}
#endif

/* What was tried when the signal came did not end well: that is no fault of the machine. */
Test(scratch_folder, is_not_made_for_whoever_has_been_told_to_end) {
    rc_host *host = rc_host_new();
    rc_sandbox sandbox;
    rc_host_watch(host, true);
    raise(SIGTERM);
    for (int only = RC_SANDBOX_ANY; only < RC_N_SANDBOX_KINDS; only++) {
        cr_expect_eq(rc_sandbox_open((rc_sandbox_kind)only, &error, &sandbox), RC_CANCELLED,
                     "%d: %s", only, error.text);
        cr_expect_str_eq(error.text, "cancelled; nothing was written");
    }
    rc_host_watch(host, false);
    rc_host_free(host);
}
