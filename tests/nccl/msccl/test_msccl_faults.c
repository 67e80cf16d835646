/* test_msccl_faults.c: one fault at a time, at the bounds of what is right. */
#include "made_program.h"

#include <stdlib.h>
#include <string.h>

/* A send that nobody receives, of the first GPU or the last; it may be the very first step of all. */
Test(msccl_faults, a_message_without_its_other_end_is_no_pair) {
    static made_program m;
    for (int32_t g = 0; g < 2; g++) {
        for (int sends = 0; sends < 2; sends++) {
            begin_program(&m, RS_COLL_ALL_REDUCE, true, 2, 1, 1, 1, 0);
            rn_msccl_block *b = put_block(&m, g, 1 - g, 1 - g, 0);
            put_step_in(&m, b, sends ? RN_MSCCL_SEND : RN_MSCCL_RECV, 0);
            cr_expect_eq(judge_program(&m.program).fault, RN_MSCCL_PAIRING, "GPU %d", (int)g);
        }
    }
}

/* Block 1 is there on the other GPU only. */
Test(msccl_faults, a_block_of_another_gpu_cannot_be_waited_for) {
    static made_program m;
    for (int32_t g = 0; g < 2; g++) {
        begin_program(&m, RS_COLL_ALL_REDUCE, true, 2, 1, 1, 1, 0);
        put_step_in(&m, put_block(&m, 0, -1, -1, 0), RN_MSCCL_NOP, 0);
        put_step_in(&m, put_block(&m, 1, -1, -1, 0), RN_MSCCL_NOP, 0);
        put_step_in(&m, put_block(&m, 1 - g, -1, -1, 0), RN_MSCCL_NOP, 0);
        m.gpus[1 - g].blocks[1].steps[0].has_dep = true;
        m.gpus[g].blocks[0].steps[0].dep_block = 1;
        m.gpus[g].blocks[0].steps[0].dep_step = 0;
        cr_expect_eq(judge_program(&m.program).fault, RN_MSCCL_BOUNDS, "GPU %d", (int)g);
    }
}

/* One chunk more or less than the collective makes of the other buffer, on one GPU or on all. */
Test(msccl_faults, buffers_fit_the_collective) {
    static made_program m;
    static const rn_msccl_buffer buffers[] = {RN_MSCCL_INPUT, RN_MSCCL_OUTPUT};
    for (int which = 0; which < N_MAKERS; which++) {
        for (int change = 0; change < 4; change++) {
            for (int32_t first = 0; first < 3; first++) {
                make_program(&m, which, 3);
                for (int32_t g = first; g < (first == 0 ? 3 : first + 1); g++)
                    m.gpus[g].chunks[buffers[change / 2]] += change % 2 == 0 ? 1 : -1;
                const rn_msccl_verdict v = judge_program(&m.program);
                cr_expect_eq(v.fault, RN_MSCCL_BOUNDS, "%d, %d, %d", which, change, (int)first);
            }
        }
    }
}

/* A block waits for step `waited` of another and then overwrites what step `touched` of that writes: a race, if that comes
   later. The chunk of scratch is nobody's result. */
Test(msccl_faults, who_waits_for_a_step_knows_no_later_one) {
    static made_program m;
    for (int i = 0; i < 2 * 4 * 4; i++) {
        const int32_t waited = i / 4 % 4, touched = i % 4;
        const bool waits_first = i < 4 * 4; /* in the file */
        make_program(&m, 0, 2);
        for (int32_t g = 0; g < 2; g++) m.gpus[g].chunks[RN_MSCCL_SCRATCH] = 4;
        rn_msccl_block *one = put_block(&m, 0, -1, -1, 0), *other = put_block(&m, 0, -1, -1, 0);
        rn_msccl_block *waiting = waits_first ? one : other, *steps = waits_first ? other : one;
        for (int32_t k = 0; k < 4; k++) {
            put_step(&m, steps, RN_MSCCL_COPY, RN_MSCCL_SCRATCH, k, RN_MSCCL_SCRATCH, k, -1, -1);
            steps->steps[k].has_dep = true;
        }
        put_step(&m, waiting, RN_MSCCL_COPY, RN_MSCCL_SCRATCH, touched, RN_MSCCL_SCRATCH, touched,
                 steps->id, waited);
        const rn_msccl_fault wanted = touched > waited ? RN_MSCCL_RACE : RN_MSCCL_RIGHT;
        const rn_msccl_verdict v = judge_program(&m.program);
        cr_expect_eq(v.fault, wanted, "waits for %d, touches %d: %s", (int)waited, (int)touched,
                     v.said.text);
    }
}

/* Many steps wait for one whose flag comes much later: found at once for all of them. */
Test(msccl_faults, very_many_waits_take_no_square_of_time) {
    enum { N = 200000 };
    static made_program m;
    rn_msccl_step *steps = calloc(2 * N, sizeof *steps);
    cr_assert_not_null(steps);
    begin_program(&m, RS_COLL_ALL_REDUCE, true, 2, 1, 1, 1, 0);
    for (int32_t b = 0; b < 2; b++) {
        rn_msccl_block *block = put_block(&m, 0, -1, -1, 0);
        block->steps = steps + b * N;
        block->n_steps = N;
        for (int32_t i = 0; i < N; i++) {
            block->steps[i] = (rn_msccl_step){
                .dep_block = b - 1, .dep_step = b - 1, .has_dep = i == N - 1, .line = 1};
        }
    }
    cr_expect_eq(judge_program(&m.program).fault, RN_MSCCL_RESULT);
    free(steps);
}

/* A block sends nine chunks before it hears anything, and so does the other: eight slots are too few for both. */
Test(msccl_faults, slots_run_out) {
    static made_program m;
    for (int32_t n = 8; n <= 9; n++) {
        begin_program(&m, RS_COLL_ALL_GATHER, true, 2, 1, n, 2 * n, 0);
        for (int32_t g = 0; g < 2; g++) {
            rn_msccl_block *b = put_block(&m, g, 1 - g, 1 - g, 0);
            for (int32_t k = 0; k < n; k++) put_step_in(&m, b, RN_MSCCL_SEND, k);
            for (int32_t k = 0; k < n; k++) {
                put_step(&m, b, RN_MSCCL_RECV, RN_MSCCL_OUTPUT, (1 - g) * n + k, RN_MSCCL_OUTPUT,
                         (1 - g) * n + k, -1, -1);
            }
        }
        const rn_msccl_verdict v = judge_program(&m.program);
        cr_assert_eq(v.fault, n == 8 ? RN_MSCCL_RIGHT : RN_MSCCL_DEADLOCK, "%s", v.said.text);
        cr_assert_eq(run_program(&m.program, 2), n == 8 ? IS_RIGHT : IS_STUCK);
        if (n == 9) cr_assert(strstr(v.said.text, "8 slots") != NULL, "%s", v.said.text);
    }
}
