/* test_recorder.c: what a flight recorder's dump says is what was written, field by field, in every way of writing; of a
 * file that ends too early what is there is the same.
 */
#include "hangs/made_parts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rs_arena scratch, keep;
static rs_error error;
static rn_dump dump;

static void start(void) {
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&scratch);
    rs_arena_free(&keep);
}
TestSuite(recorder, .init = start, .fini = stop);

static rs_status read_bytes(const char *bytes, size_t n) {
    char *exact = malloc(n + 1); /* no byte more: a read beyond them is caught */
    cr_assert_not_null(exact);
    memcpy(exact, bytes, n);
    const rs_status status = rn_read_recorder(exact, n, &scratch, &keep, &error, &dump);
    free(exact);
    return status;
}

static const char *word(uint32_t number) {
    cr_assert_lt(number, dump.n_words);
    return dump.words[number];
}

/* ------------------------------------------------------------------ what was written */

static bool is_message(const made_call *c) {
    return c->op == MADE_SEND || c->op == MADE_RECV;
}

static void same_group(const made_job *j, const rn_call *call, const made_group *g) {
    cr_assert(call->group >= 0 && call->group < dump.n_groups);
    const rn_call_group *read = &dump.groups[call->group];
    cr_assert_str_eq(word(read->name), g->name);
    cr_assert_str_eq(word(read->desc), g->desc);
    cr_assert(read->n_ranks == g->n_ranks && read->last_seq == -1, "%d ranks of %d",
              (int)j->n_ranks, (int)read->n_ranks);
    cr_assert_arr_eq(read->ranks, g->ranks, (size_t)g->n_ranks * sizeof *g->ranks);
}

static void same_call(const made_job *j, int32_t rank, const made_call *c, const rn_call *call) {
    static const char *const names[] = {"all_reduce", "_all_gather_base",   "_reduce_scatter_base",
                                        "broadcast",  "all_reduce_barrier", "send",
                                        "recv"};
    const made_group *g = &j->groups[c->group];
    const int64_t ahead = made_clock_ns(j, rank);
    char where[32] = "";
    if (j->frames) snprintf(where, sizeof where, "train.py:%d", (int)c->line);
    same_group(j, call, g);
    cr_assert_str_eq(word(call->name), names[c->op]);
    cr_assert_str_eq(word(call->dtype), c->dtype == 0 ? "Float" : "BFloat16");
    cr_assert_str_eq(word(call->where), where);
    cr_assert_eq(call->n_in, c->op == MADE_REDUCE_SCATTER ? c->n * g->n_ranks : c->n);
    cr_assert_eq(call->n_out, c->op == MADE_ALL_GATHER ? c->n * g->n_ranks : c->n);
    cr_assert_eq(call->seq, is_message(c) ? c->p2p_seq : c->seq);
    cr_assert_eq(call->created_ns, c->created_ns + ahead);
    const int64_t seen = made_seen_ns(j, rank, c->completed_ns + ahead);
    cr_assert_eq(call->completed_ns, c->done ? seen : 0);
    const int64_t lasted = c->done && j->timed ? c->completed_ns - c->started_ns : 0;
    cr_assert_leq(llabs(call->lasted_ns - lasted), 1);
    cr_assert_eq(call->state == RN_CALL_COMPLETED, c->done);
    if (call->state == RN_CALL_STARTED) cr_assert(j->timed);
    cr_assert(call->root == -1 && call->op == -1);
    cr_assert_eq(call->peer, is_message(c) ? g->ranks[c->peer] : -1);
    cr_assert_eq(call->sends, c->op == MADE_SEND);
}

/* Equal stacks stand for equal lines, and none for no lines. */
static void same_stacks(const made_job *j, const made_call *made, const rn_call *calls, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        cr_assert_eq(calls[i].stack != 0, j->frames);
        for (int64_t k = 0; k < i; k++) {
            const bool same = made[i].line == made[k].line;
            cr_assert_eq(calls[i].stack == calls[k].stack, same || !j->frames);
        }
    }
}

static void same_rank(const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    int32_t all = 0, entry = 0;
    int64_t n = 0;
    for (int32_t i = 0; i < r->n_made; i++) all += 1 + (j->coalesced && is_message(&r->calls[i]));
    const int32_t lost = all > j->buffer ? all - j->buffer : 0;
    cr_assert(!dump.cut && dump.whole == (lost == 0) && dump.n_groups == r->n_groups);
    cr_assert(!dump.rough && !dump.launched && dump.rank == -1);
    int32_t first = -1;
    for (int32_t i = 0; i < r->n_made; i++) {
        const bool two = j->coalesced && is_message(&r->calls[i]);
        if (entry >= lost) {
            cr_assert_lt(n, dump.n_calls);
            if (first < 0) first = i;
            same_call(j, rank, &r->calls[i], &dump.calls[n++]);
        } else if (two && entry + 1 >= lost) { /* only what closes it is there */
            cr_assert_str_eq(word(dump.calls[n++].name), "coalesced");
        }
        entry += 1 + two;
    }
    cr_assert_eq(n, dump.n_calls);
    const int64_t known = first >= 0 ? r->n_made - first : 0;
    if (known > 0)
        same_stacks(j, r->calls + first, dump.calls + n - known, known < 80 ? known : 80);
}

Test(recorder, says_of_each_call_what_was_called) {
    enum { JOBS = 42 };
    int n_lost = 0, n_coalesced = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 16, .fault = MADE_N_FAULTS};
        made_job *j = make_hang(&wish);
        j->style = (int)(seed % 6);
        for (int32_t rank = 0; rank < j->n_ranks; rank += 1 + j->n_ranks / 4) {
            size_t n = 0;
            char *bytes = rank == j->blind ? NULL : dump_rank(j, rank, &n);
            if (bytes == NULL) continue;
            cr_assert_eq(read_bytes(bytes, n), RS_OK, "seed %d: %s", (int)seed, error.text);
            same_rank(j, rank);
            n_lost += !dump.whole;
            n_coalesced += j->coalesced;
            free(bytes);
        }
        free_hang(j);
    }
    cr_assert(n_lost > 5 && n_coalesced > 5, "%d %d", n_lost, n_coalesced);
}

/* ------------------------------------------------------------------ as far as it goes */

static bool equal_calls(const rn_dump *a, const rn_call *c, const rn_dump *b, const rn_call *d) {
    return strcmp(a->words[c->name], b->words[d->name]) == 0 &&
           strcmp(a->words[c->dtype], b->words[d->dtype]) == 0 &&
           strcmp(a->words[c->where], b->words[d->where]) == 0 && c->stack == d->stack &&
           c->seq == d->seq && c->n_in == d->n_in && c->n_out == d->n_out &&
           c->created_ns == d->created_ns && c->completed_ns == d->completed_ns &&
           c->state == d->state && c->peer == d->peer && c->sends == d->sends;
}

/* What an earlier end leaves are the first calls, as they are in the whole file. */
Test(recorder, a_file_that_ends_too_early_has_its_first_calls) {
    for (int style = 0; style <= 5; style++) {
        const made_wish wish = {.seed = 23, .n_ranks = 4, .fault = MADE_STOPPED};
        made_job *j = make_hang(&wish);
        size_t n;
        j->style = style;
        j->coalesced = style % 2 == 0;
        char *bytes = dump_rank(j, 0, &n);
        cr_assert_eq(read_bytes(bytes, n), RS_OK, "%s", error.text);
        const rn_dump whole = dump;
        int64_t most = 0;
        const size_t step = 1 + n / 300;
        for (size_t k = 0; k < n - 1; k += k + 2 * step < n ? step : 1) {
            const rs_status status = read_bytes(bytes, k);
            if (status != RS_OK) continue;
            cr_assert(dump.cut && dump.n_calls >= most && dump.n_calls <= whole.n_calls, "%d of %d",
                      (int)k, (int)n);
            most = dump.n_calls;
            for (int64_t i = 0; i < dump.n_calls; i++) {
                cr_assert(equal_calls(&dump, &dump.calls[i], &whole, &whole.calls[i]),
                          "style %d, %d of %d bytes, call %d", style, (int)k, (int)n, (int)i);
            }
        }
        cr_assert_geq(most, whole.n_calls - 3);
        free(bytes);
        free_hang(j);
    }
}

/* ------------------------------------------------------------------ one entry */

/* Reads a dump in JSON of one entry with these fields beside a name. */
static const rn_call *read_entry(const char *fields) {
    char text[4096];
    const int n = snprintf(
        text, sizeof text,
        " \t\r\n{\"pg_config\":{\"7\":{\"desc\":\"tp\",\"ranks\":[3, 5, 9, -1, 4000000000]}},"
        "\"entries\":[{%s}]}",
        fields);
    cr_assert_eq(read_bytes(text, (size_t)n), RS_OK, "%s", error.text);
    return dump.n_calls == 1 ? &dump.calls[0] : NULL;
}

#define GROUP "\"process_group\":[\"7\",\"tp\"],"
#define CALL GROUP "\"profiling_name\":\"nccl:all_reduce\",\"collective_seq_id\":4"

Test(recorder, knows_the_fields_of_older_versions) {
    static const char *const named[] = {
        "\"pg_name\":[\"7\",\"tp\"],", "\"pg_name\":\"7\",", "\"pg_id\":7,", "\"pg_id\":\"7\",",
        GROUP "\"pg_name\":\"8\",",    GROUP "\"pg_id\":8,"};
    static const char *const numbered[] = {"\"seq_id\":4", "\"seq_id\":\"4\"",
                                           "\"collective_seq_id\":4",
                                           "\"collective_seq_id\":\"4\",\"p2p_seq_id\":9"};
    char fields[400];
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4; k++) {
            snprintf(fields, sizeof fields, "%s%s,\"profiling_name\":\"nccl:gather\"", named[i],
                     numbered[k]);
            const rn_call *c = read_entry(fields);
            cr_assert(c != NULL && c->seq == 4, "%s", fields);
            cr_assert_str_eq(word(c->name), "gather");
            const rn_call_group *g = &dump.groups[c->group];
            cr_assert_str_eq(word(g->name), "7");
            cr_assert(g->n_ranks == 3 && g->ranks[0] == 3 && g->ranks[1] == 5 && g->ranks[2] == 9);
        }
    }
    cr_assert_null(read_entry(GROUP "\"profiling_name\":\"gather\""), "it has no number");
    cr_assert_null(read_entry(GROUP "\"seq_id\":4"), "it has no name");
    cr_assert_null(read_entry(GROUP "\"profiling_name\":\"x\",\"seq_id\":9223372036854775806"));
    cr_assert_null(read_entry(GROUP "\"profiling_name\":\"x\",\"seq_id\":\"9223372036854775806\""),
                   "no job counts so far");
    cr_assert_null(read_entry(GROUP "\"profiling_name\":\"x\",\"seq_id\":\"\""));
    cr_assert_not_null(read_entry("\"profiling_name\":\"x\",\"seq_id\":0"), "pg_id is 0");
    cr_assert_str_eq(word(dump.groups[dump.calls[0].group].name), "0");
}

Test(recorder, peers_are_ranks_of_the_job) {
    static const struct {
        const char *name, *is;
        int32_t peer;
        bool sends;
    } cases[] = {{"nccl:send 0->1", "send", 5, true},  {"nccl:recv 0<-2", "recv", 9, false},
                 {"send 1->0", "send", 3, true},       {"nccl:recv 0<-3", "recv", -1, false},
                 {"nccl:send 0->", "send", -1, true},  {"nccl:sends", "sends", -1, false},
                 {"nccl:send 0->02", "send", 9, true}, {"nccl:recv", "recv", -1, false}};
    char fields[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(fields, sizeof fields,
                 GROUP "\"collective_seq_id\":4,\"p2p_seq_id\":6,\"profiling_name\":\"%s\"",
                 cases[i].name);
        const rn_call *c = read_entry(fields);
        cr_assert_not_null(c, "%s", fields);
        cr_expect_str_eq(word(c->name), cases[i].is);
        cr_expect(c->peer == cases[i].peer && c->sends == cases[i].sends, "%s: %d", cases[i].name,
                  (int)c->peer);
        const bool known = cases[i].peer >= 0 || strcmp(cases[i].name, "nccl:recv 0<-3") == 0;
        cr_expect_eq(c->seq, known ? 6 : 4, "%s", cases[i].name);
    }
    const rn_call *c = read_entry(GROUP "\"collective_seq_id\":4,\"p2p_seq_id\":6,\"is_p2p\":true,"
                                        "\"profiling_name\":\"nccl:coalesced\"");
    cr_assert(c != NULL && c->seq == 6);
    c = read_entry(GROUP "\"collective_seq_id\":4,\"p2p_seq_id\":6,\"is_p2p\":false,"
                         "\"profiling_name\":\"nccl:coalesced\"");
    cr_assert(c != NULL && c->seq == 4);
}

Test(recorder, counts_elements_of_all_tensors) {
    static const struct {
        const char *sizes;
        int64_t n;
    } cases[] = {{"[]", 0},
                 {"[[]]", 1},
                 {"[[2,3]]", 6},
                 {"[[2,3],[4],[1,5,2]]", 20},
                 {"[[0,7],[3]]", 3},
                 {"[5,[2]]", 2},
                 {"7", 0},
                 {"[[4611686018427387904,1]]", (int64_t)1 << 60},
                 {"[[1152921504606846976],[1]]", (int64_t)1 << 60},
                 {"[[1152921504606846975],[1]]", (int64_t)1 << 60},
                 {"[[1152921504606846974],[1]]", ((int64_t)1 << 60) - 1},
                 {"[[-3]]", (int64_t)1 << 60},
                 {"[[1073741824,1073741824]]", (int64_t)1 << 60},
                 {"[[1073741824,1073741825]]", (int64_t)1 << 60}};
    char fields[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(fields, sizeof fields, CALL ",\"input_sizes\":%s,\"output_sizes\":[[9]]",
                 cases[i].sizes);
        const rn_call *c = read_entry(fields);
        cr_assert_not_null(c);
        cr_expect(c->n_in == cases[i].n && c->n_out == 9, "%s: %lld", cases[i].sizes,
                  (long long)c->n_in);
    }
}

Test(recorder, types_states_and_times_are_those_that_are_known) {
    static const struct {
        const char *field, *dtype;
        int state;
        int64_t created, completed;
    } cases[] = {
        {"", "", RN_CALL_SCHEDULED, 0, 0},
        {",\"state\":\"scheduled\"", "", RN_CALL_SCHEDULED, 0, 0},
        {",\"state\":\"started\"", "", RN_CALL_STARTED, 0, 0},
        {",\"state\":\"completed\"", "", RN_CALL_COMPLETED, 0, 0},
        {",\"state\":\"completed\",\"state\":\"started\"", "", RN_CALL_COMPLETED, 0, 0},
        {",\"state\":7", "", RN_CALL_SCHEDULED, 0, 0},
        {",\"time_created_ns\":17,\"time_discovered_completed_ns\":33", "", RN_CALL_COMPLETED, 17,
         33},
        {",\"time_discovered_completed_ns\":null", "", RN_CALL_SCHEDULED, 0, 0},
        {",\"time_created_ns\":1.5e3", "", RN_CALL_SCHEDULED, 0, 0},
        {",\"input_dtypes\":[\"Half\",\"Long\"],\"output_dtypes\":[\"Int\"]", "Half, Int",
         RN_CALL_SCHEDULED, 0, 0},
        {",\"input_dtypes\":[],\"output_dtypes\":[\"Int\"]", "Int", RN_CALL_SCHEDULED, 0, 0},
        {",\"output_dtypes\":\"Int\"", "Int", RN_CALL_SCHEDULED, 0, 0}};
    char fields[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(fields, sizeof fields, CALL "%s", cases[i].field);
        const rn_call *c = read_entry(fields);
        cr_assert_not_null(c);
        cr_expect_str_eq(word(c->dtype), cases[i].dtype, "%s", cases[i].field);
        cr_expect(c->state == cases[i].state && c->created_ns == cases[i].created &&
                      c->completed_ns == cases[i].completed,
                  "%s", cases[i].field);
    }
}

/* The innermost line that is nobody else's; of PyTorch's own the first where there is no other. */
Test(recorder, names_the_line_that_is_the_callers_own) {
#define FRAME(file, line) "{\"name\":\"f\",\"filename\":\"" file "\",\"line\":" line "}"
    static const char *const cases[][2] = {
        {FRAME("a.py", "3"), "a.py:3"},
        {FRAME("/x/torch/nn.py", "1") "," FRAME("b.py", "\"4\"") "," FRAME("c.py", "5"), "b.py:4"},
        {FRAME("torch/distributed/x.py", "1") "," FRAME("my/torch.py", "4"), "my/torch.py:4"},
        {FRAME("/lib/contextlib.py", "8") "," FRAME("/a/torch/b.py", "9"), "/lib/contextlib.py:8"},
        {"7,{\"filename\":1}," FRAME("d.py", "6"), "d.py:6"},
        {"{\"filename\":\"e.py\"}", "e.py:0"},
        {"", ""}};
    uint64_t stacks[7];
    char fields[600];
    for (int i = 0; i < 7; i++) {
        snprintf(fields, sizeof fields, CALL ",\"frames\":[%s]", cases[i][0]);
        const rn_call *c = read_entry(fields);
        cr_assert_not_null(c);
        cr_expect_str_eq(word(c->where), cases[i][1], "%s", cases[i][0]);
        stacks[i] = c->stack;
        for (int k = 0; k < i; k++) cr_expect_neq(stacks[i], stacks[k]);
    }
    cr_assert_eq(stacks[6], 0);
}

/* Another operation from the same line of one's own comes from elsewhere in PyTorch: it is the same place. */
Test(recorder, lines_of_pytorch_below_ones_own_do_not_count) {
    static const char *const frames[4] = {
        FRAME("/x/torch/c10d.py", "2000") "," FRAME("b.py", "4") "," FRAME("c.py", "5"),
        FRAME("/x/torch/c10d.py", "2003") "," FRAME("b.py", "4") "," FRAME("c.py", "5"),
        FRAME("/x/torch/c10d.py", "2003") "," FRAME("b.py", "4") "," FRAME("c.py", "6"),
        FRAME("/x/torch/c10d.py", "2003") "," FRAME("/x/torch/nn.py", "4")};
    uint64_t stacks[4];
    for (int i = 0; i < 4; i++) {
        char fields[600];
        snprintf(fields, sizeof fields, CALL ",\"frames\":[%s]", frames[i]);
        const rn_call *c = read_entry(fields);
        cr_assert_not_null(c);
        stacks[i] = c->stack;
    }
    cr_assert(stacks[0] == stacks[1] && stacks[1] != stacks[2] && stacks[3] != stacks[0]);
}

/* A stack counts up to 64 lines: the 65th makes no difference, the 64th does. */
Test(recorder, looks_at_so_many_lines_and_no_more) {
    uint64_t stack[4];
    for (int k = 0; k < 4; k++) {
        char fields[8192];
        int n = snprintf(fields, sizeof fields, CALL ",\"frames\":[");
        for (int i = 0; i < 66; i++) {
            const int line =
                (k == 1 && i == 64) || (k == 2 && i == 63) || (k == 3 && i == 0) ? 999 : i;
            n += snprintf(fields + n, sizeof fields - (size_t)n,
                          "%s{\"filename\":\"a\",\"line\":%d}", i > 0 ? "," : "", line);
        }
        snprintf(fields + n, sizeof fields - (size_t)n, "]");
        char text[9000];
        const int all = snprintf(text, sizeof text, "{\"entries\":[{%s}]}", fields);
        cr_assert_eq(read_bytes(text, (size_t)all), RS_OK);
        cr_assert_eq(dump.n_calls, 1);
        stack[k] = dump.calls[0].stack;
    }
    cr_assert(stack[0] == stack[1] && stack[0] != stack[2] && stack[0] != stack[3]);
}

/* Coalesced sends and recvs are as far as the entry that closes them; what a cut may have taken is left out. */
Test(recorder, members_of_a_coalesced_group_are_as_far_as_it_is) {
    static const char part[] = "{\"process_group\":[\"%s\",\"\"],\"p2p_seq_id\":%d,\"is_p2p\":true,"
                               "\"collective_seq_id\":1,\"profiling_name\":\"nccl:%s\","
                               "\"state\":\"%s\"},";
    char text[4096], name[16];
    for (int cut = 0; cut < 2; cut++) {
        int n = snprintf(text, sizeof text, "{\"entries\":[");
        for (int i = 0; i < 6;
             i++) { /* two and two are closed, two are not; another group between */
            const char *closed = i < 2 ? "started" : i < 4 ? "completed" : "";
            snprintf(name, sizeof name, i % 2 ? "send 0->1" : "recv 0<-1");
            n += snprintf(text + n, sizeof text - (size_t)n, part, i < 2 ? "1" : "2", i / 2, name,
                          "scheduled");
            if (i % 2 == 1 && closed[0] != '\0') {
                n += snprintf(text + n, sizeof text - (size_t)n, part, i < 2 ? "1" : "2", i / 2,
                              "coalesced", closed);
            }
        }
        n += snprintf(text + n - 1, sizeof text - (size_t)n, cut ? ",{" : "]}") - 1;
        cr_assert_eq(read_bytes(text, (size_t)n), RS_OK, "%s", error.text);
        cr_assert(dump.cut == (cut == 1) && dump.n_calls == (cut ? 4 : 6), "%d", (int)dump.n_calls);
        for (int i = 0; i < dump.n_calls; i++) {
            cr_assert_eq(dump.calls[i].state, i < 2   ? RN_CALL_STARTED
                                              : i < 4 ? RN_CALL_COMPLETED
                                                      : RN_CALL_SCHEDULED);
            cr_assert(dump.calls[i].peer == 1 && dump.calls[i].seq == i / 2);
        }
    }
}

Test(recorder, tells_whether_the_beginning_is_there) {
    static const struct {
        const char *id;
        bool whole;
    } cases[] = {{"", true}, {"\"record_id\":0,", true}, {"\"record_id\":1,", false}};
    for (int i = 0; i < 3; i++) {
        char fields[300];
        snprintf(fields, sizeof fields, "%s" CALL, cases[i].id);
        cr_assert_not_null(read_entry(fields));
        cr_assert_eq(dump.whole, cases[i].whole);
    }
    cr_assert_eq(read_bytes("{\"entries\":[]}", 14), RS_OK);
    cr_assert(dump.whole && dump.n_calls == 0 && dump.n_groups == 0);
    cr_assert_eq(read_bytes("{\"pg_config\":{}}", 16), RS_OK);
    cr_assert_eq(dump.n_calls, 0);
}

/* "[3, 12, 7]", spaces or none; a list; what is no rank is passed over. */
Test(recorder, reads_ranks_however_they_are_written) {
    static const char *const ways[] = {"\"[3, 12, 7]\"",
                                       "\"3,12,7\"",
                                       "\" 3 12 7 \"",
                                       "[3,12,7]",
                                       "[3,\"x\",12,-5,7,9999999999]",
                                       "\"3 99999999999 12 7\""};
    for (int i = 0; i < 6; i++) {
        char text[200];
        const int n =
            snprintf(text, sizeof text, "{\"pg_config\":{\"g\":{\"ranks\":%s}}}", ways[i]);
        cr_assert_eq(read_bytes(text, (size_t)n), RS_OK);
        cr_assert_eq(dump.n_groups, 1);
        const rn_call_group *g = &dump.groups[0];
        cr_assert(g->n_ranks == 3 && g->ranks[0] == 3 && g->ranks[1] == 12 && g->ranks[2] == 7,
                  "%s: %d", ways[i], (int)g->n_ranks);
        cr_assert_eq(g->desc, 0);
    }
    cr_assert_eq(read_bytes("{\"pg_config\":{\"g\":{\"ranks\":7}}}", 31), RS_OK);
    cr_assert_eq(dump.groups[0].n_ranks, 0);
}

/* What pg_status says of a group counts where it agrees with the entries. */
Test(recorder, believes_the_status_that_agrees) {
    static const struct {
        const char *enqueued, *completed, *end;
        int64_t last_seq, last_completed;
    } cases[] = {{"9", "7", "]}", -1, 7},     {"9", "\"7\"", "]}", -1, 7},
                 {"10", "7", "]}", -1, -1},   {"8", "7", "]}", -1, -1},
                 {"9", "10", "]}", -1, -1},   {"11", "7", "", -1, -1},
                 {"null", "7", "]}", -1, -1}, {"9", "-1", "]}", -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[700];
        const int n = snprintf(
            text, sizeof text,
            "{\"pg_config\":{\"x\":{\"ranks\":\"[0, 1]\"}},\"pg_status\":{\"3\":{"
            "\"last_enqueued_collective\":%s,\"last_started_collective\":-1,\"last_completed_collective\":%s}},"
            "\"entries\":[{\"record_id\":5,\"pg_id\":3,\"process_group\":[\"x\",\"y\"],\"collective_seq_id\":9,"
            "\"profiling_name\":\"nccl:all_reduce\",\"state\":\"scheduled\"}%s",
            cases[i].enqueued, cases[i].completed, cases[i].end);
        rs_arena one, kept;
        rs_error trouble;
        rn_dump read;
        rs_arena_init(&one, NULL);
        rs_arena_init(&kept, NULL);
        cr_assert_eq(rn_read_recorder(text, (size_t)n, &one, &kept, &trouble, &read), RS_OK, "%s",
                     trouble.text);
        cr_assert_eq(read.n_groups, 1);
        cr_expect_eq(read.groups[0].last_seq, cases[i].last_seq, "case %d", (int)i);
        cr_expect_eq(read.groups[0].last_completed, cases[i].last_completed, "case %d", (int)i);
        rs_arena_free(&one);
        rs_arena_free(&kept);
    }
}
