/* test_hang_words.c: what is said of made jobs that stand still: a sentence a job, some pages and JSON whole; how ranks are
 * listed; whose dump a name is; what is in an archive.
 *
 * Golden: tests/golden/hang/; RINGSIM_UPDATE=1 writes it anew.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hang/hang.h"
#include "hangs/hang_maker.h"
#include "support/golden.h"

static char page[1 << 18];
static size_t n_page;

/* Adds what is printed to the page. */
static void print(const rs_hang *hang, bool json) {
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    if (json) {
        rc_json_hang(hang, stdout);
    } else {
        rc_print_hang(hang);
    }
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    n_page += fread(page + n_page, 1, sizeof page - 1 - n_page, file);
    page[n_page] = '\0';
    fclose(file);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    n_page += (size_t)vsnprintf(page + n_page, sizeof page - n_page, format, arguments);
    va_end(arguments);
    cr_assert_lt(n_page, sizeof page);
}

/* Reads and judges a job, then hands the answer on. */
static void judge(const made_job *j, void (*then)(const made_job *j, const rs_hang *hang)) {
    rs_dump *dumps = calloc((size_t)j->n_ranks, sizeof *dumps);
    rs_arena keep;
    rs_error error;
    rs_hang hang;
    int32_t n = 0;
    cr_assert_not_null(dumps);
    rs_arena_init(&keep, NULL);
    for (int32_t r = 0; r < j->n_ranks; r++) {
        size_t n_bytes = 0;
        char *bytes = dump_rank(j, r, &n_bytes);
        rs_arena scratch;
        if (bytes == NULL) continue;
        rs_arena_init(&scratch, NULL);
        if (rs_read_recorder(bytes, n_bytes, &scratch, &keep, &error, &dumps[n]) == RS_OK) {
            dumps[n++].rank = r;
        }
        rs_arena_free(&scratch);
        free(bytes);
    }
    cr_assert_eq(rs_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
    then(j, &hang);
    rs_arena_free(&keep);
    free(dumps);
}

static void say_sentence(const made_job *j, const rs_hang *hang) {
    char text[RV_HANG_TEXT];
    say("%d, %s of %d: %s, %d waits: %s\n", (int)j->wish.seed, made_fault_name(j->fault),
        (int)j->culprit, rs_hang_name(hang->verdict), (int)hang->n_waits,
        rc_hang_sentence(hang, text));
}

Test(hang_words, each_job_has_its_sentence) {
    n_page = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 24, .fault = MADE_N_FAULTS};
        made_job *j = make_hang(&wish);
        judge(j, say_sentence);
        free_hang(j);
    }
    golden_compare("hang/sentences", page);
}

static void print_both(const made_job *j, const rs_hang *hang) {
    say("%d, %s of %d\n", (int)j->wish.seed, made_fault_name(j->fault), (int)j->culprit);
    print(hang, false);
    print(hang, true);
    say("\n");
}

Test(hang_words, pages_and_json_of_each_fault) {
    n_page = 0;
    for (uint64_t seed = 1001; seed < 1001 + MADE_N_FAULTS; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 16, .fault = (made_fault)(seed - 1001)};
        made_job *j = make_hang(&wish);
        judge(j, print_both);
        free_hang(j);
    }
    golden_compare("hang/pages", page);
}

/* ------------------------------------------------------------------ sentences */

static rs_hang_place culprits[3] = {{.rank = 7,
                                     .group = "5",
                                     .desc = "tp",
                                     .seq = 31,
                                     .call = "all_reduce",
                                     .where = "a.py:3",
                                     .dtype = "Float",
                                     .n_in = 40,
                                     .n_out = 41},
                                    {.rank = 2,
                                     .group = "5",
                                     .desc = "tp",
                                     .seq = 32,
                                     .call = "all_gather",
                                     .where = "b.py:4",
                                     .dtype = "Half",
                                     .n_in = 0,
                                     .n_out = 50},
                                    {.rank = 8, .group = "6", .seq = 33, .call = "send"}};

static void no_hang_is_seen(void) {
    char text[RV_HANG_TEXT], want[RV_HANG_TEXT];
    rs_hang h = {.n_ranks = 9, .n_files = 9};
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "no hang: every call that is in the dumps is over");
    for (int lost = 1; lost < 4; lost++) {
        h.n_files = 9 - lost / 2;
        h.n_cut = lost - lost / 2;
        snprintf(want, sizeof want,
                 "no hang is seen: every call that is in the dumps is over, but ranks without a "
                 "whole dump: %d",
                 lost);
        cr_expect_str_eq(rc_hang_sentence(&h, text), want);
    }
}

/* What no made job shows: each difference by its name, candidates, what is not known. */
Test(hang_words, sentences_follow_their_values) {
    static const char alike[] =
        "rank 7 differs in %s: its call 31 of group 5 (tp) is all_reduce of "
        "40 Float at a.py:3, that of 6 of 9 ranks all_gather of 50 Half at "
        "b.py:4";
    static const char *const differs[] = {"the size", "the operation", "the type",
                                          "the size", "the split",     "the root"};
    char text[RV_HANG_TEXT], want[RV_HANG_TEXT];
    rs_hang h = {.verdict = RS_HANG_MISMATCH,
                 .culprits = culprits,
                 .n_culprits = 1,
                 .others = culprits[1],
                 .has_others = true,
                 .n_agree = 6,
                 .n_of = 9};
    for (int d = RS_DIFFERS_NOT; d <= RS_DIFFERS_ROOT; d++) {
        h.difference = (rs_hang_difference)d;
        snprintf(want, sizeof want, alike, differs[d]);
        cr_expect_str_eq(rc_hang_sentence(&h, text), want);
    }
    h.verdict = RS_HANG_SWAPPED;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 made calls in another order: its call 31 of group 5 (tp) is all_reduce "
        "at a.py:3, that of 6 of 9 ranks all_gather at b.py:4");
    h.verdict = RS_HANG_UNDECIDED;
    h.n_culprits = 2;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "ranks 7 and 2 disagree in group 5 (tp): rank 7 called all_reduce of 40 Float "
                     "at a.py:3 (number 31), rank 2 called all_gather of 50 Half at b.py:4 (number "
                     "32); nobody else tells who is right");
    h.later = true;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "rank 7 called all_reduce at a.py:3, call 31 of group 5 (tp), and rank 2 did "
                     "not: one too many there, or one too few here");
    h.n_culprits = 1;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.n_culprits = 0;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: every dump ends too early to show who waits");
    h.n_waits = 1;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.verdict = RS_HANG_CYCLE;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.n_culprits = 3;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "3 ranks wait for each other in a circle: rank 7 is in all_reduce at a.py:3 "
                     "(call 31 of group 5 (tp)) and waits for rank 2, which is in all_gather at "
                     "b.py:4 (call 32 of group 5 (tp))");
    h.verdict = RS_HANG_SILENT_RANK;
    h.others = culprits[2];
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "ranks 2, 7, 8 have no dump, and are waited for in send, call 33 of group 6");
    h.verdict = RS_HANG_EXTRA_CALL;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "ranks 2, 7, 8 made one call too many: all_reduce at a.py:3, call 31 of group 5 "
        "(tp); the others do not come to it");
    h.verdict = RS_HANG_MISSING_CALL;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "ranks 2, 7, 8 have not come to all_reduce at "
                     "a.py:3, call 31 of group 5 (tp), and are waited for");
    no_hang_is_seen();
}

/* Several ranks are spoken of as several. */
Test(hang_words, several_ranks_are_ranks) {
    static const struct {
        rs_hang_verdict verdict;
        const char *text;
    } cases[] = {
        {RS_HANG_MISMATCH,
         "ranks 2, 7, 8 differ in the type: their call 31 of group 5 (tp) is all_reduce of 40 Float "
         "at a.py:3, that of 6 of 9 ranks all_gather of 50 Half at b.py:4"},
        {RS_HANG_SWAPPED,
         "ranks 2, 7, 8 made calls in another order: their call 31 of group 5 (tp) is all_reduce at "
         "a.py:3, that of 6 of 9 ranks all_gather at b.py:4"},
        {RS_HANG_MISSING_CALL,
         "ranks 2, 7, 8 left out all_reduce at a.py:3, call 31 of group 5 (tp); 6 of its 9 ranks made "
         "it"},
        {RS_HANG_EXTRA_CALL,
         "ranks 2, 7, 8 made one call too many: all_reduce at a.py:3, their call 31 of group 5 (tp); 6 "
         "of its 9 ranks did not"}};
    char text[RV_HANG_TEXT];
    rs_hang h = {.culprits = culprits,
                 .n_culprits = 3,
                 .others = culprits[1],
                 .has_others = true,
                 .n_agree = 6,
                 .n_of = 9,
                 .difference = RS_DIFFERS_TYPE};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        h.verdict = cases[i].verdict;
        cr_expect_str_eq(rc_hang_sentence(&h, text), cases[i].text);
    }
    h.verdict = RS_HANG_UNDECIDED;
    h.unread = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks 2, 7, 8 are waited for in all_gather at b.py:4, call 32 of "
        "group 5 (tp), and their dumps may be in the part of an archive that is missing");
}

/* Where ranks have no dump, and that does not explain it. */
Test(hang_words, silence_that_explains_nothing_is_said) {
    char text[RV_HANG_TEXT];
    rs_hang h = {.verdict = RS_HANG_UNDECIDED,
                 .culprits = culprits,
                 .n_culprits = 3,
                 .n_strayed = 1,
                 .others = culprits[1],
                 .has_others = true};
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 did not come to all_reduce at a.py:3, call 31 of group 5 (tp), as others "
        "did after the same calls; but it waits for ranks 2, 8, which have no dump");
    h.n_strayed = 2;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 did not come to all_reduce at a.py:3, call 31 of group 5 (tp), as others "
        "did after the same calls; but it waits for rank 8, which has no dump");
    h.has_others = false;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 went into all_reduce at a.py:3, call 31 of group 5 (tp), where others made "
        "another call after the same calls; but it waits for rank 8, which has no dump");
    h.n_strayed = 0;
    h.lost = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: 3 ranks are in the same call, all_reduce at a.py:3, number 31 of group 5 (tp); but "
        "dumps have lost earlier calls, of which one may not be over, or be another on other ranks");
    h.knotted = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks have no dump, but 3 others wait for each other in a circle: rank 7 is in "
        "all_reduce at a.py:3 (call 31 of group 5 (tp)) and waits for rank 2, which is in all_gather "
        "at b.py:4 (call 32 of group 5 (tp))");
}

/* ------------------------------------------------------------------ ranks, names, archives */

/* "0-3, 7": read again it is the same list; what does not fit ends with points. */
Test(hang_words, a_list_of_ranks_names_each_of_them) {
    for (unsigned set = 1; set < 1u << 12; set++) {
        int32_t ranks[12], n = 0, at = 0;
        char out[64];
        for (int32_t r = 0; r < 12; r++) {
            if (set >> r & 1) ranks[n++] = r * 10 / 10 + (r > 5 ? 90 : 0);
        }
        rv_rank_list(ranks, n, out, sizeof out);
        const char *c = out;
        while (*c != '\0') {
            char *end;
            const int32_t from = (int32_t)strtol(c, &end, 10);
            const int32_t to = *end == '-' ? (int32_t)strtol(end + 1, &end, 10) : from;
            cr_assert(to == from || to > from + 1, "%s", out);
            for (int32_t r = from; r <= to; r++) cr_assert(at < n && ranks[at++] == r, "%s", out);
            cr_assert(*end == '\0' || strncmp(end, ", ", 2) == 0, "%s", out);
            c = *end == '\0' ? end : end + 2;
        }
        cr_assert_eq(at, n, "%s", out);
    }
    const int32_t far[] = {1000000, 2000000, 3000000};
    char out[40];
    for (size_t room = 12; room < sizeof out; room++) {
        memset(out, '#', sizeof out);
        rv_rank_list(far, 3, out, room);
        cr_assert_lt(strlen(out), room);
        const char *points = strstr(out, ", ...");
        cr_assert((points == NULL) == (strcmp(out, "1000000, 2000000, 3000000") == 0), "%s", out);
    }
    cr_assert_str_eq(rv_rank_list(far, 3, out, 31), "1000000, 2000000, 3000000");
    cr_assert_str_eq(rv_rank_list(far, 3, out, 30), "1000000, 2000000, ...");
    cr_assert_str_eq(rv_rank_list(far, 0, out, 31), "");
}

Test(hang_words, a_name_ends_with_its_rank) {
    static const struct {
        const char *name;
        int32_t rank;
    } cases[] = {{"trace_12", 12},
                 {"a9/trace_3.json", 3},
                 {"x/y/17.pkl", 17},
                 {"nccl_trace_rank_0", 0},
                 {"7", 7},
                 {"rank5.json.gz", 5},
                 {"rank5.txt", 5},
                 {"rank6.pickle", 6},
                 {"4.log", 4},
                 {"trace", -1},
                 {"12/trace", -1},
                 {"trace_3.bin", -1},
                 {"trace_12345678", 12345678},
                 {"trace_123456789", -1},
                 {"3.gz.json", -1},
                 {".gz", -1},
                 {"", -1},
                 {"a/", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(rc_rank_of_name(cases[i].name), cases[i].rank, "%s: %d", cases[i].name,
                     (int)rc_rank_of_name(cases[i].name));
    }
}

enum { BLOCK = 512, ARCHIVE = 64 * BLOCK };

/* Adds a member of n bytes, all `fill`; returns the archive's length. */
static size_t add_member(char *archive, size_t at, const char *name, char type, size_t n,
                         char fill) {
    memset(archive + at, 0, BLOCK);
    snprintf(archive + at, 101, "%s", name);
    snprintf(archive + at + 124, 12, "%011o", (unsigned)n);
    archive[at + 156] = type;
    memcpy(archive + at + 257, "ustar", 6);
    memset(archive + at + BLOCK, fill, n);
    return at + BLOCK + (n + BLOCK - 1) / BLOCK * BLOCK;
}

Test(hang_words, an_archive_has_its_files_as_far_as_it_goes) {
    static char archive[ARCHIVE];
    char longest[301];
    memset(longest, 'n', 300), longest[300] = '\0';
    static const size_t sizes[] = {0, 1, 511, 512, 513, 1500};
    size_t ends[8], n = 0;
    n = add_member(archive, n, "folder/", '5', 0, 0);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "trace_%d", i);
        if (i == 2) n = add_member(archive, n, "x", 'x', 60, 'h');
        if (i == 3) {
            n = add_member(archive, n, "././@LongLink", 'L', 301, 0);
            memcpy(archive + n - 512, longest, 300);
            n = add_member(archive, n, "x", 'g', 60, 'h'); /* a head between keeps the name */
        }
        if (i == 4) n = add_member(archive, n, "link", '2', 0, 0);
        n = add_member(archive, n, name, i % 2 ? '0' : '\0', sizes[i], (char)('a' + i));
        ends[i] = n;
    }
    memset(archive + n, 0, 2 * (size_t)BLOCK);
    cr_assert(rc_is_tar(archive, n) && !rc_is_tar(archive, BLOCK - 1));
    for (size_t length = 0; length <= n + 2 * BLOCK; length += 7) {
        rc_tar_member m = {.name = ""};
        size_t at = 0;
        int i = 0;
        for (; rc_tar_next(archive, length, &at, &m); i++) {
            char name[16];
            snprintf(name, sizeof name, "trace_%d", i);
            cr_assert_str_eq(m.name, i == 3 ? longest : name);
            cr_assert(m.n_bytes <= sizes[i] && m.bytes + m.n_bytes <= archive + length);
            const size_t begins = ends[i] - (sizes[i] + BLOCK - 1) / BLOCK * BLOCK;
            cr_assert(m.bytes == archive + begins);
            cr_assert_eq(m.n_bytes, length - begins < sizes[i] ? length - begins : sizes[i]);
            for (size_t k = 0; k < m.n_bytes; k++) cr_assert_eq(m.bytes[k], 'a' + i);
        }
        int whole = 0;
        while (whole < 6 && ends[whole] - (sizes[whole] + BLOCK - 1) / BLOCK * BLOCK <= length)
            whole++;
        cr_assert_eq(i, whole, "%d of %d bytes: %d files", (int)length, (int)n, i);
    }
}
