/* test_msccl.c: made MSCCL programs, and thousands that are made wrong at one place, against an executor that runs them in
 * random orders with 64-bit sums: what is judged right is right in every order, what is judged wrong goes wrong.
 */
#include "made_program.h"
#include "ringsim_check.h"

#include <string.h>

enum { MUTANTS = 2000 };

/* Lowers it; where that can be done the schedule is sound. */
static rs_status lower(const rn_msccl *p, int64_t n_messages) {
    rs_arena scratch, arena;
    rs_error error = {.text = ""};
    rs_schedule schedule;
    rs_verdict verdict;
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&arena, NULL);
    const rs_status status = rn_lower_msccl(p, &scratch, &arena, &error, &schedule);
    rs_arena_free(&scratch);
    if (status == RS_OK) {
        cr_assert_eq(rs_check(&schedule, NULL, &error, &verdict), RS_OK);
        cr_assert(verdict.sound, "%s", verdict.text);
        cr_assert_eq(schedule.collective, p->collective);
        cr_assert_geq(schedule.n_transfers, n_messages);
    } else {
        cr_assert_eq(status, RS_UNSUPPORTED);
        cr_assert(error.text[0] != '\0');
    }
    rs_arena_free(&arena);
    return status;
}

Test(msccl, made_programs_are_right_and_become_schedules) {
    static made_program m;
    for (int which = 0; which < N_MAKERS; which++) {
        for (int32_t n = 2; n <= MOST_GPUS; n++) {
            if (which == 1 && n > 4) continue;
            make_program(&m, which, n);
            const rn_msccl_verdict v = judge_program(&m.program);
            cr_assert_eq(v.fault, RN_MSCCL_RIGHT, "%d, %d GPUs: %s", which, (int)n, v.said.text);
            for (int way = 0; way < 5; way++) cr_assert_eq(run_program(&m.program, way), IS_RIGHT);
            cr_assert_eq(lower(&m.program, v.n_messages), RS_OK, "%d, %d GPUs", which, (int)n);
        }
    }
}

/* Everybody sends all chunks it has to everybody, in one message; who receives comes first in the program. */
static void make_broad_gather(made_program *m, int32_t n, int32_t each) {
    begin_program(m, RS_COLL_ALL_GATHER, true, n, 1, each, n * each, 0);
    for (int32_t g = 0; g < n; g++) {
        for (int32_t way = 0; way < 2; way++) {
            for (int32_t j = 0; j < n; j++) {
                if (j == g) continue;
                rn_msccl_block *b = put_block(m, g, way == 0 ? -1 : j, way == 0 ? j : -1, 0);
                const int32_t first = (way == 0 ? j : g) * each;
                put_step(m, b, way == 0 ? RN_MSCCL_RECV : RN_MSCCL_SEND, RN_MSCCL_OUTPUT, first,
                         RN_MSCCL_OUTPUT, first, -1, -1);
                b->steps[0].count = each;
            }
        }
    }
}

/* As many transfers as the program has messages, each of all its chunks: nothing lost, nothing cut. */
Test(msccl, a_message_of_many_chunks_is_one_transfer) {
    static made_program m;
    for (int32_t n = 2; n <= 4; n++) {
        for (int32_t each = 1; each <= 5; each++) {
            rs_arena arena;
            rs_error error = {.text = ""};
            rs_schedule s;
            rs_transfer list[MOST_GPUS * MOST_CHUNKS];
            int32_t n_transfers = 0;
            make_broad_gather(&m, n, each);
            cr_assert_eq(lower(&m.program, 0), RS_OK);
            rs_arena_init(&arena, NULL);
            cr_assert_eq(rn_lower_msccl(&m.program, &arena, &arena, &error, &s), RS_OK);
            for (int32_t step = 0; step < s.n_steps; step++) {
                for (int32_t g = 0; g < n; g++) {
                    const int k = s.sends(&s, step, g, list);
                    for (int i = 0; i < k; i++) {
                        cr_expect_eq(list[i].n_chunks, each);
                        cr_expect_eq(list[i].chunk, g * each);
                    }
                    n_transfers += k;
                }
            }
            cr_expect_eq(n_transfers, n * (n - 1), "%d GPUs, %d chunks: %d", n, each, n_transfers);
            rs_arena_free(&arena);
        }
    }
}

/* ------------------------------------------------------------------ one thing is wrong */

static void mutate_step(made_program *m, int32_t g, rn_msccl_block *block) {
    const int32_t i = (int32_t)program_draw((uint32_t)block->n_steps);
    rn_msccl_step *s = &block->steps[i];
    switch (program_draw(10)) {
    case 0: s->type = (rn_msccl_type)program_draw(9); break;
    case 1: s->src += (int32_t)program_draw(3) - 1; break;
    case 2: s->dst += (int32_t)program_draw(3) - 1; break;
    case 3: s->src = s->dst = (int32_t)program_draw(6); break;
    case 4: s->count = (int32_t)program_draw(3); break;
    case 5:
        s->dep_block = (int32_t)program_draw((uint32_t)m->gpus[g].n_blocks + 1) - 1;
        s->dep_step = (int32_t)program_draw(6);
        break;
    case 6: s->src_buffer = (rn_msccl_buffer)program_draw(3); break;
    case 7: s->dst_buffer = (rn_msccl_buffer)program_draw(3); break;
    case 8: s->has_dep = !s->has_dep; break;
    default: s->dep_block = -1;
    }
}

static void mutate(made_program *m) {
    const int32_t g = (int32_t)program_draw((uint32_t)m->program.n_gpus);
    rn_msccl_block *block = &m->gpus[g].blocks[program_draw((uint32_t)m->gpus[g].n_blocks)];
    if (block->n_steps == 0) return;
    const int32_t i = (int32_t)program_draw((uint32_t)block->n_steps);
    rn_msccl_step *s = &block->steps[i];
    const size_t rest = (size_t)(block->n_steps - i - 1);
    switch (program_draw(8)) {
    case 0:
        memmove(s, s + 1, rest * sizeof *s);
        block->n_steps--;
        break;
    case 1:
        if (block->n_steps == MOST_STEPS) break;
        memmove(s + 1, s, (rest + 1) * sizeof *s);
        block->n_steps++;
        break;
    case 2:
        if (rest > 0) {
            const rn_msccl_step kept = s[0];
            s[0] = s[1];
            s[1] = kept;
        }
        break;
    case 3: block->send = (int32_t)program_draw(MOST_GPUS) - 1; break;
    case 4: block->recv = (int32_t)program_draw(MOST_GPUS) - 1; break;
    default: mutate_step(m, g, block);
    }
}

Test(msccl, what_is_judged_right_is_right_in_every_order_and_what_is_not_goes_wrong) {
    static made_program m;
    int n_of[RN_MSCCL_RESULT + 1] = {0}, n_kept = 0;
    for (int i = 0; i < N_MAKERS * MUTANTS; i++) {
        make_program(&m, i % N_MAKERS, 3 + (int32_t)program_draw(i % N_MAKERS == 1 ? 2 : 3));
        for (uint32_t k = 0, n = 1 + program_draw(2); k < n; k++) mutate(&m);
        const rn_msccl_verdict v = judge_program(&m.program);
        n_of[v.fault]++;
        for (int way = 0; way < 10 && v.fault == RN_MSCCL_RIGHT; way++)
            cr_assert_eq(run_program(&m.program, way), IS_RIGHT, "mutant %d, way %d", i, way);
        if (v.fault == RN_MSCCL_RIGHT) n_kept += lower(&m.program, v.n_messages) == RS_OK;
        if (v.fault == RN_MSCCL_RESULT)
            cr_assert_eq(run_program(&m.program, 2), IS_WRONG, "%s", v.said.text);
        if (v.fault == RN_MSCCL_DEADLOCK)
            cr_assert_eq(run_program(&m.program, 2), IS_STUCK, "%s", v.said.text);
    }
    for (int fault = 0; fault <= RN_MSCCL_RESULT; fault++)
        cr_assert_gt(n_of[fault], 20, "fault %d: %d", fault, n_of[fault]);
    cr_assert_gt(n_kept, 20);
}
