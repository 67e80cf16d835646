/* cmd_mapreduce.c: `ringsim mapreduce`: the words of a text, mapped, shuffled and reduced by N GPUs.
 *
 *     options, text --> rs_mapreduce --> JSON | figures | story on the terminal, in the window --> 0
 */
#include "base/json_file.h"
#include "base/units.h"
#include "run/request.h"
#include "run/show.h"
#include "story/story_mapreduce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options of its own. */
enum { TEXT = RC_OWN, COMBINE, MAP_RATE, TOP };

typedef struct mapped_text {
    const char *file; /* the text's file; NULL: it was typed */
    rs_mr_report report;
    const rs_mr_word **top; /* [n_top] the most frequent first; of equal ones by their bytes */
    int64_t n_top;
} mapped_text;

static const char default_text[] = "hello world hello";

/* ------------------------------------------------------------------ what is asked for */

/* Reads what was typed behind --text:
 *
 *     "hello world hello"   it holds a blank: the words themselves
 *     book.txt              a file of that name; -: standard input
 *     hello                 neither: a single word, unless it looks like a file's name
 */
static rc_exit read_text(rc_session *session, const char *typed, rs_mr_request *request,
                         const char **file) {
    struct stat found;
    const bool is_file = strcmp(typed, "-") == 0 || stat(typed, &found) == 0;
    if (!is_file && strpbrk(typed, " \t\n") == NULL && strpbrk(typed, "./") != NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--text %.200s: there is no such file; words have a blank among them"),
                       typed);
    }
    *file = is_file ? typed : NULL;
    if (!is_file) {
        request->text = typed;
        request->n_bytes = (int64_t)strlen(typed);
        return RC_GOOD;
    }
    char *bytes;
    size_t n;
    const rc_exit status =
        rc_read_file(typed, RS_MR_MAX_TEXT, session->arena, session->error, &bytes, &n);
    if (status != RC_GOOD) return status;
    request->text = bytes;
    request->n_bytes = (int64_t)n;
    return RC_GOOD;
}

static rc_exit read_request(rc_session *session, rs_mr_request *request, mapped_text *mapped,
                            int64_t *n_top) {
    const rc_value *value = session->options.value;
    const char *typed = value[TEXT].text != NULL ? value[TEXT].text : default_text;
    const rc_exit status = read_text(session, typed, request, &mapped->file);
    if (status != RC_GOOD) return status;
    request->n_ranks = (int32_t)value[RC_GPUS].number;
    request->op = (rs_mr_op)value[RC_OP].number;
    request->order = (rs_order)value[RC_ORDER].number;
    request->map_Bps = (uint64_t)value[MAP_RATE].number;
    request->combine = rc_given(&session->options, COMBINE);
    *n_top = value[TOP].number;
    return rc_read_net(session, request->n_ranks, &request->net);
}

/* ------------------------------------------------------------------ the most frequent words */

static bool comes_before(const rs_mr_word *a, const rs_mr_word *b) {
    return a->count != b->count ? a->count > b->count : a < b; /* they are sorted by their bytes */
}

static int by_count(const void *left, const void *right) {
    const rs_mr_word *a = *(const rs_mr_word *const *)left;
    const rs_mr_word *b = *(const rs_mr_word *const *)right;
    return comes_before(b, a) - comes_before(a, b);
}

/* Sorts a few more than wanted now and then, and keeps the best. */
static rc_exit find_top(rc_session *session, int64_t wanted, mapped_text *mapped) {
    const rs_mr_report *report = &mapped->report;
    const int64_t room = 2 * wanted + 64;
    int64_t n = 0;
    mapped->top = rs_alloc(session->arena, (size_t)room, sizeof *mapped->top);
    if (mapped->top == NULL) return rc_no_memory(session->error);
    for (int64_t w = 0; w < report->n_distinct; w++) {
        const rs_mr_word *word = &report->words[w];
        const bool sorted = n >= wanted && n > 0 && mapped->n_top > 0;
        if (sorted && !comes_before(word, mapped->top[mapped->n_top - 1])) continue;
        mapped->top[n++] = word;
        if (n < room) continue;
        qsort(mapped->top, (size_t)n, sizeof *mapped->top, by_count);
        mapped->n_top = n = wanted;
    }
    if (n > 0) qsort(mapped->top, (size_t)n, sizeof *mapped->top, by_count);
    mapped->n_top = n < wanted ? n : wanted;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ JSON, and the results alone as lines */

/* Written as it goes: millions of words are no tree in memory. Words are shown as far as JSON can: what is no UTF-8
   is a question mark, and 4095 bytes are the end. --output has every byte. */
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

static void put_request(rs_json *json, const mapped_text *mapped) {
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

static void write_json(const mapped_text *mapped, FILE *out) {
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

static void write_words(const rs_mr_report *report, FILE *out) {
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

/* ------------------------------------------------------------------ the command */

static rc_exit compute(rc_session *session, const rs_mr_request *request, int64_t n_top,
                       mapped_text *mapped) {
    const rc_exit status =
        rc_exit_of(rs_mapreduce(request, session->arena, session->error, &mapped->report));
    return status == RC_GOOD ? find_top(session, n_top, mapped) : status;
}

static rc_exit make_story(rc_session *session, const mapped_text *mapped, rv_story *story) {
    rv_mapreduce_story *of = rs_alloc(session->arena, 1, sizeof *of);
    if (of == NULL) return rc_no_memory(session->error);
    *of = (rv_mapreduce_story){&mapped->report, mapped->top, mapped->n_top};
    return rc_exit_of(rv_story_mapreduce(of, session->arena, session->error, story));
}

static rc_exit mapreduce_subject(rc_session *session, rv_subject *subject) {
    rs_mr_request request = {0};
    rv_story story;
    int64_t n_top;
    const char *typed = session->options.value[TEXT].text;
    mapped_text *mapped = rs_alloc(session->arena, 1, sizeof *mapped);
    if (mapped == NULL) return rc_no_memory(session->error);
    if (typed != NULL && strcmp(typed, "-") == 0) {
        return rc_fail(session->error, RC_USAGE, "--text -: nobody types in a text here");
    }
    rc_exit status = read_request(session, &request, mapped, &n_top);
    if (status == RC_GOOD) status = compute(session, &request, n_top, mapped);
    if (status == RC_GOOD) status = make_story(session, mapped, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

static rc_exit cmd_mapreduce(rc_session *session) {
    rs_mr_request request = {0};
    rc_showing showing;
    rv_story story;
    int64_t n_top;
    mapped_text *mapped = rs_alloc(session->arena, 1, sizeof *mapped);
    if (mapped == NULL) return rc_no_memory(session->error);
    rc_exit status = read_request(session, &request, mapped, &n_top);
    if (status == RC_GOOD) status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = compute(session, &request, n_top, mapped);
    status = rc_host_end(session->host, status, session->error);
    FILE *output = showing.outputs.files[RC_OUT_VALUES].stream;
    if (status == RC_GOOD) status = make_story(session, mapped, &story);
    if (status == RC_GOOD) {
        status = rc_read_place(&session->options, story.n_steps, story.n_ranks, session->error,
                               &showing.look);
    }
    if (status == RC_GOOD && output != NULL) write_words(&mapped->report, output);
    status = rc_show_story(session, &showing, status, &story);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) write_json(mapped, stdout);
    return status == RC_GOOD ? rc_print_figures(session, &showing, &story) : status;
}

/* ------------------------------------------------------------------ its row */

/* About what a script in Python counts: beside it the wire's latency does not hide map and reduce. */
#define PYTHON_RATE "5MB/s"

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "N", N_("GPUs, each a mapper and a reducer, 2"),
     RC_INTEGER(1, RS_MR_MAX_RANKS, "2")},
    {RC_ORDER, NULL, 0, "seed|nccl", N_("of the ring that is compared, seed"), NULL},
    {RC_OP, NULL, 0, "sum|count|max|min|list",
     N_("what a reducer makes of a word's values: ones (sum), places (all others); sum"),
     RC_ONE_OF("sum", "sum", "count", "max", "min", "list")},
    {RC_OUTPUT, NULL, 0, "FILE", N_("every word, a tab, its result: a line each"), NULL},
    {RC_REDUCE_RATE, NULL, 0, "RATE", N_("how fast a reducer takes in what arrives, 5MB/s"),
     RC_TYPE(rc_as_amount, PYTHON_RATE, .least = RC_IN_BYTES_PER_S, .word = "infinite")},
    {TEXT, "text", 0, "FILE|\"WORDS\"",
     N_("what is mapped: a file (-: standard input), or words; \"hello world hello\""), NULL},
    {COMBINE, "combine", 0, NULL, N_("mappers fold their own pairs first and send one a word"),
     NULL},
    {MAP_RATE, "map-rate", 0, "RATE", N_("how fast a mapper reads in the simulation, 5MB/s"),
     RC_TYPE(rc_as_amount, PYTHON_RATE, .least = RC_IN_BYTES_PER_S, .word = "infinite")},
    {TOP, "top", 0, "K", N_("of many words the K most frequent are listed, 10"),
     RC_INTEGER(0, 1000000, "10")},
};

const rc_command rc_command_mapreduce = {
    .name = "mapreduce",
    .operands = "",
    .summary = N_("the older cousin: words counted by many"),
    RC_TAKES(RC_GPUS, RC_ORDER, RC_OP, RC_OUTPUT, RC_ALPHA, RC_BANDWIDTH, RC_REDUCE_RATE,
             RC_PROTOCOL, RC_LINKS, RC_TAKE_WALK, TEXT, COMBINE, MAP_RATE, TOP, RC_TAKE_STORY),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, TEXT, RC_OP, COMBINE, TOP, RC_OUTPUT, RC_ALPHA, RC_BANDWIDTH, RC_STEP,
             RC_VIEW, RC_LANG, RC_JSON, RC_EXPORT),
    .run = cmd_mapreduce,
    .subject = mapreduce_subject};
