/* cmd_mapreduce.c: `ringsim mapreduce`: the words of a text, mapped, shuffled and reduced by N GPUs.
 *
 *     options, text --> rs_mapreduce --> JSON | figures | story on the terminal, in the window --> 0
 */
#include "base/units.h"
#include "run/request.h"
#include "run/show.h"
#include "story/story_mapreduce.h"
#include "mapreduce/mapreduce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options of its own. */
enum { TEXT = RC_OWN, COMBINE, MAP_RATE, TOP };

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

static rc_exit read_request(rc_session *session, rs_mr_request *request, rc_mapped *mapped,
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
static rc_exit find_top(rc_session *session, int64_t wanted, rc_mapped *mapped) {
    const rs_mr_report *report = &mapped->report;
    const int64_t room = 2 * wanted + 64;
    int64_t n = 0;
    mapped->top = rs_alloc(session->arena, (size_t)room, sizeof *mapped->top);
    if (mapped->top == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the words"));
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

/* ------------------------------------------------------------------ the command */

static rc_exit compute(rc_session *session, const rs_mr_request *request, int64_t n_top,
                       rc_mapped *mapped) {
    const rc_exit status =
        rc_exit_of(rs_mapreduce(request, session->arena, session->error, &mapped->report));
    return status == RC_GOOD ? find_top(session, n_top, mapped) : status;
}

static rc_exit make_story(rc_session *session, const rc_mapped *mapped, rv_story *story) {
    rv_mapreduce_story *of = rs_alloc(session->arena, 1, sizeof *of);
    if (of == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the story"));
    *of = (rv_mapreduce_story){&mapped->report, mapped->top, mapped->n_top};
    return rc_exit_of(rv_story_mapreduce(of, session->arena, session->error, story));
}

static rc_exit mapreduce_subject(rc_session *session, rv_subject *subject) {
    rs_mr_request request = {0};
    rv_story story;
    int64_t n_top;
    const char *typed = session->options.value[TEXT].text;
    rc_mapped *mapped = rs_alloc(session->arena, 1, sizeof *mapped);
    if (mapped == NULL) return rc_fail(session->error, RC_LACKS, _("no memory to start with"));
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
    rc_mapped *mapped = rs_alloc(session->arena, 1, sizeof *mapped);
    if (mapped == NULL) return rc_fail(session->error, RC_LACKS, _("no memory to start with"));
    rc_exit status = read_request(session, &request, mapped, &n_top);
    if (status == RC_GOOD) status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = compute(session, &request, n_top, mapped);
    status = rc_host_end(session->host, status, session->error);
    FILE *output = showing.outputs.files[RC_OUT_VALUES].stream;
    if (status == RC_GOOD) status = make_story(session, mapped, &story);
    if (status == RC_GOOD) {
        status = rc_read_at(&session->options, story.n_steps, session->error, &showing.look.at);
    }
    if (status == RC_GOOD && output != NULL) rc_write_words(&mapped->report, output);
    status = rc_show_story(session, &showing, status, &story);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) rc_json_mapped(mapped, stdout);
    return status == RC_GOOD ? rc_print_figures(session, &showing, &story) : status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option takes[] = {
    {.id = RC_GPUS,
     .argument = "N",
     .help = N_("GPUs, each a mapper and a reducer, 2"),
     .type = RC_INTEGER(1, RS_MR_MAX_RANKS, "2")},
    {.id = RC_ORDER, .argument = "seed|nccl", .help = N_("of the ring that is compared, seed")},
    {.id = RC_OP,
     .argument = "sum|count|max|min|list",
     .help = N_("what a reducer makes of a word's values: ones (sum), places (all others); sum"),
     .type = RC_ONE_OF("sum", "sum", "count", "max", "min", "list")},
    {.id = RC_OUTPUT, .argument = "FILE", .help = N_("every word, a tab, its result: a line each")},
    {.id = RC_ALPHA},
    {.id = RC_BANDWIDTH},
    {.id = RC_REDUCE_RATE,
     .argument = "RATE",
     .help = N_("how fast a reducer takes in what arrives, infinite")},
    {.id = RC_PROTOCOL},
    {.id = RC_LINKS},
    RC_TAKE_WALK,
    {TEXT, "text", 0, "FILE|\"WORDS\"",
     N_("what is mapped: a file (-: standard input), or words; \"hello world hello\""), NULL},
    {COMBINE, "combine", 0, NULL, N_("mappers fold their own pairs first and send one a word"),
     NULL},
    {MAP_RATE, "map-rate", 0, "RATE", N_("how fast a mapper reads in the simulation, 500MB/s"),
     RC_TYPE(rc_as_amount, "500MB/s", .least = RC_IN_BYTES_PER_S, .word = "infinite")},
    {TOP, "top", 0, "K", N_("of many words the K most frequent are listed, 10"),
     RC_INTEGER(0, 1000000, "10")},
    {.id = RC_LANG},
    {.id = RC_JSON},
    {.id = RC_EXPORT},
    {.id = RC_MOMENT},
    {.id = RC_SLIDES},
    {.id = RC_BARE},
    RC_TAKE_HELP,
};

const rc_command rc_command_mapreduce = {.name = "mapreduce",
                                         .operands = "",
                                         .summary = N_("the older cousin: words counted by many"),
                                         RC_TAKES(takes),
                                         RC_OFTEN(RC_GPUS, TEXT, RC_OP, COMBINE, TOP, RC_OUTPUT,
                                                  RC_ALPHA, RC_BANDWIDTH, RC_STEP, RC_VIEW, RC_LANG,
                                                  RC_JSON, RC_EXPORT),
                                         .run = cmd_mapreduce,
                                         .subject = mapreduce_subject};
