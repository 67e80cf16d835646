/* test_ras_lists.c: drawn reports of RAS as text, right ones and some with a list that does not fit, against a plain account: a
 * kind of calls is believed where it says of each rank once how far it came, or that it is missing.
 */
#include "nccl/hang/dumps/ras_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 8, PARTS = 6, KINDS = 3, MOST_KINDS = 16 };

TestSuite(ras_lists, .init = ras_start, .fini = ras_stop);

static int draw(uint32_t below) {
    return (int)ras_draw(below);
}

static void say_beginning(bool table) {
    if (table)
        ras_say("Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
                "    #  in group  per comm  per node  per comm  in group\n"
                "    0         1         2         4         %d         8   RUNNING  MISMATCH\n\n",
                (int)RANKS);
    ras_say("#0-0 (27a079b828ff1a75) MISMATCH\n");
}

/* ------------------------------------------------------------------ a report */

/* So many ranks have launched so many calls; those that are listed. single: one rank, in a line of its own. */
typedef struct part {
    int n, operation, listed[RANKS], n_listed;
    bool single;
} part;

typedef struct kind {
    part parts[PARTS];
    int n_parts;
} kind;

static kind kinds[KINDS];
static int n_kinds, missing[RANKS], n_missing, n_missing_said;

static void list_rank(part *p, int rank) {
    if (p->n_listed < RANKS) p->listed[p->n_listed++] = rank;
}

static void make_kind(kind *k, const bool gone[]) {
    static const int operations[] = {0, 1, 9, 64, 70};
    int of[RANKS], n_usual = 0;
    *k = (kind){0};
    for (int r = 0; r < RANKS; r++) of[r] = draw(3) ? 3 : draw(5);
    for (int o = 0; o < 5; o++) {
        part p = {.operation = operations[o]};
        for (int r = 0; r < RANKS; r++) {
            if (gone[r] || of[r] != o) continue;
            list_rank(&p, r);
            p.n++;
        }
        if (p.n == 0) continue;
        p.single = p.n == 1 && draw(4) != 0;
        if (!p.single && n_usual == 0 && draw(3) != 0) {
            p.n_listed = 0;
            n_usual++;
        }
        k->parts[k->n_parts++] = p;
    }
    if (k->n_parts == 0 || draw(2) == 0) return;
    part *p = &k->parts[draw((uint32_t)k->n_parts)];
    switch (draw(5)) {
    case 0: p->n += p->single ? 0 : draw(2) ? 1 : -1; break;
    case 1: p->n_listed = p->single ? 1 : 0; break;
    case 2: list_rank(p, draw(RANKS + 2)); break;
    case 3:
        if (p->n_listed > 0) p->listed[draw((uint32_t)p->n_listed)] = draw(RANKS + 2);
        break;
    default:
        if (p->n_listed > 1) p->n_listed--;
    }
    if (p->n < 1) p->n = 1;
    if (p->single) p->n_listed = p->n = 1;
}

static void make_report(void) {
    bool gone[RANKS] = {false};
    n_kinds = draw(KINDS + 1);
    n_missing = 0;
    for (int i = draw(3) ? 0 : draw(4); i > 0; i--) gone[draw(RANKS)] = true;
    for (int r = 0; r < RANKS; r++)
        if (gone[r]) missing[n_missing++] = r;
    for (int k = 0; k < n_kinds; k++) make_kind(&kinds[k], gone);
    n_missing_said = n_missing;
    if (n_missing == 0 || draw(4) != 0) return;
    if (draw(3) == 0) n_missing_said += draw(2) ? 1 : -1;
    if (draw(3) == 0) missing[draw((uint32_t)n_missing)] = draw(RANKS + 2);
}

static void say_kind(const kind *k, int number) {
    ras_say("  Communicator ranks have different Call%d operation counts\n", number);
    for (int i = 0; i < k->n_parts; i++) {
        const part *p = &k->parts[i];
        char what[64];
        snprintf(what, sizeof what,
                 p->operation > 0 ? "launched up to operation %d" : "not launched any operations",
                 p->operation);
        if (p->single) {
            ras_say("  Rank %d has %s -- GPU 1 managed by process 17 on node 10.0.0.1\n",
                    p->listed[0], what);
            continue;
        }
        ras_say("  %d ranks have %s\n", p->n, what);
        for (int r = 0; r < p->n_listed; r++)
            ras_say("  Rank %d -- GPU 1 managed by process 17 on node 10.0.0.1\n", p->listed[r]);
    }
    ras_say("\n");
}

/* ------------------------------------------------------------------ what it says */

/* Returns how many there are; the lists may name others. */
static int size_of(bool table) {
    int size = 0;
    for (int k = 0; k < n_kinds && !table; k++) {
        int n = n_missing_said;
        for (int i = 0; i < kinds[k].n_parts; i++) n += kinds[k].parts[i].n;
        if (n > size) size = n;
    }
    return table ? RANKS : size;
}

/* Which ranks are missing; false: that is not known. */
static bool know_missing(int size, bool gone[]) {
    for (int r = 0; r < size; r++) gone[r] = false;
    for (int i = 0; i < n_missing; i++) {
        if (missing[i] >= size || gone[missing[i]]) return false;
        gone[missing[i]] = true;
    }
    return size > 0 && n_missing == n_missing_said;
}

/* How far each came; false: it is not known of all, or is said twice. */
static bool believe(const kind *k, int size, const bool gone[], int count[]) {
    int n_said = 0, rest = -1;
    for (int r = 0; r < size; r++) count[r] = -1;
    for (int i = 0; i < k->n_parts; i++) {
        const part *p = &k->parts[i];
        n_said += p->n;
        if (p->n_listed == 0) {
            if (rest >= 0) return false;
            rest = p->operation;
            continue;
        }
        if (p->n_listed != p->n) return false;
        for (int r = 0; r < p->n; r++) {
            const int rank = p->listed[r];
            if (rank >= size || gone[rank] || count[rank] >= 0) return false;
            count[rank] = p->operation;
        }
    }
    for (int r = 0; r < size; r++) {
        if (gone[r] || count[r] >= 0) continue;
        if (rest < 0) return false;
        count[r] = rest;
    }
    return n_said + n_missing == size;
}

/* The dumps of the ranks that are there: a group of each kind that is believed, a call of it where any is known. */
static void expect_dumps(int size, const bool gone[], int n_believed, const int which[],
                         int count[][RANKS * 4]) {
    int d = 0;
    for (int r = 0; r < size; r++) {
        if (gone[r]) continue;
        cr_assert_lt(d, ras.n_dumps);
        const rn_dump *dump = &ras.dumps[d++];
        int n_calls = 0;
        cr_assert(dump->rank == r && dump->whole && dump->launched && !dump->cut);
        cr_assert_eq(dump->n_groups, n_believed > 0 ? n_believed : 1);
        for (int g = 0; g < dump->n_groups; g++) {
            const rn_call_group *group = &dump->groups[g];
            char name[64] = "0x27a079b828ff1a75", called[16] = "operation";
            if (n_believed > 0) {
                snprintf(called, sizeof called, "Call%d", which[g]);
                snprintf(name, sizeof name, "0x27a079b828ff1a75 %s", called);
            }
            const int seq = n_believed > 0 ? count[g][r] : 0;
            cr_assert_str_eq(dump->words[group->name], name);
            cr_assert(group->n_ranks == size && group->last_seq == seq, "rank %d: %d, not %d", r,
                      (int)group->last_seq, seq);
            for (int k = 0; k < size; k++) cr_assert_eq(group->ranks[k], k);
            if (seq == 0 && n_believed > 0) continue;
            const rn_call *call = &dump->calls[n_calls++];
            cr_assert(call->seq == seq && call->group == g && call->peer == -1);
            cr_assert_str_eq(dump->words[call->name], called);
        }
        cr_assert_eq(dump->n_calls, n_calls);
    }
    cr_assert_eq(ras.n_dumps, d);
}

Test(ras_lists, a_kind_is_believed_that_says_of_each_rank_once_how_far_it_came) {
    int n_of[3] = {0};
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        bool gone[4 * RANKS];
        int count[KINDS][4 * RANKS], which[KINDS], n_believed = 0;
        ras.state = seed * 0x9e3779b97f4a7c15;
        ras_again();
        make_report();
        const bool table = draw(3) != 0;
        say_beginning(table);
        if (n_missing > 0 || draw(4) == 0) {
            ras_say("  Missing communicator data from %d ranks\n", n_missing_said);
            for (int i = 0; i < n_missing; i++)
                ras_say("  Rank %d -- GPU 0 managed by process 9 on node 10.0.0.2\n", missing[i]);
            ras_say("\n");
        }
        for (int k = 0; k < n_kinds; k++) say_kind(&kinds[k], k);
        const int size = size_of(table);
        const bool known = know_missing(size, gone);
        for (int k = 0; k < n_kinds && known; k++) {
            if (!believe(&kinds[k], size, gone, count[n_believed])) continue;
            which[n_believed++] = k;
        }
        const bool is = known && (n_believed > 0 || n_missing > 0) && n_missing < size;
        cr_assert_eq(ras_read_text(), is ? RS_OK : RS_BAD_INPUT, "seed %d: %s\n%s", (int)seed,
                     is ? ras.error.text : "read", ras.text);
        n_of[!is ? 0 : n_believed > 0 ? 1 : 2]++;
        if (is) expect_dumps(size, gone, n_believed, which, count);
    }
    for (int i = 0; i < 3; i++) cr_assert_gt(n_of[i], 100, "%d: %d", i, n_of[i]);
}

/* Sixteen kinds have room; where there are more, or one's name is too long, nothing of the communicator is believed. */
Test(ras_lists, kinds_are_counted_up_to_their_bound) {
    for (int n = 1; n <= MOST_KINDS + 1; n++) {
        ras_again();
        say_beginning(true);
        for (int k = 0; k < n; k++) {
            ras_say("  Communicator ranks have different Call%d operation counts\n"
                    "  7 ranks have launched up to operation %d\n"
                    "  Rank %d has launched up to operation %d -- GPU 0\n\n",
                    k, 100 + k, k % 8, 50 + k);
        }
        cr_assert_eq(ras_read_text(), n <= MOST_KINDS ? RS_OK : RS_BAD_INPUT, "%d: %s", n,
                     ras.error.text);
        if (n > MOST_KINDS) continue;
        cr_assert_eq(ras.n_dumps, RANKS);
        for (int r = 0; r < RANKS; r++) {
            cr_assert(ras.dumps[r].n_groups == n && ras.dumps[r].n_calls == n &&
                      ras.dumps[r].rank == r);
            for (int k = 0; k < n; k++) {
                const int seq = k % 8 == r ? 50 + k : 100 + k;
                char name[64];
                snprintf(name, sizeof name, "0x27a079b828ff1a75 Call%d", k);
                cr_assert_str_eq(ras.dumps[r].words[ras.dumps[r].groups[k].name], name);
                cr_assert(ras.dumps[r].groups[k].last_seq == seq &&
                          ras.dumps[r].calls[k].seq == seq && ras.dumps[r].calls[k].group == k);
                cr_assert_str_eq(ras.dumps[r].words[ras.dumps[r].calls[k].name], name + 19);
            }
        }
    }
    for (int length = 1; length < 40; length++) {
        char name[41] = "";
        memset(name, 'a', (size_t)length);
        ras_again();
        say_beginning(true);
        ras_say("  Communicator ranks have different %s operation counts\n"
                "  7 ranks have launched up to operation 8\n"
                "  Rank 3 has launched up to operation 7 -- GPU 0\n",
                name);
        cr_assert_eq(ras_read_text(), length < 32 ? RS_OK : RS_BAD_INPUT, "%d", length);
        if (length < 32) cr_assert_str_eq(ras.dumps[0].words[ras.dumps[0].calls[0].name], name);
    }
}

/* Of several communicators the one of all ranks counts where one rank alone explains the others; whether there are several
   is what the table says, as far as it goes: over blank lines and headings, to the first other line. */
Test(ras_lists, of_several_one_counts_in_which_one_rank_is_behind) {
    static const char *const between[] = {"", "\n", "# and\n", "more\n", "12\n"};
    for (int turn = 0; turn < 64 * 5 * 2; turn++) {
        const int one = turn % 8, other = turn / 8 % 8, where = turn / 64 % 5;
        const int64_t behind = turn / 320 ? 0 : 50;
        char what[64] = "not launched any operations";
        if (behind > 0) snprintf(what, sizeof what, "launched up to operation %d", (int)behind);
        ras_again();
        ras_say("Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
                "    #  in group  per comm  per node  per comm  in group\n"
                "    0         1         2         4         8         8   RUNNING  MISMATCH\n%s"
                "    1         2         2         4         4         8   RUNNING  MISMATCH\n\n"
                "#0-0 (27a079b828ff1a75) MISMATCH\n",
                between[where]);
        for (int k = 0; k < 2; k++) {
            ras_say("  Communicator ranks have different Call%d operation counts\n"
                    "  7 ranks have launched up to operation 64\n"
                    "  Rank %d has %s -- GPU 0\n",
                    k, k == 0 ? one : other, what);
        }
        cr_assert_eq(ras_read_text(), one == other || where > 2 ? RS_OK : RS_BAD_INPUT, "%s%s",
                     ras.text, ras.error.text);
    }
}

/* A report shows what it is in its first 4096 bytes: a line counts as far as it stands there. */
Test(ras_lists, a_report_shows_early_what_it_is) {
    static const char *const heads[] = {"Job summary", "#0-0 (27a079b828ff1a75)",
                                        "Group Comms Nodes Ranks"};
    static char page[4096 + 200];
    for (int head = 0; head < 3; head++) {
        const size_t n_head = strlen(heads[head]);
        for (size_t left = 0; left < n_head + 3; left++) {
            for (int ended = 0; ended < 2; ended++) {
                const size_t at = 4096 - left;
                memset(page, 'x', sizeof page);
                page[at - 1] = '\n';
                memcpy(page + at, heads[head], n_head);
                page[at + n_head] = '\n';
                const size_t n = ended ? at + n_head : sizeof page;
                cr_assert_eq(rn_is_ras_text(page, n), left >= n_head, "%s, %d bytes", heads[head],
                             (int)left);
            }
        }
    }
}

/* Only what belongs to others ends a list: ranks below it are no longer of it. */
Test(ras_lists, a_list_ends_where_another_one_begins) {
    static const struct {
        const char *line;
        bool ends;
    } lines[] = {{"  3 ranks are fine", false},
                 {"  3 ranks reported an error", true},
                 {"  3 ranks have status RUNNING", true},
                 {"  Rank is not", false},
                 {"  more", false},
                 {"  3 processes reported", false},
                 {"  Warnings", true}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ras_again();
        say_beginning(true);
        ras_say("  Communicator ranks have different AllReduce operation counts\n"
                "  6 ranks have launched up to operation 64\n"
                "  2 ranks have launched up to operation 63\n%s\n"
                "  Rank 1 -- GPU 0\n  Rank 2 -- GPU 0\n",
                lines[i].line);
        cr_assert_eq(ras_read_text(), lines[i].ends ? RS_BAD_INPUT : RS_OK, "%s", lines[i].line);
        if (lines[i].ends) continue;
        for (int r = 0; r < RANKS; r++)
            cr_assert_eq(ras.dumps[r].groups[0].last_seq, r == 1 || r == 2 ? 63 : 64);
    }
}

/* Of a line the first bytes count, however long it is. */
Test(ras_lists, lines_may_be_of_any_length) {
    static char rest[4000];
    for (size_t n = 430; n < sizeof rest; n += n < 530 ? 1 : 777) {
        memset(rest, 'y', n);
        rest[n] = '\0';
        ras_again();
        say_beginning(true);
        ras_say("  Communicator ranks have different AllReduce operation counts\n"
                "  7 ranks have launched up to operation 64\n"
                "  Rank 5 has launched up to operation 63 -- GPU 0 %s\n",
                rest);
        cr_assert_eq(ras_read_text(), RS_OK, "%s", ras.error.text);
        cr_assert_eq(ras.n_dumps, RANKS);
        cr_assert_eq(ras.dumps[5].groups[0].last_seq, 63);
    }
}

/* The table may have groups of one rank; a row that cannot be one ends it. */
Test(ras_lists, rows_are_of_one_rank_at_least) {
    for (int size = 0; size <= 2; size++) {
        ras_again();
        ras_say("Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
                "    #  in group  per comm  per node  per comm  in group\n"
                "    0         1         1         1         %d         1   RUNNING      OK\n"
                "    1         2         2         4         8         8   RUNNING  MISMATCH\n\n"
                "#1-0 (27a079b828ff1a75) MISMATCH\n"
                "  Communicator ranks have different AllReduce operation counts\n"
                "  7 ranks have launched up to operation 64\n"
                "  Rank 5 has launched up to operation 63 -- GPU 0\n",
                size);
        /* without its row nobody knows that there is another one like it */
        cr_assert_eq(ras_read_text(), size < 1 ? RS_OK : RS_BAD_INPUT, "%d: %s", size,
                     ras.error.text);
    }
}
