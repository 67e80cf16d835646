/* test_mapreduce.c: words against a count made in the plainest way, whatever the cut. */
#include "ringsim_mapreduce.h"
#include "support/never.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_mr_report report;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(mapreduce, .init = start, .fini = stop);

static rs_mr_request request_of(const char *text, size_t n, int32_t n_ranks, rs_mr_op op) {
    return (rs_mr_request){
        .text = text,
        .n_bytes = (int64_t)n,
        .n_ranks = n_ranks,
        .op = op,
        .net = {.link = {.alpha_ps = 5000000, .bandwidth_Bps = 20000000000}},
    };
}

static rs_status run(const char *text, int32_t n_ranks, rs_mr_op op) {
    const rs_mr_request request = request_of(text, strlen(text), n_ranks, op);
    return rs_mapreduce(&request, &arena, &error, &report);
}

static const rs_mr_word *word_named(const char *name) {
    for (int64_t i = 0; i < report.n_distinct; i++) {
        const rs_mr_word *word = &report.words[i];
        if ((size_t)word->n_bytes == strlen(name) && memcmp(word->text, name, strlen(name)) == 0) {
            return word;
        }
    }
    return NULL;
}

static const rs_mr_message *message(int32_t src, int32_t dst) {
    return &report.messages[src * report.request.n_ranks + dst];
}

/* ------------------------------------------------------------------ the example */

Test(mapreduce, hello_world_hello_gives_hello_2_and_world_1) {
    cr_assert_eq(run("hello world hello", 2, RS_MR_SUM), RS_OK, "%s", error.text);
    cr_expect_eq(report.n_words, 3);
    cr_assert_eq(report.n_distinct, 2);
    cr_expect_eq(word_named("hello")->value, 2);
    cr_expect_eq(word_named("world")->value, 1);
    /* 8 + 9 bytes; "world" begins in the first part. zlib: crc32 is even of hello, odd of world */
    cr_expect_eq(report.mapped[0], 2);
    cr_expect_eq(report.mapped[1], 1);
    cr_expect_eq(word_named("hello")->reducer, 0);
    cr_expect_eq(word_named("world")->reducer, 1);
    cr_expect_eq(message(0, 1)->n_pairs, 1);
    cr_expect_eq(message(0, 1)->n_bytes, 2 + 5 + 8);
    cr_expect_eq(message(1, 0)->n_pairs, 1);
    cr_expect_eq(report.n_messages, 2);
    /* alpha and 15 bytes at 20 GB/s */
    cr_expect_eq(message(0, 1)->start_ps, 0);
    cr_expect_eq(message(0, 1)->end_ps, 5000000 + 750);
    cr_expect_eq(report.makespan_ps, 5000750);
}

Test(mapreduce, values_are_places_where_they_are_no_ones) {
    const int64_t hello[RS_MR_N_OPS] = {2, 2, 12, 0, 2}, world[RS_MR_N_OPS] = {1, 1, 6, 6, 1};
    for (int op = 0; op < RS_MR_N_OPS; op++) {
        cr_assert_eq(run("hello world hello", 2, (rs_mr_op)op), RS_OK);
        cr_expect_eq(word_named("hello")->value, hello[op], "%s", rs_mr_op_name((rs_mr_op)op));
        cr_expect_eq(word_named("world")->value, world[op], "%s", rs_mr_op_name((rs_mr_op)op));
        cr_expect_eq(report.pairs[2].value, op == RS_MR_SUM ? 1 : 12);
    }
    cr_expect_eq(word_named("hello")->places[0], 0);
    cr_expect_eq(word_named("hello")->places[1], 12);
}

Test(mapreduce, reducers_are_zlibs_crc32_modulo_n) {
    /* python3 -c 'import zlib; print(zlib.crc32("集合".encode()) % 7)' */
    cr_expect_eq(rs_mr_reducer("hello", 5, 1000), 907060870 % 1000);
    cr_expect_eq(rs_mr_reducer("world", 5, 1000), 980881731 % 1000);
    cr_expect_eq(rs_mr_reducer("hello", 5, 1), 0);
}

Test(mapreduce, text_without_words_has_no_result) {
    const char *const texts[] = {"", " ", "\n\t\v\f\r   "};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(run(texts[i], 3, RS_MR_SUM), RS_OK, "%s", error.text);
        cr_expect_eq(report.n_words, 0);
        cr_expect_eq(report.n_distinct, 0);
        cr_expect_eq(report.n_messages, 0);
        cr_expect_not(report.ring.fits);
    }
}

Test(mapreduce, combining_sends_each_word_once_and_gives_the_same) {
    rs_mr_request request = request_of("a b a b a b a b a b a b", 23, 2, RS_MR_LIST);
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK);
    const int64_t apart = report.n_bytes;
    request.combine = true;
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK);
    cr_expect_eq(word_named("a")->value, 6);
    /* each GPU sends the other one 3 places of one word */
    cr_expect_eq(apart, 2 * 3 * (2 + 1 + 8));
    cr_expect_eq(report.n_bytes, 2 * (2 + 1 + 8 + 3 * 8));
}

Test(mapreduce, mapping_time_delays_the_shuffle) {
    rs_mr_request request = request_of("hello world hello", 17, 2, RS_MR_SUM);
    request.map_Bps = 1000000; /* a byte in a microsecond: 9 and 8 of them */
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK);
    cr_expect_eq(report.map_ps[0], 9000000);
    cr_expect_eq(report.map_ps[1], 8000000);
    cr_expect_eq(message(1, 0)->start_ps, 9000000);
    cr_expect_eq(report.makespan_ps, 9000000 + 5000750);
}

/* ------------------------------------------------------------------ against the plain way */

typedef struct plain_word {
    const char *text;
    size_t n;
    int64_t count, first, last;
} plain_word;

static bool plain_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

static int by_text(const void *a, const void *b) {
    const plain_word *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* Lists all words, sorts them, puts equal ones together. */
static int64_t count_plainly(const char *text, size_t n, plain_word words[]) {
    int64_t n_words = 0, n_distinct = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && !plain_blank(text[end])) end++;
        if (end > i) words[n_words++] = (plain_word){text + i, end - i, 1, (int64_t)i, (int64_t)i};
        i = end + (end == i);
    }
    qsort(words, (size_t)n_words, sizeof *words, by_text);
    for (int64_t i = 0; i < n_words; i++) {
        if (n_distinct == 0 || by_text(&words[n_distinct - 1], &words[i]) != 0) {
            words[n_distinct++] = words[i];
            continue;
        }
        plain_word *same = &words[n_distinct - 1];
        same->count++;
        if (words[i].first < same->first) same->first = words[i].first;
        if (words[i].last > same->last) same->last = words[i].last;
    }
    return n_distinct;
}

static int64_t expected(const plain_word *word, rs_mr_op op) {
    return op == RS_MR_MAX ? word->last : op == RS_MR_MIN ? word->first : word->count;
}

static bool places_hold(const rs_mr_word *word, const plain_word *plain) {
    if (word->places[0] != plain->first || word->places[word->count - 1] != plain->last) {
        return false;
    }
    for (int64_t i = 1; i < word->count; i++) {
        if (word->places[i] <= word->places[i - 1]) return false;
    }
    return true;
}

static void expect_same(const plain_word plain[], int64_t n, rs_mr_op op) {
    cr_assert_eq(report.n_distinct, n);
    for (int64_t i = 0; i < n; i++) {
        const rs_mr_word *word = &report.words[i];
        cr_assert_eq((size_t)word->n_bytes, plain[i].n);
        cr_assert_arr_eq(word->text, plain[i].text, plain[i].n);
        cr_assert_eq(word->count, plain[i].count);
        cr_assert_eq(word->value, expected(&plain[i], op), "%.*s", word->n_bytes, word->text);
        cr_assert_eq(word->reducer,
                     rs_mr_reducer(word->text, word->n_bytes, report.request.n_ranks));
        if (op == RS_MR_LIST) cr_assert(places_hold(word, &plain[i]));
    }
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

/* Words of few letters, so that they repeat, of all lengths up to 40; blanks of all kinds. */
static void write_text(uint64_t seed, char *text, size_t n) {
    static const char blanks[] = " \n\t\v\f\r";
    for (size_t i = 0; i < n;) {
        const uint64_t kind = next_random(&seed);
        size_t length = kind % 16 == 0 ? 1 + kind / 16 % 40 : 1 + kind / 16 % 4;
        for (; i < n && length > 0; length--)
            text[i++] = (char)("ab\0\xe4"[next_random(&seed) % 4]);
        length = next_random(&seed) % 8 == 0 ? 70 : 1;
        for (; i < n && length > 0; length--) text[i++] = blanks[next_random(&seed) % 6];
    }
}

Test(mapreduce, equals_the_plain_count_for_every_cut_and_operation) {
    static char text[3000];
    static plain_word plain[3000];
    for (size_t n = 1; n < 200; n += n < 70 ? 1 : 13) {
        write_text(n, text, n);
        const int64_t n_plain = count_plainly(text, n, plain);
        for (int32_t n_ranks = 1; n_ranks <= 9; n_ranks++) {
            const rs_mr_op op = (rs_mr_op)((int32_t)n % RS_MR_N_OPS);
            const rs_mr_request request = request_of(text, n, n_ranks, op);
            cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK, "%s", error.text);
            expect_same(plain, n_plain, op);
            if (n_ranks > 1 && n_plain > 0 && op != RS_MR_LIST) {
                cr_expect(report.ring.fits && report.ring.folded && report.ring.equal);
            }
        }
    }
}

/* Every pair is in the message of its mapper to its reducer. */
static void expect_messages_of_pairs(void) {
    const int32_t n = report.request.n_ranks;
    for (int32_t src = 0; src < n; src++) {
        for (int32_t dst = 0; dst < n; dst++) {
            int64_t n_pairs = 0, n_bytes = 0;
            for (int64_t i = 0; i < report.n_words; i++) {
                const rs_mr_pair *pair = &report.pairs[i];
                if (pair->mapper != src || pair->reducer != dst) continue;
                n_pairs++;
                n_bytes += 2 + pair->n_bytes + 8;
            }
            cr_assert_eq(message(src, dst)->n_pairs, n_pairs);
            cr_assert_eq(message(src, dst)->n_bytes, n_bytes);
            cr_assert_eq(message(src, dst)->start_ps >= 0, src != dst && n_pairs > 0);
        }
    }
}

Test(mapreduce, messages_hold_the_pairs_that_are_told) {
    static char text[20000];
    write_text(5, text, sizeof text);
    for (int32_t n_ranks = 1; n_ranks <= 17; n_ranks += 4) {
        const rs_mr_request request = request_of(text, sizeof text, n_ranks, RS_MR_COUNT);
        cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK, "%s", error.text);
        expect_messages_of_pairs();
    }
}

/* Tables grow; with `combine` a mapper's pairs of a word are one. */
Test(mapreduce, equals_the_plain_count_of_a_long_text, .timeout = 900) {
    enum { N = 3 * 1024 * 1024 };
    static char text[N];
    static plain_word plain[N];
    write_text(9, text, N);
    /* a million bytes of words that differ */
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(text + 1000000 + i * 10, 11, "w%08x ", i * 7919);
    }
    const int64_t n_plain = count_plainly(text, N, plain);
    for (int op = 0; op < RS_MR_N_OPS; op++) {
        for (int32_t n_ranks = 1; n_ranks <= 5; n_ranks += 4) {
            rs_arena own;
            rs_arena_init(&own, NULL);
            rs_mr_request request = request_of(text, N, n_ranks, (rs_mr_op)op);
            request.combine = n_ranks > 1;
            cr_assert_eq(rs_mapreduce(&request, &own, &error, &report), RS_OK, "%s", error.text);
            expect_same(plain, n_plain, (rs_mr_op)op);
            rs_arena_free(&own);
        }
    }
}

/* ------------------------------------------------------------------ bad input */

Test(mapreduce, refuses_a_text_above_64_mib_and_a_length_that_is_none) {
    const int64_t lengths[] = {RS_MR_MAX_TEXT + 1, -1, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        rs_mr_request request = request_of("", 0, 2, RS_MR_SUM);
        request.n_bytes = lengths[i];
        cr_expect_eq(rs_mapreduce(&request, &arena, &error, &report), RS_BAD_INPUT, "%lld",
                     (long long)lengths[i]);
    }
}

Test(mapreduce, tells_64_kib_pair_by_pair) {
    static char text[RS_MR_EXPLAINED + 1];
    memset(text, 'x', sizeof text);
    for (size_t i = 9; i < sizeof text; i += 10) text[i] = ' ';
    for (size_t n = RS_MR_EXPLAINED; n <= sizeof text; n++) {
        const rs_mr_request request = request_of(text, n, 2, RS_MR_COUNT);
        cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK);
        cr_expect_eq(report.pairs != NULL, n == RS_MR_EXPLAINED);
    }
}

Test(mapreduce, takes_a_text_of_64_mib) {
    char *text = malloc(RS_MR_MAX_TEXT);
    cr_assert_not_null(text);
    memset(text, ' ', RS_MR_MAX_TEXT);
    text[RS_MR_MAX_TEXT - 1] = 'x';
    const rs_mr_request request = request_of(text, RS_MR_MAX_TEXT, 2, RS_MR_MAX);
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    cr_expect_eq(word_named("x")->value, RS_MR_MAX_TEXT - 1);
    free(text);
}

Test(mapreduce, takes_a_word_of_65535_bytes_and_names_the_place_of_a_longer_one) {
    static char text[600000];
    for (size_t length = RS_MR_MAX_WORD; length <= RS_MR_MAX_WORD + 1; length++) {
        memset(text, ' ', sizeof text);
        memset(text + 163000, 'x', length);
        memset(text + 400000, 'y', length);
        const rs_mr_request request = request_of(text, sizeof text, 2, RS_MR_SUM);
        const rs_status status = rs_mapreduce(&request, &arena, &error, &report);
        cr_expect_eq(status, length > RS_MR_MAX_WORD ? RS_BAD_INPUT : RS_OK);
        if (status == RS_OK) {
            cr_expect_eq(report.n_distinct, 2);
        } else {
            cr_expect_not_null(strstr(error.text, "byte 163000:"), "%s", error.text);
        }
    }
}

Test(mapreduce, refuses_no_gpu_and_too_many) {
    cr_expect_eq(run("a", 0, RS_MR_SUM), RS_BAD_INPUT);
    cr_expect_eq(run("a", RS_MR_MAX_RANKS + 1, RS_MR_SUM), RS_BAD_INPUT);
    cr_expect_eq(run("a", RS_MR_MAX_RANKS, RS_MR_SUM), RS_OK, "%s", error.text);
}

Test(mapreduce, says_so_when_memory_is_short) {
    enum { N = 4 * 1024 * 1024 };
    static char text[N];
    for (unsigned i = 0; i < N / 10; i++) snprintf(text + i * 10, 11, "w%08x ", i);
    arena.limit_bytes = 8 * 1024 * 1024;
    const rs_mr_request request = request_of(text, N / 10 * 10, 2, RS_MR_SUM);
    cr_expect_eq(rs_mapreduce(&request, &arena, &error, &report), RS_NO_MEMORY);
    cr_expect_not_null(strstr(error.text, "different"));
}

Test(mapreduce, can_be_cancelled) {
    const rs_host host = {.progress = never_go_on};
    rs_arena own;
    rs_arena_init(&own, &host);
    const rs_mr_request request = request_of("a b", 3, 2, RS_MR_SUM);
    cr_expect_eq(rs_mapreduce(&request, &own, &error, &report), RS_CANCELLED);
    rs_arena_free(&own);
}

/* ------------------------------------------------------------------ the shuffle */

Test(mapreduce, every_message_of_a_shuffle_is_sent_once_and_received) {
    enum { N = 7 };
    int64_t bytes[N * N], count;
    for (int i = 0; i < N * N; i++) bytes[i] = i % 5 == 0 ? 0 : 10 * i;
    rs_schedule schedule;
    cr_assert_eq(rs_mr_shuffle(N, bytes, &arena, &error, &schedule, &count), RS_OK);
    int64_t n_transfers = 0, sent[N * N] = {0};
    for (int32_t step = 0; step < schedule.n_steps; step++) {
        for (int32_t r = 0; r < N; r++) {
            rs_transfer t, back;
            if (schedule.sends(&schedule, step, r, &t) == 0) continue;
            n_transfers++;
            sent[t.src * N + t.dst] += rs_transfer_count(&schedule, count, &t);
            cr_expect_eq(schedule.recvs(&schedule, step, t.dst, &back), 1);
            cr_expect_eq(back.src, t.src);
        }
    }
    cr_expect_eq(n_transfers, schedule.n_transfers);
    for (int i = 0; i < N * N; i++) cr_expect_eq(sent[i], i / N == i % N ? 0 : bytes[i]);
}

Test(mapreduce, large_shuffles_round_messages_up_to_units) {
    int64_t bytes[] = {0, ((int64_t)5 << 30) + 1, 3, 0}, count;
    rs_schedule schedule;
    rs_transfer t;
    cr_assert_eq(rs_mr_shuffle(2, bytes, &arena, &error, &schedule, &count), RS_OK);
    schedule.sends(&schedule, 0, 0, &t);
    cr_expect_eq(rs_transfer_count(&schedule, count, &t), ((int64_t)5 << 30) + 8);
    schedule.sends(&schedule, 0, 1, &t);
    cr_expect_eq(rs_transfer_count(&schedule, count, &t), 8);
}
