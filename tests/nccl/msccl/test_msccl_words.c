/* test_msccl_words.c: what is wrong with a program is said with its GPU, block, step and numbers, and its line.
 */
#include "made_program.h"

#include <stdarg.h>
#include <stdio.h>

static made_program m;

__attribute__((format(printf, 3, 4))) static void expect(rn_msccl_fault fault, int line,
                                                         const char *form, ...) {
    char wanted[320];
    va_list list;
    va_start(list, form);
    vsnprintf(wanted, sizeof wanted, form, list);
    va_end(list);
    const rn_msccl_verdict v = judge_program(&m.program);
    cr_assert_eq(v.fault, fault, "%s, not %s", v.said.text, wanted);
    cr_assert_str_eq(v.said.text, wanted, "%s, not %s", v.said.text, wanted);
    cr_assert_eq(v.line, line, "%s: line %d, not %d", wanted, (int)v.line, line);
}

/* Each step of each right program with one number beyond its bound. */
Test(msccl_words, a_step_beyond_its_bounds_is_named) {
    for (int which = 0; which < N_MAKERS; which++) {
        const int32_t n = 3;
        make_program(&m, which, n);
        const int32_t channels = m.program.n_channels;
        for (int32_t g = 0; g < n; g++) {
            for (int32_t b = 0; b < m.gpus[g].n_blocks; b++) {
                rn_msccl_block *block = &m.gpus[g].blocks[b];
                const rn_msccl_block kept = *block;
                const int32_t peers[] = {-2, g, n};
                block->line = 77;
                for (int i = 0; i < 3; i++) {
                    block->send = peers[i];
                    expect(RN_MSCCL_BOUNDS, 77, "GPU %d, block %d: GPU %d is no other GPU of 0..%d",
                           (int)g, (int)b, (int)peers[i], (int)n - 1);
                    block->send = kept.send;
                    block->recv = peers[i];
                    expect(RN_MSCCL_BOUNDS, 77, "GPU %d, block %d: GPU %d is no other GPU of 0..%d",
                           (int)g, (int)b, (int)peers[i], (int)n - 1);
                    block->recv = kept.recv;
                }
                for (int end = 0; end < 2; end++) {
                    block->channel = end == 0 ? -1 : channels;
                    expect(RN_MSCCL_BOUNDS, 77, "GPU %d, block %d: channel %d of %d", (int)g,
                           (int)b, (int)block->channel, (int)channels);
                    block->channel = kept.channel;
                }
                for (int32_t i = 0; i < block->n_steps; i++) {
                    rn_msccl_step *s = &block->steps[i];
                    const rn_msccl_step right = *s;
                    const bool first = s->type != RN_MSCCL_RECV && s->type != RN_MSCCL_NOP &&
                                       s->type != RN_MSCCL_RECV_COPY_SEND;
                    const rn_msccl_buffer buffer = first ? s->src_buffer : s->dst_buffer;
                    const int32_t has = m.gpus[g].chunks[buffer];
                    for (int32_t count = 1; count < 4 && s->type != RN_MSCCL_NOP; count++) {
                        *(first ? &s->src : &s->dst) = has - count + 1;
                        s->count = count;
                        expect(RN_MSCCL_BOUNDS, right.line,
                               "GPU %d, block %d: chunks %d..%d of its %c; it has %d", (int)g,
                               (int)b, (int)(has - count + 1), (int)has, "ios"[buffer], (int)has);
                    }
                    *s = right;
                    for (int32_t step = -1; step < 99; step += 100) {
                        s->dep_block = b;
                        s->dep_step = step;
                        expect(RN_MSCCL_BOUNDS, right.line,
                               "GPU %d waits for step %d of block %d, which is not there", (int)g,
                               (int)step, (int)b);
                    }
                    *s = right;
                }
                *block = kept;
            }
        }
    }
}

/* So many steps that do nothing, then messages, of which one has other chunks, or some have no other end. */
Test(msccl_words, a_message_without_its_pair_is_named) {
    for (int i = 0; i < 4 * 4 * 3 * 3 * 2; i++) {
        const int sent = i % 4, heard = i / 4 % 4, before = i / 16 % 3, there = i / 48 % 3;
        const int other =
            i / 144; /* 1: the last common one has two chunks, of which one is heard */
        const int common = sent < heard ? sent : heard;
        begin_program(&m, RS_COLL_ALL_REDUCE, true, 2, 3, 2, 2, 0);
        rn_msccl_block *from = put_block(&m, 0, 1, -1, 2);
        for (int k = 0; k < before; k++) put_step_in(&m, from, RN_MSCCL_NOP, 0);
        for (int k = 0; k < sent; k++) put_step_in(&m, from, RN_MSCCL_SEND, 0);
        rn_msccl_block *to = put_block(&m, 1, -1, 0, 2);
        for (int k = 0; k < there; k++) put_step_in(&m, to, RN_MSCCL_NOP, 0);
        for (int k = 0; k < heard; k++) put_step_in(&m, to, RN_MSCCL_RECV, 0);
        if (other && common > 0) from->steps[before + common - 1].count = 2;
        if (other && common > 0) {
            expect(RN_MSCCL_PAIRING, before + common,
                   "GPU 0, block 0, step %d sends to GPU 1 on channel 2, 2 chunks, of which 1 are "
                   "received",
                   before + common - 1);
        } else if (sent > heard) {
            expect(RN_MSCCL_PAIRING, before + heard + 1,
                   "GPU 0, block 0, step %d sends to GPU 1 on channel 2, and nobody receives that",
                   before + heard);
        } else if (heard > sent) {
            expect(RN_MSCCL_PAIRING, before + sent + there + sent + 1,
                   "GPU 1, block 0, step %d hears from GPU 0 on channel 2, which sends no such "
                   "message",
                   there + sent);
        }
    }
}

/* Two ends of one connection, two blocks of one number, a wait for who tells nobody. */
Test(msccl_words, blocks_that_are_not_told_apart_are_named) {
    for (int32_t g = 0; g < 3; g++) {
        for (int way = 0; way < 2; way++) {
            begin_program(&m, RS_COLL_ALL_REDUCE, true, 3, 2, 1, 1, 0);
            const int32_t peer = (g + 1) % 3;
            for (int k = 0; k < 2; k++) {
                rn_msccl_block *b = put_block(&m, g, way == 0 ? peer : -1, way == 0 ? -1 : peer, 1);
                put_step_in(&m, b, RN_MSCCL_NOP, 0);
                b->line = 50;
            }
            if (way == 0) {
                expect(RN_MSCCL_PAIRING, 50, "two blocks of GPU %d send to GPU %d on channel 1",
                       (int)g, (int)peer);
            } else {
                expect(RN_MSCCL_PAIRING, 50, "two blocks at GPU %d hear from GPU %d on channel 1",
                       (int)g, (int)peer);
            }
            m.gpus[g].blocks[1].id = 0;
            expect(RN_MSCCL_BOUNDS, 50, "GPU %d has block 0 twice", (int)g);
        }
        begin_program(&m, RS_COLL_ALL_REDUCE, true, 3, 1, 1, 1, 0);
        rn_msccl_block *tells = put_block(&m, g, -1, -1, 0), *waits = put_block(&m, g, -1, -1, 0);
        for (int k = 0; k < 3; k++) put_step_in(&m, tells, RN_MSCCL_NOP, 0);
        put_step_in(&m, waits, RN_MSCCL_NOP, 0);
        waits->steps[0].dep_block = 0;
        waits->steps[0].dep_step = 1;
        tells->steps[0].has_dep = true;
        expect(RN_MSCCL_DEADLOCK, 4,
               "GPU %d waits for step 1 of block 0, which tells nobody: neither it nor a later one "
               "has hasdep=1",
               (int)g);
    }
}

/* What the first wrong chunk holds: nothing, some ranks' data, somebody's twice, or what is of several chunks. */
Test(msccl_words, what_a_chunk_holds_at_the_end_is_said) {
    for (int32_t n = 2; n <= 4; n++) {
        begin_program(&m, RS_COLL_ALL_REDUCE, false, n, 1, 2, 2, 0);
        expect(RN_MSCCL_RESULT, 0,
               "at the end GPU 0's o[0] holds nothing; all-reduce wants chunk 0 of all ranks");
        begin_program(&m, RS_COLL_ALL_REDUCE, true, n, 1, 2, 2, 0);
        expect(RN_MSCCL_RESULT, 0,
               "at the end GPU 0's o[0] holds chunk 0 of 1 ranks, not of all; all-reduce wants "
               "chunk 0 of all ranks");
        rn_msccl_block *b = put_block(&m, 0, -1, -1, 0);
        put_step(&m, b, RN_MSCCL_REDUCE, RN_MSCCL_INPUT, 1, RN_MSCCL_INPUT, 0, -1, -1);
        expect(RN_MSCCL_RESULT, 1,
               "at the end GPU 0's o[0] holds a sum of different chunks; all-reduce wants chunk 0 "
               "of all ranks");
        b->steps[0].type = RN_MSCCL_COPY;
        expect(RN_MSCCL_RESULT, 1,
               "at the end GPU 0's o[0] holds chunk 1 of 1 ranks, not of all; all-reduce wants "
               "chunk 0 of all ranks");
        begin_program(&m, RS_COLL_ALL_GATHER, false, n, 1, 1, n, 0);
        for (int32_t g = 0; g < n; g++) {
            rn_msccl_block *own = put_block(&m, g, -1, -1, 0);
            put_step(&m, own, RN_MSCCL_COPY, RN_MSCCL_INPUT, 0, RN_MSCCL_OUTPUT, g, -1, -1);
        }
        expect(RN_MSCCL_RESULT, 0,
               "at the end GPU 0's o[1] holds nothing; all-gather wants chunk 1 of rank 1");
        m.gpus[0].blocks[0].steps[0].type = RN_MSCCL_NOP;
        expect(RN_MSCCL_RESULT, 0,
               "at the end GPU 0's o[0] holds nothing; all-gather wants chunk 0 of rank 0");
    }
    for (int32_t a = 0; a < 2; a++) { /* what it has, added to itself by way of scratch */
        begin_program(&m, RS_COLL_ALL_REDUCE, true, 2, 1, 1, 1, 1);
        rn_msccl_block *send = put_block(&m, 1 - a, a, -1, 0),
                       *own = put_block(&m, a, -1, 1 - a, 0);
        put_step_in(&m, send, RN_MSCCL_SEND, 0);
        put_step_in(&m, own, RN_MSCCL_RECV_REDUCE_COPY, 0);
        put_step(&m, own, RN_MSCCL_COPY, RN_MSCCL_INPUT, 0, RN_MSCCL_SCRATCH, 0, -1, -1);
        put_step(&m, own, RN_MSCCL_REDUCE, RN_MSCCL_SCRATCH, 0, RN_MSCCL_INPUT, 0, -1, -1);
        if (a == 0) {
            expect(RN_MSCCL_RESULT, 4,
                   "at the end GPU 0's o[0] holds chunk 0 with rank 0's data twice; all-reduce "
                   "wants chunk 0 of all ranks");
        } else {
            expect(RN_MSCCL_RESULT, 0,
                   "at the end GPU 0's o[0] holds chunk 0 of 1 ranks, not of all; all-reduce wants "
                   "chunk 0 of all ranks");
        }
    }
}
