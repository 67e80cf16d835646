/* enter.c: the child's side of the sandbox: turns a fresh fork into the program, and never returns.
 *
 *     bubblewrap    other user -> limits -> exec bwrap, which makes the rest
 *     filter        other user -> limits -> Landlock -> filter -> exec
 *
 *   - Nothing here allocates or uses stdio: other threads may have held locks when we forked.
 *   - A step that fails reports its errno through RC_FD_TROUBLE and ends the child.
 */
#ifdef __linux__
#define _GNU_SOURCE 1 /* setresuid: Linux, BSD */
#include "sandbox/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 96, MOST_SHOWN = 16, MOST_FILTER = 1024, EXIT_TROUBLE = 125 };

static _Noreturn void trouble(const char *what) {
    rc_trouble sent = {.number = errno};
    strncpy(sent.what, what, sizeof sent.what - 1);
    if (write(RC_FD_TROUBLE, &sent, sizeof sent) != sizeof sent) _exit(EXIT_TROUBLE);
    _exit(EXIT_TROUBLE);
}

/* ------------------------------------------------------------------ what both kinds share */

static void limit(int what, rlim_t soft, rlim_t hard) {
    struct rlimit now, wanted = {soft, hard};
    if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < hard) {
        wanted.rlim_max = now.rlim_max;
        if (wanted.rlim_cur > now.rlim_max) wanted.rlim_cur = now.rlim_max;
    }
    if (setrlimit((__rlimit_resource_t)what, &wanted) != 0) trouble("setrlimit");
}

static void set_limits(const rc_sandbox *sandbox, const rc_exec *exec) {
    enum { COMPILER_FILE = 16 << 20, TASKS = 64, DESCRIPTORS = 64 };
    const rlim_t cpu = (rlim_t)exec->cpu_seconds, memory = (rlim_t)exec->memory_bytes;
    const rlim_t file = exec->compiler ? COMPILER_FILE : 0;
    limit(RLIMIT_CPU, cpu, cpu + 1);
    limit(RLIMIT_AS, memory, memory);
    limit(RLIMIT_FSIZE, file, file);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS);
    /* The kernel counts these per user, and our own user has processes enough already. */
    if (sandbox->other_user) limit(RLIMIT_NPROC, TASKS, TASKS);
}

static void become_other(const rc_sandbox *sandbox) {
    if (!sandbox->other_user) return;
    if (setgroups(0, NULL) != 0) trouble("setgroups");
    if (setresgid(sandbox->gid, sandbox->gid, sandbox->gid) != 0) trouble("setresgid");
    if (setresuid(sandbox->uid, sandbox->uid, sandbox->uid) != 0) trouble("setresuid");
}

/* The program would inherit the signals that our own parent ignores or blocks. */
static void fresh_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
    umask(022);
}

static void die_with_parent(void) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) trouble("prctl");
}

static char *const program_environment[] = {NULL};
static char *const compiler_environment[] = {(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
                                             (char[]){"LC_ALL=C"}, (char[]){"TMPDIR=."}, NULL};

static _Noreturn void start(const rc_exec *exec) {
    char *const *environment = exec->compiler ? compiler_environment : program_environment;
    execve(exec->argv[0], (char *const *)(uintptr_t)exec->argv, environment);
    trouble(exec->argv[0]);
}

/* Puts the filter that the parent sends on this process. */
static void filter_here(void) {
    struct sock_filter code[MOST_FILTER];
    size_t n_bytes = 0;
    for (ssize_t n; (n = read(RC_FD_FILTER, (char *)code + n_bytes, sizeof code - n_bytes)) != 0;) {
        if (n < 0) trouble("filter");
        n_bytes += (size_t)n;
    }
    close(RC_FD_FILTER);
    const struct sock_fprog filter = {(unsigned short)(n_bytes / sizeof code[0]), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        trouble("seccomp");
}

/* ------------------------------------------------------------------ paths */

/* Joins a and b. */
static char *glue(const char *a, const char *b, char out[300]) {
    const size_t n = strlen(a), m = strlen(b);
    if (n + m >= 300) {
        errno = ENAMETOOLONG;
        trouble("path");
    }
    memcpy(out, a, n);
    memcpy(out + n, b, m + 1);
    return out;
}

/* The folders that every program needs; some are links into /usr. A program sees libraries only. */
static const char *const system_folders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", NULL};
static const char *const program_folders[] = {"/usr/lib", "/usr/lib32", "/usr/lib64", NULL};
static const char *const compiler_folders[] = {"/usr", "/etc/alternatives", NULL};

static const char *const *folders_for(const rc_exec *exec) {
    return exec->compiler ? compiler_folders : program_folders;
}

/* Returns the target's length, -1: no link. */
static ssize_t link_target(const char *path, char out[300]) {
    const ssize_t n = readlink(path, out, 299);
    if (n >= 0) out[n] = '\0';
    return n;
}

/* ------------------------------------------------------------------ bubblewrap */

typedef struct mount_words {
    const char *list[MOST_WORDS];
    int n;
} mount_words;

static void say(mount_words *w, const char *a, const char *b, const char *c) {
    const char *const three[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (three[i] == NULL) continue;
        if (w->n + 1 >= MOST_WORDS) trouble("too many words");
        w->list[w->n++] = three[i];
    }
}

static void say_folders(mount_words *w, const rc_exec *exec, char targets[8][300]) {
    const char *const *shown = folders_for(exec);
    for (int i = 0; shown[i] != NULL; i++) say(w, "--ro-bind-try", shown[i], shown[i]);
    for (int i = 0; system_folders[i] != NULL; i++) {
        if (link_target(system_folders[i], targets[i]) >= 0) {
            say(w, "--symlink", targets[i], system_folders[i]);
        } else {
            say(w, "--ro-bind-try", system_folders[i], system_folders[i]);
        }
    }
    say(w, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
    say(w, "--dev-bind-try", "/dev/null", "/dev/null");
}

static _Noreturn void enter_bubblewrap(const rc_sandbox *sandbox, const rc_exec *exec) {
    mount_words w = {.n = 0};
    char targets[8][300], box[300];
    glue(sandbox->folder, "/box", box);
    become_other(sandbox);
    say(&w, "/usr/bin/bwrap", "--unshare-all", "--die-with-parent");
    say_folders(&w, exec, targets);
    say(&w, exec->compiler ? "--bind" : "--ro-bind", box, "/box");
    say(&w, "--chdir", "/box", NULL);
    say(&w, "--seccomp", "4", "--"); /* RC_FD_FILTER */
    for (int i = 0; exec->argv[i] != NULL; i++) say(&w, exec->argv[i], NULL, NULL);
    w.list[w.n] = NULL;
    set_limits(sandbox, exec);
    char *const *environment = exec->compiler ? compiler_environment : program_environment;
    execve(w.list[0], (char *const *)(uintptr_t)w.list, environment);
    trouble("bwrap");
}

/* ------------------------------------------------------------------ the filter alone */

/* Lists what bubblewrap shows. Landlock follows links: one in / leads into a folder of the list. */
static void list_shown(const rc_exec *exec, const char *shown[MOST_SHOWN]) {
    const char *const *folders = folders_for(exec);
    char target[300];
    int n = 0;
    for (int i = 0; folders[i] != NULL; i++) shown[n++] = folders[i];
    for (int i = 0; system_folders[i] != NULL; i++) {
        if (link_target(system_folders[i], target) < 0) shown[n++] = system_folders[i];
    }
    shown[n] = NULL;
}

static _Noreturn void enter_filter(const rc_sandbox *sandbox, const rc_exec *exec) {
    const char *shown[MOST_SHOWN];
    char box[300];
    glue(sandbox->folder, "/box", box);
    if (chdir(box) != 0) trouble(box);
    become_other(sandbox);
    die_with_parent(); /* the kernel forgets it when the user changes */
    set_limits(sandbox, exec);
    if (sandbox->own_files) {
        list_shown(exec, shown);
        if (!rc_landlock(shown, box, exec->compiler)) trouble("landlock");
    }
    filter_here();
    start(exec);
}

void rc_sandbox_enter(const rc_sandbox *sandbox, const rc_exec *exec) {
    fresh_signals();
    setsid();
    die_with_parent();
    if (sandbox->kind == RC_SANDBOX_BUBBLEWRAP) enter_bubblewrap(sandbox, exec);
    enter_filter(sandbox, exec);
}

#endif
