/* test_nccl_bits.c: in which order NCCL adds: cuts that were reckoned by hand, the ring of our own in NCCL's order, and of
 * drawn settings what must hold of all: each element once, each rank once.
 */
#include "bits/nccl_cut.h"
#include "bits/sum_order.h"
#include "ringsim.h"
#include "ringsim_nccl_bits.h"
#include "support/never.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;

static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(nccl_bits, .init = begin, .fini = end);

static const int32_t in_a_row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static rn_bits_job job_of(int32_t n_ranks, int32_t n_channels, int64_t count) {
    return (rn_bits_job){.collective = RS_COLL_ALL_REDUCE,
                         .algorithm = RN_NCCL_RING,
                         .protocol = RN_NCCL_SIMPLE,
                         .version = 22809,
                         .n_ranks = n_ranks,
                         .n_nodes = 1,
                         .n_channels = n_channels,
                         .used_channels = n_channels,
                         .n_threads = 512,
                         .rings = in_a_row,
                         .n_rings = 1,
                         .trees = rn_bits_trees(in_a_row, 1, n_ranks, 1, &arena),
                         .n_trees = 2,
                         .count = count,
                         .dtype = RS_F32};
}

static rs_bits bits_of(const rn_bits_job *job, rs_sums *sums) {
    rs_bits bits;
    cr_assert_eq(rn_bits_of_nccl(job, sums, &arena, &error, &bits), RS_OK, "%s", error.text);
    return bits;
}

/* By hand, from src/enqueue.cc: 1 MiB on four ranks is 2 MiB of traffic, 1 MiB a channel of two; a cell is 8 KiB (16 KiB of
   traffic), so 64 cells a channel. At 48 KiB: 6 cells, 3 a channel of two; of four channels 2 a channel, three of them. From
   2.29 on cells of 16 KiB, LL's from 2.26 a quarter of its version's. */
Test(nccl_bits, channels_have_the_parts_that_one_reckons_by_hand) {
    static const struct {
        int32_t version, channels, n_parts;
        rn_nccl_protocol protocol;
        int64_t count, parts[4];
    } cases[] = {
        {22809, 2, 2, RN_NCCL_SIMPLE, 262144, {131072, 131072}},
        {22809, 2, 2, RN_NCCL_SIMPLE, 12288, {6144, 6144}},
        {22809, 4, 3, RN_NCCL_SIMPLE, 12288, {4096, 4096, 4096}},
        {22907, 4, 3, RN_NCCL_SIMPLE, 12288, {4096, 4096, 4096}},
        {22907, 4, 2, RN_NCCL_SIMPLE, 5000, {4096, 904}},
        {22809, 4, 3, RN_NCCL_SIMPLE, 5000, {2048, 2048, 904}},
        {22809, 4, 4, RN_NCCL_LL, 5000, {1536, 1536, 1536, 392}},
        {22504, 4, 3, RN_NCCL_LL, 5000, {2048, 2048, 904}},
        {22203, 4, 4, RN_NCCL_SIMPLE, 5000, {1248, 1252, 1252, 1248}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rn_bits_job job = job_of(4, cases[c].channels, cases[c].count);
        rn_pieces pieces = {.arena = &arena};
        job.version = cases[c].version;
        job.protocol = cases[c].protocol;
        job.algorithm = RN_NCCL_TREE;
        cr_assert(rn_cut(&job, &pieces));
        cr_expect_eq(pieces.n, cases[c].n_parts, "case %zu: %d parts", c, (int)pieces.n);
        for (int32_t i = 0; i < pieces.n && i < 4; i++) {
            cr_expect_eq(pieces.list[i].count, cases[c].parts[i], "case %zu, part %d: %lld", c, i,
                         (long long)pieces.list[i].count);
        }
    }
}

/* By hand, from 2.18's to 2.21's source. 20000 bytes on four channels of 2.20 are 5008 each, so 1252 elements, in grains of 1024
   (Simple: 4096 bytes): 2048; LL's grain is 8 bytes a thread, LL128's 480 a warp. 2.19 loops over all channels: Simple's chunk is
   ceil(5000 / (2 x 4)) in grains of 512 threads x 8 bytes, chunk behind chunk of a channel; LL's and LL128's go round the channels.
   A tree of depth 3 halves 512 KiB until 4000000 bytes are 12 chunks a channel; one of two nodes of 8 halves LL128's step of
   614400 bytes until a channel has 5.6. */
Test(nccl_bits, older_versions_cut_as_one_reckons_by_hand) {
    enum { R = RN_NCCL_RING, T = RN_NCCL_TREE, LL = RN_NCCL_LL, L128, S };
    static const struct {
        int32_t version, algorithm, protocol, nodes, threads, channels, count, n;
        const char *first; /* pieces: channel, place, elements */
    } cases[] = {
        {22005, R, S, 1, 544, 4, 5000, 5, "0 0 1024, 0 1 1024, 1 0 1024, 1 1 1024, 2 0 904, "},
        {22105, T, LL, 1, 512, 2, 10000, 2, "0 0 5120, 1 0 4880, "},
        {22005, T, L128, 1, 640, 4, 10000, 3, "0 0 4800, 1 0 4800, 2 0 400, "},
        {21904, R, S, 1, 544, 2, 5000, 5, "0 0 1024, 0 1 1024, 0 2 1024, 0 3 1024, 1 0 904, "},
        {21806, R, LL, 1, 512, 2, 5000, 5, "0 0 1024, 1 0 1024, 0 1 1024, 1 1 1024, 0 2 904, "},
        {21904, R, L128, 1, 640, 2, 40000, 5, "0 0 9600, 1 0 9600, 0 1 9600, 1 1 9600, 0 2 1600, "},
        {21806, T, S, 1, 640, 2, 1000000, 31, "0 0 32768, 1 0 32768, 0 0 32768, "},
        {21904, T, S, 1, 640, 2, 5000, 1, "0 0 5000, "},
        {21904, T, L128, 2, 640, 2, 1000000, 56, "0 0 18000, 1 0 18000, 0 0 18000, "},
        {21904, -R, S, 1, 544, 2, 5000, 2, "0 0 3072, 1 0 1928, "}, /* a reduce-scatter */
        {21904, T, S, 1, 640, 2, 15000, 2, "0 0 9216, 1 0 5784, "},
        {22809, R, S, 1, 544, 1, 1000000, 4, "0 0 250000, 0 1 250000, "},
        {22203, -R, S, 64, 544, 4, 4, 1, "1 0 4, "}, /* of 64 ranks less than a channel's share */
        {22203, -R, S, 64, 544, 4, 12, 3, "1 0 4, 2 0 4, 3 0 4, "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rn_bits_job job = job_of(cases[c].nodes == 1 ? 4 : 16, cases[c].channels, cases[c].count);
        rn_pieces pieces = {.arena = &arena};
        char text[2048];
        size_t at = 0;
        job.version = cases[c].version;
        job.algorithm = cases[c].algorithm == T ? RN_NCCL_TREE : RN_NCCL_RING;
        if (cases[c].algorithm == -R) job.collective = RS_COLL_REDUCE_SCATTER;
        job.protocol = (rn_nccl_protocol)cases[c].protocol;
        job.n_nodes = cases[c].nodes;
        if (job.n_nodes == 64) job.n_ranks = 64;
        job.n_threads = cases[c].threads;
        cr_assert(rn_cut(&job, &pieces));
        for (int64_t i = 0; i < pieces.n; i++) {
            const rn_piece *p = &pieces.list[i];
            at += (size_t)snprintf(text + at, sizeof text - at, "%d %d %d, ", (int)p->channel,
                                   (int)p->place, (int)p->count);
        }
        cr_expect(pieces.n == cases[c].n &&
                      strncmp(text, cases[c].first, strlen(cases[c].first)) == 0,
                  "case %zu: %d pieces, %s", c, (int)pieces.n, text);
    }
}

/* On one channel, and where all chunks are alike, NCCL's ring is ours in NCCL's order. */
Test(nccl_bits, its_ring_is_the_schedule_of_the_same_order) {
    for (int32_t n = 2; n <= 16; n++) {
        const int64_t count = 64 * n;
        const rn_bits_job job = job_of(n, 1, count);
        rs_sums *sums = rs_sums_begin(n, &arena);
        rs_schedule s;
        rs_bits ours;
        const rs_bits its = bits_of(&job, sums);
        cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_NCCL,
                                      n, count, &error, &s),
                     RS_OK);
        cr_assert_eq(rs_bits_of_schedule(&s, count, sums, &arena, &error, &ours), RS_OK);
        for (int64_t i = 0; i < count; i++) {
            cr_assert_eq(rs_bits_at(&its, i), rs_bits_at(&ours, i), "N %d, element %d", n, (int)i);
        }
    }
}

static void count_ranks(const rs_sums *sums, int32_t sum, int32_t seen[]) {
    if (sum < sums->n_ranks) {
        seen[sum]++;
        return;
    }
    const rs_two_sums pair = rs_operands_of(sums, sum);
    count_ranks(sums, pair.a, seen);
    count_ranks(sums, pair.b, seen);
}

static uint64_t state = 1;
static int64_t draw(int64_t below) {
    return (int64_t)(rs_random(&state) % (uint64_t)below);
}

Test(nccl_bits, of_any_setting_each_element_has_each_rank_once) {
    static const int32_t versions[] = {21806, 21904, 22005, 22105, 22203, 22304, 22602, 23007};
    static const rs_dtype types[] = {RS_F16, RS_F32, RS_F64};
    for (int turn = 0; turn < 600; turn++) {
        const int32_t nodes = 1 + (int32_t)draw(4), g = 1 + (int32_t)draw(4), n = nodes * g;
        if (n < 2) continue;
        const int64_t count = 1 + draw(turn % 3 == 0 ? 100 : 3000000);
        rn_bits_job job = job_of(n, 1 + (int32_t)draw(32), count);
        job.n_nodes = nodes;
        job.used_channels = 1 + (int32_t)draw(job.n_channels);
        job.version = versions[draw(8)];
        job.protocol = (rn_nccl_protocol)draw(3);
        job.dtype = types[draw(3)];
        job.n_threads = 96 + 32 * (int32_t)draw(18);
        job.algorithm = draw(2) ? RN_NCCL_RING : RN_NCCL_TREE;
        job.trees = rn_bits_trees(in_a_row, 1, n, nodes, &arena);
        if (job.algorithm == RN_NCCL_RING && draw(3) == 0) job.collective = RS_COLL_REDUCE_SCATTER;
        rs_sums *sums = rs_sums_begin(n, &arena);
        const rs_bits bits = bits_of(&job, sums);
        cr_assert_eq(bits.count, job.collective == RS_COLL_ALL_REDUCE ? count : count * n);
        int64_t at = 0;
        for (int64_t i = 0; i < bits.n_runs; i++) {
            int32_t seen[16] = {0};
            cr_assert(bits.runs[i].first == at && bits.runs[i].count > 0);
            at += bits.runs[i].count;
            count_ranks(sums, bits.runs[i].sum, seen);
            for (int32_t r = 0; r < n; r++) cr_assert_eq(seen[r], 1, "turn %d", turn);
        }
        cr_assert_eq(at, bits.count);
        end();
        begin();
    }
}

/* A double tree: of an even number of nodes, who has two others below in one has none in the other. */
Test(nccl_bits, who_adds_in_one_tree_is_a_leaf_in_the_other) {
    for (int32_t n = 2; n <= 16; n += 2) {
        const int32_t(*below)[3] = (const int32_t(*)[3])rn_bits_trees(in_a_row, 1, n, n, &arena);
        for (int32_t r = 0; r < n; r++) {
            const int32_t *one = below[r], *other = below[n + r];
            cr_expect((one[1] < 0 || other[0] < 0) && (other[1] < 0 || one[0] < 0), "%d", r);
        }
    }
}

Test(nccl_bits, what_has_not_been_read_is_not_answered) {
    rs_sums *sums = rs_sums_begin(4, &arena);
    rn_bits_job job = job_of(4, 1, 100);
    rs_bits bits;
    job.algorithm = RN_NCCL_NVLS;
    bits = bits_of(&job, sums);
    cr_expect_null(bits.undefined, "f32, one node: exact");
    cr_expect(rs_is_exact(sums, bits.runs[0].sum));
    job.dtype = RS_BF16;
    cr_expect_not_null(bits_of(&job, sums).undefined);
    job.dtype = RS_I32;
    cr_expect_null(bits_of(&job, sums).undefined, "integers do not round");
    job.algorithm = RN_NCCL_COLLNET_CHAIN;
    cr_expect_not_null(bits_of(&job, sums).undefined);
    job.algorithm = RN_NCCL_NVLS_TREE;
    job.dtype = RS_F32;
    job.n_nodes = 2;
    cr_expect_not_null(bits_of(&job, sums).undefined);
    job.algorithm = RN_NCCL_PAT;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT);
    job.algorithm = RN_NCCL_RING;
    job.version = 21700;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT);
    const rn_bits_shown seen[] = {{.version = 22907, .n_ranks = 4, .n_per_node = 1}, {0}},
                        pair[] = {{.version = 22907, .n_ranks = 2, .n_per_node = 2}, {0}};
    cr_expect(rn_bits_find_shown(seen, seen, true) && !rn_bits_find_shown(seen, seen, false));
    cr_expect(rn_bits_find_shown(pair, seen, false) && !rn_bits_find_shown(pair, seen, true));
    static const int32_t not_whole[] = {0, 1, 1, 3};
    job.version = 22809;
    job.rings = not_whole;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT);
}

static const char *text_at(const rs_sums *sums, const rs_bits *bits, int64_t element) {
    static char text[96];
    rs_sum_text(sums, rs_bits_at(bits, element), text, sizeof text);
    return text;
}

/* By hand, from ncclGetBtree, ncclGetDtree and connectTrees: of channel 0 the first tree, of channel 1 the second. */
Test(nccl_bits, trees_are_those_that_one_draws_by_hand) {
    enum { COUNT = 262144 };
    static const struct {
        int32_t n_ranks, n_nodes;
        const char *first, *second;
    } cases[] = {
        {3, 3, "(1+2)+0", "(0+2)+1"},
        {4, 4, "((1+2)+3)+0", "((1+2)+0)+3"},
        {4, 2, "(0+1)+(2+3)", "(0+1)+(2+3)"},
        {4, 1, "((2+3)+1)+0", "((2+3)+1)+0"},
        {8, 4, "(0+1)+((((2+3)+5)+4)+(6+7))", NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rs_sums *sums = rs_sums_begin(cases[c].n_ranks, &arena);
        rn_bits_job job = job_of(cases[c].n_ranks, 2, COUNT);
        job.algorithm = RN_NCCL_TREE;
        job.n_nodes = cases[c].n_nodes;
        job.trees = rn_bits_trees(in_a_row, 1, job.n_ranks, job.n_nodes, &arena);
        const rs_bits bits = bits_of(&job, sums);
        cr_expect_str_eq(text_at(sums, &bits, 0), cases[c].first);
        if (cases[c].second != NULL)
            cr_expect_str_eq(text_at(sums, &bits, COUNT - 1), cases[c].second);
    }
}

Test(nccl_bits, a_loop_is_cut_in_16_bytes_and_a_channel_has_its_ring) {
    static const int32_t rings[] = {0, 1, 2, 3, 2, 1, 0, 3};
    static const int64_t counts[] = {16, 16, 4};
    rs_sums *sums = rs_sums_begin(4, &arena);
    rn_bits_job job = job_of(4, 1, 36);
    job.dtype = RS_F16;
    const rs_bits bits = bits_of(&job, sums);
    cr_assert_eq(bits.n_runs, 3);
    for (int i = 0; i < 3; i++) cr_expect_eq(bits.runs[i].count, counts[i]);
    job = job_of(4, 2, 262144);
    job.rings = rings;
    job.n_rings = 2;
    const rs_bits both = bits_of(&job, sums);
    cr_expect_str_eq(text_at(sums, &both, 0), "((1+2)+3)+0");
    cr_expect_str_eq(text_at(sums, &both, 131072), "((2+3)+1)+0");
    job.algorithm = RN_NCCL_TREE;
    job.trees = rn_bits_trees(rings, 2, 4, 1, &arena);
    job.n_trees = 4;
    const rs_bits trees = bits_of(&job, sums);
    cr_expect_str_eq(text_at(sums, &trees, 0), "((2+3)+1)+0");
    cr_expect_str_eq(text_at(sums, &trees, 131072), "((0+3)+1)+2");
    job.n_channels = job.used_channels = 3;
    cr_expect_eq(rn_bits_channels(&job, &arena), 3);
}

Test(nccl_bits, what_cannot_be_is_refused_and_who_says_stop_obeyed) {
    const rs_host host = {.progress = never_go_on};
    static const int32_t nobody[] = {-1, -1, -1, -1, -1, -1};
    rs_sums *sums = rs_sums_begin(4, &arena);
    rs_arena stopped;
    rs_bits bits;
    rn_bits_job job = job_of(2, 1, 0);
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT, "no elements");
    job.count = INT64_MAX / 4;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_NO_MEMORY, "no end");
    job.count = 9;
    job.n_ranks = 1;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT, "one rank");
    job.n_ranks = 2;
    rs_arena_init(&stopped, &host);
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &stopped, &error, &bits), RS_CANCELLED);
    rs_arena_free(&stopped);
    job.algorithm = RN_NCCL_TREE;
    job.trees = nobody;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT, "two roots");
    job.trees = (const int32_t[]){1, 1, -1, -1, -1, -1};
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT, "below twice");
    job.n_ranks = 3;
    job.trees = (const int32_t[]){-1, -1, -1, 2, -1, -1, 1, -1, -1};
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT, "a circle");
    job = job_of(2, 1, 9);
    job.algorithm = RN_NCCL_TREE;
    job.collective = RS_COLL_REDUCE_SCATTER;
    cr_expect_eq(rn_bits_of_nccl(&job, sums, &arena, &error, &bits), RS_BAD_INPUT);
}

Test(nccl_bits, without_memory_there_is_no_answer) {
    for (int tree = 0; tree < 2; tree++) {
        rn_bits_job job = job_of(4, 8, 3000000);
        rs_status status = RS_NO_MEMORY;
        if (tree) job.algorithm = RN_NCCL_TREE, job.version = 21904;
        for (size_t limit = 1; status != RS_OK && limit < 1000000; limit += 50) {
            rs_arena own;
            rs_bits bits;
            rs_arena_init(&own, NULL);
            own.limit_bytes = limit;
            cr_assert(limit > 1 || rn_bits_channels(&job, &own) == -1);
            status = rn_bits_of_nccl(&job, rs_sums_begin(4, &arena), &own, &error, &bits);
            cr_assert(status == RS_OK ? bits.count == job.count
                                      : status == RS_NO_MEMORY || limit > 1);
            rs_arena_free(&own);
        }
        cr_expect_eq(status, RS_OK);
    }
}
