/* test_ras_text.c: made reports of RAS as text: of each state the verdict is that of the same state in JSON; what does not
 * say who is behind is refused; torn and mutated reports are refused, or read.
 */
#include "nccl/hang/dumps/ras_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 8 };

TestSuite(ras_text, .init = ras_start, .fini = ras_stop);

static void say_table(void) {
    ras_say("NCCL version 2.28.9 compiled with CUDA 13.0\n\nJob summary\n===========\n\n"
            "  Nodes  Processes         GPUs  Processes     GPUs\n"
            "(total)   per node  per process    (total)  (total)\n"
            "      2          4            1          8        8\n\n"
            "Communicators... (0.00s)\n=============\n\n"
            "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
            "    #  in group  per comm  per node  per comm  in group\n");
}
static void say_row(int group, int comms, const char *per_node, int size, const char *errors) {
    ras_say("%5d  %8d  %8d  %8s  %8d  %8d  %8s  %6s\n", group, comms, 2, per_node, size, 8,
            "RUNNING", errors);
}
static void say_end_of_table(void) {
    ras_say("\nErrors\n======\n\n");
}
static void say_block(int group, int number, const char *error_name) {
    ras_say("#%d-%d (27a079b828ff1a75) %s\n", group, number, error_name);
}
static void say_rank(int rank, const char *what) {
    ras_say("  Rank %d %s-- GPU %d managed by process %d on node 10.0.0.%d\n", rank, what, rank % 4,
            100 + rank, rank / 4);
}

/* What each rank has launched; -1: nothing is known of it. */
typedef int64_t job_state[RANKS];

/* As RAS lists it: the largest part first, members of the small ones. */
static void say_counts(const job_state counts, const char *kind) {
    bool told[RANKS] = {false};
    ras_say("  Communicator ranks have different %s operation counts\n", kind);
    for (int size = RANKS; size > 0; size--) {
        for (int r = 0; r < RANKS; r++) {
            int n = 0;
            for (int i = 0; i < RANKS; i++) n += counts[i] == counts[r];
            if (counts[r] < 0 || told[r] || n != size) continue;
            char what[64] = "not launched any operations";
            if (counts[r] > 0)
                snprintf(what, sizeof what, "launched up to operation %d", (int)counts[r]);
            if (n > 1) ras_say("  %d ranks have %s\n", n, what);
            for (int i = 0; i < RANKS; i++) {
                if (counts[i] != counts[r]) continue;
                char one[80];
                snprintf(one, sizeof one, "has %s ", what);
                told[i] = true;
                if (n == 1 || 2 * n < RANKS) say_rank(i, n == 1 ? one : "");
            }
        }
    }
    ras_say("\n");
}

static void say_text(const job_state counts, const char *kind) {
    int gone = 0, unlike = 0;
    int64_t first = -1;
    for (int r = 0; r < RANKS; r++) {
        if (counts[r] >= 0 && first < 0) first = counts[r];
        gone += counts[r] < 0;
        unlike += counts[r] >= 0 && counts[r] != first;
    }
    say_table();
    say_row(0, 1, "4", RANKS,
            gone > 0 ? unlike > 0 ? "INCOMPLETE,MISMATCH" : "INCOMPLETE"
            : unlike ? "MISMATCH"
                     : "OK");
    say_end_of_table();
    if (gone > 0) {
        ras_say("INCOMPLETE\n  Missing communicator data from %d job processes\n\n", gone);
        say_block(0, 0, "INCOMPLETE");
        ras_say("  Missing communicator data from %d rank%s\n", gone, gone > 1 ? "s" : "");
        for (int r = 0; r < RANKS; r++) {
            if (counts[r] < 0) say_rank(r, "");
        }
        ras_say("\n");
    }
    ras_say("Warnings\n========\n\n");
    if (unlike == 0) return;
    say_block(0, 0, "MISMATCH");
    say_counts(counts, kind);
}

static void say_json(const job_state counts) {
    ras_say("{\"communicators\":[{\"hash\":\"0x27a079b828ff1a75\",\"size\":%d,\"ranks\":[",
            (int)RANKS);
    const char *comma = "";
    for (int r = 0; r < RANKS; r++) {
        if (counts[r] < 0) continue;
        ras_say("%s{\"rank\":%d,\"host\":\"10.0.0.%d\",\"pid\":%d,\"cuda_dev\":%d,"
                "\"collective_counts\":{\"AllReduce\":%d}}",
                comma, r, r / 4, 100 + r, r % 4, (int)counts[r]);
        comma = ",";
    }
    ras_say("]}]}");
}

static rn_hang judged(void) {
    rn_hang hang;
    cr_assert_eq(rn_judge_hang(ras.dumps, ras.n_dumps, NULL, &ras.keep, &ras.error, &hang), RS_OK);
    return hang;
}

/* A verdict as one line; calls: with what is called. */
static void say_verdict(const rn_hang *h, bool calls, char out[512]) {
    int n =
        snprintf(out, 512, "%s %d %d:", rn_hang_name(h->verdict), (int)h->n_ranks, (int)h->n_files);
    for (int32_t c = 0; c < h->n_culprits; c++) {
        n += snprintf(out + n, 512 - (size_t)n, " %d", (int)h->culprits[c].rank);
        if (!calls) continue;
        n += snprintf(out + n, 512 - (size_t)n, " %s %d %s", h->culprits[c].call,
                      (int)h->culprits[c].seq, h->culprits[c].group);
    }
    for (int64_t w = 0; w < h->n_waits; w++) {
        n += snprintf(out + n, 512 - (size_t)n, "; %d", (int)h->waits[w].at.rank);
        for (int32_t i = 0; i < h->waits[w].n_ranks; i++)
            n += snprintf(out + n, 512 - (size_t)n, ">%d", (int)h->waits[w].ranks[i]);
    }
}

/* Reads both forms of a state and compares what is said of them. */
static void same_verdict(const job_state counts, rn_hang_verdict expected) {
    char of_text[512], of_json[512];
    bool unlike = false;
    int64_t first = -1;
    for (int r = 0; r < RANKS; r++) {
        unlike = unlike || (counts[r] >= 0 && first >= 0 && counts[r] != first);
        if (counts[r] >= 0) first = counts[r];
    }
    ras_again();
    say_text(counts, "AllReduce");
    cr_assert(rn_is_ras_text(ras.text, ras.n_text));
    cr_assert_eq(ras_read_text(), RS_OK, "%s\n%s", ras.error.text, ras.text);
    rn_hang hang = judged();
    if (expected != RN_N_HANG_VERDICTS) cr_assert_eq(hang.verdict, expected);
    say_verdict(&hang, unlike, of_text);
    ras_again();
    say_json(counts);
    cr_assert(!rn_is_ras_text(ras.text, ras.n_text));
    cr_assert_eq(rn_read_ras(ras.text, ras.n_text, &ras.scratch, &ras.keep, &ras.error, &ras.dumps,
                             &ras.n_dumps),
                 RS_OK);
    hang = judged();
    say_verdict(&hang, unlike, of_json);
    cr_assert_str_eq(of_text, of_json);
}

Test(ras_text, says_what_the_same_state_in_json_says) {
    same_verdict((const job_state){64, 64, 64, 64, 64, 64, 64, 60}, RN_HANG_MISSING_CALL);
    same_verdict((const job_state){64, 64, 64, -1, 64, -1, 64, 64}, RN_HANG_SILENT_RANK);
    same_verdict((const job_state){64, 64, 64, 64, 64, 64, 64, 64}, RN_HANG_UNDECIDED);
    same_verdict((const job_state){64, 64, 65, 64, 64, 65, 64, 64}, RN_HANG_UNDECIDED);
    same_verdict((const job_state){64, 64, 64, 64, 64, 66, 64, -1}, RN_HANG_UNDECIDED);
    same_verdict((const job_state){64, 63, 64, 64, 63, 64, 64, 60}, RN_N_HANG_VERDICTS);
    same_verdict((const job_state){64, 0, 64, 64, 0, 64, 64, 64}, RN_N_HANG_VERDICTS);
    for (ras.state = 1; ras.state < 300;) {
        const uint64_t seed = ras.state;
        job_state counts;
        int behind = (int)ras_draw(4),
            gone = (int)ras_draw(3); /* together fewer than those that agree */
        for (int r = 0; r < RANKS; r++) counts[r] = 9;
        while (behind-- > 0) counts[ras_draw(RANKS)] = (int64_t)ras_draw(9);
        if (gone == 1) counts[ras_draw(RANKS)] = -1;
        same_verdict(counts, RN_N_HANG_VERDICTS);
        ras.state = seed + 1;
    }
}

static void refused(const char *why) {
    cr_assert_eq(ras_read_text(), RS_BAD_INPUT, "%s", ras.text);
    cr_assert_str_eq(ras.error.text, why);
}

Test(ras_text, what_does_not_say_who_is_behind_is_refused) {
    static const char hidden[] =
        "it does not list which ranks are behind: ask ncclras with -v, or for JSON";
    static const char cut[] = "it ends before it has said which ranks are behind";
    say_table();
    refused("it names no rank's calls");
    ras_again();
    say_text((const job_state){64, 64, 64, 64, 63, 63, 63, 63}, "AllReduce");
    refused(hidden);
    ras_again();
    say_text((const job_state){64, 64, 64, 64, 64, 63, 63, 63}, "AllReduce");
    ras.n_text -= 70; /* within the list */
    refused(cut);
    ras_again();
    say_table();
    say_row(0, 1, "4", 8, "MISMATCH");
    refused(cut);
    ras_again(); /* a list that names a rank twice, or one that there is not */
    say_text((const job_state){64, 64, 64, 64, 64, 63, 63, 63}, "AllReduce");
    memcpy(strstr(ras.text, "Rank 5"), "Rank 6", 6);
    refused(hidden);
    ras_again();
    say_text((const job_state){64, 64, 64, 64, 64, 63, 63, 63}, "AllReduce");
    memcpy(strstr(ras.text, "Rank 5"), "Rank 9", 6);
    refused(hidden);
    ras_again();
    say_block(0, 0, "INCOMPLETE");
    ras_say("  Missing communicator data from 40 ranks\n");
    refused(hidden);
}

/* The ranks of two communicators may be the same, or not: the text does not tell. */
Test(ras_text, one_communicator_counts) {
    const job_state one = {64, 64, 64, 64, 64, 64, 64, 60}, two = {64, 64, 64, 64, 64, 64, 60, 60};
    for (int all = 0; all < 2; all++) {
        for (int n = 1; n <= 2; n++) {
            for (int behind = 1; behind <= 2; behind++) {
                ras_again();
                say_table();
                if (all == 1) say_row(0, 1, "4", RANKS, "MISMATCH");
                if (n - all > 0) say_row(all, n - all, "3-4", RANKS, "MISMATCH");
                say_end_of_table();
                for (int i = 0; i < n; i++) {
                    say_block(all == 1 && i == 1, all == 1 ? 0 : i, "MISMATCH");
                    say_counts(behind == 1 ? one : two, "collective");
                }
                if (n == 2 && (all == 0 || behind == 2)) {
                    refused(
                        "several communicators differ, and it does not say which of their ranks are the "
                        "same: ask ncclras for JSON");
                    continue;
                }
                cr_assert_eq(ras_read_text(), RS_OK, "%s", ras.error.text);
                const rn_hang hang = judged();
                cr_assert_eq(hang.verdict, RN_HANG_MISSING_CALL);
                cr_assert_eq(hang.n_culprits, behind);
                cr_assert_eq(hang.culprits[behind - 1].rank, 7);
                const char *desc = hang.culprits[0].desc; /* which communicator's ranks */
                cr_assert_eq(desc, NULL);
            }
        }
    }
    ras_again(); /* one of two that are alike but for that: its own ranks */
    say_table();
    say_row(0, 1, "4", RANKS, "MISMATCH");
    say_row(1, 2, "4", RANKS, "OK");
    memcpy(strstr(ras.text, "    0         1"), "    0         2", 15);
    say_end_of_table();
    say_block(0, 1, "MISMATCH");
    say_counts(one, "AllReduce");
    refused("it ends before it has said which ranks are behind");
    ras_again();
    say_table();
    say_row(0, 2, "4", RANKS, "OK");
    say_row(1, 1, "4", RANKS, "MISMATCH");
    say_end_of_table();
    say_block(1, 0, "MISMATCH");
    say_counts(one, "AllReduce");
    cr_assert_eq(ras_read_text(), RS_OK, "%s", ras.error.text);
    const rn_hang own = judged();
    cr_assert(own.n_culprits == 1 && own.culprits[0].rank == 7);
    cr_assert_str_eq(own.culprits[0].desc, "#1-0");
    ras_again(); /* a report asked for again: the last counts */
    say_text(one, "AllReduce");
    say_text((const job_state){70, 70, 69, 70, 70, 70, 70, 70}, "Broadcast");
    cr_assert_eq(ras_read_text(), RS_OK);
    const rn_hang hang = judged();
    cr_assert(hang.n_culprits == 1 && hang.culprits[0].rank == 2 && hang.culprits[0].seq == 70);
}

Test(ras_text, a_rank_without_the_communicator_is_missing) {
    say_table();
    say_row(0, 1, "4", RANKS, "MISMATCH");
    say_end_of_table();
    say_block(0, 0, "MISMATCH");
    ras_say("  Communicator ranks have different status\n  7 ranks have status RUNNING\n");
    say_rank(3, "has status NOCOMM ");
    cr_assert_eq(ras_read_text(), RS_OK, "%s", ras.error.text);
    rn_hang hang = judged();
    cr_assert_eq(hang.verdict, RN_HANG_SILENT_RANK);
    cr_assert(hang.n_culprits == 1 && hang.culprits[0].rank == 3);
}

/* Lines pasted without the table: the parts say how many there are. Large numbers stay out. */
Test(ras_text, sizes_of_a_report_are_bounded) {
    say_block(0, 0, "MISMATCH");
    ras_say("Communicator ranks have different AllReduce operation counts\n"
            "65535 ranks have launched up to operation 64\n");
    say_rank(65535, "has launched up to operation 99999999999999999999999999 ");
    cr_assert(rn_is_ras_text(ras.text, ras.n_text));
    cr_assert_eq(ras_read_text(), RS_OK, "%s", ras.error.text);
    cr_assert_eq(ras.n_dumps, 65536);
    const rn_hang hang = judged();
    cr_assert_eq(hang.n_ranks, 65536);
    ras_again();
    for (int i = 0; i < 200; i++)
        say_block(0, i, "MISMATCH"),
            ras_say("Communicator ranks have different AllReduce operation counts\n");
    refused("several communicators differ, and it does not say which of their ranks are the same: "
            "ask ncclras for JSON");
    ras_again();
    say_block(0, 0, "MISMATCH");
    ras_say("Communicator ranks have different AllReduce operation counts\n"
            "99999999999999999999 ranks have launched up to operation 64\n");
    say_rank(99999999, "has launched up to operation 3 ");
    cr_assert_eq(ras_read_text(), RS_BAD_INPUT);
}

/* As many ranks in one part as there may be at all, and one more. */
Test(ras_text, a_part_is_bounded_as_all_are) {
    static const char *const sizes[] = {"1",     "8",     "65535",      "65536",
                                        "65537", "65544", "4294967297", "9223372036854775807"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ras_again();
        say_block(0, 0, "MISMATCH");
        ras_say("Communicator ranks have different AllReduce operation counts\n"
                "%s ranks have launched up to operation 64\n",
                sizes[i]);
        cr_assert_eq(ras_read_text(), i < 4 ? RS_OK : RS_BAD_INPUT, "%s: %s", sizes[i],
                     ras.error.text);
        if (i < 4) cr_assert_eq(ras.n_dumps, strtol(sizes[i], NULL, 10));
    }
}

Test(ras_text, torn_and_mutated_reports_are_read_or_refused) {
    static char whole[RAS_ROOM];
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        ras.state = seed * 0x9e3779b97f4a7c15;
        ras_again();
        say_text((const job_state){64, 63, 64, 64, -1, 64, 64, 60}, "AllReduce");
        memcpy(whole, ras.text, ras.n_text);
        for (uint32_t k = ras_draw(6); k > 0; k--) {
            const uint32_t from = ras_draw((uint32_t)ras.n_text),
                           to = ras_draw((uint32_t)ras.n_text);
            const uint32_t n = ras_draw(40), end = (uint32_t)ras.n_text - (from > to ? from : to);
            if (ras_draw(2) == 0) memcpy(ras.text + to, whole + from, n < end ? n : end);
            ras.text[ras_draw((uint32_t)ras.n_text)] = (char)("0123456789 -#\n\0()~"[ras_draw(18)]);
        }
        if (ras_draw(2) == 0) ras.n_text = ras_draw((uint32_t)ras.n_text);
        const rs_status status = ras_read_text();
        cr_assert(status == RS_OK || status == RS_BAD_INPUT);
        if (status != RS_OK) {
            cr_assert(ras.error.text[0] != '\0' && strchr(ras.error.text, '\n') == NULL);
            continue;
        }
        cr_assert(ras.n_dumps > 0);
        for (int32_t d = 0; d < ras.n_dumps; d++) {
            cr_assert(ras.dumps[d].rank >= 0 &&
                      (d == 0 || ras.dumps[d].rank > ras.dumps[d - 1].rank));
            for (int64_t i = 0; i < ras.dumps[d].n_calls; i++)
                cr_assert(ras.dumps[d].calls[i].seq >= 0 &&
                          ras.dumps[d].calls[i].group < ras.dumps[d].n_groups);
        }
        judged();
    }
}
