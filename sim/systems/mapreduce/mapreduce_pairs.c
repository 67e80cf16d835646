/* mapreduce_pairs.c: lists the pairs of a short text as its mappers write them, to show them to
   people. */
#include "systems/mapreduce/mapreduce_steps.h"

static int32_t mapper_of(const rs_mr_report *report, int64_t place) {
    int32_t n = 0;
    while (place >= report->first[n + 1]) n++;
    return n;
}

static void write_pairs(const rs_mr_report *report, const char *text, rs_mr_pair pairs[]) {
    const int64_t n = report->request.text.n_bytes;
    int64_t n_pairs = 0;
    for (int64_t at = 0, end; at < n; at = end) {
        for (end = at; end < n && !rs_is_blank(text[end]);) end++;
        if (end > at) {
            pairs[n_pairs++] = (rs_mr_pair){
                .place = at,
                .value = report->request.op == RS_MR_SUM ? 1 : at,
                .n_bytes = (int32_t)(end - at),
                .mapper = mapper_of(report, at),
                .reducer = rs_mr_reducer(text + at, end - at, report->request.n_ranks),
            };
        }
        while (end < n && rs_is_blank(text[end])) end++;
    }
}

rs_status rs_mr_explain(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    const rs_mr_text *source = &report->request.text;
    if (source->n_bytes > RS_MR_EXPLAINED) return RS_OK;
    char *text = rs_alloc(arena, (size_t)source->n_bytes + 1, 1);
    rs_mr_pair *pairs = rs_alloc(arena, (size_t)report->n_words + 1, sizeof *pairs);
    if (text == NULL || pairs == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for pairs");
    if (!source->read(source->context, 0, source->n_bytes, text)) {
        return rs_fail(error, RS_BAD_INPUT, "the text cannot be read a second time");
    }
    write_pairs(report, text, pairs);
    report->text = text;
    report->pairs = pairs;
    return RS_OK;
}
