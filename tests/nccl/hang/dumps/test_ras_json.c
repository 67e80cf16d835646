/* test_ras_json.c: made reports of RAS: each process's calls are what its communicators count.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(ras_json, .init = start, .fini = stop);

static rs_status read_ras(void) {
    return rn_read_ras(text, n_text, &scratch, &keep, &error, &dumps, &n_dumps);
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

static void same_count(const rn_dump *d, int number, const ras_comm *c, int k, int kind, bool all) {
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

Test(ras_json, counts_are_those_of_the_processes) {
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
                const rn_dump *d = dump_of(in.process[k]);
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
Test(ras_json, counts_are_read_of_sixteen_kinds) {
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
            const rn_dump *d = dump_of(r);
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
Test(ras_json, names_are_cut_at_sixty_bytes) {
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
Test(ras_json, cut_off_names_nobody_whom_it_does_not_come_to) {
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
        cr_assert_eq(rn_judge_hang(dumps, n_dumps, NULL, &keep, &error, &hang), RS_OK);
        cr_assert(hang.n_ranks > hang.n_files - hang.n_cut || n_dumps == 8);
        for (int32_t c = 0; c < hang.n_culprits && hang.verdict != RN_HANG_UNDECIDED; c++)
            cr_assert_eq(hang.culprits[c].rank, 1, "%d of %d bytes", (int)n, (int)whole);
    }
}

/* A communicator that is whole before the cut has all its ranks, also one that is not listed. */
Test(ras_json, cut_off_later_leaves_what_came_before) {
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

Test(ras_json, reports_that_are_none_are_refused) {
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
