/* msccl_xml.c: the XML of an MSCCL program.
 *
 *     <algo name="ring" proto="Simple" nchannels="1" ngpus="3" coll="allreduce" inplace="1" ...>
 *       <gpu id="0" i_chunks="3" o_chunks="0" s_chunks="0">
 *         <tb id="0" send="1" recv="2" chan="0">
 *           <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
 *
 *   - Source: microsoft/msccl-tools, whose language writes it, and the reader in microsoft/msccl.
 *   - 0 chunks of the input, or the output, of a program in place: as many as the collective makes of the other.
 */
#include "msccl_order.h"
#include "base/containers.h"
#include "xml_elements.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 2 * RN_MSCCL_MOST_STEPS };

typedef struct program_reader {
    rs_arena *arena;
    rn_msccl *program;
    const rn_element *at;
    rn_msccl_gpu *gpu;
    rn_msccl_block *block;
    int32_t block_room, step_room, n_steps; /* n_steps: of the whole program */
    bool no_memory;
    rn_findings wrong; /* the first ends the reading */
} program_reader;

static bool is_wrong(const program_reader *x) {
    return x->no_memory || x->wrong.n[RN_ERROR] > 0;
}

static int32_t whole(program_reader *x, const char *name, int64_t least, int64_t most) {
    int64_t number = 0;
    rn_read_number(x->at, name, least, most, true, &x->wrong, &number);
    return (int32_t)number;
}

/* Returns which of the names the attribute is. */
static int choice(program_reader *x, const char *name, const char *const of[], int n) {
    const char *text = rn_needed_attribute(x->at, name, &x->wrong);
    char list[120] = "";
    size_t at = 0;
    if (text == NULL) return 0;
    for (int i = 0; i < n; i++) {
        if (strcmp(text, of[i]) == 0) return i;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? " " : "", of[i]);
    }
    rn_find(&x->wrong, RN_ERROR, x->at->line, "%s=\"%.40s\": there are %s", name, text, list);
    return 0;
}

/* ------------------------------------------------------------------ elements */

static void begin_algo(program_reader *x) {
    static const char *const collectives[] = {"allreduce",      "allgather",  "reducescatter",
                                              "alltoall",       "all_reduce", "all_gather",
                                              "reduce_scatter", "all_to_all"};
    static const rs_collective of[] = {RS_COLL_ALL_REDUCE, RS_COLL_ALL_GATHER,
                                       RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_TO_ALL};
    rn_msccl *p = x->program;
    p->n_gpus = whole(x, "ngpus", 2, RN_MSCCL_MOST_GPUS);
    p->n_channels = whole(x, "nchannels", 1, RS_MAX_CHANNELS);
    p->in_place = whole(x, "inplace", 0, 1) != 0;
    p->collective = of[choice(x, "coll", collectives, 8) % 4];
    p->name = rn_needed_attribute(x->at, "name", &x->wrong);
    if (p->in_place && p->collective == RS_COLL_ALL_TO_ALL)
        rn_find(&x->wrong, RN_ERROR, x->at->line,
                "an all-to-all in place: its output would overwrite what is still to be sent");
    p->gpus = rs_alloc(x->arena, (size_t)p->n_gpus, sizeof *p->gpus);
    x->no_memory = p->gpus == NULL;
}

/* Fills in what a program in place leaves out. */
static void complete_chunks(const rn_msccl *p, int32_t chunks[3]) {
    int32_t *in = &chunks[RN_MSCCL_INPUT], *out = &chunks[RN_MSCCL_OUTPUT];
    const bool gathers = p->collective == RS_COLL_ALL_GATHER;
    const bool scatters = p->collective == RS_COLL_REDUCE_SCATTER;
    if (!p->in_place || (*in > 0) == (*out > 0)) return;
    if (*in == 0) *in = gathers ? *out / p->n_gpus : scatters ? *out * p->n_gpus : *out;
    if (*out == 0) *out = gathers ? *in * p->n_gpus : scatters ? *in / p->n_gpus : *in;
}

static void begin_gpu(program_reader *x) {
    const int32_t id = whole(x, "id", 0, x->program->n_gpus - 1);
    const int32_t chunks[] = {whole(x, "i_chunks", 0, RN_MSCCL_MOST_CHUNKS),
                              whole(x, "o_chunks", 0, RN_MSCCL_MOST_CHUNKS),
                              whole(x, "s_chunks", 0, RN_MSCCL_MOST_CHUNKS)};
    if (is_wrong(x)) return;
    x->gpu = &x->program->gpus[id];
    if (x->gpu->line != 0)
        rn_find(&x->wrong, RN_ERROR, x->at->line, "GPU %d was there before, in line %d", (int)id,
                (int)x->gpu->line);
    memcpy(x->gpu->chunks, chunks, sizeof chunks);
    complete_chunks(x->program, x->gpu->chunks);
    x->gpu->line = (int32_t)x->at->line;
    x->block_room = 0;
}

static void begin_block(program_reader *x) {
    rn_msccl_gpu *gpu = x->gpu;
    const int32_t most = RN_MSCCL_MOST_BLOCKS;
    x->no_memory = !rs_reserve(x->arena, &gpu->blocks, gpu->n_blocks + 1, &x->block_room);
    if (gpu->n_blocks == most)
        rn_find(&x->wrong, RN_ERROR, x->at->line, "more than %d blocks of one GPU", (int)most);
    if (is_wrong(x)) return;
    x->block = &gpu->blocks[gpu->n_blocks++];
    *x->block = (rn_msccl_block){.id = whole(x, "id", 0, most - 1),
                                 .send = whole(x, "send", -1, RN_MSCCL_MOST_GPUS),
                                 .recv = whole(x, "recv", -1, RN_MSCCL_MOST_GPUS),
                                 .channel = whole(x, "chan", 0, RS_MAX_CHANNELS),
                                 .line = (int32_t)x->at->line};
    x->step_room = 0;
}

static void begin_step(program_reader *x) {
    static const char *const types[] = {"nop", "s", "r", "cpy", "re", "rcs", "rrc", "rrs", "rrcs"};
    static const char *const buffers[] = {"i", "o", "s"};
    rn_msccl_block *block = x->block;
    const int32_t most = RN_MSCCL_MOST_CHUNKS;
    x->no_memory = !rs_reserve(x->arena, &block->steps, block->n_steps + 1, &x->step_room);
    if (x->no_memory) return;
    const int32_t number = whole(x, "s", 0, RN_MSCCL_MOST_STEPS);
    const rn_msccl_type type = (rn_msccl_type)choice(x, "type", types, 9);
    rn_msccl_step *s = &block->steps[block->n_steps];
    *s = (rn_msccl_step){.type = type,
                         .src_buffer = (rn_msccl_buffer)choice(x, "srcbuf", buffers, 3),
                         .src = whole(x, "srcoff", -1, most),
                         .dst_buffer = (rn_msccl_buffer)choice(x, "dstbuf", buffers, 3),
                         .dst = whole(x, "dstoff", -1, most),
                         .count = whole(x, "cnt", 0, most),
                         .dep_block = whole(x, "depid", -1, RN_MSCCL_MOST_BLOCKS),
                         .dep_step = whole(x, "deps", -1, RN_MSCCL_MOST_STEPS),
                         .has_dep = whole(x, "hasdep", 0, 1) != 0,
                         .line = (int32_t)x->at->line};
    if (number != block->n_steps)
        rn_find(&x->wrong, RN_ERROR, x->at->line, "step s=\"%d\" is number %d of its block",
                (int)number, (int)block->n_steps);
    if (++x->n_steps > RN_MSCCL_MOST_STEPS)
        rn_find(&x->wrong, RN_ERROR, x->at->line, "more than %d steps", RN_MSCCL_MOST_STEPS);
    block->n_steps++;
}

/* ------------------------------------------------------------------ the whole */

static const char *const names[] = {"algo", "gpu", "tb", "step", NULL};

static void read_element(program_reader *x, const rn_elements *all) {
    static void (*const begin[])(program_reader *) = {begin_algo, begin_gpu, begin_block,
                                                      begin_step};
    const int32_t depth = x->at->parent < 0 ? 0 : all->list[x->at->parent].tag + 1;
    if (depth < 4 && x->at->tag == depth)
        begin[depth](x);
    else
        rn_find(&x->wrong, RN_ERROR, x->at->line,
                "<%.40s> does not belong here; an MSCCL program is <algo> <gpu> <tb> <step>",
                x->at->name);
}

rs_status rn_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                         rs_error *error, rn_msccl *program) {
    program_reader x = {.arena = arena, .program = program};
    rn_elements all;
    *program = (rn_msccl){0};
    const rs_status status =
        rn_read_elements(text, n_bytes, names, MOST_ELEMENTS, arena, error, &all);
    if (status != RS_OK) return status;
    for (int32_t i = 0; i < all.n && !is_wrong(&x); i++) {
        x.at = &all.list[i];
        read_element(&x, &all);
    }
    if (x.no_memory) return rs_no_memory(error);
    if (!is_wrong(&x) && all.end.line > 0)
        rn_find_said(&x.wrong, RN_ERROR, all.end.line, &all.end.said);
    for (int32_t g = 0; !is_wrong(&x) && g < program->n_gpus; g++) {
        if (program->gpus[g].line == 0)
            rn_find(&x.wrong, RN_ERROR, all.list[0].line, "GPU %d of %d is missing", (int)g,
                    (int)program->n_gpus);
    }
    if (!is_wrong(&x)) return RS_OK;
    *error = x.wrong.list[0].said;
    rs_error_at(error, x.wrong.list[0].line, 0);
    rs_error_in(error, path);
    return RS_BAD_INPUT;
}

rs_status rn_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                            rs_error *error, bool *wrong, rs_schedule *schedule) {
    rn_msccl program;
    rn_msccl_verdict verdict = {.fault = RN_MSCCL_RIGHT};
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    rs_status status = rn_parse_msccl(path, text, n_bytes, &scratch, error, &program);
    if (status == RS_OK) status = rn_judge_msccl(&program, &scratch, error, &verdict);
    *wrong = status == RS_OK && verdict.fault != RN_MSCCL_RIGHT;
    if (*wrong) {
        status = rs_fail_with(error, RS_BAD_INPUT, 1, &verdict.said, "%s: %s",
                              rn_msccl_fault_name(verdict.fault), verdict.said.text);
        rs_error_at(error, verdict.line, 0);
    }
    if (status == RS_OK) status = rn_lower_msccl(&program, &scratch, arena, error, schedule);
    if (status != RS_OK) rs_error_in(error, path);
    rs_arena_free(&scratch);
    return status;
}
