/* fuzz_mapreduce.c: any bytes as a text, cut for any number of GPUs: no word is lost and none counted
 * twice, and the ring agrees. The first two bytes choose GPUs and operation.
 */
#include "ringsim_mapreduce.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_blank(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int64_t count_words(const uint8_t *text, size_t n) {
    int64_t n_words = 0;
    for (size_t i = 0; i < n; i++) {
        n_words += !is_blank(text[i]) && (i == 0 || is_blank(text[i - 1]));
    }
    return n_words;
}

static void check(const rs_mr_report *report, const uint8_t *text, size_t n) {
    int64_t n_words = 0, n_pairs = 0;
    const int32_t n_ranks = report->request.n_ranks;
    for (int64_t w = 0; w < report->n_distinct; w++) {
        n_words += report->words[w].count;
        if (report->words[w].reducer >= n_ranks) abort();
    }
    for (int32_t i = 0; i < n_ranks * n_ranks; i++) n_pairs += report->messages[i].n_pairs;
    if (n_words != report->n_words || n_words != count_words(text, n)) abort();
    if (!report->request.combine && n_pairs != n_words) abort();
    if (report->ring.folded && !report->ring.equal) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_mr_report report;
    char *text = malloc(size); /* exactly as long as it is: what is read behind it is found */
    memcpy(text, data + 2, size - 2);
    rs_arena_init(&arena, NULL);
    const rs_mr_request request = {
        .text = text,
        .n_bytes = (int64_t)size - 2,
        .n_ranks = 1 + data[0] % 33,
        .op = (rs_mr_op)(data[1] % RS_MR_N_OPS),
        .combine = data[1] >= 128,
        .map_Bps = 1000000,
        .net = {.link = {.alpha_ps = 1000, .bandwidth_Bps = 1000000000}},
    };
    const rs_status status = rs_mapreduce(&request, &arena, &error, &report);
    if (status == RS_OK) check(&report, data + 2, size - 2);
    if (status != RS_OK && status != RS_BAD_INPUT) abort();
    rs_arena_free(&arena);
    free(text);
    return 0;
}
