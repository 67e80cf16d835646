/* test_hang_log.c: made lines of torch's watchdog, and of NCCL's INIT and COLL: each rank's calls are what the lines say, in
 * whatever order lines of many ranks come.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(hang_log, .init = start, .fini = stop);

/* ------------------------------------------------------------------ torch's watchdog */

enum { RANKS = 9, GROUPS = 3 };
/* As the flight recorder names them, and what stands in brackets. */
static const char *const group_names[GROUPS] = {"0", "11", "17"};
static const char *const descriptions[GROUPS] = {"default_pg", "tp:0", ""};

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

static bool old_torch; /* its lines do not name the group of all */

/* Who it is of: in three ways, of which two name the group. */
static void say_head(int32_t rank, int32_t group) {
    if (group == 0 && old_torch) {
        SAY("[E626 16:48:25.44 ProcessGroupNCCL.cpp:632] [Rank %d] ", (int)rank);
    } else {
        if (draw(2)) SAY("[rank%d]:[E626] ", (int)rank);
        if (group == 2) {
            SAY("[PG ID 2 PG GUID 17 Rank %d] ", (int)rank);
        } else {
            SAY("[PG ID %d PG GUID %s(%s) Rank %d] ", (int)group, group_names[group],
                descriptions[group], (int)rank);
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
        const bool oldest =
            old_torch && group == 0 && seq < t->seq; /* of several the rank is in that */
        if (t->seq < 0 || oldest)
            *t = (told){seq, n_in, n_out, t->enqueued, t->completed, types[type][1]};
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

static void same_as_told(const rn_dump *d, int32_t group, const told *t) {
    const bool unnamed = group == 0 && old_torch; /* which group's call it is no line says */
    const int32_t g = group_named(d, unnamed ? "" : group_names[group]);
    cr_assert_geq(g, 0, "%s", group_names[group]);
    cr_assert_eq(d->groups[g].last_seq, t->enqueued);
    cr_assert_eq(d->groups[g].n_ranks, group == 0 ? RN_ALL_RANKS : 0);
    cr_assert_str_eq(d->words[d->groups[g].desc], unnamed ? "" : descriptions[group]);
    const rn_call *call = NULL;
    for (int64_t i = 0; i < d->n_calls; i++) {
        if (d->calls[i].group != g) continue;
        cr_assert_null(call, "one call a group");
        call = &d->calls[i];
    }
    cr_assert_eq(call != NULL, t->seq >= 0 || t->completed >= 0);
    if (call == NULL) return;
    cr_assert(call->peer == -1 && call->root == -1 && call->op == -1 && call->created_ns == 0);
    if (t->seq >= 0) {
        cr_assert_str_eq(d->words[call->name], t->name);
        cr_assert_eq(call->seq, t->seq);
        cr_assert(call->n_in == t->n_in && call->n_out == t->n_out);
        cr_assert_eq(call->state, RN_CALL_SCHEDULED);
        return;
    }
    const bool over = t->completed >= t->enqueued;
    cr_assert_str_eq(d->words[call->name], "work");
    cr_assert_eq(call->seq, over ? t->enqueued : t->completed + 1);
    cr_assert_eq(call->state, over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED);
}

Test(hang_log, the_watchdogs_lines_are_the_ranks_calls) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        told all[RANKS][GROUPS];
        bool named[RANKS][GROUPS] = {{false}};
        begin(seed);
        old_torch = draw(2);
        for (int i = 0; i < RANKS * GROUPS; i++) {
            all[i / GROUPS][i % GROUPS] = (told){-1, -1, -1, -1, -1, NULL};
        }
        for (int i = 0; i < 24; i++) {
            const int32_t rank = (int32_t)draw(RANKS), group = (int32_t)draw(GROUPS);
            say_noise();
            say_watchdog(rank, group, &all[rank][group]);
            named[rank][group] = true;
        }
        if (draw(2)) n_text -= text[n_text - 1] == '\n'; /* the last line may have no end */
        cr_assert_eq(read_log(text, n_text), RS_OK, "%s", error.text);
        for (int32_t rank = 0; rank < RANKS; rank++) {
            const rn_dump *d = dump_of(rank);
            int32_t n_groups = 0;
            for (int32_t g = 0; g < GROUPS; g++) n_groups += named[rank][g];
            cr_assert_eq(d != NULL, n_groups > 0);
            if (d == NULL) continue;
            cr_assert(d->rough && !d->launched && d->whole && !d->cut && d->n_groups == n_groups);
            for (int32_t g = 0; g < GROUPS; g++) {
                if (named[rank][g]) same_as_told(d, g, &all[rank][g]);
            }
        }
    }
}

/* The line of a timeout names no group, and its rank there; that of the failure behind it names both. */
Test(hang_log, a_timeout_is_of_the_group_that_its_failure_names) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int32_t group_of[RANKS], seq[RANKS], enqueued[RANKS], within[RANKS];
        int step[RANKS] = {
            0}; /* 0: nothing is said yet, 1: the timeout, 2: the failure, 3: no failure comes */
        begin(seed);
        for (int i = 0; i < 6 * RANKS; i++) {
            const int32_t r = (int32_t)draw(RANKS);
            say_noise();
            if (step[r] == 0) {
                group_of[r] = (int32_t)draw(GROUPS);
                seq[r] = 1 + (int32_t)draw(9);
                within[r] = group_of[r] == 0 ? r : (int32_t)draw(3); /* of all: the rank itself */
                step[r] = draw(6) ? 1 : 3;
                SAY("[rank%d]:[E1127] [Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, "
                    "OpType=BROADCAST, NumelIn=%d, NumelOut=9) ran for 12091 milliseconds.\n",
                    (int)r, (int)within[r], (int)seq[r], (int)r + 1);
            } else if (step[r] == 1) {
                step[r] = 2;
                enqueued[r] = seq[r] + (int32_t)draw(3);
                SAY("[rank%d]:[E1127] [PG ID 2 PG GUID %s(%s) Rank %d]  failure detected by watchdog at work sequence "
                    "id: %d PG status: last enqueued work: %d, last completed work: %d\n",
                    (int)r, group_names[group_of[r]], descriptions[group_of[r]], (int)within[r],
                    (int)seq[r], (int)enqueued[r], (int)seq[r] - 1);
            }
        }
        const rs_status status = read_log(text, n_text);
        for (int32_t r = 0; r < RANKS; r++) {
            const rn_dump *d = status == RS_OK ? dump_of(r) : NULL;
            cr_assert_eq(d != NULL, step[r] > 0, "seed %d", (int)seed);
            if (d == NULL) continue;
            cr_assert(d->n_groups == 1 && d->n_calls == 1, "seed %d, rank %d: %d groups", (int)seed,
                      (int)r, (int)d->n_groups);
            cr_assert_str_eq(d->words[d->groups[0].name],
                             step[r] == 2 ? group_names[group_of[r]] : "");
            cr_assert_eq(d->groups[0].last_seq, step[r] == 2 ? enqueued[r] : -1);
            const rn_call *call = &d->calls[0];
            cr_assert_eq(call->seq, seq[r]);
            cr_assert(call->n_in == r + 1 && call->n_out == 9);
            cr_assert_str_eq(d->words[call->name], "broadcast");
        }
    }
}

/* Messages count in what was enqueued: behind an open one nobody knows the number of the last collective. */
Test(hang_log, an_open_message_hides_the_number_of_collectives) {
    static const struct {
        const char *type, *name;
        int64_t last_seq;
    } cases[] = {{"SEND", "send", -1},
                 {"RECV", "recv", -1},
                 {"COALESCED", "coalesced", -1},
                 {"REDUCE", "reduce", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(1);
        SAY("[rank1]: WorkNCCL(SeqNum=3, OpType=%s, NumelIn=4, NumelOut=4)\n", cases[i].type);
        SAY("[rank1]: [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 3 PG "
            "status: last enqueued work: 5, last completed work: 2\n");
        cr_assert_eq(read_log(text, n_text), RS_OK);
        cr_assert(n_dumps == 1 && dumps[0].n_calls == 1 && dumps[0].calls[0].seq == 3);
        cr_assert_str_eq(dumps[0].words[dumps[0].calls[0].name], cases[i].name);
        cr_assert_eq(dumps[0].groups[0].last_seq, cases[i].last_seq, "%s", cases[i].type);
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
        cr_assert_eq(read_log(text, n_text), RS_BAD_INPUT, "%s", lines[i]);
        cr_assert_str_eq(error.text, "it is no dump of a flight recorder, and tells of no call");
    }
    begin(1);
    SAY("[rank131071]: WorkNCCL(SeqNum=4, OpType=ALLREDUCE)");
    cr_assert_eq(read_log(text, n_text), RS_OK);
    cr_assert(n_dumps == 1 && dumps[0].rank == 131071 && dumps[0].calls[0].seq == 4);
}

/* What a line may say at the most, and at the least. */
Test(hang_log, numbers_are_taken_up_to_their_bounds) {
    static const struct {
        const char *line;
        int rank, seq, n_ranks; /* rank -1: it says nothing; seq -1: no call */
    } cases[] = {{"[rank0]: WorkNCCL(SeqNum=0, OpType=ALLREDUCE", 0, 0, RN_ALL_RANKS},
                 {"[rank0]: last enqueued work: 0.", 0, -1, RN_ALL_RANKS},
                 {"[rank5]: last completed work: 3", -1, 0, 0},
                 {"[Rank 131071] WorkNCCL(SeqNum=1,", 131071, 1, RN_ALL_RANKS},
                 {"[Rank 131072] WorkNCCL(SeqNum=1,", -1, 0, 0},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 0 nranks 1 commId 0x9 -", 0, -1, 1},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 7 nranks 131072 commId 0x9 -", 7, -1, 131072},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 7 nranks 131073 commId 0x9 -", -1, 0, 0},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 131071 nranks 3 commId 0x9 -", 131071, -1, 3},
                 {"h:1:2 [0] NCCL INFO comm 0x5 rank 131072 nranks 3 commId 0x9 -", -1, 0, 0},
                 {"comm 0x5 h:1:2 [0] NCCL INFO rank 0 nranks 1 commId 0x9 -", -1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(1);
        SAY("%s\n", cases[i].line);
        cr_assert_eq(read_log(text, n_text), cases[i].rank < 0 ? RS_BAD_INPUT : RS_OK, "%s",
                     cases[i].line);
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
            if (read_log(text, n_text) != RS_OK) continue;
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
    int type, op, root; /* -1: not said; of a message root is the other side's number there */
} launch;
static bool is_message(const launch *l) {
    return strcmp(l->name, "Send") == 0 || strcmp(l->name, "Recv") == 0;
}

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
    SAY("%s comm 0x%x%x rank %d nranks %d cudaDev 0 busId %d000 commId 0xab%x - Init COMPLETE\n",
        draw(2) ? "ncclCommInitRank" : "ncclCommSplit", 10 + (int)comm, address_in(process),
        (int)rank_in(process, comm), comm == 0 ? PROCESSES : PROCESSES / 2, (int)process,
        (int)comm);
}

static launch say_launch(int32_t process, int32_t comm) {
    static const char *const names[] = {"AllReduce", "Broadcast", "ReduceScatter", "Send", "Recv"};
    const launch l = {names[draw(5)], draw(1 << 20), (int)draw(14) - 1, (int)draw(4) - 1,
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

static void same_launches(const rn_dump *d, int32_t g, const launch list[], int n) {
    static const char *const types[] = {"Char",   "Byte",     "Int",           "UInt",
                                        "Long",   "ULong",    "Half",          "Float",
                                        "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
    int k = 0;
    int64_t seq[2] = {0}; /* of collectives, of messages */
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call *c = &d->calls[i];
        if (c->group != g) continue;
        while (k < n && is_message(&list[k]) && (list[k].root < 0 || d->groups[g].n_ranks == 0)) {
            k++; /* to one of three whose numbers in the job nobody knows */
            seq[1]++;
        }
        cr_assert_lt(k, n);
        const launch *l = &list[k++];
        const bool message = is_message(l);
        cr_assert_str_eq(d->words[c->name], l->name);
        cr_assert(c->seq == ++seq[message] && c->n_in == l->count && c->n_out == l->count);
        cr_assert_eq(c->peer, message ? l->root : -1);
        cr_assert_eq(c->sends, strcmp(l->name, "Send") == 0);
        cr_assert_str_eq(d->words[c->dtype], l->type >= 0 && l->type < 12 ? types[l->type] : "");
        cr_assert_eq(c->op, l->op >= 0 ? l->op : 0xffff);
        cr_assert_eq(c->root, message ? -1 : l->root >= 0 ? l->root : 0xffffff);
        cr_assert_eq(c->state, RN_CALL_SCHEDULED);
    }
    while (k < n && is_message(&list[k]) && (list[k].root < 0 || d->groups[g].n_ranks == 0)) k++;
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
        for (int32_t p = 0; p < PROCESSES;
             p++) { /* each is in that of all, be it the last to come */
            if (!known[p][0]) say_init(p, 0);
            known[p][0] = true;
        }
        cr_assert_eq(read_log(text, n_text), RS_OK, "%s", error.text);
        for (int32_t p = 0; p < PROCESSES; p++) {
            const rn_dump *d = dump_of(p);
            int32_t n_groups = 0;
            cr_assert_not_null(d);
            for (int32_t c = 0; c < COMMS; c++) {
                char id[8];
                if (rank_in(p, c) < 0 || !known[p][c]) continue;
                snprintf(id, sizeof id, "0xab%x", (int)c);
                const int32_t g = group_named(d, id);
                cr_assert_geq(g, 0);
                cr_assert_eq(d->groups[g].n_ranks, c == 0 ? PROCESSES : 0);
                for (int32_t r = 0; r < d->groups[g].n_ranks; r++)
                    cr_assert_eq(d->groups[g].ranks[r], r);
                cr_assert_eq(d->groups[g].last_seq, -1);
                same_launches(d, g, made[p][c], n[p][c]);
                n_groups++;
            }
            cr_assert_eq(d->n_groups, n_groups);
            cr_assert(d->launched && !d->rough && d->whole && !d->cut);
        }
        cr_assert_eq(n_dumps, PROCESSES);
    }
}
