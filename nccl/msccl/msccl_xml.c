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
#include "config.h"
#include "base/containers.h"
#include "msccl_order.h"

#include <string.h>

bool rn_is_msccl(const char *text, size_t n_bytes) {
    size_t at = 0;
    while (at < n_bytes && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
    return at < n_bytes && text[at] == '<';
}

#ifdef HAVE_EXPAT
#include "xml_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct program_reader {
    XML_Parser parser;
    rs_arena *arena;
    rn_msccl *program;
    rn_msccl_gpu *gpu;
    rn_msccl_block *block;
    int32_t block_room, step_room, n_steps; /* n_steps: of the whole program */
    int depth;
    bool no_memory;
    rs_error why; /* without a text: nothing is wrong so far */
} program_reader;

static void stop(program_reader *x, const char *format, ...) RS_PRINTF(2, 3);
static void stop(program_reader *x, const char *format, ...) {
    va_list values;
    if (x->why.text[0] != '\0') return;
    va_start(values, format);
    rs_vfail(&x->why, RS_BAD_INPUT, -1, format, values);
    va_end(values);
    rs_error_at(&x->why, rn_xml_line(x->parser), 0);
    XML_StopParser(x->parser, XML_FALSE);
}

static const char *value_of(program_reader *x, const char **attributes, const char *name) {
    const char *value = rn_xml_value(attributes, name);
    if (value == NULL) stop(x, "%s= is missing", name);
    return value != NULL ? value : "";
}

static int32_t whole(program_reader *x, const char **attributes, const char *name, long least,
                     long most) {
    const char *text = value_of(x, attributes, name);
    char *end;
    const long value = strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= least && value <= most) return (int32_t)value;
    stop(x, "%s=\"%.40s\": a whole number from %ld to %ld", name, text, least, most);
    return 0;
}

/* Returns which of the names the attribute is. */
static int choice(program_reader *x, const char **attributes, const char *name,
                  const char *const names[], int n) {
    const char *text = value_of(x, attributes, name);
    char list[120] = "";
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        if (strcmp(text, names[i]) == 0) return i;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? " " : "", names[i]);
    }
    stop(x, "%s=\"%.40s\": there are %s", name, text, list);
    return 0;
}

static void stop_without_memory(program_reader *x) {
    x->no_memory = true;
    stop(x, "no memory");
}

/* ------------------------------------------------------------------ elements */

static void begin_algo(program_reader *x, const char **attributes) {
    static const char *const collectives[] = {"allreduce",      "allgather",  "reducescatter",
                                              "alltoall",       "all_reduce", "all_gather",
                                              "reduce_scatter", "all_to_all"};
    static const rs_collective of[] = {RS_COLL_ALL_REDUCE, RS_COLL_ALL_GATHER,
                                       RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_TO_ALL};
    rn_msccl *p = x->program;
    p->n_gpus = whole(x, attributes, "ngpus", 2, RN_MSCCL_MOST_GPUS);
    p->n_channels = whole(x, attributes, "nchannels", 1, RS_MAX_CHANNELS);
    p->in_place = whole(x, attributes, "inplace", 0, 1) != 0;
    p->collective = of[choice(x, attributes, "coll", collectives, 8) % 4];
    if (x->why.text[0] != '\0') return;
    if (p->in_place && p->collective == RS_COLL_ALL_TO_ALL)
        stop(x, "an all-to-all in place: its output would overwrite what is still to be sent");
    p->gpus = rs_alloc(x->arena, (size_t)p->n_gpus, sizeof *p->gpus);
    const char *name = value_of(x, attributes, "name");
    const size_t n_kept = strlen(name) + 1;
    char *kept = rs_alloc(x->arena, n_kept, 1);
    if (p->gpus == NULL || kept == NULL) {
        stop_without_memory(x);
        return;
    }
    memset(p->gpus, 0, (size_t)p->n_gpus * sizeof *p->gpus);
    p->name = memcpy(kept, name, n_kept);
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

static void begin_gpu(program_reader *x, const char **attributes) {
    const int32_t id = whole(x, attributes, "id", 0, x->program->n_gpus - 1);
    const int32_t chunks[] = {whole(x, attributes, "i_chunks", 0, RN_MSCCL_MOST_CHUNKS),
                              whole(x, attributes, "o_chunks", 0, RN_MSCCL_MOST_CHUNKS),
                              whole(x, attributes, "s_chunks", 0, RN_MSCCL_MOST_CHUNKS)};
    if (x->why.text[0] != '\0') return;
    x->gpu = &x->program->gpus[id];
    if (x->gpu->line != 0)
        stop(x, "GPU %d was there before, in line %d", (int)id, (int)x->gpu->line);
    memcpy(x->gpu->chunks, chunks, sizeof chunks);
    complete_chunks(x->program, x->gpu->chunks);
    x->gpu->line = (int32_t)rn_xml_line(x->parser);
    x->block_room = 0;
}

static void begin_block(program_reader *x, const char **attributes) {
    rn_msccl_gpu *gpu = x->gpu;
    const int32_t most = RN_MSCCL_MOST_BLOCKS;
    if (gpu->n_blocks == most) stop(x, "more than %d blocks of one GPU", (int)most);
    if (!rs_reserve(x->arena, &gpu->blocks, gpu->n_blocks + 1, &x->block_room)) {
        stop_without_memory(x);
    }
    if (x->why.text[0] != '\0') return;
    x->block = &gpu->blocks[gpu->n_blocks++];
    *x->block = (rn_msccl_block){.id = whole(x, attributes, "id", 0, most - 1),
                                 .send = whole(x, attributes, "send", -1, RN_MSCCL_MOST_GPUS),
                                 .recv = whole(x, attributes, "recv", -1, RN_MSCCL_MOST_GPUS),
                                 .channel = whole(x, attributes, "chan", 0, RS_MAX_CHANNELS),
                                 .line = (int32_t)rn_xml_line(x->parser)};
    x->step_room = 0;
}

static void begin_step(program_reader *x, const char **attributes) {
    static const char *const types[] = {"nop", "s", "r", "cpy", "re", "rcs", "rrc", "rrs", "rrcs"};
    static const char *const buffers[] = {"i", "o", "s"};
    rn_msccl_block *block = x->block;
    const long most = RN_MSCCL_MOST_CHUNKS;
    if (!rs_reserve(x->arena, &block->steps, block->n_steps + 1, &x->step_room)) {
        stop_without_memory(x);
        return;
    }
    const int32_t number = whole(x, attributes, "s", 0, RN_MSCCL_MOST_STEPS);
    const rn_msccl_type type = (rn_msccl_type)choice(x, attributes, "type", types, 9);
    rn_msccl_step *s = &block->steps[block->n_steps];
    *s = (rn_msccl_step){.type = type,
                         .src_buffer = (rn_msccl_buffer)choice(x, attributes, "srcbuf", buffers, 3),
                         .src = whole(x, attributes, "srcoff", -1, most),
                         .dst_buffer = (rn_msccl_buffer)choice(x, attributes, "dstbuf", buffers, 3),
                         .dst = whole(x, attributes, "dstoff", -1, most),
                         .count = whole(x, attributes, "cnt", 0, most),
                         .dep_block = whole(x, attributes, "depid", -1, RN_MSCCL_MOST_BLOCKS),
                         .dep_step = whole(x, attributes, "deps", -1, RN_MSCCL_MOST_STEPS),
                         .has_dep = whole(x, attributes, "hasdep", 0, 1) != 0,
                         .line = (int32_t)rn_xml_line(x->parser)};
    if (number != block->n_steps)
        stop(x, "step s=\"%d\" is number %d of its block", (int)number, (int)block->n_steps);
    if (++x->n_steps > RN_MSCCL_MOST_STEPS) stop(x, "more than %d steps", RN_MSCCL_MOST_STEPS);
    block->n_steps++;
}

/* ------------------------------------------------------------------ the parser's calls */

static void XMLCALL begin_element(void *context, const char *name, const char **attributes) {
    static const char *const names[] = {"algo", "gpu", "tb", "step"};
    static void (*const begin[])(program_reader *, const char **) = {begin_algo, begin_gpu,
                                                                     begin_block, begin_step};
    program_reader *x = context;
    if (x->why.text[0] != '\0') return;
    if (x->depth >= 4 || strcmp(name, names[x->depth]) != 0) {
        stop(x, "<%.40s> does not belong here; an MSCCL program is <algo> <gpu> <tb> <step>", name);
        return;
    }
    begin[x->depth++](x, attributes);
}

static void XMLCALL end_element(void *context, const char *name) {
    program_reader *x = context;
    (void)name;
    x->depth--;
}

static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int has_internal_subset) {
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    stop(context, "<!DOCTYPE: a program has no document type and no entities; remove it");
}

static void parse(program_reader *x, const char *text, size_t n_bytes) {
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(x->parser, refuse_doctype);
    if (XML_Parse(x->parser, text, (int)n_bytes, XML_TRUE) != XML_STATUS_OK) {
        stop(x, "this is no XML: %s", XML_ErrorString(XML_GetErrorCode(x->parser)));
    }
    for (int32_t g = 0; x->why.text[0] == '\0' && g < x->program->n_gpus; g++) {
        if (x->program->gpus[g].line == 0)
            stop(x, "GPU %d of %d is missing", (int)g, (int)x->program->n_gpus);
    }
}

rs_status rn_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                         rs_error *error, rn_msccl *program) {
    program_reader x = {.arena = arena, .program = program};
    *program = (rn_msccl){0};
    x.parser = XML_ParserCreate(NULL);
    x.no_memory = x.parser == NULL;
    if (!x.no_memory) parse(&x, text, n_bytes);
    if (x.parser != NULL) XML_ParserFree(x.parser);
    if (x.no_memory) return rs_no_memory(error);
    if (x.why.text[0] == '\0') return RS_OK;
    *error = x.why;
    rs_error_in(error, path);
    return RS_BAD_INPUT;
}

static rs_status judge(const char *path, const rn_msccl *program, rs_arena *scratch,
                       rs_arena *arena, rs_error *error, bool *wrong, rs_schedule *schedule) {
    rn_msccl_verdict verdict;
    rs_status status = rn_judge_msccl(program, scratch, error, &verdict);
    *wrong = status == RS_OK && verdict.fault != RN_MSCCL_RIGHT;
    if (*wrong) {
        status = rs_fail_with(error, RS_BAD_INPUT, 1, &verdict.said, "%s: %s",
                              rn_msccl_fault_name(verdict.fault), verdict.said.text);
        rs_error_at(error, verdict.line, 0);
    }
    if (status == RS_OK) status = rn_lower_msccl(program, scratch, arena, error, schedule);
    if (status != RS_OK) rs_error_in(error, path);
    return status;
}

rs_status rn_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                            rs_error *error, bool *wrong, rs_schedule *schedule) {
    rn_msccl program;
    rs_arena scratch;
    *wrong = false;
    rs_arena_init(&scratch, arena->host);
    rs_status status = rn_parse_msccl(path, text, n_bytes, &scratch, error, &program);
    if (status == RS_OK) status = judge(path, &program, &scratch, arena, error, wrong, schedule);
    rs_arena_free(&scratch);
    return status;
}
#else
rs_status rn_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                         rs_error *error, rn_msccl *program) {
    (void)path, (void)text, (void)n_bytes, (void)arena, (void)program;
    return rn_no_expat(error);
}

rs_status rn_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                            rs_error *error, bool *wrong, rs_schedule *schedule) {
    (void)schedule;
    *wrong = false;
    return rn_parse_msccl(path, text, n_bytes, arena, error, NULL);
}
#endif
