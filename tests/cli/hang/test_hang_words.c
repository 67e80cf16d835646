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
static void print(const rn_hang *hang, bool json) {
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
static void judge(const made_job *j, void (*then)(const made_job *j, const rn_hang *hang)) {
    rn_dump *dumps = calloc((size_t)j->n_ranks, sizeof *dumps);
    rs_arena keep;
    rs_error error;
    rn_hang hang;
    int32_t n = 0;
    cr_assert_not_null(dumps);
    rs_arena_init(&keep, NULL);
    for (int32_t r = 0; r < j->n_ranks; r++) {
        size_t n_bytes = 0;
        char *bytes = dump_rank(j, r, &n_bytes);
        rs_arena scratch;
        if (bytes == NULL) continue;
        rs_arena_init(&scratch, NULL);
        if (rn_read_recorder(bytes, n_bytes, &scratch, &keep, &error, &dumps[n]) == RS_OK) {
            dumps[n++].rank = r;
        }
        rs_arena_free(&scratch);
        free(bytes);
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
    then(j, &hang);
    rs_arena_free(&keep);
    free(dumps);
}

static void say_sentence(const made_job *j, const rn_hang *hang) {
    char text[RV_HANG_TEXT];
    say("%d, %s of %d: %s, %d waits: %s\n", (int)j->wish.seed, made_fault_name(j->fault),
        (int)j->culprit, rn_hang_name(hang->verdict), (int)hang->n_waits,
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

static void print_both(const made_job *j, const rn_hang *hang) {
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

/* ------------------------------------------------------------------ ranks, names, archives */

/* Reads a range of "0-3, 7", and goes behind it; false: there is none. */
static bool read_range(const char **list, int32_t *from, int32_t *to) {
    char *end;
    if (**list < '0' || **list > '9') return false;
    *from = *to = (int32_t)strtol(*list, &end, 10);
    if (*end == '-') *to = (int32_t)strtol(end + 1, &end, 10);
    *list = strncmp(end, ", ", 2) == 0 ? end + 2 : end;
    return true;
}

/* At its end the picture says the sentence, and marks those culprits alone that it shows. Returns how many it marks. */
static int see_picture(const rn_hang *h, const char *sentence, rs_arena *keep, int seed) {
    static bool shown[1024], marked[1024];
    rv_frame frame = {.arena = keep, .now_ps = -1};
    rv_story story;
    rs_error error;
    int n = 0;
    cr_assert_eq(rv_story_hang(h, rc_hang_sentence, keep, &error, &story), RS_OK);
    story.frame(&story, story.n_steps, 0, &frame);
    cr_expect_eq(strncmp(frame.caption, sentence, 100), 0, "seed %d: %s", seed, frame.caption);
    cr_expect_eq(frame.bad, rc_hangs(h), "seed %d", seed);
    memset(shown, 0, sizeof shown);
    memset(marked, 0, sizeof marked);
    for (int32_t l = 0; l < frame.sequence.n_lines; l++) {
        const char *list = strchr(frame.sequence.lines[l].name, ' ') + 1;
        for (int32_t r, to; read_range(&list, &r, &to);) {
            for (; r <= to; r++, n += frame.sequence.lines[l].note != NULL) {
                shown[r] = true;
                marked[r] = frame.sequence.lines[l].note != NULL;
            }
        }
    }
    const bool decided = h->verdict != RN_HANG_UNDECIDED && h->verdict != RN_HANG_STUCK_INSIDE;
    for (int32_t i = 0, rank; i < h->n_culprits && decided; i++) {
        rank = h->culprits[i].rank;
        cr_expect(!shown[rank] || marked[rank], "seed %d: %d is to blame", seed, (int)rank);
        marked[rank] = false;
    }
    for (int32_t r = 0; r < 1024; r++)
        cr_expect_not(marked[r], "seed %d: %d is not to blame", seed, (int)r);
    return n;
}

/* Of jobs drawn in all forms: the sentence, the table, the picture and JSON say the same. */
Test(hang_words, all_looks_at_a_verdict_agree) {
    int n_marked = 0, n_waiters = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const made_wish wish = {.seed = seed,
                                .n_ranks = 24,
                                .fault = MADE_N_FAULTS,
                                .form = (made_form)(seed % MADE_N_FORMS),
                                .experts = seed % 2 == 0};
        made_job *j = make_hang(&wish);
        char sentence[RV_HANG_TEXT], part[64];
        rs_arena keep;
        rn_hang h;
        rs_arena_init(&keep, NULL);
        judge_made(j, &keep, &h);
        rc_hang_sentence(&h, sentence);
        n_page = 0;
        print(&h, true);
        cr_expect_not_null(strstr(page, sentence), "seed %d: %s", (int)seed, sentence);
        snprintf(part, sizeof part, "\"verdict\":\"%s\"", rn_hang_name(h.verdict));
        cr_expect_not_null(strstr(page, part), "seed %d", (int)seed);
        const char *at = strstr(page, "\"culprits\":["), *end = strstr(page, "\"waits\":[");
        cr_assert(at != NULL && end != NULL);
        cr_expect(h.n_culprits > 0 || at[12] == ']', "seed %d: %.30s", (int)seed, at);
        n_waiters += h.n_waiters;
        for (int32_t i = 0; i < h.n_culprits; i++) {
            snprintf(part, sizeof part, "{\"rank\":%d,", (int)h.culprits[i].rank);
            at = strstr(at, part);
            cr_assert(at != NULL && at < end, "seed %d: %s", (int)seed, part);
        }
        const bool undecided = strncmp(sentence, "undecided", 9) == 0;
        cr_expect(!undecided || h.verdict == RN_HANG_UNDECIDED, "seed %d", (int)seed);
        n_page = 0;
        print(&h, false);
        cr_expect_eq(strncmp(page, sentence, 40), 0, "seed %d", (int)seed);
        cr_expect_eq(strstr(page, "is in call") != NULL, h.n_waits > 0, "seed %d", (int)seed);
        /* Who is said to be silent is waited for in the table, too. */
        bool waited = h.verdict != RN_HANG_SILENT_RANK || h.doubt == RN_DOUBT_UNNAMED;
        for (int64_t w = 0; w < h.n_waits && !waited; w++) {
            for (int32_t k = 0; k < h.waits[w].n_ranks; k++)
                waited = waited || h.waits[w].ranks[k] == h.culprits[0].rank;
        }
        cr_expect(waited, "seed %d: %s", (int)seed, sentence);
        if (h.verdict == RN_HANG_STUCK_INSIDE)
            cr_expect_not_null(strstr(page, "nobody: all are there"), "seed %d", (int)seed);
        n_marked += see_picture(&h, sentence, &keep, (int)seed);
        rs_arena_free(&keep);
        free_hang(j);
    }
    cr_expect(n_marked > 40 && n_waiters > 40, "%d, %d", n_marked, n_waiters);
}

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
        for (int32_t r, to; read_range(&c, &r, &to);) {
            cr_assert(to == r || to > r + 1, "%s", out);
            for (; r <= to; r++) cr_assert(at < n && ranks[at++] == r, "%s", out);
        }
        cr_assert_eq(*c, '\0', "%s", out);
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
    cr_assert(rn_is_tar(archive, n) && !rn_is_tar(archive, BLOCK - 1));
    for (size_t length = 0; length <= n + 2 * BLOCK; length += 7) {
        rn_tar_member m = {.name = ""};
        size_t at = 0;
        int i = 0;
        for (; rn_tar_next(archive, length, &at, &m); i++) {
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
