/* test_log_cut.c: a log of a job in which all stand in one call, cut at every byte of a line: whoever the whole log clears is
 * not accused.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(log_cut, .init = start, .fini = stop);

enum { RANKS = 4, MOST_TEXT = 1 << 14, N_FORMS = 3 };

static rn_hang hang; /* of the last log */

/* Each rank's lines, as a version writes them; of rank 2 last. Returns where its first line begins. */
static size_t say_all(int form) {
    static const int order[RANKS] = {0, 1, 3, 2};
    size_t at = 0;
    begin(1);
    for (int i = 0; i < RANKS; i++) {
        const int r = order[i];
        at = n_text;
        if (form != 0) SAY("[rank%d]:[E1016 03:33:45.317536384 ProcessGroupNCCL.cpp:616] ", r);
        SAY("[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6750, "
            "OpType=ALLREDUCE, NumelIn=6832129, NumelOut=6832129, Timeout(ms)=600000) ran for "
            "600011 milliseconds before timing out.\n",
            r);
        if (form == 1)
            SAY("[rank%d]:[E1016 03:33:45.317536384 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID "
                "0(default_pg) Rank %d] Exception (either an error or timeout) detected by watchdog at "
                "work: 6750, last enqueued NCCL work: 6755, last completed NCCL work: 6749.\n",
                r, r);
        if (form == 2)
            SAY("[rank%d]:[E1016 03:33:45.317536384 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID "
                "0(default_pg) Rank %d]  failure detected by watchdog at work sequence id: 6750 PG status: "
                "last enqueued work: 6755, last completed work: 6749\n",
                r, r);
    }
    return at;
}

static void judge_cut(const char *log, size_t n, int form) {
    const rs_status status = read_log(log, n);
    if (status == RS_OK)
        cr_assert_eq(rn_judge_hang(dumps, n_dumps, NULL, &keep, &error, &hang), RS_OK);
    if (status != RS_OK) return;
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
