/* test_landlock.c: what Landlock shows a program, and that it really denies the rest.
 *
 * Each try is a process of its own behind rc_landlock. A kernel that has Landlock and where it does not
 * hold is a failure; only a kernel without it is a skip.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/enter.h"
#include "sandbox/sandbox.h"

static bool kernel_has_it(void) {
    enum { CREATE_RULESET = 444, ASK_VERSION = 1 };
    return syscall(CREATE_RULESET, NULL, 0, ASK_VERSION) >= 1;
}

/* ------------------------------------------------------------------ folders to try it in */

static char top[] = "/tmp/ringsim-landlock-XXXXXX";
static char box[64], shown[64], hidden[64];

static void write_file(const char *folder, const char *name, mode_t mode) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    cr_assert(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10);
    close(fd);
}

static void make_folders(void) {
    char *folders[] = {box, shown, hidden};
    cr_assert_not_null(mkdtemp(top));
    for (int i = 0; i < 3; i++) {
        snprintf(folders[i], sizeof box, "%s/%s", top,
                 (const char *[]){"box", "shown", "hidden"}[i]);
        cr_assert_eq(mkdir(folders[i], 0777), 0);
        write_file(folders[i], "file", 0755);
    }
}

static void remove_folders(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", top);
    if (system(command) != 0) perror(top);
}
TestSuite(landlock, .init = make_folders, .fini = remove_folders);

/* ------------------------------------------------------------------ what a program may try */

static bool opens(const char *folder, int flags) {
    char path[96];
    snprintf(path, sizeof path, "%s/file", folder);
    return open(path, flags) >= 0;
}

static bool reads(const char *folder) {
    return opens(folder, O_RDONLY);
}
static bool writes(const char *folder) {
    return opens(folder, O_WRONLY);
}
static bool truncates_for_reading(const char *folder) {
    return opens(folder, O_RDWR);
}
static bool lists(const char *folder) {
    return opendir(folder) != NULL;
}
static bool makes(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/new", folder);
    return open(path, O_WRONLY | O_CREAT, 0600) >= 0;
}
static bool makes_a_folder(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/sub", folder);
    return mkdir(path, 0700) == 0;
}
static bool makes_a_link(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/link", folder);
    return symlink("file", path) == 0;
}
static bool removes(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/file", folder);
    return unlink(path) == 0;
}
static bool executes(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/file", folder);
    const pid_t child = fork();
    if (child == 0) {
        execl(path, path, NULL);
        _exit(errno == EACCES || errno == EPERM ? 111 : 0); /* its shell may be hidden */
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) != 111;
}

typedef bool attempt(const char *folder);
static attempt *const attempts[] = {
    reads, lists,          executes,     writes, truncates_for_reading,
    makes, makes_a_folder, makes_a_link, removes};
enum { N_READING = 3, N_ATTEMPTS = sizeof attempts / sizeof *attempts };

/* Tries it behind Landlock. */
static bool may(attempt *try, const char *folder, bool writing) {
    const char *const list[] = {shown, "/usr", "/bin", "/lib", "/lib64", NULL};
    const pid_t child = fork();
    if (child == 0) {
        if (!rc_landlock(list, box, writing)) _exit(2);
        _exit(try(folder) ? 1 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) != 2,
              "this kernel has Landlock: it must hold");
    return WEXITSTATUS(status) == 1;
}

/* A program reads the box and what is shown; the compiler writes to the box, too; nobody does more. */
Test(landlock, nothing_but_what_is_shown_can_be_opened) {
    if (!kernel_has_it()) cr_skip_test("this kernel has no Landlock");
    for (int i = 0; i < N_ATTEMPTS * 3 * 2; i++) {
        const int which = i / 3 % N_ATTEMPTS;
        const bool writing = i / 3 / N_ATTEMPTS == 1;
        const char *folder = (const char *[]){box, shown, hidden}[i % 3];
        const bool allowed = folder != hidden && (which < N_READING || (writing && folder == box));
        cr_expect_eq(may(attempts[which], folder, writing), allowed, "attempt %d in %s, writing %d",
                     which, folder, writing);
        write_file(folder, "file", 0755); /* it may be gone */
    }
}

/* Files of the system that a learner's program has no business with. */
Test(landlock, the_systems_files_are_hidden) {
    static const char *const folders[] = {"/etc", "/proc/self", "/root", "/home",
                                          "/var", "/",          "/tmp"};
    if (!kernel_has_it()) cr_skip_test("this kernel has no Landlock");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        cr_expect_not(may(lists, folders[i], false), "%s", folders[i]);
        cr_expect_not(may(makes, folders[i], true), "%s", folders[i]);
    }
}

static bool reads_it(const char *path) {
    return open(path, O_RDONLY) >= 0;
}
static bool writes_it(const char *path) {
    return open(path, O_WRONLY) >= 0;
}
static bool lists_it(const char *path) {
    return opendir(path) != NULL;
}

/* What every program expects: nowhere to write to, and the loader's list of libraries, which it reads only. */
Test(landlock, what_every_program_opens_is_there) {
    static const struct {
        const char *path;
        bool read, written;
    } files[] = {{"/dev/null", true, true},         {"/dev/zero", false, false},
                 {"/etc/ld.so.cache", true, false}, {"/etc/ld.so.preload", true, false},
                 {"/etc/ld.so.conf", false, false}, {"/dev/tty", false, false},
                 {"/proc/self/mem", false, false}};
    if (!kernel_has_it()) cr_skip_test("this kernel has no Landlock");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (access(files[i].path, F_OK) != 0) continue;
        for (int writing = 0; writing < 2; writing++) {
            cr_expect_eq(may(reads_it, files[i].path, writing == 1), files[i].read, "%s",
                         files[i].path);
            cr_expect_eq(may(writes_it, files[i].path, writing == 1), files[i].written, "%s",
                         files[i].path);
        }
    }
    cr_expect_not(may(lists_it, "/dev", false));
}

/* ------------------------------------------------------------------ the whole sandbox */

/* Runs cat in the sandbox: tells whether it printed anything. */
static bool shows(const rc_sandbox *sandbox, const char *path) {
    const char *const argv[] = {"/usr/bin/cat", path, NULL};
    const rc_exec exec = {.compiler = true, /* only it starts programs of the system */
                          .argv = argv,
                          .cpu_seconds = 2,
                          .wall_ms = 20000,
                          .memory_bytes = 1 << 29,
                          .most_text = 4000};
    rs_error error = {.text = ""};
    rc_exec_result result;
    cr_assert_eq(rc_sandbox_exec(sandbox, &exec, &error, &result), RC_GOOD, "%s", error.text);
    const bool printed = result.out.n_bytes > 0;
    rc_exec_result_free(&result);
    return printed;
}

/* cat may read what lies in its box, and no other file that all users of this machine can read. */
static void expect_box_only(const rc_sandbox *sandbox) {
    rs_error error = {.text = ""};
    char ours[96];
    snprintf(ours, sizeof ours, "%s/file", hidden);
    const char *const secrets[] = {"/etc/hostname", "/etc/passwd", "/etc/group", ours};
    cr_assert_eq(rc_sandbox_put(sandbox, "mine", "text\n", 5, &error), RC_GOOD);
    cr_expect(shows(sandbox, "mine"), "kind %d", (int)sandbox->kind);
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        if (access(secrets[i], R_OK) != 0) continue;
        cr_expect_not(shows(sandbox, secrets[i]), "kind %d reads %s", (int)sandbox->kind,
                      secrets[i]);
    }
}

Test(landlock, a_program_in_any_sandbox_reads_its_box_only) {
    chmod(top, 0755);
    chmod(hidden, 0755);
    for (int kind = 0; kind < RC_N_SANDBOX_KINDS; kind++) {
        rc_sandbox sandbox, like;
        rs_error error = {.text = ""};
        const rc_exit status = rc_sandbox_open((rc_sandbox_kind)kind, &error, &sandbox);
        if (kind == RC_SANDBOX_FILTER && kernel_has_it()) {
            cr_assert_eq(status, RC_GOOD, "this kernel has Landlock: %s", error.text);
            cr_assert(sandbox.own_files, "this kernel has Landlock: it must hold");
        }
        if (status != RC_GOOD || !sandbox.own_files) continue; /* no bubblewrap, no Landlock */
        cr_expect_eq(sandbox.own_processes, kind == RC_SANDBOX_BUBBLEWRAP);
        expect_box_only(&sandbox);
        cr_assert_eq(rc_sandbox_open_like(&sandbox, &error, &like), RC_GOOD, "%s", error.text);
        cr_expect_eq(like.own_files, sandbox.own_files);
        cr_expect_eq(like.own_processes, sandbox.own_processes);
        expect_box_only(&like);
        rc_sandbox_close(&like);
        rc_sandbox_close(&sandbox);
    }
}
