/* test_rules.c: what an algorithm's rule says in C is what its schedule sends: for every algorithm, step and rank, read
 * by the interpreter of the labs with lessons/ring.h itself.
 */
#include "ringsim_interpret.h"
#include "support/rounds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = ROUNDS(33, 13), ANSWER_BYTES = 1 << 22 };

static char ring_h[16384], sched[2 * ANSWER_BYTES];
static rs_answer_row answer[ANSWER_BYTES / sizeof(rs_answer_row)];
static size_t n_answer; /* bytes */

static void keep(void *context, const char *rows, size_t n_bytes) {
    (void)context;
    cr_assert_lt(n_answer + n_bytes, sizeof answer);
    memcpy((char *)answer + n_answer, rows, n_bytes);
    n_answer += n_bytes;
}

/* The answer's messages, step src dst chunk n_chunks copies behind the sizes, as a .sched file. */
static size_t to_sched(int32_t n_ranks) {
    const size_t n_rows = n_answer / sizeof answer[0];
    cr_assert(n_rows >= 2 && answer[0][0] == RS_ANSWER_SIZES &&
              answer[n_rows - 1][0] == RS_ANSWER_END);
    const int n_chunks = answer[0][1], n_steps = answer[0][2];
    int step = -1;
    size_t n = (size_t)snprintf(sched, sizeof sched, "ringsim-schedule 1\nranks %d\nchunks %d\n",
                                (int)n_ranks, n_chunks);
    for (size_t i = 1; i < n_rows - 1; i++) {
        const int32_t *row = answer[i];
        cr_assert_lt(n, sizeof sched - 200);
        for (; step < row[0]; step++) n += (size_t)snprintf(sched + n, 8, "step\n");
        n +=
            (size_t)snprintf(sched + n, 100, "%d -> %d chunk %d..%d %s\n", (int)row[1], (int)row[2],
                             (int)row[3], (int)(row[3] + row[4] - 1), row[5] ? "copy" : "reduce");
    }
    for (step++; step < n_steps; step++) n += (size_t)snprintf(sched + n, 8, "step\n");
    return n;
}

/* Reads the schedule that the rule tells. */
static void ask(const rs_schedule *s, rs_arena *arena, rs_schedule *told) {
    char text[RS_RULE_BYTES + 128], question[32];
    rs_error fault;
    rs_error error = {.text = ""};
    const rs_program *program;
    rs_runner *runner;
    size_t n = rs_rule_text(s, text, RS_RULE_BYTES);
    cr_assert_gt(n, 0, "%s: no rule", s->name);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "int steps(int n) { return %d; }\nint chunks(int n) { return %d; }\n",
                          (int)s->n_steps, (int)s->n_chunks);
    n_answer = 0;
    const bool half = strstr(s->rule, "send_chunk") != NULL && s->n_steps == s->n_ranks - 1;
    snprintf(question, sizeof question, "schedule %d %d 0", (int)s->n_ranks, half);
    rs_status status = rs_program_read(ring_h, strlen(ring_h), text, n, arena, &fault, &program);
    if (status == RS_OK) status = rs_runner_make(program, NULL, NULL, NULL, arena, &fault, &runner);
    if (status == RS_OK) status = rs_runner_ask(runner, question, keep, NULL, &fault);
    cr_assert_eq(status, RS_OK, "line %d: %s\n%s", (int)fault.line, fault.text, text);
    const size_t n_sched = to_sched(s->n_ranks);
    status = rs_parse_schedule(sched, n_sched, arena, &error, told);
    cr_assert_eq(status, RS_OK, "%s\n%s\n%.300s", error.text, text, sched);
}

static int by_receiver(const void *a, const void *b) {
    const rs_transfer *s = a, *t = b;
    return s->dst != t->dst ? s->dst - t->dst : s->chunk - t->chunk;
}

static void expect_told(const rs_schedule *s, const rs_schedule *told, int32_t step, int32_t rank) {
    static rs_transfer sent[RS_MAX_SENDS], said[RS_MAX_SENDS];
    const int n = s->sends_one != NULL ? s->channel_sends(s, step, rank, 0, sent)
                                       : s->sends(s, step, rank, sent);
    cr_assert_eq(told->sends(told, step, rank, said), n, "%s of %d, G %d: rank %d, step %d",
                 s->name, (int)s->n_ranks, (int)s->gpus_per_node, (int)rank, (int)step);
    if (strcmp(s->name, "double-tree") == 0) { /* it finds a rank's children in the ranks' order */
        qsort(sent, (size_t)n, sizeof sent[0], by_receiver);
        qsort(said, (size_t)n, sizeof said[0], by_receiver);
    }
    for (int i = 0; i < n; i++) {
        cr_assert(said[i].dst == sent[i].dst && said[i].chunk == sent[i].chunk &&
                      said[i].n_chunks == sent[i].n_chunks && said[i].effect == sent[i].effect,
                  "%s of %d, G %d: rank %d, step %d: says %d chunk %d, sends %d chunk %d", s->name,
                  (int)s->n_ranks, (int)s->gpus_per_node, (int)rank, (int)step, (int)said[i].dst,
                  (int)said[i].chunk, (int)sent[i].dst, (int)sent[i].chunk);
    }
}

static void expect_all_told(const rs_algorithm *algorithm, const rs_spec *spec) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_schedule s, told;
    if (rs_schedule_from_spec(algorithm, spec, 100000, &error, &s) != RS_OK) return;
    rs_arena_init(&arena, NULL);
    ask(&s, &arena, &told);
    for (int32_t i = 0; i < s.n_steps * s.n_ranks; i++)
        expect_told(&s, &told, i / s.n_ranks, i % s.n_ranks);
    rs_arena_free(&arena);
}

/* Every root, and pipelines that cut the array as they like, in one piece and in three; three channels; both orders. */
static void expect_specs_told(const rs_algorithm *algorithm, int32_t n) {
    const bool rooted = rs_collective_rooted(algorithm->collective);
    for (int32_t root = 0; root < (rooted ? n : 1); root++) {
        rs_spec spec = {.n_ranks = n, .root = root};
        spec.n_pieces = algorithm->pipelined ? root % 3 * (root % 3 + 1) / 2 : 0;
        expect_all_told(algorithm, &spec);
    }
    rs_spec spec = {.n_ranks = n, .root = rooted ? n / 2 : 0, .n_channels = 3};
    spec.n_pieces = algorithm->pipelined ? 2 : 0;
    expect_all_told(algorithm, &spec);
    spec.order = RS_ORDER_NCCL;
    expect_all_told(algorithm, &spec);
}

static void expect_collective_told(rs_collective of) {
    FILE *file = fopen("lessons/ring.h", "rb");
    cr_assert_not_null(file);
    ring_h[fread(ring_h, 1, sizeof ring_h - 1, file)] = '\0';
    fclose(file);
    for (const rs_algorithm *const *at = rs_algorithms_of(of); *at != NULL; at++) {
        for (int32_t n = 2; n <= MOST_RANKS; n++) expect_specs_told(*at, n);
    }
}

Test(rules, say_what_an_all_reduce_sends) {
    expect_collective_told(RS_COLL_ALL_REDUCE);
}

Test(rules, say_what_the_other_collectives_send) {
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++)
        expect_collective_told((rs_collective)of);
}

/* Ranks in the order of the nodes, and dealt out over them. */
Test(rules, say_what_is_sent_between_nodes_of_every_size) {
    static const char *const by_node[] = {"two-level", "rings", "double-tree"};
    expect_collective_told(RS_COLL_ALL_TO_ALL); /* reads ring.h */
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < MOST_RANKS * MOST_RANKS * 2; i++) {
            const rs_spec spec = {.n_ranks = 2 + i / 2 / MOST_RANKS,
                                  .gpus_per_node = 1 + i / 2 % MOST_RANKS,
                                  .dealt = i % 2 == 1,
                                  .n_channels = 2 * (a == 1),
                                  .n_pieces = 2 * (a == 2)};
            /* its rule is long, and so is the wait */
            const int32_t most = a == 2 ? ROUNDS(24, 13) : MOST_RANKS;
            if (spec.n_ranks > most || spec.n_ranks % spec.gpus_per_node != 0) continue;
            expect_all_told(rs_find_algorithm(RS_COLL_ALL_REDUCE, by_node[a]), &spec);
        }
    }
}

/* What the panel reads without ring.h at hand is no other C. */
Test(rules, have_a_header_that_ring_h_agrees_with) {
    const char *fields[] = {"int to", "chunk", "chunks", "copy"};
    expect_collective_told(RS_COLL_ALL_TO_ALL); /* reads ring.h */
    const char *mine = rs_rule_header, *theirs = strstr(ring_h, "typedef struct rs_send");
    for (int i = 0; i < 4; i++) {
        mine = strstr(mine, fields[i]), theirs = strstr(theirs, fields[i]);
        cr_assert(mine != NULL && theirs != NULL, "%s", fields[i]);
        mine += strlen(fields[i]), theirs += strlen(fields[i]);
    }
    cr_expect_not_null(strstr(ring_h, "\nint send_chunk(int step, int rank, int n);"));
    cr_expect_not_null(strstr(ring_h, "\nint sends(int step, int rank, int n, rs_send out[]);"));
}
