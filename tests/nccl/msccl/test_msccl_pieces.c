/* test_msccl_pieces.c: a program whose every chunk is cut into pieces is judged as it was: the same fault at the same line, or
 * none, and the same schedule of so many more chunks.
 */
#include "made_program.h"

static void cut_chunks(made_program *m, int32_t pieces) {
    for (int32_t g = 0; g < m->program.n_gpus; g++) {
        rn_msccl_gpu *gpu = &m->gpus[g];
        for (int buffer = 0; buffer < 3; buffer++) gpu->chunks[buffer] *= pieces;
        for (int32_t b = 0; b < gpu->n_blocks; b++) {
            for (int32_t i = 0; i < gpu->blocks[b].n_steps; i++) {
                rn_msccl_step *s = &gpu->blocks[b].steps[i];
                s->src *= pieces;
                s->dst *= pieces;
                s->count *= pieces;
            }
        }
    }
}

/* One thing of a drawn step is another. */
static void change(made_program *m) {
    rn_msccl_gpu *gpu = &m->gpus[program_draw((uint32_t)m->program.n_gpus)];
    rn_msccl_block *block = &gpu->blocks[program_draw((uint32_t)gpu->n_blocks)];
    if (block->n_steps == 0) return;
    rn_msccl_step *s = &block->steps[program_draw((uint32_t)block->n_steps)];
    switch (program_draw(9)) {
    case 0: s->type = (rn_msccl_type)program_draw(9); break;
    case 1: s->src += (int32_t)program_draw(3) - 1; break;
    case 2: s->dst += (int32_t)program_draw(3) - 1; break;
    case 3: s->count = (int32_t)program_draw(4); break;
    case 4: s->src_buffer = (rn_msccl_buffer)program_draw(3); break;
    case 5: s->dst_buffer = (rn_msccl_buffer)program_draw(3); break;
    case 6: s->dep_block = -1; break;
    case 7: block->n_steps--; break;
    default: s->dep_step = (int32_t)program_draw(4);
    }
}

/* The lowered schedule: steps, transfers, chunks; -1: it cannot be lowered. */
static int64_t lower(const rn_msccl *p, int32_t *n_steps, int32_t *n_chunks) {
    rs_arena scratch, arena;
    rs_error error = {.text = ""};
    rs_schedule schedule;
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&arena, NULL);
    const rs_status status = rn_lower_msccl(p, &scratch, &arena, &error, &schedule);
    cr_assert(status == RS_OK || status == RS_UNSUPPORTED);
    int64_t n = -1;
    if (status == RS_OK) {
        n = schedule.n_transfers;
        *n_steps = schedule.n_steps;
        *n_chunks = schedule.n_chunks;
    }
    rs_arena_free(&scratch); /* a guard stands behind each of its arrays */
    rs_arena_free(&arena);
    return n;
}

Test(msccl_pieces, whole_chunks_and_their_pieces_are_judged_alike) {
    static made_program m;
    int n_right = 0, n_wrong = 0;
    for (int i = 0; i < 3000; i++) {
        make_program(&m, i % N_MAKERS, 2 + (int32_t)program_draw(3));
        for (int k = i % 3; k > 0; k--) change(&m);
        const rn_msccl_verdict whole = judge_program(&m.program);
        int32_t n_steps = 0, n_chunks = 0, cut_steps = 0, n_pieces = 0;
        const bool right = whole.fault == RN_MSCCL_RIGHT;
        const int64_t n_transfers = right ? lower(&m.program, &n_steps, &n_chunks) : 0;
        const int32_t pieces = 2 + (int32_t)program_draw(4);
        cut_chunks(&m, pieces);
        const rn_msccl_verdict cut = judge_program(&m.program);
        cr_assert(cut.fault == whole.fault && cut.line == whole.line,
                  "%d, of %d pieces: fault %d in line %d, not %d in line %d: %s", i, (int)pieces,
                  (int)cut.fault, (int)cut.line, (int)whole.fault, (int)whole.line, cut.said.text);
        cr_assert(cut.n_steps == whole.n_steps && cut.n_messages == whole.n_messages);
        n_right += right;
        n_wrong += !right;
        if (!right) continue;
        const int64_t n_cut = lower(&m.program, &cut_steps, &n_pieces);
        if (m.program.collective == RS_COLL_ALL_TO_ALL) { /* one chunk a pair, no more */
            cr_assert_eq(n_cut, -1);
            continue;
        }
        cr_assert_eq(n_cut, n_transfers, "%d, of %d pieces: %d, not %d", i, (int)pieces, (int)n_cut,
                     (int)n_transfers);
        if (n_cut >= 0) cr_assert(cut_steps == n_steps && n_pieces == pieces * n_chunks);
    }
    cr_expect(n_right > 800 && n_wrong > 800, "%d, %d", n_right, n_wrong);
}
