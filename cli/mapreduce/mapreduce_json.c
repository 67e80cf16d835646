/* mapreduce_json.c: what `mapreduce` found as one JSON object, schema ringsim.mapreduce/1, and the
 * results alone as lines of text. Written as it goes: millions of words are no tree in memory.
 *
 * Words are shown as far as JSON can: what is no UTF-8 is a question mark, and 4095 bytes are the end.
 * --output has every byte.
 */
#include "base/json_file.h"
#include "mapreduce/mapreduce.h"

enum { LONGEST_WORD = 4095 };

static void put_word(rs_json *json, const char *text, int64_t n_bytes) {
    rs_json_bytes(json, "word", text, (size_t)(n_bytes < LONGEST_WORD ? n_bytes : LONGEST_WORD));
}

static void put_messages(rs_json *json, const rs_mr_report *report) {
    const int32_t n = report->request.n_ranks;
    rs_json_array(json, "messages");
    for (int32_t i = 0; i < n * n; i++) {
        const rs_mr_message *m = &report->messages[i];
        if (m->n_pairs == 0) continue;
        rs_json_object(json, NULL);
        rs_json_integers(json, {"src", i / n}, {"dst", i % n}, {"pairs", m->n_pairs},
                         {"bytes", m->n_bytes});
        rs_json_known(json, "start_ps", m->start_ps);
        rs_json_known(json, "end_ps", m->start_ps < 0 ? -1 : m->end_ps);
        rs_json_known(json, "done_ps", m->start_ps < 0 ? -1 : m->done_ps);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_ring(rs_json *json, const rs_mr_report *report) {
    const rs_mr_ring *ring = &report->ring;
    if (!ring->fits) {
        rs_json_null(json, "ring");
        return;
    }
    rs_json_object(json, "ring");
    rs_json_text(json, "order", report->request.order == RS_ORDER_NCCL ? "nccl" : "seed");
    rs_json_integers(json, {"count", ring->count}, {"bytes_sent", ring->n_sent},
                     {"time_ps", ring->time_ps});
    rs_json_i32s(json, "owners", ring->owner, report->request.n_ranks);
    if (ring->folded) {
        rs_json_bool(json, "equal", ring->equal);
    } else {
        rs_json_null(json, "equal");
    }
    rs_json_close(json);
}

static void put_pairs(rs_json *json, const rs_mr_report *report) {
    if (report->pairs == NULL) {
        rs_json_null(json, "pairs");
        return;
    }
    rs_json_array(json, "pairs");
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        rs_json_object(json, NULL);
        put_word(json, report->request.text + pair->place, pair->n_bytes);
        rs_json_integers(json, {"place", pair->place}, {"value", pair->value},
                         {"mapper", pair->mapper}, {"reducer", pair->reducer});
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_results(rs_json *json, const rs_mr_report *report) {
    rs_json_array(json, "results");
    for (int64_t w = 0; w < report->n_distinct; w++) {
        const rs_mr_word *word = &report->words[w];
        rs_json_object(json, NULL);
        put_word(json, word->text, word->n_bytes);
        rs_json_integers(json, {"reducer", word->reducer}, {"count", word->count});
        if (word->places == NULL) {
            rs_json_integer(json, "value", word->value);
        } else {
            rs_json_i64s(json, "value", word->places, word->count);
        }
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_request(rs_json *json, const rc_mapped *mapped) {
    const rs_mr_report *report = &mapped->report;
    const rs_mr_request *request = &report->request;
    rs_json_text(json, "text", mapped->file);
    rs_json_integers(json, {"bytes", request->n_bytes}, {"words", report->n_words},
                     {"different", report->n_distinct}, {"gpus", request->n_ranks});
    rs_json_text(json, "op", rs_mr_op_name(request->op));
    rs_json_bool(json, "combine", request->combine);
    rc_json_net(json, &request->net);
    rs_json_close(json);
    rc_json_speed(json, "map_Bps", request->map_Bps);
}

void rc_json_mapped(const rc_mapped *mapped, FILE *out) {
    const rs_mr_report *report = &mapped->report;
    const int32_t n = report->request.n_ranks;
    rs_json json;
    rc_json_begin(&json, "ringsim.mapreduce/1", out);
    put_request(&json, mapped);
    rs_json_i64s(&json, "first", report->first, n + 1);
    rs_json_i64s(&json, "mapped", report->mapped, n);
    rs_json_i64s(&json, "map_ps", report->map_ps, n);
    put_messages(&json, report);
    rs_json_integer(&json, "bytes_sent", report->n_bytes);
    rs_json_i64s(&json, "reduced", report->reduced, n);
    rs_json_i64s(&json, "end_ps", report->end_ps, n);
    rs_json_integer(&json, "makespan_ps", report->makespan_ps);
    put_ring(&json, report);
    put_pairs(&json, report);
    put_results(&json, report);
    rc_json_end(&json);
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
