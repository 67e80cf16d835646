/* test_hang_log.c: made lines of torch's watchdog, of NCCL's INIT and COLL, and made reports of RAS: each rank's calls are
 * what the lines say, in whatever order lines of many ranks come.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 18 };

static rs_arena scratch, keep;
static rs_error error;
static rs_dump *dumps;
static int32_t n_dumps;
static char text[ROOM];
static size_t n_text;
static uint64_t state;

static void start(void) {
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&scratch);
    rs_arena_free(&keep);
}
TestSuite(hang_log, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}
static void begin(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15;
    n_text = 0;
    stop();
    start();
}

#define SAY(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, __VA_ARGS__);                     \
        cr_assert_lt(n_text, ROOM);                                                                \
    } while (0)

static rs_status read_log(void) {
    return rs_read_hang_log(text, n_text, &scratch, &keep, &error, &dumps, &n_dumps);
}

static const rs_dump *dump_of(int32_t rank) {
    const rs_dump *found = NULL;
    for (int32_t d = 0; d < n_dumps; d++) {
        if (d > 0) cr_assert_gt(dumps[d].rank, dumps[d - 1].rank);
        if (dumps[d].rank == rank) found = &dumps[d];
    }
    return found;
}
static int32_t group_named(const rs_dump *d, const char *name) {
    for (int32_t g = 0; g < d->n_groups; g++) {
        if (strcmp(d->words[d->groups[g].name], name) == 0) return g;
    }
    return -1;
}

/* ------------------------------------------------------------------ torch's watchdog */

enum { RANKS = 9, GROUPS = 3 };
static const char *const group_names[GROUPS] = {"default_pg", "tp:0", "17"};

typedef struct told {
    int64_t seq, n_in, n_out, enqueued, completed; /* -1: not said */
    const char *name;
} told;

static void say_noise(void) {
    static const char *const lines[] = {"", "\n", "step 17: loss 0.5 of rank 3\n",
                                        "[rank3]: Traceback (most recent call last):\n",
                                        "host:1:2 [0] NCCL INFO Channel 00/02 : 0 1\n"};
    SAY("%s", lines[draw(5)]);
}

/* Who it is of: in three ways, of which two name the group. */
static void say_head(int32_t rank, int32_t group) {
    if (group == 0 && draw(2) == 0) {
        SAY("[E626 16:48:25.44 ProcessGroupNCCL.cpp:632] [Rank %d] ", (int)rank);
    } else {
        if (draw(2)) SAY("[rank%d]:[E626] ", (int)rank);
        if (group == 2) {
            SAY("[PG ID 2 PG GUID 17 Rank %d] ", (int)rank);
        } else {
            SAY("[PG ID %d PG GUID %d(%s) Rank %d] ", (int)group, 10 + (int)group,
                group_names[group], (int)rank);
        }
    }
}

static void say_watchdog(int32_t rank, int32_t group, told *t) {
    static const char *const types[][2] = {
        {"ALLREDUCE", "all_reduce"},          {"_ALLGATHER_BASE", "_all_gather_base"},
        {"ALLGATHER", "all_gather"},          {"_REDUCE_SCATTER_BASE", "_reduce_scatter_base"},
        {"REDUCE_SCATTER", "reduce_scatter"}, {"ALLTOALL", "all_to_all"},
        {"ALLTOALL_BASE", "all_to_all"},      {"BROADCAST", "broadcast"},
        {"COALESCED_X", "coalesced_x"},       {NULL, "work"}};
    const uint32_t what = draw(4), type = draw(10);
    if (what != 1) { /* a call that took too long */
        const int64_t seq = 1 + draw(100000), n_in = draw(1000), n_out = draw(1000);
        say_head(rank, group);
        SAY("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%lld, ", (long long)seq);
        if (types[type][0] != NULL) SAY("OpType=%s, ", types[type][0]);
        SAY("NumelIn=%lld, NumelOut=%lld, Timeout(ms)=600000) ran for 600029 milliseconds.\n",
            (long long)n_in, (long long)n_out);
        if (t->seq < 0) *t = (told){seq, n_in, n_out, t->enqueued, t->completed, types[type][1]};
    }
    if (what != 0) { /* how far the rank had come */
        const int64_t enqueued = draw(50), completed = draw(50);
        const bool both = draw(3) != 0, old = draw(2);
        say_noise();
        say_head(rank, group);
        SAY("%s %lld",
            old ? "Last enqueued NCCL work:" : "last enqueued work:", (long long)enqueued);
        if (both) {
            SAY(", %s %lld",
                old ? "last completed NCCL work:" : "last completed work:", (long long)completed);
        }
        SAY(".%s", n_text % 2 ? "\n" : "\r\n");
        t->enqueued = enqueued;
        if (both) t->completed = completed;
    }
}

static void same_as_told(const rs_dump *d, int32_t group, const told *t, int32_t n_all) {
    const int32_t g = group_named(d, group_names[group]);
    cr_assert_geq(g, 0, "%s", group_names[group]);
    cr_assert_eq(d->groups[g].last_seq, t->enqueued);
    cr_assert_eq(d->groups[g].n_ranks, group == 0 ? n_all : 0);
    for (int32_t r = 0; r < d->groups[g].n_ranks; r++) cr_assert_eq(d->groups[g].ranks[r], r);
    const rs_call *call = NULL;
    for (int64_t i = 0; i < d->n_calls; i++) {
        if (d->calls[i].group != g) continue;
        cr_assert_null(call, "one call a group");
        call = &d->calls[i];
    }
    cr_assert_not_null(call);
    cr_assert(call->peer == -1 && call->root == -1 && call->op == -1 && call->created_ns == 0);
    if (t->seq >= 0) {
        cr_assert_str_eq(d->words[call->name], t->name);
        cr_assert(call->seq == t->seq && call->n_in == t->n_in && call->n_out == t->n_out);
        cr_assert_eq(call->state, RS_CALL_SCHEDULED);
        return;
    }
    const bool over = t->completed >= t->enqueued;
    cr_assert_str_eq(d->words[call->name], "work");
    cr_assert_eq(call->seq, over || t->completed < 0 ? t->enqueued : t->completed + 1);
    cr_assert_eq(call->state, over ? RS_CALL_COMPLETED : RS_CALL_SCHEDULED);
}

Test(hang_log, the_watchdogs_lines_are_the_ranks_calls) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        told all[RANKS][GROUPS];
        bool said[RANKS][GROUPS] = {{false}};
        int32_t last = -1;
        begin(seed);
        for (int i = 0; i < RANKS * GROUPS; i++) {
            all[i / GROUPS][i % GROUPS] = (told){-1, -1, -1, -1, -1, NULL};
        }
        for (int i = 0; i < 24; i++) {
            const int32_t rank = (int32_t)draw(RANKS), group = (int32_t)draw(GROUPS);
            say_noise();
            say_watchdog(rank, group, &all[rank][group]);
            said[rank][group] = true;
            if (rank > last) last = rank;
        }
        if (draw(2)) n_text -= text[n_text - 1] == '\n'; /* the last line may have no end */
        cr_assert_eq(read_log(), RS_OK, "%s", error.text);
        for (int32_t rank = 0; rank < RANKS; rank++) {
            const rs_dump *d = dump_of(rank);
            int32_t n_groups = 0;
            for (int32_t g = 0; g < GROUPS; g++) n_groups += said[rank][g];
            cr_assert_eq(d != NULL, n_groups > 0);
            if (d == NULL) continue;
            cr_assert(d->rough && !d->launched && d->whole && !d->cut && d->n_groups == n_groups);
            for (int32_t g = 0; g < GROUPS; g++) {
                if (said[rank][g]) same_as_told(d, g, &all[rank][g], last + 1);
            }
        }
    }
}

Test(hang_log, lines_of_nobody_are_no_dump) {
    static const char *const lines[] = {
        "",
        "nothing here\n",
        "[rank]: WorkNCCL(SeqNum=4, OpType=ALLREDUCE\n",
        "[rank131072]: WorkNCCL(SeqNum=4, OpType=ALLREDUCE\n",
        "[rank3]: WorkNCCL(SeqNum=x\n",
        "[rank3]: enqueued nothing\n",
        "h:1:2 [0] NCCL INFO AllReduce: opCount 1 count 5 comm 0x5 [nranks=2]\n",
        "h:1:2 [0] NCCL INFO comm 0x5 rank 0 nranks 0 commId 0x9\n",
        "h:1:2 [0] NCCL INFO comm 0x5 rank x nranks 2 commId 0x9\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin(1);
        SAY("%s", lines[i]);
        cr_assert_eq(read_log(), RS_BAD_INPUT, "%s", lines[i]);
        cr_assert_str_eq(error.text, "it is no dump of a flight recorder, and tells of no call");
    }
    begin(1);
    SAY("[rank131071]: WorkNCCL(SeqNum=4, OpType=ALLREDUCE)");
    cr_assert_eq(read_log(), RS_OK);
    cr_assert(n_dumps == 1 && dumps[0].rank == 131071 && dumps[0].calls[0].seq == 4);
}

/* What a line may say at the most, and at the least. */
Test(hang_log, numbers_are_taken_up_to_their_bounds) {
    static const struct {
        const char *line;
        int rank, seq, n_ranks; /* rank -1: it says nothing; seq -1: no call */
    } cases[] = {{"[rank0]: WorkNCCL(SeqNum=0, OpType=ALLREDUCE", 0, 0, 1},
                 {"[rank0]: last enqueued work: 0", 0, 0, 1},
                 {"[rank5]: last completed work: 3", -1, 0, 0},
                 {"[Rank 131071] WorkNCCL(SeqNum=1", 131071, 1, 131072},
                 {"[Rank 131072] WorkNCCL(SeqNum=1", -1, 0, 0},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 0 nranks 1 commId 0x9 -", 0, -1, 1},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 7 nranks 131072 commId 0x9 -", 7, -1, 131072},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 7 nranks 131073 commId 0x9 -", -1, 0, 0},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 131071 nranks 3 commId 0x9 -", 131071, -1, 3},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 131072 nranks 3 commId 0x9 -", -1, 0, 0},
                 {"comm 0x5 h:1:2 [0] NCCL INFO rank 0 nranks 1 commId 0x9 -", -1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(1);
        SAY("%s\n", cases[i].line);
        cr_assert_eq(read_log(), cases[i].rank < 0 ? RS_BAD_INPUT : RS_OK, "%s", cases[i].line);
        if (cases[i].rank < 0) continue;
        cr_assert(n_dumps == 1 && dumps[0].rank == cases[i].rank && dumps[0].n_groups == 1);
        cr_assert_eq(dumps[0].groups[0].n_ranks, cases[i].n_ranks, "%s", cases[i].line);
        cr_assert_eq(dumps[0].n_calls, cases[i].seq >= 0, "%s", cases[i].line);
        if (cases[i].seq >= 0) cr_assert_eq(dumps[0].calls[0].seq, cases[i].seq);
    }
}

/* A few bytes of a log are lost, anywhere: what is read is still of its ranks and groups. */
Test(hang_log, torn_lines_are_passed_over_or_read) {
    static const char *const log[] = {
        "h:1:2 [0] NCCL INFO comm 0x5 rank 0 nranks 2 commId 0x9 - Init COMPLETE\n",
        "h:1:2 [0] NCCL INFO AllReduce: opCount 1 count 5 datatype 7 op 0 root 0 comm 0x5 [nranks=2]\n",
        ("[rank3]:[E1] [PG ID 0 PG GUID 0(default_pg) Rank 3] WorkNCCL(SeqNum=4, OpType=ALLREDUCE, "
         "NumelIn=1, NumelOut=2) last enqueued work: 5, last completed work: 3.\n")};
    static char whole[ROOM];
    begin(1);
    for (int i = 0; i < 3; i++) SAY("%s", log[i]);
    memcpy(whole, text, n_text);
    const size_t n_whole = n_text;
    for (size_t at = 0; at < n_whole; at++) {
        for (size_t n = 1; n <= 24 && at + n <= n_whole; n++) {
            begin(1);
            memcpy(text, whole, at);
            memcpy(text + at, whole + at + n, n_whole - at - n);
            n_text = n_whole - n;
            if (read_log() != RS_OK) continue;
            for (int32_t d = 0; d < n_dumps; d++) {
                cr_assert(dumps[d].rank >= 0 && dumps[d].rank < 131072 && dumps[d].n_groups > 0);
                for (int64_t k = 0; k < dumps[d].n_calls; k++)
                    cr_assert(dumps[d].calls[k].group < dumps[d].n_groups &&
                              dumps[d].calls[k].name < dumps[d].n_words);
            }
        }
    }
}

/* ------------------------------------------------------------------ NCCL */

enum { PROCESSES = 6, COMMS = 3, MOST_CALLS = 20 };

typedef struct launch {
    const char *name;
    int64_t count;
    int type, op, root; /* -1: not said */
} launch;

/* Which rank a process has in a communicator; -1: none. The first has all, the others a half each. */
static int32_t rank_in(int32_t process, int32_t comm) {
    if (comm == 0) return process;
    return process % 2 == comm - 1 ? process / 2 : -1;
}

/* Processes may have their communicators at one address. */
static bool one_address;
static unsigned address_in(int32_t process) {
    return 0x50 + (one_address ? 0 : (unsigned)process);
}

static void say_info(int32_t process) {
    static const char *const heads[] = {"", "0: ", "[1,3]<stdout>: "};
    SAY("%snode%d:%d:%d [%d] NCCL INFO ", heads[draw(3)], (int)process / 3, 100 + (int)process % 3,
        (int)draw(1000), (int)draw(8));
}

static void say_init(int32_t process, int32_t comm) {
    say_info(process);
    SAY("%s comm 0x%x%x rank %d nranks %d cudaDev 0 busId 1000 commId 0xab%x - Init COMPLETE\n",
        draw(2) ? "ncclCommInitRank" : "ncclCommSplit", 10 + (int)comm, address_in(process),
        (int)rank_in(process, comm), comm == 0 ? PROCESSES : PROCESSES / 2, (int)comm);
}

static launch say_launch(int32_t process, int32_t comm) {
    static const char *const names[] = {"AllReduce", "Broadcast", "ReduceScatter"};
    const launch l = {names[draw(3)], draw(1 << 20), (int)draw(14) - 1, (int)draw(4) - 1,
                      (int)draw(4) - 1};
    say_info(process);
    SAY("%s: opCount %x sendbuff 0x7 recvbuff 0x8 count %lld", l.name, (unsigned)draw(99),
        (long long)l.count);
    if (l.type >= 0) SAY(" datatype %d", l.type);
    if (l.op >= 0) SAY(" op %d", l.op);
    if (l.root >= 0) SAY(" root %d", l.root);
    SAY(" comm 0x%x%x [nranks=%d] stream 0x1\n", 10 + (int)comm, address_in(process), 2);
    return l;
}

static void same_launches(const rs_dump *d, int32_t g, const launch list[], int n) {
    static const char *const types[] = {"Char",   "Byte",     "Int",           "UInt",
                                        "Long",   "ULong",    "Half",          "Float",
                                        "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
    int k = 0;
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rs_call *c = &d->calls[i];
        if (c->group != g) continue;
        cr_assert_lt(k, n);
        const launch *l = &list[k++];
        cr_assert_str_eq(d->words[c->name], l->name);
        cr_assert(c->seq == k && c->n_in == l->count && c->n_out == l->count && c->peer == -1);
        cr_assert_str_eq(d->words[c->dtype], l->type >= 0 && l->type < 12 ? types[l->type] : "");
        cr_assert_eq(c->op, l->op >= 0 ? l->op : 0xffff);
        cr_assert_eq(c->root, l->root >= 0 ? l->root : 0xffffff);
        cr_assert_eq(c->state, RS_CALL_SCHEDULED);
    }
    cr_assert_eq(k, n);
}

Test(hang_log, nccls_lines_are_the_calls_of_its_communicators) {
    for (uint64_t seed = 1; seed <= 150; seed++) {
        static launch made[PROCESSES][COMMS][MOST_CALLS];
        int n[PROCESSES][COMMS] = {{0}};
        bool known[PROCESSES][COMMS] = {{false}};
        begin(seed);
        one_address = seed % 2;
        for (int i = 0; i < 90; i++) {
            const int32_t p = (int32_t)draw(PROCESSES), c = (int32_t)draw(COMMS);
            if (rank_in(p, c) < 0) continue;
            say_noise();
            if (!known[p][c]) {
                if (draw(8) == 0) say_launch(p, c); /* of nobody knows which: passed over */
                say_init(p, c);
                known[p][c] = true;
            } else if (n[p][c] < MOST_CALLS) {
                made[p][c][n[p][c]] = say_launch(p, c);
                n[p][c]++;
            }
        }
        cr_assert_eq(read_log(), RS_OK, "%s", error.text);
        for (int32_t rank = 0; rank < PROCESSES; rank++) {
            const rs_dump *d = dump_of(rank);
            int32_t n_groups = 0;
            for (int32_t c = 0; c < COMMS; c++) {
                for (int32_t p = 0; p < PROCESSES; p++) {
                    char id[8];
                    if (rank_in(p, c) != rank || !known[p][c]) continue;
                    snprintf(id, sizeof id, "0xab%x", (int)c);
                    cr_assert_not_null(d);
                    const int32_t g = group_named(d, id);
                    cr_assert_geq(g, 0);
                    cr_assert_eq(d->groups[g].n_ranks, c == 0 ? PROCESSES : PROCESSES / 2);
                    cr_assert_eq(d->groups[g].ranks[d->groups[g].n_ranks - 1],
                                 d->groups[g].n_ranks - 1);
                    cr_assert_eq(d->groups[g].last_seq, -1);
                    same_launches(d, g, made[p][c], n[p][c]);
                    n_groups++;
                }
            }
            cr_assert_eq(d != NULL ? d->n_groups : 0, n_groups);
            if (d != NULL) cr_assert(d->launched && !d->rough && d->whole && !d->cut);
        }
    }
}

/* ------------------------------------------------------------------ RAS */

static rs_status read_ras(void) {
    return rs_read_ras(text, n_text, &scratch, &keep, &error, &dumps, &n_dumps);
}

enum { MEMBERS = 8 };
typedef struct ras_comm {
    int size, n; /* so many are listed */
    int process[MEMBERS];
    int64_t count[MEMBERS][2]; /* AllReduce, Broadcast; -1: not there */
} ras_comm;

static ras_comm say_comm(int number, int size, int stride, int from) {
    static const char *const kinds[2] = {"AllReduce", "Broadcast"};
    ras_comm c = {.size = size};
    const int gone = draw(3) == 0 ? 1 + (int)draw((uint32_t)size - 1) : -1; /* but not the first */
    SAY("%s{\"hash\":\"0xc%d\",\"size\":%d,\"more\":[1],\"ranks\":[", number > 0 ? "," : "", number,
        size);
    for (int r = 0; r < size; r++) {
        if (r == gone) continue;
        const int process = from + r * stride, k = c.n++;
        c.process[k] = process;
        SAY("%s{\"rank\":%d,\"host\":\"node%d\",\"pid\":%d,\"cuda_dev\":%d,\"collective_counts\":{",
            k > 0 ? "," : "", r, process / 4, 100 + process / 2, process % 2);
        for (int kind = 0, some = 0; kind < 2; kind++) {
            c.count[k][kind] = draw(5) == 0 && k > 0 ? -1 : (int64_t)draw(4);
            if (c.count[k][kind] < 0) continue;
            SAY("%s\"%s\":%d", some++ ? "," : "", kinds[kind], (int)c.count[k][kind]);
        }
        SAY("}}");
    }
    SAY("]}");
    return c;
}

static void same_count(const rs_dump *d, int number, const ras_comm *c, int k, int kind, bool all) {
    static const char *const kinds[2] = {"AllReduce", "Broadcast"};
    char name[40];
    snprintf(name, sizeof name, "0xc%d %s", number, kinds[kind]);
    const int32_t g = d != NULL ? group_named(d, name) : -1;
    cr_assert_eq(g >= 0, c->count[k][kind] >= 0, "%s", name);
    if (g < 0) return;
    cr_assert(d->groups[g].last_seq == c->count[k][kind] &&
              d->groups[g].n_ranks == (all ? MEMBERS : c->n));
    for (int i = 0; i < d->groups[g].n_ranks; i++) {
        cr_assert_eq(d->groups[g].ranks[i], all ? i : c->process[i]);
    }
    int n = 0;
    for (int64_t i = 0; i < d->n_calls; i++) {
        if (d->calls[i].group != g) continue;
        cr_assert_eq(d->calls[i].seq, c->count[k][kind]);
        cr_assert_str_eq(d->words[d->calls[i].name], kinds[kind]);
        cr_assert(d->calls[i].peer == -1 && d->calls[i].root == -1 && d->calls[i].op == -1);
        n++;
    }
    cr_assert_eq(n, c->count[k][kind] > 0);
}

Test(hang_log, ras_counts_are_those_of_the_processes) {
    for (uint64_t seed = 1; seed <= 150; seed++) {
        static const int shapes[4][3] = {{4, 2, 0}, {4, 2, 1}, {8, 1, 0}, {2, 1, 6}};
        ras_comm comms[4];
        bool seen[MEMBERS] = {false}, known[MEMBERS] = {false};
        begin(seed);
        SAY("{\"nccl_version\":\"2.28.7\",\"communicators\":[");
        for (int i = 0; i < 4; i++)
            comms[i] = say_comm(i, shapes[i][0], shapes[i][1], shapes[i][2]);
        SAY("]}");
        cr_assert_eq(read_ras(), RS_OK, "%s", error.text);
        for (int k = 0; k < comms[2].n; k++) known[comms[2].process[k]] = true;
        for (int i = 0; i < 4; i++) { /* who is not in the largest has no number */
            ras_comm in = comms[i];
            in.n = 0;
            for (int k = 0; k < comms[i].n; k++) {
                if (!known[comms[i].process[k]]) continue;
                in.process[in.n] = comms[i].process[k];
                memcpy(in.count[in.n++], comms[i].count[k], sizeof *in.count);
            }
            const bool first_counts[2] = {comms[i].count[0][0] >= 0, comms[i].count[0][1] >= 0};
            for (int k = 0; k < in.n; k++) {
                const rs_dump *d = dump_of(in.process[k]);
                for (int kind = 0; kind < 2; kind++) {
                    if (!first_counts[kind]) in.count[k][kind] = -1;
                    same_count(d, i, &in, k, kind, i == 2);
                    if (in.count[k][kind] >= 0) seen[in.process[k]] = true;
                }
                if (d != NULL) cr_assert(d->launched && d->whole && !d->rough && !d->cut);
            }
        }
        int n = 0;
        for (int i = 0; i < MEMBERS; i++) n += seen[i];
        cr_assert_eq(n_dumps, n);
    }
}

/* As many kinds of calls as there are in NCCL, and no more: a made report does not take all memory. */
Test(hang_log, ras_counts_are_read_of_sixteen_kinds) {
    for (int n_kinds = 1; n_kinds <= 40; n_kinds++) {
        begin(1);
        SAY("{\"communicators\":[{\"hash\":\"0x1\",\"size\":2,\"ranks\":[");
        for (int r = 0; r < 2; r++) {
            SAY("%s{\"rank\":%d,\"host\":\"a\",\"pid\":%d,\"cuda_dev\":%d,\"collective_counts\":{",
                r > 0 ? "," : "", r, 10 + r, r);
            for (int k = 0; k < n_kinds; k++) SAY("%s\"Kind%d\":%d", k > 0 ? "," : "", k, 1 + k);
            SAY("}}");
        }
        SAY("]}]}");
        cr_assert_eq(read_ras(), RS_OK, "%s", error.text);
        cr_assert_eq(n_dumps, 2);
        const int n = n_kinds < 16 ? n_kinds : 16;
        for (int r = 0; r < 2; r++) {
            const rs_dump *d = dump_of(r);
            cr_assert(d->n_groups == n && d->n_calls == n, "%d kinds: %d", n_kinds,
                      (int)d->n_groups);
            for (int k = 0; k < n; k++) {
                char name[24];
                snprintf(name, sizeof name, "0x1 Kind%d", k);
                cr_assert_eq(group_named(d, name), k);
                cr_assert_eq(d->groups[k].last_seq, 1 + k);
            }
        }
    }
}

/* A group has both names, of each the first sixty bytes; a call the whole. */
Test(hang_log, ras_names_are_cut_at_sixty_bytes) {
    for (int n = 1; n <= 124; n++) {
        const int n_hash = n < 62 ? n : 61, n_kind = n < 62 ? 61 : n - 61;
        char hash[64] = "", kind[64] = "", name[140];
        memset(hash, 'h', (size_t)n_hash);
        memset(kind, 'k', (size_t)n_kind);
        begin(1);
        SAY("{\"communicators\":[{\"hash\":\"%s\",\"size\":1,\"ranks\":[{\"rank\":0,\"host\":\"a\","
            "\"pid\":1,\"cuda_dev\":0,\"collective_counts\":{\"%s\":5}}]}]}",
            hash, kind);
        cr_assert_eq(read_ras(), RS_OK, "%s", error.text);
        snprintf(name, sizeof name, "%.60s %.60s", hash, kind);
        cr_assert_eq(group_named(dump_of(0), name), 0, "%d and %d bytes", n_hash, n_kind);
        cr_assert_str_eq(dump_of(0)->words[dump_of(0)->calls[0].name], kind);
    }
}

/* Of a report that ends too early, who is not listed is not missing, nor is all well. */
Test(hang_log, ras_cut_off_names_nobody_whom_it_does_not_come_to) {
    begin(1);
    SAY("{\"communicators\":[{\"hash\":\"0x1\",\"size\":8,\"ranks\":[");
    for (int r = 0; r < 8; r++)
        SAY("%s{\"rank\":%d,\"host\":\"a\",\"pid\":%d,\"cuda_dev\":%d,\"collective_counts\":{\"AllReduce\":%d}}",
            r > 0 ? "," : "", r, 10 + r, r, r == 1 ? 6 : 7);
    SAY("]}]}");
    const size_t whole = n_text;
    for (size_t n = 1; n < whole; n++) {
        stop();
        start();
        n_text = n;
        if (read_ras() != RS_OK) continue;
        rs_hang hang;
        cr_assert_eq(rs_judge_hang(dumps, n_dumps, NULL, &keep, &error, &hang), RS_OK);
        cr_assert(hang.n_ranks > hang.n_files - hang.n_cut || n_dumps == 8);
        for (int32_t c = 0; c < hang.n_culprits && hang.verdict != RS_HANG_UNDECIDED; c++)
            cr_assert_eq(hang.culprits[c].rank, 1, "%d of %d bytes", (int)n, (int)whole);
    }
}

/* A communicator that is whole before the cut has all its ranks, also one that is not listed. */
Test(hang_log, ras_cut_off_later_leaves_what_came_before) {
    size_t first = 0;
    begin(1);
    SAY("{\"communicators\":[");
    for (int c = 0; c < 2; c++) {
        SAY("%s{\"hash\":\"0x%d\",\"size\":8,\"ranks\":[", c > 0 ? "," : "", c);
        for (int r = 0; r < 8; r++) {
            if (c == 0 && r == 3) continue;
            SAY("%s{\"rank\":%d,\"host\":\"a\",\"pid\":%d,\"cuda_dev\":%d,\"collective_counts\":{\"AllReduce\":7}}",
                r > 0 ? "," : "", r, 10 + r, r);
        }
        SAY("]}");
        if (c == 0) first = n_text;
    }
    SAY("]}");
    const size_t whole = n_text;
    for (size_t n = first; n <= whole; n++) {
        stop();
        start();
        n_text = n;
        cr_assert_eq(read_ras(), RS_OK, "%d of %d bytes: %s", (int)n, (int)whole, error.text);
        const int32_t g = group_named(dump_of(0), "0x0 AllReduce");
        cr_assert_geq(g, 0);
        cr_assert_eq(dump_of(0)->groups[g].n_ranks, 8, "%d of %d bytes", (int)n, (int)whole);
    }
}

Test(hang_log, reports_that_are_none_are_refused) {
    static const char *const cases[][2] = {
        {"{}", "it has no communicators: this is no report of RAS"},
        {"[]", "it has no communicators: this is no report of RAS"},
        {"{\"communicators\":7}", "it has no communicators: this is no report of RAS"},
        {"{\"communicators\":[]}", "it names no rank's calls"},
        {"{\"communicators\":[{\"hash\":\"0x1\",\"size\":1,\"ranks\":[]}]}",
         "it names no rank's calls"},
        {"{\"communicators\":[{\"hash\":7,\"size\":1,\"ranks\":[{\"rank\":0,\"collective_counts\":{"
         "\"AllReduce\":1}}]}]}",
         "it names no rank's calls"},
        {"{\"communicators\":[{\"hash\":\"x\",\"size\":1,\"ranks\":[{\"rank\":1,\"collective_counts\":{"
         "\"AllReduce\":1}}]}]}",
         "it names no rank's calls"},
        {"{\"communicators\" 1", "byte 17: a colon is due"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(1);
        SAY("%s", cases[i][0]);
        cr_assert_eq(read_ras(), RS_BAD_INPUT, "%s", cases[i][0]);
        cr_assert_str_eq(error.text, cases[i][1]);
    }
}
