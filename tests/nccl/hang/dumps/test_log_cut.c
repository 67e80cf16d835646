/* test_log_cut.c: a log of a job in which all stand in one call, cut at every byte of a line: whoever the whole log clears is
 * not accused.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(log_cut, .init = start, .fini = stop);

enum { RANKS = 4, MOST_TEXT = 1 << 14 };

/* Each rank's lines, as a version writes them; of rank 2 last. Returns where its first line begins. */
static size_t say_all(int form) {
    static const int order[RANKS] = {0, 1, 3, 2};
    size_t at = 0;
    begin(1);
    for (int i = 0; i < RANKS; i++) {
        at = n_text;
        say_timeout(form, false, order[i], 6750, "ALLREDUCE", 6832129);
    }
    return at;
}

static void judge_cut(const char *log, size_t n, int form) {
    if (judge(log, n) != RS_OK) return;
    const bool accuses = hang.verdict == RN_HANG_MISMATCH || hang.verdict == RN_HANG_SILENT_RANK ||
                         hang.verdict == RN_HANG_MISSING_CALL || hang.verdict == RN_HANG_EXTRA_CALL;
    cr_assert(!accuses, "form %d, %s: %.*s", form, rn_hang_name(hang.verdict), (int)n, log);
    for (int64_t i = 0; i < hang.n_waits; i++)
        cr_assert_eq(hang.waits[i].at.seq, 6750, "form %d: %.*s", form, (int)n, log);
}

Test(log_cut, the_end_of_a_paste_makes_no_call_another) {
    for (int form = 0; form < N_FORMS; form++) {
        const size_t last = say_all(form), n = n_text;
        for (size_t end = last + 1; end < n; end++) {
            say_all(form);
            judge_cut(text, end, form);
        }
    }
}

/* What stands behind the end of a paste is not known: there others may have said where they are. */
Test(log_cut, whose_lines_an_end_within_a_call_may_hide_is_not_silent) {
    static const int order[] = {1, 5, 3, 2};
    for (int form = 0; form < N_FORMS; form++) {
        begin(1);
        for (int i = 0; i < 3; i++) say_timeout(form, false, order[i], 6750, "ALLREDUCE", 4);
        const size_t last = n_text;
        say_timeout(form, false, order[3], 6750, "ALLREDUCE", 4);
        const size_t from = (size_t)(strstr(text + last, "caught ") - text),
                     to = (size_t)(strstr(text + last, ") ran for") - text);
        for (size_t end = to; end > from; end--) {
            if (judge(text, end) != RS_OK) continue;
            cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%.*s", (int)(end - last), text + last);
        }
    }
}

/* Torn: the next line begins at once; left out: "..." stands there. */
Test(log_cut, nor_does_a_line_that_is_torn) {
    static char cut[MOST_TEXT];
    for (int form = 0; form < N_FORMS; form++) {
        say_all(form);
        const char *third = strstr(text, "[Rank 3] Watchdog");
        while (third > text && third[-1] != '\n') third--;
        const size_t from = (size_t)(third - text), n_line = strcspn(third, "\n");
        for (size_t end = 2; end < n_line; end++) {
            for (int way = 0; way < 3; way++) {
                static const char *const behind[] = {"\n...\n", "\n", ""};
                if (way == 2 && form == 0)
                    continue; /* nothing says where the next message begins */
                say_all(form);
                const int n = snprintf(cut, sizeof cut, "%.*s%s%s", (int)(from + end), text,
                                       behind[way], text + from + n_line + 1);
                judge_cut(cut, (size_t)n, form);
            }
        }
    }
}

/* ------------------------------------------------------------------ what lines tell without a call */

static rn_hang_verdict verdict_of(const char *log) {
    begin(1);
    SAY("%s", log);
    judge(text, n_text);
    return hang.verdict;
}

#define CAUGHT(r, at, seq)                                                                         \
    "[rank" #r "]:[E1016 " at ".3 ProcessGroupNCCL.cpp:616] [Rank " #r                             \
    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" #seq                        \
    ", OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600011 milliseconds\n"
#define FAILED(r, at, seq)                                                                         \
    "[rank" #r "]:[E1016 " at                                                                      \
    ".4 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank " #r                        \
    "]  failure detected by watchdog at work sequence id: " #seq                                   \
    " PG status: last enqueued work: " #seq ", last completed work: 1\n"
#define IN(r, at, seq) CAUGHT(r, at, seq) FAILED(r, at, seq)
#define GAVE_UP(r) "[rank" #r "]:[E1016 03:33:46.1 ProcessGroupNCCL.cpp:744] [Rank " #r "] "

/* Who gives up waits, whatever its lines leave out; who prints nothing of that kind may be silent. */
Test(log_cut, who_gives_up_is_not_silent) {
    static const char others[] = IN(0, "03:33:45", 50) IN(1, "03:33:45", 50) IN(3, "03:33:45", 50);
    static const struct {
        const char *line;
        rn_hang_verdict verdict;
    } cases[] = {
        {"", RN_HANG_SILENT_RANK},
        {"[rank2]: step 17, all is well\n", RN_HANG_SILENT_RANK},
        {GAVE_UP(2) "Some NCCL operations have failed or timed out. Due to\n", RN_HANG_UNDECIDED},
        {GAVE_UP(2) "To avoid data inconsistency, we are taking the entire process down.\n",
         RN_HANG_UNDECIDED},
        {GAVE_UP(2) "Watchdog caught coll", RN_HANG_UNDECIDED},
        {GAVE_UP(2) "Watch\n", RN_HANG_UNDECIDED},
        {"[rank2]:[E1016 03:3\n", RN_HANG_UNDECIDED},
        {"[ra\n", RN_HANG_UNDECIDED},
        {"  - [ra\n\n", RN_HANG_UNDECIDED},
        {"log:12:[", RN_HANG_UNDECIDED},
        {"...\n", RN_HANG_UNDECIDED},
        {"[E ProcessGroupNCCL.cpp:474] [Rank", RN_HANG_UNDECIDED},
        {"[E ProcessGroupNCCL.cpp:477] To avoi", RN_HANG_SILENT_RANK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char log[MOST_TEXT];
        snprintf(log, sizeof log, "%s%s", others, cases[i].line);
        cr_expect_eq(verdict_of(log), cases[i].verdict, "%s%s", cases[i].line,
                     rn_hang_name(hang.verdict));
        cr_expect(hang.n_culprits == 1 && hang.culprits[0].rank == 2);
    }
}

#define THREE(in, a, b, c, at) in(a, at, 50)in(b, at, 50)in(c, at, 50)
/* The same call, hours later: another attempt. Within minutes it is said again. */
Test(log_cut, a_rank_that_gives_up_hours_later_was_started_anew) {
    static const char *const logs[] = {
        THREE(IN, 1, 2, 3, "03:33:45") THREE(IN, 0, 1, 3, "05:12:45"),
        THREE(CAUGHT, 1, 2, 3, "03:33:45") THREE(CAUGHT, 0, 1, 3, "05:12:45")};
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(verdict_of(logs[i]), RN_HANG_SILENT_RANK);
        cr_expect(hang.n_culprits == 1 && hang.culprits[0].rank == 2);
    }
    cr_expect_eq(verdict_of(THREE(IN, 1, 2, 3, "03:33:45") THREE(IN, 0, 1, 3, "03:42:45")),
                 RN_HANG_STUCK_INSIDE);
}

/* The number alone tells no operation; whose line names no group is in that of the same call. */
Test(log_cut, a_number_alone_is_no_other_call) {
    cr_expect_eq(verdict_of(IN(0, "03:33:45", 50) IN(1, "03:33:45", 50) FAILED(2, "03:33:45", 50)
                                IN(3, "03:33:45", 50)),
                 RN_HANG_UNDECIDED);
    cr_expect_eq(hang.doubt, RN_DOUBT_OTHERS);
    for (int32_t i = 0; i < hang.lanes.n_lanes * hang.lanes.n_columns; i++)
        cr_expect_not(hang.lanes.cells[i].odd);
#define OLD(r)                                                                                     \
    "[rank" #r "]:[E1016 03:33:45.4 ProcessGroupNCCL.cpp:1664] [PG 1 Rank " #r                     \
    "] Timeout at NCCL work: 50, last enqueued NCCL work: 52, last completed NCCL work: 49.\n"
    verdict_of(CAUGHT(0, "03:33:45", 50) OLD(0) CAUGHT(1, "03:33:45", 50) CAUGHT(2, "03:33:45", 50)
                   OLD(2) CAUGHT(3, "03:33:45", 50));
    cr_expect_eq(hang.n_waits, 4);
    for (int64_t i = 0; i < hang.n_waits; i++) cr_expect_str_eq(hang.waits[i].at.group, "PG 1");
}

/* Who has another number in a group without a name than in the job is in another one: whoever is below is not waited for. */
Test(log_cut, a_rank_that_is_another_member_is_in_no_group_of_all) {
#define MEMBER(r, member)                                                                          \
    "[rank" #r "]:[E ProcessGroupNCCL.cpp:523] [Rank " #member                                     \
    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, "        \
    "NumelIn=9, NumelOut=9, Timeout(ms)=600000) ran for 600070 milliseconds before timing out.\n"
    static const char *const logs[] = {MEMBER(9, 2), MEMBER(9, 0) MEMBER(11, 1),
                                       MEMBER(1, 1) MEMBER(9, 2) MEMBER(10, 3)};
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(verdict_of(logs[i]), RN_HANG_UNDECIDED);
        cr_expect_eq(hang.n_ranks, i + 1);
        for (int64_t k = 0; k < hang.n_waits; k++)
            cr_expect(hang.waits[k].unnamed && hang.waits[k].n_ranks == 0);
    }
    cr_expect_eq(verdict_of(MEMBER(1, 1) MEMBER(3, 3) MEMBER(2, 2)), RN_HANG_SILENT_RANK);
}

/* Messages name no partner. */
Test(log_cut, no_member_is_lacking_in_a_message) {
#define MESSAGE(r, type, seq)                                                                      \
    "[rank" #r "]:[E1016 03:33:45.3 ProcessGroupNCCL.cpp:616] [PG ID 3 PG GUID 7 Rank " #r         \
    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" #seq ", OpType=" type       \
    ", NumelIn=100, NumelOut=100, Timeout(ms)=600000) ran for 600011 milliseconds\n"
    cr_expect_eq(verdict_of(MESSAGE(1, "RECV", 50) MESSAGE(2, "SEND", 50) MESSAGE(3, "RECV", 51)),
                 RN_HANG_UNDECIDED);
    cr_expect_eq(hang.n_culprits, 0);
}
