/* test_nccl_pieces.c: what lines are made of, random texts against a plain reading of them: words, numbers, heads with their
 * threads, and lists that grow.
 */
#include "log/nccl_log.h"

#include <math.h>
#include <stdlib.h>

#include "log_found.h"

static uint64_t state = 1;

TestSuite(nccl_pieces, .init = start, .fini = stop);

static int draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % below);
}

/* ------------------------------------------------------------------ words */

/* Blanks before the words, and more of them where the words have one, are passed over. */
Test(nccl_pieces, words_are_taken_with_any_blanks) {
    int n_taken = 0;
    for (int turn = 0; turn < 5000; turn++) {
        static const char letters[] = "ab [";
        char words[8] = "", text[64];
        size_t n = 0;
        const int length = 1 + draw(5), fault = draw(2) ? draw((uint32_t)length) : -1;
        for (int i = 0; i < length; i++) {
            words[i] = letters[draw(4)];
            if ((i == 0 || words[i - 1] == ' ') && words[i] == ' ') words[i] = 'a';
        }
        for (int i = draw(3); i > 0; i--) text[n++] = ' ';
        bool is = true;
        for (int i = 0; i < length; i++) {
            char c = words[i];
            if (i == fault) {
                c = 'x';
                is = false;
            }
            text[n++] = c;
            if (c == ' ') {
                for (int k = draw(3); k > 0; k--) text[n++] = ' ';
            }
        }
        const size_t behind = n;
        text[n++] = 'z';
        text[n] = '\0';
        const char *at = text;
        cr_assert_eq(rn_take(&at, words), is, "'%s' in '%s'", words, text);
        cr_assert_eq(at, is ? text + behind : text);
        n_taken += is;
        const char *found = NULL, *wanted = strstr(text, words);
        cr_assert_eq(rn_find_words(text, words, &found), wanted != NULL);
        cr_assert_eq(found, wanted != NULL ? wanted + length : NULL);
    }
    cr_assert(n_taken > 2000 && n_taken < 3000);
}

Test(nccl_pieces, a_word_is_kept_up_to_its_room) {
    for (size_t room = 1; room < 12; room++) {
        for (size_t n = 0; n < 14; n++) {
            char out[16];
            memset(out, '#', sizeof out);
            rn_log_keep_word(out, room, "abcdefghijklmnop", n);
            const size_t kept = n < room ? n : room - 1;
            cr_expect_eq(strlen(out), kept);
            cr_expect_eq(memcmp(out, "abcdefghijklmnop", kept), 0);
            cr_expect_eq(out[kept + 1], '#');
        }
    }
}

/* ------------------------------------------------------------------ numbers */

Test(nccl_pieces, whole_numbers_are_read_up_to_their_bound) {
    static const int64_t bounds[] = {0, 9, 10, 99, 4096, INT32_MAX, INT64_MAX / 16};
    for (int turn = 0; turn < 4000; turn++) {
        const int64_t most = bounds[draw(7)];
        const int64_t number = draw(3) ? most + draw(5) - 2 : draw(1000000);
        const bool minus = draw(4) == 0, blank = draw(4) == 0;
        char text[64];
        if (number < 0) continue;
        snprintf(text, sizeof text, "%s%s%s%lld%s", blank ? "  " : "", minus ? "-" : "",
                 draw(3) == 0 ? "00" : "", (long long)number, draw(2) ? "x" : "");
        const char *at = text;
        int64_t read = -77;
        const bool is = number <= most;
        cr_assert_eq(rn_take_int(&at, most, &read), is, "%s, %lld at most", text, (long long)most);
        cr_assert_eq(read, !is ? -77 : minus ? -number : number);
        cr_assert(is ? *at == 'x' || *at == '\0' : at == text);
    }
    static const char *const none[] = {"", " ", "x", "-", "- 1", "--1", "+1", "/", ":", ".5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *at = none[i];
        int64_t read = -77;
        cr_expect_not(rn_take_int(&at, 99, &read), "'%s'", none[i]);
        cr_expect(at == none[i] && read == -77);
    }
}

Test(nccl_pieces, decimal_numbers_are_what_strtod_reads) {
    for (int turn = 0; turn < 4000; turn++) {
        char text[64];
        size_t n = 0;
        const int before = draw(20), after = draw(4) ? draw(17) : -1;
        if (draw(4) == 0) text[n++] = ' ';
        for (int i = 0; i < before; i++) text[n++] = (char)('0' + draw(10));
        if (after >= 0) text[n++] = '.';
        for (int i = 0; i < after; i++) text[n++] = (char)('0' + draw(10));
        text[n] = 'e';
        text[n + 1] = '\0';
        const char *at = text;
        double read = -77;
        const bool is = before > 0 && before <= 18;
        cr_assert_eq(rn_take_decimal(&at, &read), is, "'%s'", text);
        cr_assert_eq(at, is ? text + n : text, "'%s'", text);
        if (!is) {
            cr_assert_eq(read, -77);
            continue;
        }
        text[n] = '\0';
        const double wanted = strtod(text, NULL);
        cr_assert_leq(fabs(read - wanted), 1e-15 * fabs(wanted) + 1e-14, "'%s': %.17g", text, read);
    }
}

/* ------------------------------------------------------------------ threads, places, lists */

/* What was last said of each of many threads, and nothing of any other. */
Test(nccl_pieces, a_thread_speaks_of_what_it_last_said) {
    enum { THREADS = 3000 };
    static int32_t last[THREADS];
    rn_nccl_log_reader *r = begin_reader();
    cr_assert_null(rn_log_find_thread(r, 7));
    for (int i = 0; i < THREADS; i++) last[i] = -1;
    for (int turn = 0; turn < THREADS; turn++) {
        const int i = draw(THREADS);
        last[i] = draw(1000);
        rn_log_note_thread(r, (uint64_t)(i + 1) << (i % 2 ? 0 : 24), last[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        const uint64_t key = (uint64_t)(i + 1) << (i % 2 ? 0 : 24);
        const int32_t *found = rn_log_find_thread(r, key);
        cr_assert_eq(found != NULL, last[i] >= 0);
        if (found != NULL) cr_assert_eq(*found, last[i]);
    }
    cr_assert_null(rn_log_find_thread(r, 0));
    cr_assert_null(rn_log_find_thread(r, UINT64_MAX));
    cr_assert_not(r->arena->lacked);
}

Test(nccl_pieces, places_are_kept_in_order_with_all_their_numbers) {
    enum { N = 3 * RN_LOG_BLOCK + 5 };
    rn_nccl_log_reader *r = begin_reader();
    rn_log_places places = {0};
    for (int i = 0; i < N; i++) {
        r->comm = i % 7 - 2;
        r->log.n_lines = i == N - 1 ? (int64_t)UINT32_MAX + 5 : i;
        rn_log_add_place(r, &places, i % 256, i % 3, i, i % 5 - 1, RN_LOG_MOST_RANKS - i);
    }
    for (int i = 0; i < places.n; i++) {
        const rn_log_place *p = rn_log_place_at(&places, i);
        cr_assert(p->comm == i % 7 - 2 && p->channel == i % 256 && p->tree == (i % 3 != 0));
        cr_assert(p->rank == (unsigned)i && (int)p->prev_1 == i % 5 &&
                  (int)p->next_1 == RN_LOG_MOST_RANKS - i + 1);
        cr_assert_eq(p->line, i == N - 1 ? UINT32_MAX : (unsigned)i);
    }
    cr_assert(places.n == N && !places.full && !r->arena->lacked);
    places.n = RN_LOG_MOST_PLACES;
    rn_log_add_place(r, &places, 0, 0, 0, 0, 0);
    cr_assert(places.full && places.n == RN_LOG_MOST_PLACES);
}

Test(nccl_pieces, what_grows_keeps_what_it_had) {
    rn_nccl_log_reader *r = begin_reader();
    int *list = NULL;
    int32_t n = 0, room = 0;
    for (int i = 0; i < 1000; i++) {
        int *new = rn_log_add(r, list, n, room);
        cr_assert(new != NULL &&*new == 0 && n == i + 1);
        *new = i + 1;
    }
    for (int i = 0; i < 1000; i++) cr_assert_eq(list[i], i + 1);
}

/* ------------------------------------------------------------------ warnings */

/* A warning among the last 64 is counted; an older one is said once more. */
Test(nccl_pieces, a_warning_is_counted_where_it_was_lately_said) {
    for (int between = 60; between < 68; between++) {
        stop();
        start();
        rn_nccl_log_reader *r = begin_reader();
        r->log.n_lines = 7;
        rn_log_warn(r, "first", true);
        r->log.n_lines = 1000;
        for (int i = 0; i < between; i++) {
            char other[16];
            snprintf(other, sizeof other, "first%d", i);
            rn_log_warn(r, other, true);
        }
        r->log.n_lines = 9;
        rn_log_warn(r, "first", true);
        rn_log_warn(r, "firs", true);
        rn_log_end_warnings(r);
        const bool lately = between < 64;
        cr_assert_eq(count_all(), between + (lately ? 2 : 3), "%d between", between);
        cr_expect_eq(found_.n[RN_WARNING], count_all());
        expect_found(RN_WARNING, 9, "NCCL warns: firs");
        cr_expect_str_eq(found_.list[0].said.text,
                         lately ? "NCCL warns, 2 times: first" : "NCCL warns: first");
        cr_expect_eq(found_.list[0].line, 7);
        cr_expect_eq(count_found("NCCL warns, 2 times"), lately);
    }
}

/* What is repeated of a line is as much as there is room for, and so much is what tells warnings apart. */
Test(nccl_pieces, a_line_in_a_sentence_is_cut_to_its_room) {
    enum { MOST = RN_LOG_TEXT - 1 };
    rn_nccl_log_reader *r = begin_reader();
    char long_one[MOST + 20];
    memset(long_one, 'w', sizeof long_one);
    for (int n = MOST - 2; n < MOST + 4; n++) {
        long_one[n] = '\0';
        rn_log_warn(r, long_one, true);
        long_one[n] = 'w';
    }
    rn_log_end_warnings(r);
    cr_assert_eq(count_all(), 3);
    expect_found(RN_WARNING, 0, "NCCL warns: %.*s", MOST - 2, long_one);
    expect_found(RN_WARNING, 0, "NCCL warns: %.*s", MOST - 1, long_one);
    expect_found(RN_WARNING, 0, "NCCL warns, 4 times: %.*s", MOST, long_one);
    for (int n = MOST - 2; n < MOST + 4; n++) {
        char message[40 + sizeof long_one];
        r = begin_reader();
        r->log.n_lines = 3;
        rn_log_note_message(r, "Using network IB");
        snprintf(message, sizeof message, "Using network %.*s", n, long_one);
        rn_log_note_message(r, message);
        expect_found(
            RN_WARNING, 3,
            "network %.*s here, and IB in line 3: ranks of two networks may not reach each other; a plugin may be "
            "missing on some nodes",
            n < MOST ? n : MOST, long_one);
    }
}

/* ------------------------------------------------------------------ lines */

static void read_lines(const char *const lines[], const size_t sizes[], int n) {
    stop();
    start();
    rn_nccl_log_reader *r = begin_reader();
    for (int i = 0; i < n; i++) rn_nccl_log_line(r, lines[i], sizes[i]);
    cr_assert_eq(rn_nccl_log_end(r, &error, &log_), RS_OK, "%s", error.text);
}

/* Tabs and zeros are blanks, colours are nothing, blanks at the end do not count. */
Test(nccl_pieces, blanks_and_colours_of_a_line_do_not_count) {
    static const char plain[] = "h:1:2 [0] NCCL INFO NCCL_ALGO set by environment to Ring";
    for (int turn = 0; turn < 3000; turn++) {
        char line[400];
        size_t n = 0;
        for (size_t i = 0; i < sizeof plain - 1; i++) {
            if (draw(12) == 0) {
                const char *colour = draw(2) ? "\x1b[0m" : "\x1b[01;36m";
                memcpy(line + n, colour, strlen(colour));
                n += strlen(colour);
            }
            const bool blank = plain[i] == ' ' && i < 20;
            line[n++] = blank ? "\t "[draw(2)] : plain[i];
            if (blank && draw(4) == 0) line[n - 1] = '\0';
        }
        for (int i = draw(4); i > 0; i--) line[n++] = "\t\r "[draw(3)];
        if (draw(5) == 0) line[n++] = '\0';
        read_lines((const char *const[]){line}, &n, 1);
        cr_assert(log_.n_lines == 1 && log_.n_used == 1 && log_.n_unknown == 0);
        cr_assert_eq(log_.n_settings, 1);
        cr_assert_str_eq(log_.settings[0].value, "Ring");
    }
}

/* Of several messages in a line the last is whole; those before it are torn where they are none, and no warning of theirs
   counts. */
Test(nccl_pieces, each_message_of_a_torn_line_is_tried) {
    int n_torn = 0;
    for (int turn = 0; turn < 2000; turn++) {
        static const char *const messages[] = {"Using network IB", "nobody knows this",
                                               "NCCL_DEBUG set to INFO", "comm 0x5 ra"};
        static const bool used[] = {true, false, true, true};
        char line[600] = "";
        int n_used = 0, torn = 0, unknown = 0, warned = 0;
        const int n = 1 + draw(4);
        for (int i = 0; i < n; i++) {
            const int which = draw(4), warns = draw(4) == 0, last = i == n - 1;
            char piece[120];
            snprintf(piece, sizeof piece, " h:1:%d [0] NCCL %s %s", i, warns ? "WARN" : "INFO",
                     messages[which]);
            strcat(line, piece);
            if (warns && last) {
                n_used++;
                warned = 1;
            } else if (used[which]) {
                n_used++;
            } else {
                torn += !last;
                unknown += last;
            }
        }
        const size_t length = strlen(line);
        read_lines((const char *const[]){line}, &length, 1);
        cr_assert(log_.n_used == n_used && log_.n_torn == torn && log_.n_unknown == unknown,
                  "'%s': %d %d %d", line, (int)log_.n_used, (int)log_.n_torn, (int)log_.n_unknown);
        cr_assert_eq(count_found("NCCL warns: "), warned);
        n_torn += torn;
    }
    cr_assert_gt(n_torn, 300);
}
