/* mapreduce_json.c: what `mapreduce` found as one JSON object, schema ringsim.mapreduce/1, and the
 * results alone as lines of text. Written as it goes: millions of words are no tree in memory.
 *
 * Words are shown as far as JSON can: what is no UTF-8 is a question mark, and 4095 bytes are the end.
 * --output has every byte.
 */
#include "systems/mapreduce.h"

#include <string.h>

static void put_word(const char *text, int64_t n_bytes, FILE *out) {
    char word[4096];
    const size_t n = n_bytes < (int64_t)sizeof word ? (size_t)n_bytes : sizeof word - 1;
    for (size_t i = 0; i < n; i++) word[i] = text[i] == '\0' ? '?' : text[i];
    word[n] = '\0';
    rc_json_string(word, out);
}

static void put_list(const char *key, const int64_t list[], int64_t n, FILE *out) {
    fprintf(out, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++) fprintf(out, i > 0 ? ",%lld" : "%lld", (long long)list[i]);
    fputc(']', out);
}

static void put_net(const rs_mr_request *request, FILE *out) {
    const rs_net *net = &request->net;
    fprintf(out, ",\"net\":{\"alpha_ps\":%lld,\"bandwidth_Bps\":%llu,\"reduce_Bps\":",
            (long long)net->link.alpha_ps, (unsigned long long)net->link.bandwidth_Bps);
    if (net->reduce_Bps == 0) fputs("null", out);
    if (net->reduce_Bps > 0) fprintf(out, "%llu", (unsigned long long)net->reduce_Bps);
    fprintf(out, ",\"protocol\":\"%s\",\"overrides\":%d},\"map_Bps\":",
            net->protocol == RS_EAGER ? "eager" : "rendezvous", (int)net->n_overrides);
    if (request->map_Bps == 0) fputs("null", out);
    if (request->map_Bps > 0) fprintf(out, "%llu", (unsigned long long)request->map_Bps);
}

static void put_messages(const rs_mr_report *report, FILE *out) {
    const int32_t n = report->request.n_ranks;
    bool first = true;
    fputs(",\"messages\":[", out);
    for (int32_t i = 0; i < n * n; i++) {
        const rs_mr_message *m = &report->messages[i];
        if (m->n_pairs == 0) continue;
        fprintf(out, "%s{\"src\":%d,\"dst\":%d,\"pairs\":%lld,\"bytes\":%lld,", first ? "" : ",",
                (int)(i / n), (int)(i % n), (long long)m->n_pairs, (long long)m->n_bytes);
        first = false;
        if (m->start_ps < 0) {
            fputs("\"start_ps\":null,\"end_ps\":null,\"done_ps\":null}", out);
        } else {
            fprintf(out, "\"start_ps\":%lld,\"end_ps\":%lld,\"done_ps\":%lld}",
                    (long long)m->start_ps, (long long)m->end_ps, (long long)m->done_ps);
        }
    }
    fputc(']', out);
}

static void put_ring(const rs_mr_report *report, FILE *out) {
    const rs_mr_ring *ring = &report->ring;
    if (!ring->fits) {
        fputs(",\"ring\":null", out);
        return;
    }
    fprintf(out, ",\"ring\":{\"order\":\"%s\",\"count\":%lld,\"bytes_sent\":%lld,\"time_ps\":%lld,",
            report->request.order == RS_ORDER_NCCL ? "nccl" : "seed", (long long)ring->count,
            (long long)ring->n_sent, (long long)ring->time_ps);
    fputs("\"owners\":[", out);
    for (int32_t c = 0; c < report->request.n_ranks; c++) {
        fprintf(out, c > 0 ? ",%d" : "%d", (int)ring->owner[c]);
    }
    fprintf(out, "],\"equal\":%s}", !ring->folded ? "null" : ring->equal ? "true" : "false");
}

static void put_pairs(const rs_mr_report *report, FILE *out) {
    if (report->pairs == NULL) {
        fputs(",\"pairs\":null", out);
        return;
    }
    fputs(",\"pairs\":[", out);
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        fputs(i > 0 ? ",{\"word\":" : "{\"word\":", out);
        put_word(report->text + pair->place, pair->n_bytes, out);
        fprintf(out, ",\"place\":%lld,\"value\":%lld,\"mapper\":%d,\"reducer\":%d}",
                (long long)pair->place, (long long)pair->value, (int)pair->mapper,
                (int)pair->reducer);
    }
    fputc(']', out);
}

static void put_results(const rs_mr_report *report, FILE *out) {
    fputs(",\"results\":[", out);
    for (int64_t w = 0; w < report->n_distinct; w++) {
        const rs_mr_word *word = &report->words[w];
        fputs(w > 0 ? ",{\"word\":" : "{\"word\":", out);
        put_word(word->text, word->n_bytes, out);
        fprintf(out, ",\"reducer\":%d,\"count\":%lld,\"value\":", (int)word->reducer,
                (long long)word->count);
        if (word->places == NULL) fprintf(out, "%lld", (long long)word->value);
        for (int64_t i = 0; word->places != NULL && i < word->count; i++) {
            fprintf(out, i > 0 ? ",%lld" : "[%lld", (long long)word->places[i]);
        }
        fputs(word->places != NULL ? "]}" : "}", out);
    }
    fputc(']', out);
}

void rc_json_mapped(const rc_mapped *mapped, FILE *out) {
    const rs_mr_report *report = &mapped->report;
    const int32_t n = report->request.n_ranks;
    fprintf(out,
            "{\"schema\":\"ringsim.mapreduce/1\",\"version\":\"%s\",\"text\":", RINGSIM_VERSION);
    if (mapped->file != NULL) rc_json_string(mapped->file, out);
    if (mapped->file == NULL) fputs("null", out);
    fprintf(out, ",\"bytes\":%lld,\"words\":%lld,\"different\":%lld,\"gpus\":%d,\"op\":\"%s\"",
            (long long)report->request.text.n_bytes, (long long)report->n_words,
            (long long)report->n_distinct, (int)n, rs_mr_op_name(report->request.op));
    fprintf(out, ",\"combine\":%s", report->request.combine ? "true" : "false");
    put_net(&report->request, out);
    put_list("first", report->first, n + 1, out);
    put_list("mapped", report->mapped, n, out);
    put_list("map_ps", report->map_ps, n, out);
    put_messages(report, out);
    fprintf(out, ",\"bytes_sent\":%lld", (long long)report->n_bytes);
    put_list("reduced", report->reduced, n, out);
    put_list("end_ps", report->end_ps, n, out);
    fprintf(out, ",\"makespan_ps\":%lld", (long long)report->makespan_ps);
    put_ring(report, out);
    put_pairs(report, out);
    put_results(report, out);
    fputs("}\n", out);
}

void rc_write_words(const rs_mr_report *report, FILE *out) {
    for (int64_t w = 0; w < report->n_distinct; w++) {
        const rs_mr_word *word = &report->words[w];
        fwrite(word->text, 1, (size_t)word->n_bytes, out);
        if (word->places == NULL) fprintf(out, "\t%lld", (long long)word->value);
        for (int64_t i = 0; word->places != NULL && i < word->count; i++) {
            fprintf(out, i > 0 ? " %lld" : "\t%lld", (long long)word->places[i]);
        }
        fputc('\n', out);
    }
}
