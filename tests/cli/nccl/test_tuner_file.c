/* test_tuner_file.c: a tuner's lines are read as they were meant, however they are written; what is wrong in one is told with
 * its number, and the first that fits hides the rest.
 */
#include "nccl/nccl_files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

enum { MOST = 40, TEXT = 8192 };

static rs_arena arena;
static rs_error error;
static char text[TEXT];
static size_t used;

static const char *const colls[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                    "allreduce"};
static const rs_collective of[] = {RS_COLL_BROADCAST, RS_COLL_REDUCE, RS_COLL_ALL_GATHER,
                                   RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_REDUCE};
static const char *const algos[] = {"tree",      "ring", "collnet_direct", "collnet_chain", "nvls",
                                    "nvls_tree", "pat"};
static const char *const protos[] = {"ll", "ll128", "simple"};

static void begin(void) {
    rs_arena_init(&arena, NULL);
    used = 0;
    text[0] = '\0';
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(tuner_file, .init = begin, .fini = end);

static void add(const char *piece) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s", piece);
}

/* Adds a field, with blanks round it or without. */
static void add_field(const char *value, bool last) {
    static const char *const blanks[] = {"", "", "", " ", "\t", "  "};
    add(blanks[session_below(6)]);
    add(value);
    add(blanks[session_below(6)]);
    add(last ? (session_below(4) == 0 ? "\r\n" : "\n") : ",");
}

static int64_t draw_number(int64_t most) {
    const int64_t numbers[] = {-1, 0, 1, most, most - 1, most / 3};
    return numbers[session_below(6)];
}

/* Draws a rule, and writes its line. */
static void add_rule(rc_tuner_row *row) {
    char number[24];
    const int c = session_below(5), a = session_below(7), p = session_below(3);
    *row = (rc_tuner_row){.least = draw_number(1 << 20),
                          .most = draw_number(1 << 30),
                          .collective = of[c],
                          .algorithm = (rn_nccl_algorithm)a,
                          .protocol = (rn_nccl_protocol)p,
                          .n_channels = (int32_t)draw_number(RN_NCCL_MOST_CHANNELS),
                          .n_nodes = (int32_t)draw_number(1 << 20),
                          .n_ranks = (int32_t)draw_number(1 << 20)};
    const int64_t behind[] = {row->n_channels, row->n_nodes, row->n_ranks, 4, 1};
    const int n_behind = 3 + session_below(3);
    add_field(colls[c], false);
    snprintf(number, sizeof number, "%lld", (long long)row->least);
    add_field(number, false);
    snprintf(number, sizeof number, "%lld", (long long)row->most);
    add_field(number, false);
    add_field(algos[a], false);
    add_field(protos[p], false);
    for (int i = 0; i < n_behind; i++) {
        snprintf(number, sizeof number, "%lld", (long long)behind[i]);
        add_field(number, i == n_behind - 1);
    }
}

static void add_other(void) {
    static const char *const others[] = {
        "# a comment, of it all\n",
        "\n",
        "  \t\n",
        "   # tree,ring\n",
        "\r\n",
        "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n",
        " collective_type ,min_bytes,max_bytes\n"};
    add(others[session_below(7)]);
}

static void read_all(rn_findings *findings, rc_tuner_row **rows, int32_t *n_rows) {
    *findings = (rn_findings){.n_kept = 0};
    cr_assert_eq(rc_read_tuner(text, used, &arena, findings, &error, rows, n_rows), RC_GOOD, "%s",
                 error.text);
}

static int lines(void) {
    int n = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) n++;
    return n;
}

Test(tuner_file, rules_are_read_as_they_were_meant) {
    session_begin(5);
    for (int k = 0; k < 400; k++) {
        rc_tuner_row want[MOST], *rows;
        rn_findings findings;
        int32_t n_rows, n = 0;
        used = 0;
        text[0] = '\0';
        for (int i = session_below(12); i >= 0; i--) {
            if (session_below(3) == 0) add_other();
            want[n].line = 0;
            const int line = lines() + 1;
            add_rule(&want[n]);
            want[n++].line = line;
        }
        if (session_below(2) == 0) text[--used] = '\0'; /* the last line without its end */
        cr_expect(rc_is_tuner(text, used));
        read_all(&findings, &rows, &n_rows);
        cr_assert_eq(n_rows, n, "%d of %d rules of\n%s", (int)n_rows, (int)n, text);
        for (int i = 0; i < n; i++) {
            cr_expect(rows[i].line == want[i].line && rows[i].least == want[i].least &&
                          rows[i].most == want[i].most &&
                          rows[i].collective == want[i].collective &&
                          rows[i].algorithm == want[i].algorithm &&
                          rows[i].protocol == want[i].protocol &&
                          rows[i].n_channels == want[i].n_channels &&
                          rows[i].n_nodes == want[i].n_nodes && rows[i].n_ranks == want[i].n_ranks,
                      "rule %d of\n%s", i, text);
        }
    }
}

/* A good line with one field spoilt, and what is said of it. */
Test(tuner_file, a_field_that_is_wrong_is_named) {
    static const struct {
        int field;
        const char *value, *why;
    } spoilt[] = {{0, "alltoall", "field 1"},  {0, "all", "field 1"},
                  {1, "-2", "fields 2 and 3"}, {1, "9223372036854775808", "fields 2 and 3"},
                  {1, "", "fields 2 and 3"},   {2, "4k", "fields 2 and 3"},
                  {3, "rings", "field 4"},     {4, "ll64", "field 5"},
                  {5, "65", "field 6"},        {5, "-2", "field 6"},
                  {6, "1048577", "fields 7"},  {7, "1048577", "fields 7"},
                  {7, "x", "fields 7"}};
    static const char *const good[] = {"allreduce", "0",  "-1", "ring",
                                       "simple",    "64", "-1", "1048576"};
    for (size_t k = 0; k < sizeof spoilt / sizeof *spoilt; k++) {
        rc_tuner_row *rows;
        rn_findings findings;
        int32_t n_rows;
        used = 0;
        add("# first\nallreduce,0,4,tree,ll,-1,-1,-1\n");
        for (int i = 0; i < 8; i++) {
            add(i == spoilt[k].field ? spoilt[k].value : good[i]);
            add(i < 7 ? "," : "\nbroadcast,0,-1,ring,ll,1,2,16\n");
        }
        read_all(&findings, &rows, &n_rows);
        cr_expect_eq(n_rows, 2, "%s", text);
        cr_assert_eq(findings.n[RN_ERROR], 1, "%s", text);
        cr_expect_eq(findings.list[0].line, 3);
        cr_expect_not_null(strstr(findings.list[0].said.text, spoilt[k].why), "%s: %s", text,
                           findings.list[0].said.text);
    }
}

/* Does the rule take all that the other could? */
static bool takes_all(const rc_tuner_row *a, const rc_tuner_row *b) {
    return a->collective == b->collective && a->least <= b->least &&
           (a->most == -1 || (b->most != -1 && b->most <= a->most)) &&
           (a->n_nodes == -1 || a->n_nodes == b->n_nodes) &&
           (a->n_ranks == -1 || a->n_ranks == b->n_ranks);
}

Test(tuner_file, a_rule_that_nothing_comes_to_is_told_with_the_one_that_hides_it) {
    session_begin(9);
    for (int k = 0; k < 400; k++) {
        rc_tuner_row want[4], *rows;
        rn_findings findings;
        int32_t n_rows;
        int n_hidden = 0, n_told = 0;
        used = 0;
        for (int i = 0; i < 4; i++) add_rule(&want[i]);
        read_all(&findings, &rows, &n_rows);
        for (int late = 0; late < 4; late++) {
            int early = 0;
            char why[80];
            bool told = false;
            while (early < late && !takes_all(&want[early], &want[late])) early++;
            snprintf(why, sizeof why, "line %d comes first and takes all", early + 1);
            for (int i = 0; i < findings.n_kept; i++) {
                const rn_finding *f = &findings.list[i];
                told = told || (f->line == late + 1 && strstr(f->said.text, why) != NULL);
            }
            cr_expect_eq(told, early < late, "line %d of\n%s", late + 1, text);
            n_hidden += early < late;
        }
        for (int i = 0; i < findings.n_kept; i++)
            n_told += strstr(findings.list[i].said.text, "comes first") != NULL;
        cr_expect_eq(n_told, n_hidden, "%s", text);
    }
}

/* What lies behind the text is not read: a text reads as one that ends there. */
Test(tuner_file, nothing_behind_the_text_is_read) {
    static const char *const behind[] = {
        "", ",5", ",ring,simple,1,1,1\n", "\nallreduce,0,1,ring,ll,1,1,1\n", "# x", "x", "1"};
    static const char *const lines[] = {
        "# by hand\n",          "\n",       "allreduce,0,1\n",         "allreduce,0,1,2\n",
        "allreduce,0,1,ring\n", "allreduc", "collective_type,1,2,3\n", "x,1,2,3,4,5\n"};
    session_begin(10);
    for (int k = 0; k < 600; k++) {
        rc_tuner_row *rows, *other;
        rn_findings findings, told;
        int32_t n_rows, n_other;
        used = 0;
        text[0] = '\0';
        for (int i = session_below(5); i >= 0; i--) add(lines[session_below(8)]);
        if (session_below(3) == 0) {
            rc_tuner_row ignored;
            add_rule(&ignored);
        }
        used = (size_t)session_below((int32_t)used + 1);
        text[used] = '\0';
        const bool is = rc_is_tuner(text, used);
        read_all(&findings, &rows, &n_rows);
        strcpy(text + used, behind[session_below(7)]);
        cr_assert_eq(rc_is_tuner(text, used), is, "%.*s|%s", (int)used, text, text + used);
        read_all(&told, &other, &n_other);
        cr_assert(n_rows == n_other && findings.n[RN_ERROR] == told.n[RN_ERROR] &&
                      findings.n[RN_WARNING] == told.n[RN_WARNING],
                  "%.*s|%s", (int)used, text, text + used);
    }
}

/* A file is a tuner's if one of its first 200 lines has five fields and begins as a rule does, or as the head. */
Test(tuner_file, is_known_by_its_first_200_lines) {
    static const struct {
        const char *line;
        bool is;
    } lines[] = {{"allreduce,0,1,ring,ll", true},    {"allreduce,0,1,ring", false},
                 {"collective_type,a,b,c,d", true},  {"collective_type,a,b,c", false},
                 {"# allreduce,0,1,ring,ll", false}, {"allredu,0,1,ring,ll", false},
                 {" allreduce , 0,1,2,3", true},     {"x,allreduce,1,2,3,4", false}};
    for (int before = 0; before <= 202; before += before < 198 ? 33 : 1) {
        for (int i = 0; i < 8; i++) {
            used = 0;
            text[0] = '\0';
            for (int k = 0; k < before; k++) add(k % 2 == 0 ? "# a comment\n" : "a,line\n");
            add(lines[i].line);
            cr_expect_eq(rc_is_tuner(text, used), lines[i].is && before < 200, "%d lines, then %s",
                         before, lines[i].line);
        }
    }
}
