/* test_filter.c: the filter of system calls, run here instruction by instruction: for each call and its
 * arguments the answer that its lists give, whatever stands before it in the program.
 */
#ifdef __linux__
#include "sandbox/enter.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct filter_code {
    struct sock_filter code[1024];
    unsigned n;
} filter_code;

/* What the filter answers to a call. */
static uint32_t answer_to(const filter_code *f, const struct seccomp_data *call) {
    uint32_t a = 0;
    for (unsigned i = 0; i < f->n; i++) {
        const struct sock_filter *c = &f->code[i];
        bool yes;
        switch (c->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            cr_assert(c->k % 4 == 0 && c->k + 4 <= sizeof *call);
            memcpy(&a, (const char *)call + c->k, 4);
            continue;
        case BPF_RET | BPF_K: return c->k;
        case BPF_ALU | BPF_AND | BPF_K: a &= c->k; continue;
        case BPF_JMP | BPF_JA: i += c->k; continue;
        case BPF_JMP | BPF_JEQ | BPF_K: yes = a == c->k; break;
        case BPF_JMP | BPF_JGE | BPF_K: yes = a >= c->k; break;
        case BPF_JMP | BPF_JGT | BPF_K: yes = a > c->k; break;
        case BPF_JMP | BPF_JSET | BPF_K: yes = (a & c->k) != 0; break;
        default: cr_assert_fail("instruction %u is unknown", i); return 0;
        }
        i += yes ? c->jt : c->jf;
    }
    cr_assert_fail("the program has no end");
    return 0;
}

static uint32_t arch; /* this machine's: the one that lets getpid pass */

static uint32_t ask(const filter_code *f, int number, uint64_t a, uint64_t b, uint64_t c) {
    const struct seccomp_data call = {.nr = number, .arch = arch, .args = {a, b, c}};
    return answer_to(f, &call);
}

static void build(bool compiler, pid_t own_pid, filter_code *f) {
    static const uint32_t known[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64, AUDIT_ARCH_RISCV64};
    int ends[2];
    if (!rc_has_filter()) cr_skip("built without libseccomp");
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(rc_filter_write(compiler, own_pid, ends[1]), 0);
    const ssize_t n_bytes = read(ends[0], f->code, sizeof f->code);
    cr_assert(n_bytes > 0 && (size_t)n_bytes < sizeof f->code);
    close(ends[0]);
    close(ends[1]);
    f->n = (unsigned)((size_t)n_bytes / sizeof f->code[0]);
    for (int i = 0; i < 3; i++) {
        const struct seccomp_data call = {.nr = SYS_getpid, .arch = known[i]};
        if (answer_to(f, &call) == SECCOMP_RET_ALLOW) arch = known[i];
    }
    cr_assert_neq(arch, 0);
}

static const uint32_t TRAP = SECCOMP_RET_TRAP, PASS = SECCOMP_RET_ALLOW;

Test(filter, ends_whoever_calls_by_another_machines_numbers) {
    for (int compiler = 0; compiler < 2; compiler++) {
        filter_code f;
        build(compiler, 0, &f);
        for (int number = 0; number < 600; number++) {
            for (int bit = 0; bit < 32; bit++) {
                const struct seccomp_data call = {.nr = number, .arch = arch ^ 1u << bit};
                cr_expect_eq(answer_to(&f, &call), TRAP);
            }
            cr_expect_eq(ask(&f, 0x40000000 + number, 0, 0, 0), TRAP);
            cr_expect_eq(ask(&f, -2 - number, 0, 0, 0), TRAP); /* -1 is no call of any machine */
        }
    }
}

static bool is_of(const int list[], size_t n, int number) {
    for (size_t i = 0; i < n; i++) {
        if (list[i] == number) return true;
    }
    return false;
}

/* Whoever reads and computes passes; who reaches for others, for the net or for the system does not. */
Test(filter, a_program_computes_and_a_compiler_keeps_to_itself) {
    static const int needed[] = {SYS_read,   SYS_write,       SYS_mmap,          SYS_munmap,
                                 SYS_brk,    SYS_getrandom,   SYS_clock_gettime, SYS_futex,
                                 SYS_execve, SYS_rt_sigaction};
    static const int foreign[] = {SYS_socket,
                                  SYS_connect,
                                  SYS_bind,
                                  SYS_ptrace,
                                  SYS_mount,
                                  SYS_unshare,
                                  SYS_setns,
                                  SYS_bpf,
                                  SYS_setsid,
                                  SYS_setpgid,
                                  SYS_process_vm_readv,
                                  SYS_process_vm_writev,
                                  SYS_keyctl};
    static const int others[] = {SYS_kill,    SYS_clone,     SYS_clone3,   SYS_unlinkat,
                                 SYS_mkdirat, SYS_renameat2, SYS_fchmodat, SYS_fchownat,
                                 SYS_setuid,  SYS_shmget,    SYS_sendto,   SYS_accept,
                                 SYS_tkill,   SYS_pidfd_open};
    filter_code program, compiler;
    build(false, 0, &program);
    build(true, 0, &compiler);
    for (int number = 0; number < 600; number++) {
        const uint32_t answer = ask(&program, number, 0, 0, 0),
                       by_compiler = ask(&compiler, number, 0, 0, 0);
        const bool wrong = is_of(foreign, sizeof foreign / sizeof *foreign, number);
        if (is_of(needed, sizeof needed / sizeof *needed, number)) cr_expect_eq(answer, PASS);
        if (wrong || is_of(others, sizeof others / sizeof *others, number)) {
            cr_expect_eq(answer, TRAP, "%d", number);
        }
        cr_expect(by_compiler == PASS || by_compiler == (SECCOMP_RET_ERRNO | EPERM), "%d", number);
        if (wrong) cr_expect_neq(by_compiler, PASS, "%d", number);
        cr_expect(answer == PASS || answer == TRAP || answer == (SECCOMP_RET_ERRNO | ENOSYS) ||
                      answer == SECCOMP_RET_ERRNO,
                  "%d", number);
    }
    cr_expect_eq(ask(&program, SYS_ioctl, 0, 0, 0), SECCOMP_RET_ERRNO | ENOSYS);
    cr_expect_eq(ask(&program, SYS_rt_sigprocmask, 0, 0, 0), SECCOMP_RET_ERRNO);
}

/* Files are opened for reading only. */
Test(filter, no_flag_that_writes_passes) {
    filter_code f;
    build(false, 0, &f);
    for (int bit = 0; bit < 32; bit++) {
        const uint64_t flag = 1u << bit;
        const bool writes = (flag & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
        for (int more = 0; more < 2; more++) {
            const uint64_t flags = flag | (more ? O_CLOEXEC : 0);
            cr_expect_eq(ask(&f, SYS_openat, 1, 2, flags), writes ? TRAP : PASS, "bit %d", bit);
#ifdef SYS_open
            cr_expect_eq(ask(&f, SYS_open, 1, flags, 0), writes ? TRAP : PASS, "bit %d", bit);
#endif
        }
    }
}

Test(filter, no_status_that_stands_for_a_signal_passes) {
    static const int calls[] = {SYS_exit, SYS_exit_group};
    filter_code f;
    build(false, 0, &f);
    for (uint64_t status = 0; status < 1024; status++) {
        const uint64_t low = status & 0xff;
        const bool signal = low >= RC_EXIT_SIGNAL && low <= RC_EXIT_SIGNAL_LAST;
        for (int i = 0; i < 2; i++) {
            cr_expect_eq(ask(&f, calls[i], status, 0, 0), signal ? TRAP : PASS, "%d", (int)status);
        }
    }
}

/* Limits and signals of its own; of fcntl what goes no further than the descriptor. */
Test(filter, nothing_reaches_another_process) {
    static const pid_t pids[] = {0, 1, 2, 77, 78, 79, 100000};
    for (int i = 0; i < 7; i++) {
        filter_code f;
        build(false, pids[i], &f);
        for (int k = 0; k < 7; k++) {
            const uint64_t other = (uint64_t)pids[k];
            cr_expect_eq(ask(&f, SYS_prlimit64, other, 3, 0), other == 0 ? PASS : TRAP);
            const bool may = pids[i] == 0 || pids[i] == pids[k];
            cr_expect_eq(ask(&f, SYS_tgkill, other, 5, 6), may ? PASS : TRAP, "%d signals %d",
                         (int)pids[i], (int)pids[k]);
            cr_expect_eq(ask(&f, SYS_kill, other, 6, 0), TRAP);
        }
        for (int command = 0; command < 1100; command++) {
            const bool plain = command <= F_SETLKW || command == F_DUPFD_CLOEXEC;
            cr_expect_eq(ask(&f, SYS_fcntl, 3, (uint64_t)command, 0), plain ? PASS : TRAP, "%d",
                         command);
        }
    }
}
#endif
