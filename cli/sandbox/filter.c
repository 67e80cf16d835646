/* filter.c: what a sandboxed program may do: which system calls it may make, and which files it may open.
 *
 *     number of the call --> in the list? --> yes: let it pass
 *                                             no:  SIGSYS, which ends the program
 *     rules (these folders, the box) --> put on this process and all that it starts
 *
 *   - A learner's program may make the calls of a short list. A compiler makes so many that it has a
 *     short list of calls that it may not make.
 *   - A program may open files, for reading only, since its loader must: the kernel's Landlock, version 1 of its
 *     interface, or bubblewrap decide which.
 *   - libseccomp knows each machine's numbers. A program that calls by another machine's is ended.
 */
#ifdef __linux__
#define _GNU_SOURCE 1 /* O_PATH: Linux */
#include "config.h"
#include "sandbox/enter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef HAVE_SECCOMP

bool rc_has_filter(void) {
    return false;
}

int rc_filter_write(bool compiler, pid_t own_pid, int to) {
    (void)compiler, (void)own_pid, (void)to;
    return ENOSYS;
}

#else

#include <seccomp.h>
#include <stdio.h>
#include <string.h>

/* Calls by name, with a space between two. */
static const char allowed[] =
    "read readv pread64 write writev close lseek fstat mmap mprotect munmap mremap madvise brk "
    "rt_sigaction rt_sigreturn rt_sigsuspend sigaltstack getpid gettid getppid getuid geteuid getgid "
    "getegid clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday times time getrusage "
    "uname sysinfo sched_yield sched_getaffinity futex set_tid_address set_robust_list rseq getrandom "
    "execve access faccessat readlink readlinkat stat lstat newfstatat restart_syscall setitimer alarm "
    "pause getcwd dup dup2 wait4 poll ppoll arch_prctl";
/* Libraries try these; the filter answers "no such call" rather than end the program. */
static const char harmless[] = "ioctl prctl statx";
/* Seems to succeed, and does nothing. A program that blocked SIGSYS would be killed before the driver can
   name the call that was refused, and the C library blocks all signals where it starts a process. */
static const char pretended[] = "rt_sigprocmask";
static const char forbidden[] =
    "socket socketpair connect bind ptrace process_vm_readv process_vm_writev mount umount2 pivot_root "
    "chroot unshare setns bpf perf_event_open keyctl add_key request_key kexec_load init_module "
    "finit_module userfaultfd reboot swapon io_uring_setup setsid setpgid";

/* A filter under way; error: the first one, negative as libseccomp says it. */
typedef struct rules {
    scmp_filter_ctx filter;
    int error;
} rules;

static void keep(rules *r, int error) {
    if (r->error == 0) r->error = error;
}

/* Adds calls with the same answer; one that this libseccomp has never heard of gets that of all others. */
static void answer(rules *r, uint32_t what, const char *calls) {
    char name[32];
    for (size_t n; (n = strcspn(calls, " ")) > 0; calls += n + (calls[n] != '\0')) {
        snprintf(name, sizeof name, "%.*s", (int)n, calls);
        const int call = seccomp_syscall_resolve_name(name);
        if (call != __NR_SCMP_ERROR) keep(r, seccomp_rule_add(r->filter, what, call, 0));
    }
}

/* Lets the call pass where its argument compares so; said again, there as well. */
static void pass_if(rules *r, int call, struct scmp_arg_cmp argument) {
    keep(r, seccomp_rule_add_array(r->filter, SCMP_ACT_ALLOW, call, 1, &argument));
}

/* Refuses to end with a status that stands for a signal, 129..159: all others pass. */
static void pass_exit(rules *r, int call) {
    pass_if(r, call, SCMP_A0(SCMP_CMP_MASKED_EQ, 0x80, 0));
    pass_if(r, call, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xff, RC_EXIT_SIGNAL - 1));
    pass_if(r, call, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xe0, RC_EXIT_SIGNAL_LAST + 1));
    pass_if(r, call, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xc0, 0xc0));
}

static void add_program(rules *r, pid_t own_pid) {
    static const scmp_datum_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    answer(r, SCMP_ACT_ALLOW, allowed);
    answer(r, SCMP_ACT_ERRNO(ENOSYS), harmless);
    answer(r, SCMP_ACT_ERRNO(0), pretended);
    pass_if(r, SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, writes, 0));
    pass_if(r, SCMP_SYS(open), SCMP_A1(SCMP_CMP_MASKED_EQ, writes, 0));
    pass_exit(r, SCMP_SYS(exit));
    pass_exit(r, SCMP_SYS(exit_group));
    /* A program may read and lower its own limits, and nobody else's. */
    pass_if(r, SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_EQ, 0, 0));
    /* The plain commands: those behind F_SETLKW can have a signal sent to another process. */
    pass_if(r, SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_LE, F_SETLKW, 0));
    pass_if(r, SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC, 0));
    /* raise() and abort() signal the program itself: where it could reach others, it may signal nobody else. */
    if (own_pid > 0) {
        pass_if(r, SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)own_pid, 0));
    } else {
        answer(r, SCMP_ACT_ALLOW, "tgkill");
    }
}

bool rc_has_filter(void) {
    return true;
}

int rc_filter_write(bool compiler, pid_t own_pid, int to) {
    rules r = {.filter = seccomp_init(compiler ? SCMP_ACT_ALLOW : SCMP_ACT_TRAP)};
    if (r.filter == NULL) return ENOMEM;
    keep(&r, seccomp_attr_set(r.filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRAP));
    if (compiler) {
        answer(&r, SCMP_ACT_ERRNO(EPERM), forbidden);
    } else {
        add_program(&r, own_pid);
    }
    if (r.error == 0) r.error = seccomp_export_bpf(r.filter, to);
    seccomp_release(r.filter);
    return -r.error;
}

#endif

/* ------------------------------------------------------------------ Landlock */

/* Of <linux/landlock.h>, which not every machine has. */
struct ruleset {
    uint64_t handled_access_fs;
};
struct beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    PATH_BENEATH = 1,
    EXECUTE = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_DIR = 8,
    EVERYTHING = (1 << 13) - 1
};

static void allow(int held_rules, const char *path, uint64_t access) {
    const int folder = open(path, O_PATH | O_CLOEXEC);
    if (folder < 0) return; /* what is not there needs no rule */
    const struct beneath rule = {access, folder};
    syscall(ADD_RULE, held_rules, PATH_BENEATH, &rule, 0);
    close(folder);
}

bool rc_landlock(const char *const shown[], const char *box, bool writing) {
    static const char *const files[] = {"/etc/ld.so.cache", "/etc/ld.so.preload", NULL};
    assert(box[0] == '/');
    const uint64_t reading = EXECUTE | READ_FILE | READ_DIR;
    const struct ruleset all = {EVERYTHING};
    const int held_rules = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
    if (held_rules < 0) return false;
    for (int i = 0; shown[i] != NULL; i++) allow(held_rules, shown[i], reading);
    for (int i = 0; files[i] != NULL; i++) allow(held_rules, files[i], READ_FILE);
    allow(held_rules, "/dev/null", READ_FILE | WRITE_FILE);
    allow(held_rules, box, writing ? (uint64_t)EVERYTHING : reading);
    const bool held =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, held_rules, 0) == 0;
    close(held_rules);
    return held;
}

#endif
