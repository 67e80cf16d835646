/* test_log_doubts.c: made logs of jobs that stand, as versions of torch and launchers write them: whoever is accused did it, and
 * where lines are missing nobody is.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(log_doubts, .init = start, .fini = stop);

enum { MOST = 16 };
typedef enum made_kind {
    ALL_IN,
    ONE_ABSENT,
    ONE_OTHER,
    ONE_SIZE,
    FEW_PRINT,
    ONE_AHEAD,
    N_MADE
} made_kind;

typedef struct made_log {
    made_kind kind;
    int32_t n, bad, form;
    int64_t seq;
    bool local; /* a launcher writes the local rank before */
} made_log;

static void say_rank(const made_log *l, int32_t r) {
    const bool odd = r == l->bad;
    say_timeout(l->form, l->local, r, l->seq + (odd && l->kind == ONE_AHEAD),
                odd && l->kind == ONE_OTHER ? "BROADCAST" : "ALLREDUCE",
                odd && l->kind == ONE_SIZE ? 8 : 4);
}

static bool prints(const made_log *l, int32_t r) {
    if (l->kind == ONE_ABSENT) return r != l->bad;
    return l->kind != FEW_PRINT || r == l->bad || r == l->bad / 2;
}

static void say_job(const made_log *l) {
    int32_t order[MOST];
    for (int32_t i = 0; i < l->n; i++) {
        const int32_t at = (int32_t)draw((uint32_t)i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int32_t i = 0; i < l->n; i++)
        if (prints(l, order[i])) say_rank(l, order[i]);
}

/* Whoever is accused must be the one, and nothing may be said that the lines do not. */
static bool is_true(const made_log *l, const rn_hang *h) {
    const bool named = h->n_culprits == 1 && h->culprits[0].rank == l->bad;
    if (h->verdict == RN_HANG_UNDECIDED) return true;
    switch (l->kind) {
    case ALL_IN: return h->verdict == RN_HANG_STUCK_INSIDE && h->n_culprits == l->n;
    case ONE_ABSENT: return h->verdict == RN_HANG_SILENT_RANK && named;
    case ONE_OTHER: return h->verdict == RN_HANG_MISMATCH && named && l->n > 2;
    case ONE_SIZE:
        return (h->verdict == RN_HANG_MISMATCH && named && l->n > 2) ||
               (l->form == 0 && h->verdict == RN_HANG_STUCK_INSIDE); /* no size is said */
    case ONE_AHEAD:
    case FEW_PRINT:
    case N_MADE: break;
    }
    return false;
}

Test(log_doubts, nobody_is_accused_who_did_not_do_it) {
    int n_decided[N_MADE] = {0};
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        static const int32_t sizes[] = {4, 8, 16};
        begin(seed);
        made_log l = {
            .kind = (made_kind)draw(N_MADE), .n = sizes[draw(3)], .form = (int32_t)draw(N_FORMS)};
        l.seq = 2 + draw(900);
        l.local = draw(3) == 0;
        l.bad = (int32_t)draw((uint32_t)l.n -
                              1); /* of an absent last rank no log tells: a job may be so large */
        if (l.kind == FEW_PRINT) l.bad = 3 + (int32_t)draw((uint32_t)l.n - 3);
        if (l.kind == FEW_PRINT && l.bad == 3) l.bad = l.n - 1;
        say_job(&l);
        judge(text, n_text);
        cr_assert(is_true(&l, &hang), "seed %d: kind %d of %d, form %d, rank %d: %s, rank %d",
                  (int)seed, (int)l.kind, (int)l.n, (int)l.form, (int)l.bad,
                  rn_hang_name(hang.verdict),
                  hang.n_culprits > 0 ? (int)hang.culprits[0].rank : -1);
        n_decided[l.kind] += hang.verdict != RN_HANG_UNDECIDED;
    }
    for (int k = ALL_IN; k <= ONE_SIZE; k++) cr_assert_gt(n_decided[k], 40, "kind %d", k);
}

static rn_hang_verdict verdict_of(const char *log) {
    begin(1);
    SAY("%s", log);
    judge(text, n_text);
    return hang.verdict;
}

/* Lines of logs tell what began; a new start is another job; two ranks that are in different calls are not inside one. */
Test(log_doubts, what_lines_do_not_tell_is_not_said) {
#define OPEN(r, seq)                                                                               \
    "[rank" #r "]:[E1] [PG ID 0 PG GUID 0(default_pg) Rank " #r                                    \
    "]  failure detected by watchdog at work sequence "                                            \
    "id: " #seq " PG status: last enqueued work: " #seq ", last completed work: 1\n"
#define INIT(r)                                                                                    \
    "h:1" #r ":2 [" #r "] NCCL INFO ncclCommInitRank comm 0x5" #r " rank " #r                      \
    " nranks 2 cudaDev " #r
    cr_expect_eq(
        verdict_of(
            "[rank0]:[E1] [PG ID 0 PG GUID 0(default_pg) Rank 0] Last enqueued NCCL work: 5, last "
            "completed NCCL work: 5.\n"),
        RN_HANG_UNDECIDED);
    cr_expect_eq(
        verdict_of(INIT(0) " commId 0xab - Init START\n" INIT(1) " commId 0xab - Init COMPLETE\n"),
        RN_HANG_UNDECIDED);
    cr_expect_eq(
        verdict_of(OPEN(0, 9) "[E1] will restart worker group\n" OPEN(0, 4) OPEN(2, 4) OPEN(3, 4)),
        RN_HANG_SILENT_RANK);
    cr_assert_eq(hang.n_culprits, 1);
    cr_expect_eq(hang.culprits[0].rank, 1);
}

/* Rank r of the job, which is member m of a group, stands in a call of so many elements; this one it has ended: seq - 1. */
#define IN(group, r, m, seq, n)                                                                    \
    "[rank" #r "]: [Rank " #m                                                                      \
    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" #seq                        \
    ", OpType=ALLREDUCE, NumelIn=" #n ", NumelOut=" #n ") ran\n[rank" #r "]: [" group " Rank " #m  \
    "] Exception detected by watchdog at work: " #seq ", last enqueued NCCL work: " #seq "\n"
#define ALL "PG ID 0 PG GUID 0(default_pg)"

Test(log_doubts, what_contradicts_is_heard) {
    static const struct {
        const char *why, *text;
        rn_hang_verdict verdict;
        int32_t culprit; /* -1: whoever */
    } cases[] = {
        {"another group stands, and its calls differ",
         IN("PG ID 2 PG GUID 8(dp)", 0, 0, 7, 4) IN("PG ID 2 PG GUID 8(dp)", 1, 1, 7, 4)
             IN("PG ID 2 PG GUID 9(dp)", 2, 0, 7, 4) IN("PG ID 2 PG GUID 9(dp)", 3, 1, 7, 9)
                 IN("PG ID 2 PG GUID 9(dp)", 4, 2, 7, 4) IN("PG ID 2 PG GUID 9(dp)", 5, 3, 7, 4),
         RN_HANG_MISMATCH, 3},
        {"a rank is silent, and the others' calls differ",
         IN(ALL, 0, 0, 7, 4) IN(ALL, 1, 1, 7, 9) IN(ALL, 2, 2, 7, 4) IN(ALL, 4, 4, 7, 4),
         RN_HANG_MISMATCH, 1},
        {"a rank has ended the call in which another is waited for",
         IN(ALL, 0, 0, 7, 4) IN(ALL, 1, 1, 8, 4) IN(ALL, 3, 3, 7, 4), RN_HANG_UNDECIDED, -1},
        {"most have ended it", IN(ALL, 0, 0, 8, 4) IN(ALL, 1, 1, 8, 4) IN(ALL, 2, 2, 7, 4),
         RN_HANG_UNDECIDED, -1},
        {"two print: of how many?", IN(ALL, 0, 0, 7, 4) IN(ALL, 1, 1, 7, 4), RN_HANG_UNDECIDED, -1},
        {"two of three print", IN(ALL, 0, 0, 7, 4) IN(ALL, 2, 2, 7, 4), RN_HANG_UNDECIDED, -1},
        {"a node is silent",
         IN(ALL, 0, 0, 7, 4) IN(ALL, 1, 1, 7, 4) IN(ALL, 4, 4, 7, 4) IN(ALL, 5, 5, 7, 4)
             IN(ALL, 6, 6, 7, 4) IN(ALL, 7, 7, 7, 4),
         RN_HANG_UNDECIDED, -1},
        {"numbers of the process, of several groups",
         IN("PG 2", 2, 0, 7, 4) IN("PG 2", 5, 1, 7, 4) IN("PG 2", 10, 2, 7, 4)
             IN("PG 2", 12, 3, 7, 4),
         RN_HANG_UNDECIDED, -1},
        {"a member is known by the others' numbers",
         IN("PG ID 3 PG GUID 21(tp)", 4, 0, 7, 4) IN("PG ID 3 PG GUID 21(tp)", 5, 1, 7, 4)
             IN("PG ID 3 PG GUID 21(tp)", 7, 3, 7, 4),
         RN_HANG_SILENT_RANK, 6},
        {"who waits elsewhere is no root",
         IN("PG ID 3 PG GUID 21(tp)", 4, 0, 7, 4) IN("PG ID 3 PG GUID 21(tp)", 5, 1, 7, 4)
             IN("PG ID 3 PG GUID 21(tp)", 7, 3, 7, 4) IN("PG ID 2 PG GUID 10(dp)", 0, 0, 9, 4)
                 IN("PG ID 2 PG GUID 10(dp)", 8, 2, 9, 4) IN("PG ID 2 PG GUID 10(dp)", 12, 3, 9, 4),
         RN_HANG_SILENT_RANK, 6},
        {"ranks of two dimensions are not counted up",
         IN("PG ID 2 PG GUID 10(dp)", 2, 0, 9, 4) IN("PG ID 2 PG GUID 10(dp)", 10, 2, 9, 4)
             IN("PG ID 2 PG GUID 10(dp)", 18, 4, 9, 4),
         RN_HANG_UNDECIDED, -1},
        {"a number of the process, of one group",
         IN("PG 1", 0, 0, 7, 4) IN("PG 1", 1, 1, 7, 4) IN("PG 1", 2, 2, 7, 4)
             IN("PG 1", 3, 3, 7, 4),
         RN_HANG_STUCK_INSIDE, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(verdict_of(cases[i].text), cases[i].verdict, "%s: %s", cases[i].why,
                     rn_hang_name(hang.verdict));
        if (cases[i].culprit < 0) continue;
        cr_expect(hang.n_culprits == 1 && hang.culprits[0].rank == cases[i].culprit, "%s",
                  cases[i].why);
    }
}

Test(log_doubts, a_line_of_trouble_is_found) {
    static const struct {
        const char *text;
        int64_t line;
    } cases[] = {
        {"step 1\nstep 2\n", 0},
        {"a\n[rank1]: Received a dump signal due to a collective timeout from rank 2\n", 2},
        {INIT(0) " - Init START\n" INIT(0) " - Init COMPLETE\n", 0},
        {INIT(0) " - Init START\n" INIT(1) " - Init START\n" INIT(0) " - Init COMPLETE\n", 2},
        {"x\r\n\nNCCL WARN Mismatched collective detected", 3},
        {"[rank0]: Observed flight recorder dump signal from another rank via TCPStore.", 1},
        {"we are taking the entire process down.", 1},
        {"RuntimeError: Timed out waiting 1800000ms for recv operation to complete", 1},
        {"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", 1},
        {"failed (exitcode: -11) local_rank: 0", 1},
        {"NVRM: Xid (PCI:0000:41:00): 79", 1},
        {"h:1:2 [1] NCCL INFO comm 0x5 rank 1 nranks 8 - Abort COMPLETE", 1},
        {"srun: error: node-1: task 3: Aborted (core dumped)", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_log(cases[i].text, strlen(cases[i].text));
        cr_expect_eq(n_said > 0 ? said[0].line : 0, cases[i].line, "%s", cases[i].text);
    }
}
