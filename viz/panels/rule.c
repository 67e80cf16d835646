/* rule.c: see rule.h. The algorithms' rules as text; evaluate_rule.c tells what a line comes to. */
#include "panels/rule.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the names in a formula mean, apart from the names of earlier lines. */
typedef struct scope {
    rv_rule *rule;
    const rs_schedule *schedule;
    int32_t step, rank;
    int32_t p, log; /* the largest power of two <= N */
    int32_t height; /* ceil(log2 N) */
    int32_t extra;  /* 1 where N > p: a step before and one after */
    int32_t g, m;   /* GPUs a node, nodes; where there are nodes */
    int32_t k, c;   /* channels; chunks of each */
} scope;

static int64_t meaning(const scope *in, const char *name) {
    const struct {
        const char *name;
        int64_t value;
    } known[] = {{"rank", in->rank},
                 {"step", in->step},
                 {"N", in->schedule->n_ranks},
                 {"p", in->p},
                 {"L", in->log},
                 {"h", in->height},
                 {"S", in->schedule->n_steps},
                 {"G", in->g},
                 {"m", in->m},
                 {"K", in->k},
                 {"C", in->c},
                 {"root", in->schedule->root}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) == 0) return known[i].value;
    }
    const rv_rule_line *line = rv_rule_line_of(in->rule, name);
    assert(line != NULL);
    return line->value;
}

/* Tells whether c is a Latin letter, in every locale. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Copies a formula with each name replaced by its number. */
static void substitute(const scope *in, const char *formula, char out[RV_RULE_TEXT]) {
    size_t used = 0;
    while (*formula != '\0') {
        char name[RV_RULE_NAME];
        size_t n = 0;
        while (is_letter(formula[n])) n++;
        assert(n < sizeof name && used + 24 < RV_RULE_TEXT);
        memcpy(name, formula, n);
        name[n] = '\0';
        if (n == 0) {
            out[used++] = *formula++;
        } else if (strcmp(name, "mod") == 0) {
            memcpy(out + used, name, n);
            used += n;
        } else {
            used += (size_t)snprintf(out + used, RV_RULE_TEXT - used, "%lld",
                                     (long long)meaning(in, name));
        }
        formula += n;
    }
    out[used] = '\0';
}

/* Adds a line; returns its value. */
static int64_t say(scope *in, const char *name, const char *formula) {
    assert(in->rule->n_lines < RV_MAX_RULE_LINES);
    rv_rule_line *line = &in->rule->lines[in->rule->n_lines];
    snprintf(line->name, sizeof line->name, "%s", name);
    snprintf(line->formula, sizeof line->formula, "%s", formula);
    substitute(in, formula, line->numbers);
    line->value = rv_evaluate(line->numbers);
    in->rule->n_lines++;
    return line->value;
}

/* Adds the line that decides whether the GPU sends at all. */
static bool sends_if(scope *in, const char *formula) {
    in->rule->sends = say(in, "sends", formula) != 0;
    return in->rule->sends;
}

/* ---------------------------------------------------------------------------------- the algorithms */

static void ring(scope *in) {
    const bool nccl = in->schedule->order == RS_ORDER_NCCL;
    say(in, "chunk", nccl ? "(rank - 1 - step) mod N" : "(rank - step) mod N");
    say(in, "to", "(rank + 1) mod N");
    say(in, "adds", "step < N - 1");
}

static void naive(scope *in) {
    const bool collects = in->step < in->schedule->n_ranks - 1;
    if (!sends_if(in, collects ? "rank == step + 1" : "rank == 0")) return;
    say(in, "to", collects ? "0" : "step - N + 2");
    say(in, "adds", "step < N - 1");
}

static void tree(scope *in) {
    const bool up = in->step < in->height;
    say(in, "bit", up ? "1 << step" : "1 << (2 * h - 1 - step)");
    if (!sends_if(in,
                  up ? "rank mod (2 * bit) == bit" : "rank mod (2 * bit) == 0 && rank + bit < N")) {
        return;
    }
    say(in, "to", up ? "rank - bit" : "rank + bit");
    say(in, "adds", "step < h");
}

/* Where N is no power of two, the ranks from p up fold in first and get the result back last. */
static bool is_fold(const scope *in) {
    return in->extra && (in->step == 0 || in->step == in->schedule->n_steps - 1);
}

static bool fold(scope *in) {
    if (!sends_if(in, in->step == 0 ? "rank >= p" : "rank + p < N")) return false;
    say(in, "to", in->step == 0 ? "rank - p" : "rank + p");
    return true;
}

static void doubling(scope *in) {
    if (is_fold(in)) {
        if (!fold(in)) return;
    } else {
        if (in->extra && !sends_if(in, "rank < p")) return;
        say(in, "to", in->extra ? "rank ^ (1 << (step - 1))" : "rank ^ (1 << step)");
    }
    say(in, "adds", in->extra ? "step < S - 1" : "step < S");
}

static void halving(scope *in) {
    const char *adds = in->extra ? "step <= L" : "step < L";
    if (is_fold(in)) {
        if (!fold(in)) return;
        say(in, "chunk", "0");
        say(in, "chunks", "p");
        say(in, "adds", adds);
        return;
    }
    const bool halves = in->step - in->extra < in->log;
    if (in->extra && !sends_if(in, "rank < p")) return;
    if (halves) {
        say(in, "half", in->extra ? "p >> step" : "p >> (step + 1)");
    } else {
        say(in, "half", in->extra ? "1 << (step - 1 - L)" : "1 << (step - L)");
    }
    say(in, "to", "rank ^ half");
    say(in, "chunk", halves ? "to & ~(half - 1)" : "rank & ~(half - 1)");
    say(in, "chunks", "half");
    say(in, "adds", adds);
}

/* The second message is the other ring's. */
static void bidirectional(scope *in) {
    say(in, "chunk", "(rank - step) mod N");
    say(in, "to", "(rank + 1) mod N");
    say(in, "chunk 2", "N + (rank + step) mod N");
    say(in, "to 2", "(rank - 1) mod N");
    say(in, "adds", "step < N - 1");
}

static void two_level(scope *in) {
    const int32_t inside = in->schedule->gpus_per_node - 1;
    const bool dealt = in->schedule->dealt;
    say(in, "place", dealt ? "rank / m" : "rank mod G");
    if (in->step >= inside && in->step < in->schedule->n_steps - inside) {
        say(in, "to", dealt ? "place * m + (rank + 1) mod m" : "(rank + G) mod N");
        say(in, "chunk",
            dealt ? "place * m + (rank - step + G - 2) mod m"
                  : "place * m + (rank / G - step + G - 2) mod m");
    } else {
        say(in, "to", dealt ? "(rank + m) mod N" : "rank - place + (place + 1) mod G");
        say(in, "chunk",
            in->step < inside ? "(place - 1 - step) mod G * m"
                              : "(place - step + G + 2 * m - 3) mod G * m");
        say(in, "chunks", "m");
    }
    say(in, "adds", "step < G + m - 2");
}

/* ------------------------------------------------------------------------ the other collectives */

/* Whoever only copies has no line that says so; of several channels the first one's chunks are shown. */
static void ring_scatter(scope *in) {
    say(in, "chunk", in->k > 1 ? "(rank - 1 - step) mod N * K" : "(rank - 1 - step) mod N");
    say(in, "to", "(rank + 1) mod N");
    say(in, "adds", "step < S");
}

static void ring_gather(scope *in) {
    say(in, "chunk", in->k > 1 ? "(rank - step) mod N * K" : "(rank - step) mod N");
    say(in, "to", "(rank + 1) mod N");
}

/* At which step a rank exchanges which block; where N is no power of two a block may go as two messages. */
static void blocks(scope *in, bool gathers) {
    const int64_t bit = say(in, "bit", gathers ? "1 << step" : "1 << (S - 1 - step)");
    if (in->extra) {
        say(in, "to", gathers ? "(rank - bit) mod N" : "(rank + bit) mod N");
        say(in, "chunk", gathers ? "rank" : "to");
        say(in, "chunks", bit <= in->schedule->n_ranks - bit ? "bit" : "N - bit");
        return;
    }
    say(in, "to", "rank ^ bit");
    say(in, "chunk", gathers ? "rank & ~(bit - 1)" : "to & ~(bit - 1)");
    say(in, "chunks", "bit");
}

static void doubling_gather(scope *in) {
    blocks(in, true);
}

static void halving_scatter(scope *in) {
    blocks(in, false);
    say(in, "adds", "step < S");
}

static void chain_broadcast(scope *in) {
    say(in, "place", "(rank - root) mod N");
    if (!sends_if(in, "place < N - 1 && place <= step && step < place + C")) return;
    say(in, "chunk", "step - place");
    say(in, "to", "(rank + 1) mod N");
}

static void chain_reduce(scope *in) {
    say(in, "place", "(rank - root) mod N");
    if (!sends_if(in, "place >= 1 && place <= S - step && S - step < place + C")) return;
    say(in, "chunk", "S - step - place");
    say(in, "to", "(rank - 1) mod N");
    say(in, "adds", "step < S");
}

static void tree_broadcast(scope *in) {
    say(in, "place", "(rank - root) mod N");
    say(in, "bit", "1 << (S - 1 - step)");
    if (!sends_if(in, "place mod (2 * bit) == 0 && place + bit < N")) return;
    say(in, "to", "(rank + bit) mod N");
}

static void tree_reduce(scope *in) {
    say(in, "place", "(rank - root) mod N");
    say(in, "bit", "1 << step");
    if (!sends_if(in, "place mod (2 * bit) == bit")) return;
    say(in, "to", "(rank - bit) mod N");
    say(in, "adds", "step < S");
}

static void pairwise(scope *in) {
    say(in, "to", "(rank + step + 1) mod N");
    say(in, "chunk", "rank * N + to");
}

/* The first and the last of its messages. */
static void direct(scope *in) {
    say(in, "messages", "N - 1");
    say(in, "to", "(rank + 1) mod N");
    say(in, "chunk", "rank * N + to");
    say(in, "to last", "(rank - 1) mod N");
    say(in, "chunk last", "rank * N + (rank - 1) mod N");
}

void rv_rule_of(const rs_schedule *schedule, int32_t step, int32_t rank, rv_rule *rule) {
    static const struct {
        rs_collective of;
        const char *name;
        void (*frame)(scope *in);
    } caches[] = {{RS_COLL_ALL_REDUCE, "ring", ring},
                  {RS_COLL_ALL_REDUCE, "rings", ring},
                  {RS_COLL_ALL_REDUCE, "naive", naive},
                  {RS_COLL_ALL_REDUCE, "tree", tree},
                  {RS_COLL_ALL_REDUCE, "doubling", doubling},
                  {RS_COLL_ALL_REDUCE, "halving", halving},
                  {RS_COLL_ALL_REDUCE, "bidirectional", bidirectional},
                  {RS_COLL_ALL_REDUCE, "two-level", two_level},
                  {RS_COLL_REDUCE_SCATTER, "ring", ring_scatter},
                  {RS_COLL_REDUCE_SCATTER, "halving", halving_scatter},
                  {RS_COLL_ALL_GATHER, "ring", ring_gather},
                  {RS_COLL_ALL_GATHER, "doubling", doubling_gather},
                  {RS_COLL_BROADCAST, "ring", chain_broadcast},
                  {RS_COLL_BROADCAST, "tree", tree_broadcast},
                  {RS_COLL_REDUCE, "ring", chain_reduce},
                  {RS_COLL_REDUCE, "tree", tree_reduce},
                  {RS_COLL_ALL_TO_ALL, "pairwise", pairwise},
                  {RS_COLL_ALL_TO_ALL, "direct", direct}};
    assert(step >= 0 && step < schedule->n_steps && rank >= 0 && rank < schedule->n_ranks);
    *rule = (rv_rule){.sends = true};
    scope in = {.rule = rule, .schedule = schedule, .step = step, .rank = rank, .p = 1};
    while (2 * in.p <= schedule->n_ranks) {
        in.p *= 2;
        in.log++;
    }
    in.extra = schedule->n_ranks > in.p;
    in.g = schedule->gpus_per_node;
    in.m = in.g > 0 ? schedule->n_ranks / in.g : 0;
    in.height = in.log + in.extra;
    in.k = schedule->n_channels > 1 ? schedule->n_channels : 1;
    in.c = schedule->n_chunks / in.k;
    for (size_t i = 0; schedule->algorithm != NULL && i < sizeof caches / sizeof caches[0]; i++) {
        if (rs_find_algorithm(caches[i].of, caches[i].name) == schedule->algorithm)
            caches[i].frame(&in);
    }
}

const rv_rule_line *rv_rule_line_of(const rv_rule *rule, const char *name) {
    for (int i = 0; i < rule->n_lines; i++) {
        if (strcmp(rule->lines[i].name, name) == 0) return &rule->lines[i];
    }
    return NULL;
}

bool rv_is_condition(const rv_rule_line *line) {
    return strcmp(line->name, "sends") == 0 || strcmp(line->name, "adds") == 0;
}

void rv_rule_value(const rv_rule_line *line, char *out, size_t n_out) {
    if (rv_is_condition(line)) {
        snprintf(out, n_out, "%s", line->value != 0 ? _("true") : _("false"));
    } else {
        snprintf(out, n_out, "%lld", (long long)line->value);
    }
}
