/* sum_order.c: sums of ranks' data, each once: a sum is a pair of sums, the smaller number first, for a + b is b + a. */
#include "ringsim_bits.h"
#include "base/containers.h"
#include "bits/sum_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = -1, IN_F32 = -2 }; /* in a pair's place: all of them at once; b, in f32 */

rs_sums *rs_sums_begin(int32_t n_ranks, rs_arena *arena) {
    rs_sums *sums = rs_alloc(arena, 1, sizeof *sums);
    if (sums == NULL) return NULL;
    *sums = (rs_sums){.heap = {.arena = arena}, .n_ranks = n_ranks};
    sums->pairs.heap = &sums->heap;
    return sums;
}

rs_sums *rs_sums_begin_by_rank(int32_t n_ranks, rs_arena *arena) {
    rs_sums *sums = rs_sums_begin(n_ranks, arena);
    if (sums != NULL) sums->by_rank = true;
    return sums;
}

static int32_t number_of(rs_sums *sums, rs_two_sums pair) {
    if (sums->pairs.n >= RS_MOST_SUMS) return -1;
    const int64_t at = rs_text_kept(&sums->pairs, &pair, sizeof pair);
    return at == RS_NO_TEXT ? -1 : sums->n_ranks + (int32_t)at;
}

int32_t rs_sum_of(rs_sums *sums, int32_t comes, int32_t here, int32_t at) {
    if (comes < 0 || here < 0) return -1;
    if (sums->by_rank) return number_of(sums, (rs_two_sums){comes, here, at});
    const bool up = comes < here;
    return number_of(sums, (rs_two_sums){up ? comes : here, up ? here : comes, -1});
}

int32_t rs_sum_exact(rs_sums *sums) {
    return number_of(sums, (rs_two_sums){EXACT, EXACT, -1});
}

int32_t rs_sum_in_f32(rs_sums *sums, int32_t sum) {
    return number_of(sums, (rs_two_sums){IN_F32, sum, -1});
}

rs_two_sums rs_operands_of(const rs_sums *sums, int32_t sum) {
    rs_two_sums pair;
    memcpy(&pair, sums->pairs.list[sum - sums->n_ranks].text, sizeof pair);
    return pair;
}

bool rs_is_exact(const rs_sums *sums, int32_t sum) {
    return sum >= sums->n_ranks && rs_operands_of(sums, sum).a == EXACT;
}

bool rs_is_in_f32(const rs_sums *sums, int32_t sum) {
    return sum >= sums->n_ranks && rs_operands_of(sums, sum).a == IN_F32;
}

static int by_number(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return RS_COMPARE(x, y);
}

/* Where an operand stands in a list of sums. */
static int32_t place_of(const int32_t list[], int32_t n, int32_t n_ranks, int32_t sum) {
    if (sum < n_ranks) return sum;
    const int32_t *at = bsearch(&sum, list, (size_t)n, sizeof *list, by_number);
    return n_ranks + (int32_t)(at - list);
}

rs_two_sums *rs_additions_of(const rs_sums *sums, int32_t sum, rs_arena *arena, int32_t *n) {
    const size_t n_ranks = (size_t)sums->n_ranks;
    int32_t *list = rs_alloc(arena, n_ranks, sizeof *list);
    rs_two_sums *additions = rs_alloc(arena, n_ranks, sizeof *additions);
    *n = 0;
    if (list == NULL || additions == NULL) return NULL;
    if (sum >= sums->n_ranks) list[(*n)++] = sum;
    for (int32_t i = 0; i < *n; i++) {
        const rs_two_sums pair = rs_operands_of(sums, list[i]);
        const int32_t both[] = {pair.a, pair.b};
        for (int k = 0; k < 2; k++) {
            if (both[k] < sums->n_ranks) continue;
            if (*n >= sums->n_ranks - 1) return NULL;
            list[(*n)++] = both[k];
        }
    }
    /* An operand is older than what is made of it, so its number is smaller. */
    qsort(list, (size_t)*n, sizeof *list, by_number);
    for (int32_t i = 0; i < *n; i++) {
        const rs_two_sums pair = rs_operands_of(sums, list[i]);
        additions[i] = (rs_two_sums){place_of(list, *n, sums->n_ranks, pair.a),
                                     place_of(list, *n, sums->n_ranks, pair.b), pair.at};
    }
    return additions;
}

/* ------------------------------------------------------------------ as text */

/* Beside sums, what is written between them. */
enum { PLUS = -1, CLOSES = -2 };

/* Puts one behind the text, of whose *at bytes those that fit are written. */
static void put(const char *text, char *out, size_t n_out, size_t *at) {
    const size_t n = strlen(text);
    if (*at + n < n_out) memcpy(out + *at, text, n);
    *at += n;
}

/* Writes as much as fits, and returns how long it would be; what is beyond the text is not looked at. */
static size_t write_sum(const rs_sums *sums, int32_t sum, rs_arena *arena, char *out,
                        size_t n_out) {
    int32_t *list = NULL, room = 0, n = 0; /* what is to be written, the next last */
    size_t at = 0;
    for (int32_t now = sum; at < n_out; now = list[--n]) {
        char number[16] = "";
        if (!rs_reserve(arena, &list, n + 4, &room)) return n_out;
        if (now < sums->n_ranks) {
            snprintf(number, sizeof number, "%d", (int)now);
            put(now == PLUS ? "+" : now == CLOSES ? ")" : number, out, n_out, &at);
        } else if (rs_is_exact(sums, now)) {
            put("exact", out, n_out, &at);
        } else if (rs_is_in_f32(sums, now)) {
            put("f32", out, n_out, &at);
            list[n++] = rs_operands_of(sums, now).b;
        } else {
            const rs_two_sums pair = rs_operands_of(sums, now);
            const bool turned = pair.a < sums->n_ranks && pair.b >= sums->n_ranks;
            if (now != sum) put("(", out, n_out, &at);
            if (now != sum) list[n++] = CLOSES;
            list[n++] = turned ? pair.a : pair.b;
            list[n++] = PLUS;
            list[n++] = turned ? pair.b : pair.a;
        }
        if (n == 0) break;
    }
    return at;
}

/* Writes a long chain by its ends: "((1+2)+3)+...+7+0"; false: it is none, or does not fit. */
static bool write_chain(const rs_sums *sums, int32_t sum, char *out, size_t n_out) {
    enum { FIRST = 3, LAST = 2 };
    const int32_t n = sums->n_ranks;
    int32_t ranks[FIRST + LAST] = {0}, level = 0, at = sum;
    for (; at >= n; level++) { /* from the last rank that is added to the first two */
        const rs_two_sums pair = rs_operands_of(sums, at);
        const int32_t rank = pair.a < n ? pair.a : pair.b;
        if (pair.a < 0 || rank >= n) return false;
        if (level < LAST) ranks[FIRST + LAST - 1 - level] = rank;
        ranks[2] = ranks[1], ranks[1] = ranks[0], ranks[0] = rank;
        at = pair.a < n ? pair.b : pair.a;
    }
    char text[96];
    const int length = snprintf(text, sizeof text, "((%d+%d)+%d)+...+%d+%d", ranks[0], at, ranks[1],
                                ranks[3], ranks[4]);
    if (level <= FIRST + LAST || (size_t)length >= n_out) return false;
    memcpy(out, text, (size_t)length + 1);
    return true;
}

void rs_sum_text(const rs_sums *sums, int32_t sum, char *out, size_t n_out) {
    static const char more[] = "...";
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const size_t n = write_sum(sums, sum, &arena, out, n_out);
    rs_arena_free(&arena);
    if (n < n_out) {
        out[n] = '\0';
    } else if (!write_chain(sums, sum, out, n_out) && n_out >= sizeof more) {
        memcpy(out + n_out - sizeof more, more, sizeof more);
    }
}

/* ------------------------------------------------------------------ as a list */

rs_two_sums *rs_sums_list(const rs_sums *sums, rs_arena *arena, int64_t *n) {
    rs_two_sums *pairs = rs_alloc(arena, (size_t)sums->pairs.n + 1, sizeof *pairs);
    *n = sums->pairs.n;
    for (int64_t i = 0; pairs != NULL && i < *n; i++) {
        pairs[i] = rs_operands_of(sums, sums->n_ranks + (int32_t)i);
    }
    return pairs;
}

int32_t *rs_whole_sums(const rs_sums *sums, rs_arena *arena, int64_t *n) {
    const int32_t n_all = sums->n_ranks + (int32_t)sums->pairs.n;
    int32_t *whole = rs_alloc(arena, (size_t)n_all, sizeof *whole);
    *n = 0;
    for (int32_t sum = sums->n_ranks; whole != NULL && sum < n_all; sum++) {
        int32_t n_additions = 0;
        if (rs_is_in_f32(sums, sum)) continue;
        rs_additions_of(sums, sum, arena, &n_additions);
        if (rs_is_exact(sums, sum) || n_additions == sums->n_ranks - 1) whole[(*n)++] = sum;
    }
    return whole;
}

rs_sums *rs_sums_listed(int32_t n_ranks, const rs_two_sums pairs[], int64_t n, rs_arena *arena) {
    rs_sums *sums = rs_sums_begin(n_ranks, arena);
    for (int64_t i = 0; sums != NULL && i < n; i++) {
        const rs_two_sums pair = pairs[i];
        const bool exact = pair.a == EXACT && pair.b == EXACT;
        const bool known = pair.a >= 0 && pair.a <= pair.b && pair.b < n_ranks + i;
        if ((!exact && !known) || number_of(sums, (rs_two_sums){pair.a, pair.b, -1}) != n_ranks + i)
            return NULL;
    }
    return sums;
}
