/* test_recorder_fields.c: random entries of a flight recorder's dump in JSON, their fields in any order, some missing, some of
 * another kind: each call is what a plain reading of its fields says.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 16, FIELDS = 16, FIELD = 160, ENTRIES = 8 };

static rs_arena scratch, keep;
static rs_error error;
static rn_dump dump;
static char text[ROOM], fields[FIELDS][FIELD];
static size_t n_text;
static int n_fields;
static uint64_t state;

static void start(void) {
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&scratch);
    rs_arena_free(&keep);
}
TestSuite(recorder_fields, .init = start, .fini = stop);

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}
#define ADD(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, __VA_ARGS__);                     \
        cr_assert_lt(n_text, ROOM);                                                                \
    } while (0)
/* Adds a field to the entry at hand. */
#define GIVE(...) snprintf(fields[n_fields++], FIELD, __VA_ARGS__)

/* What a call should be. */
typedef struct told {
    bool there;
    const char *group, *name, *dtype;
    char where[24];
    int64_t seq, n_in, n_out, created_ns, completed_ns, lasted_ns;
    int peer, state;
    bool sends;
} told;

static const int ranks_of_a[] = {3, 5, 8, 13};

/* Gives a whole number as one, or as a text; or nothing that is one. Returns it, -1: it is none. */
static int64_t give_number(const char *name) {
    const int64_t number = draw(90);
    switch (draw(6)) {
    case 0: GIVE("\"%s\":\"%d\"", name, (int)number); return number;
    case 1: GIVE("\"%s\":[%d]", name, (int)number); return -1;
    case 2: return -1;
    default: GIVE("\"%s\":%d", name, (int)number); return number;
    }
}

/* Sizes of some tensors: returns all their elements together. */
static int64_t give_sizes(const char *name) {
    static const char *const sizes[] = {"[]",           "[[]]",        "[[7]]",  "[[2,3],[4]]",
                                        "[[5,0],[6]]",  "[[2,2,2]]",   "7",      "[9,[3]]",
                                        "[[1,1],[],1]", "[[3],[3,3]]", "\"[4]\""};
    static const int64_t elements[] = {0, 1, 7, 10, 6, 8, 0, 3, 2, 12, 0};
    const int i = draw(12);
    if (i == 11) return 0;
    GIVE("\"%s\":%s", name, sizes[i]);
    return elements[i];
}

static int64_t give_time(const char *name, bool *is_integer) {
    static const char *const times[] = {
        "1700000000000000001", "5", "null", "0", "-4", "1.5", "2305843009213693950",
        "2305843009213693951"};
    static const int64_t ns[] = {1700000000000000001, 5, 0, 0, 0, 0, 2305843009213693950, 0};
    const int i = draw(9);
    *is_integer = i != 2 && i != 5 && i != 8;
    if (i == 8) return 0;
    GIVE("\"%s\":%s", name, times[i]);
    return ns[i];
}

static void give_name(told *t) {
    static const char *const names[][2] = {{"nccl:all_reduce", "all_reduce"},
                                           {"nccl:_all_gather_base", "_all_gather_base"},
                                           {"reduce", "reduce"},
                                           {"gloo:x:y", "x:y"},
                                           {"nccl:sender", "sender"}};
    const int i = draw(8), peer = draw(6);
    t->peer = -1;
    if (i < 5) {
        GIVE("\"profiling_name\":\"%s\"", names[i][0]);
        t->name = names[i][1];
    } else if (i < 7) {
        t->sends = i == 5;
        t->name = t->sends ? "send" : "recv";
        GIVE("\"profiling_name\":\"nccl:%s 1%s%d\"", t->name, t->sends ? "->" : "<-", peer);
        t->peer = peer;
    }
}

static void give_frames(told *t) {
    const int line = 1 + draw(400), how = draw(5);
    t->where[0] = '\0';
    if (how == 4) return;
    static const char *const inside[] = {"/usr/torch/nn.py", "x/torch/distributed/a.py"};
    char own[64];
    snprintf(own, sizeof own, "{\"filename\":\"t.py\",\"line\":%s%d%s}", line % 3 ? "" : "\"", line,
             line % 3 ? "" : "\"");
    if (how == 0) GIVE("\"frames\":[%s]", own);
    if (how == 1) GIVE("\"frames\":[{\"filename\":\"%s\",\"line\":3},%s]", inside[line % 2], own);
    if (how == 2) GIVE("\"frames\":[{\"line\":3},7,%s,{\"filename\":\"u.py\",\"line\":9}]", own);
    if (how == 3) GIVE("\"frames\":{\"filename\":\"t.py\"}");
    if (how < 3) snprintf(t->where, sizeof t->where, "t.py:%d", line);
}

/* Which of "a", "b" or a number; a name counts for more than the number. */
static void give_group(told *t, int64_t pg_id) {
    static const char *const ids[] = {"0", "1", "2", "3"};
    const int how = draw(8);
    t->group = how < 5 ? (how % 2 ? "b" : "a") : ids[pg_id];
    if (how < 2) GIVE("\"process_group\":[\"%s\",\"desc\"]", t->group);
    if (how == 2) GIVE("\"process_group\":\"%s\"", t->group);
    if (how == 3) GIVE("\"pg_name\":\"%s\"", t->group);
    if (how == 4) {
        GIVE("\"process_group\":[\"a\"]");
        GIVE("\"pg_name\":\"a\"");
    }
    if (how == 6) GIVE("\"process_group\":%s", draw(2) ? "[]" : "[null]"); /* no name */
    if (how == 7) GIVE("\"pg_name\":7");
}

static void give_entry(told *t) {
    static const char *const states[] = {"scheduled", "started", "completed", "odd"};
    bool is_integer;
    *t = (told){.name = NULL, .dtype = ""};
    n_fields = 0;
    const int64_t pg_id = draw(4);
    if (draw(2))
        GIVE("\"pg_id\":%d", (int)pg_id);
    else
        GIVE("\"pg_id\":\"%d\"", (int)pg_id);
    give_group(t, pg_id);
    const int64_t seq = give_number(draw(2) ? "collective_seq_id" : "seq_id");
    const int64_t p2p_seq = give_number("p2p_seq_id");
    give_name(t);
    t->seq = t->peer >= 0 && p2p_seq >= 0 ? p2p_seq : seq;
    t->there = t->name != NULL && t->seq >= 0;
    if (t->peer >= 0 && strcmp(t->group, "a") == 0)
        t->peer = t->peer < 4 ? ranks_of_a[t->peer] : -1;
    t->n_in = give_sizes("input_sizes");
    t->n_out = give_sizes("output_sizes");
    const int types = draw(6);
    if (types < 3) t->dtype = "Half";
    if (types == 0) GIVE("\"input_dtypes\":[\"Half\",\"Int\"]");
    if (types < 2) GIVE("\"output_dtypes\":[\"Half\"]");
    if (types == 2) GIVE("\"output_dtypes\":\"Half\"");
    if (types == 3) GIVE("\"input_dtypes\":[]");
    t->created_ns = give_time("time_created_ns", &is_integer);
    t->completed_ns = give_time("time_discovered_completed_ns", &is_integer);
    const int how = draw(5);
    if (how < 4) GIVE("\"state\":\"%s\"", states[how]);
    t->state = is_integer || how == 2 ? RN_CALL_COMPLETED : how == 1 ? RN_CALL_STARTED : 0;
    const int lasted = draw(4);
    if (lasted < 2) GIVE("\"duration_ms\":%s", lasted == 0 ? "2.5" : "-1.5");
    if (lasted == 2) GIVE("\"duration_ms\":1e12");
    t->lasted_ns = lasted == 0 ? 2500000 : 0;
    give_frames(t);
    for (int i = n_fields - 1; i > 0; i--) { /* in any order */
        char kept[FIELD];
        const int other = draw(i + 1);
        memcpy(kept, fields[i], FIELD);
        memcpy(fields[i], fields[other], FIELD);
        memcpy(fields[other], kept, FIELD);
    }
    ADD("{\"odd\":1");
    for (int i = 0; i < n_fields; i++) ADD(",%s", fields[i]);
    ADD("}");
}

static const char *word(uint32_t number) {
    cr_assert_lt(number, dump.n_words);
    return dump.words[number];
}

Test(recorder_fields, a_call_is_what_its_fields_say_in_any_order) {
    int n_calls = 0, n_left_out = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        told all[ENTRIES];
        state = seed * 0x9e3779b97f4a7c15;
        stop();
        start();
        n_text = 0;
        ADD("{\"pg_config\":{\"a\":{\"ranks\":\"[3, 5, 8, 13]\",\"desc\":\"x\"},\"b\":{}},\"entries\":[");
        for (int i = 0; i < ENTRIES; i++) {
            if (i > 0) ADD(",");
            give_entry(&all[i]);
        }
        ADD("]}");
        cr_assert_eq(rn_read_recorder(text, n_text, &scratch, &keep, &error, &dump), RS_OK, "%s",
                     error.text);
        int64_t n = 0;
        for (int i = 0; i < ENTRIES; i++) {
            const told *t = &all[i];
            n_left_out += !t->there;
            if (!t->there) continue;
            cr_assert_lt(n, dump.n_calls, "seed %d", (int)seed);
            const rn_call *c = &dump.calls[n++];
            cr_assert_str_eq(word(dump.groups[c->group].name), t->group);
            cr_assert_str_eq(word(c->name), t->name);
            cr_assert_str_eq(word(c->dtype), t->dtype);
            cr_assert_str_eq(word(c->where), t->where);
            cr_assert(c->seq == t->seq && c->n_in == t->n_in && c->n_out == t->n_out,
                      "seed %d, entry %d: %d, %d in, %d out", (int)seed, i, (int)c->seq,
                      (int)c->n_in, (int)c->n_out);
            cr_assert(c->created_ns == t->created_ns && c->completed_ns == t->completed_ns &&
                      c->lasted_ns == t->lasted_ns);
            cr_assert_eq(c->state, t->state, "seed %d, entry %d", (int)seed, i);
            cr_assert_eq(c->peer, t->peer, "seed %d, entry %d: %d", (int)seed, i, (int)c->peer);
            cr_assert(c->sends == t->sends && c->root == -1 && c->op == -1);
            cr_assert_eq(c->stack != 0, t->where[0] != '\0');
        }
        cr_assert_eq(n, dump.n_calls);
        n_calls += (int)n;
    }
    cr_assert(n_calls > 5000 && n_left_out > 1000, "%d, %d", n_calls, n_left_out);
}

/* ------------------------------------------------------------------ what begins, what closes */

/* The first entry says how many were lost before it. */
Test(recorder_fields, a_dump_is_whole_if_its_first_entry_is_the_first_of_all) {
    static const struct {
        const char *id;
        bool whole;
    } ids[] = {{"", true},
               {"\"record_id\":0,", true},
               {"\"record_id\":1,", false},
               {"\"record_id\":77,", false},
               {"\"record_id\":-1,", false},
               {"\"record_id\":null,", true},
               {"\"record_id\":[1],", true}};
    enum { IDS = sizeof ids / sizeof *ids };
    for (int i = 0; i < IDS * IDS; i++) {
        stop();
        start();
        n_text = 0;
        ADD("{\"entries\":[");
        for (int k = 0; k < 2; k++)
            ADD("%s{%s\"pg_id\":0,\"profiling_name\":\"reduce\",\"seq_id\":%d}", k > 0 ? "," : "",
                ids[k == 0 ? i % IDS : i / IDS].id, 7 + k);
        ADD("]}");
        cr_assert_eq(rn_read_recorder(text, n_text, &scratch, &keep, &error, &dump), RS_OK);
        cr_assert_eq(dump.whole, ids[i % IDS].whole, "%s", text);
        cr_assert_eq(dump.n_calls, 2);
    }
}

/* An entry of a few kinds; closes: one that says how far those before it are. */
typedef struct made_entry {
    int group, seq, p2p_seq, state;
    bool closes, p2p, message;
} made_entry;

static void say_entry(const made_entry *e, bool seq_first) {
    static const char *const states[] = {"scheduled", "started", "completed"};
    const char *name = e->closes ? "coalesced" : e->message ? "send 0->1" : "all_reduce";
    char numbers[2][80];
    snprintf(numbers[seq_first], 80, "\"is_p2p\":%s", e->p2p ? "true" : "false");
    snprintf(numbers[!seq_first], 80, "\"p2p_seq_id\":%d,\"collective_seq_id\":%d", e->p2p_seq,
             e->seq);
    ADD("{\"pg_id\":%d,%s,\"profiling_name\":\"nccl:%s\",\"state\":\"%s\",%s,"
        "\"time_discovered_completed_ns\":%s}",
        e->group, numbers[0], name, states[e->state], numbers[1], e->state == 2 ? "9" : "null");
}

/* What closes a group of calls goes, and they are as far as it; what closes nothing stays. No group reaches over either. Behind a
   message of its p2p_seq_id it closes messages, whatever is_p2p says. */
static int plain_calls(const made_entry list[], int n, made_entry out[]) {
    int n_out = 0, from = 0;
    for (int i = 0; i < n; i++) {
        made_entry e = list[i];
        const made_entry *last = i > 0 ? &list[i - 1] : NULL;
        const bool behind =
            last != NULL && last->message && last->group == e.group && last->p2p_seq == e.p2p_seq;
        if (e.message || (e.closes && (e.p2p || behind))) e.seq = e.p2p_seq;
        int first = n_out;
        while (e.closes && first > from && out[first - 1].group == e.group &&
               out[first - 1].seq == e.seq)
            out[--first].state = e.state;
        if (first == n_out) out[n_out++] = e;
        if (e.closes) from = n_out;
    }
    return n_out;
}

Test(recorder_fields, who_closes_a_group_says_how_far_its_calls_are) {
    int n_closed = 0, n_open = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        made_entry list[2 * ENTRIES], plain[2 * ENTRIES];
        state = seed * 0x9e3779b97f4a7c15;
        stop();
        start();
        n_text = 0;
        ADD("{\"entries\":[");
        for (int i = 0; i < 2 * ENTRIES; i++) {
            const int kind = draw(3);
            list[i] = (made_entry){.group = draw(5) == 0,
                                   .seq = draw(2),
                                   .p2p_seq = draw(2),
                                   .state = draw(3),
                                   .closes = kind == 0,
                                   .message = kind == 1,
                                   .p2p = draw(2)};
            if (i > 0) ADD(",");
            say_entry(&list[i], draw(2));
        }
        ADD("]}");
        cr_assert_eq(rn_read_recorder(text, n_text, &scratch, &keep, &error, &dump), RS_OK, "%s",
                     error.text);
        const int n = plain_calls(list, 2 * ENTRIES, plain);
        cr_assert_eq(dump.n_calls, n, "seed %d: %d calls, not %d", (int)seed, (int)dump.n_calls, n);
        for (int i = 0; i < n; i++) {
            const rn_call *c = &dump.calls[i];
            cr_assert_eq(word(dump.groups[c->group].name)[0], '0' + plain[i].group);
            cr_assert(c->seq == plain[i].seq && c->state == plain[i].state, "seed %d, call %d",
                      (int)seed, i);
            cr_assert_eq(c->completed_ns, plain[i].state == 2 ? 9 : 0);
            cr_assert_eq(c->peer, plain[i].message ? 1 : -1);
            cr_assert_eq(strcmp(word(c->name), "coalesced") == 0, plain[i].closes);
            n_open += plain[i].closes;
        }
        n_closed += 2 * ENTRIES - n;
    }
    cr_assert(n_closed > 3000 && n_open > 3000, "%d, %d", n_closed, n_open);
}

/* The last call is "completed", but only the dump saw that, long after it was made: it never began. A message, or a collective that
   was not enqueued yet. */
Test(recorder_fields, what_only_the_dump_saw_end_is_open) {
    static const struct {
        const char *retired, *name, *behind; /* behind: an entry after it */
        long long lasted_ns;
        int enqueued, p2p_seq;
        bool open;
    } cases[] = {
        {"false", "recv 0<-1", "", 5000000001, 4, 1, true},
        {"false", "recv 0<-1", "", 5000000000, 4, 1, false}, /* it may have ended just now */
        {"true", "recv 0<-1", "", 5000000001, 4, 1, false},
        {"null", "recv 0<-1", "", 5000000001, 4, 1, false},
        {"false", "all_reduce", "", 5000000001, 4, 0, true}, /* the fifth, and four were enqueued */
        {"false", "all_reduce", "", 5000000001, 5, 0, false},
        {"false", "all_reduce", "", 4000000000, 4, 0, false},
        {"false", "recv 0<-1",
         ",{\"pg_id\":0,\"collective_seq_id\":5,\"p2p_seq_id\":1,\"profiling_name\":\"nccl:coalesced\",\"is_p2p\":false,"
         "\"state\":\"completed\",\"retired\":false,\"time_created_ns\":1000,"
         "\"time_discovered_completed_ns\":9000001000}",
         0, 4, 1, true},
        {"false", "recv 0<-1",
         ",{\"pg_id\":0,\"collective_seq_id\":6,\"profiling_name\":\"nccl:all_reduce\",\"state\":\"scheduled\"}",
         5000000001, 4, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stop();
        start();
        n_text = 0;
        ADD("{\"pg_status\":{\"0\":{\"last_enqueued_collective\":%d,\"last_completed_collective\":4}},"
            "\"entries\":[{\"pg_id\":0,\"collective_seq_id\":5,\"p2p_seq_id\":%d,\"profiling_name\":\"nccl:%s\","
            "\"state\":\"completed\",\"retired\":%s,\"time_created_ns\":1000,"
            "\"time_discovered_completed_ns\":%lld}%s]}",
            cases[i].enqueued, cases[i].p2p_seq, cases[i].name, cases[i].retired,
            cases[i].lasted_ns + 1000, cases[i].behind);
        cr_assert_eq(rn_read_recorder(text, n_text, &scratch, &keep, &error, &dump), RS_OK, "%s",
                     error.text);
        cr_assert_eq(dump.calls[0].state != RN_CALL_COMPLETED, cases[i].open, "case %d", (int)i);
        cr_assert_eq(dump.calls[0].completed_ns > 0, !cases[i].open, "case %d", (int)i);
    }
}

/* Where the ring buffer begins in a coalesced group, which may have lost calls, it is left out, and only it. */
Test(recorder_fields, a_torn_group_at_the_beginning_is_left_out) {
    for (int code = 0; code < 16; code++) {
        const bool lost = code & 1, messages = code & 2, first = code & 4, open = code & 8;
        stop();
        start();
        n_text = 0;
        ADD("{\"entries\":[");
        if (!first)
            ADD("{\"record_id\":%d,\"pg_id\":0,\"collective_seq_id\":4,\"profiling_name\":\"nccl:all_reduce\"},",
                lost ? 3 : 0);
        ADD("{\"record_id\":%d,\"pg_id\":0,\"collective_seq_id\":4,\"p2p_seq_id\":%d,"
            "\"profiling_name\":\"nccl:coalesced\",\"is_p2p\":false,\"state\":\"%s\"},"
            "{\"pg_id\":0,\"p2p_seq_id\":5,\"profiling_name\":\"nccl:send 0->1\"},"
            "{\"pg_id\":0,\"p2p_seq_id\":5,\"profiling_name\":\"nccl:coalesced\",\"is_p2p\":true,\"state\":\"started\"}]}",
            lost ? 3 : 0, messages ? 2 : 0, open ? "scheduled" : "completed");
        cr_assert_eq(rn_read_recorder(text, n_text, &scratch, &keep, &error, &dump), RS_OK);
        cr_assert_eq(dump.n_calls, 2 - lost, "%d: %d", code, (int)dump.n_calls);
        cr_assert_eq(dump.torn, lost && open);
        cr_assert_eq(dump.calls[dump.n_calls - 1].state, RN_CALL_STARTED);
        cr_assert_eq(dump.calls[dump.n_calls - 1].seq, 5);
    }
}
