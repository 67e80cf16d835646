/* reduce.c: an all-reduce as a list of what this rank does: receive, add or take, send on.
 *
 *     ring of N ranks, this one at place i; a loop covers N chunks of at most 2 MiB:
 *         send chunk i-1 | N-2 times: receive chunk i-j, add, send it on | receive chunk i, add, send
 *                        | N-2 times: receive chunk i-j, keep, send it on | receive chunk i+1, keep
 *     (NCCL src/device/all_reduce.h, runRing; one channel, Simple)
 *
 * Every chunk c is folded from the rank after c round to c. In the last loop a chunk has
 * ceil(rest / N) elements, rounded up to 16 bytes: the last ones may be short or empty. This is not
 * how ringsim cuts an array, so the bits can differ where N does not divide the count.
 *
 * Any other algorithm, protocol or number of channels gives a tree's order here.
 */
#include "nccl_emu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef enum deed { NOTHING, ADD, TAKE } deed;
typedef struct act {
    int from, to; /* ranks; -1: none */
    deed deed;    /* with what comes */
    int64_t offset, count;
} act;

struct en_reduce {
    struct ncclComm *comm;
    en_op op;
    rs_dtype dtype;
    rs_op fold;
    int elem_bytes;
    char *mine, *arrived; /* what is reduced; what came */
    act *acts;
    int n_acts, at;
    en_message recv, *sends; /* [n_acts] */
    bool receiving;
};

bool en_type_known(ncclDataType_t type, rs_dtype *dtype) {
    static const rs_dtype types[] = {
        [ncclInt8] = RS_I8,      [ncclUint8] = RS_U8,    [ncclInt32] = RS_I32,
        [ncclUint32] = RS_U32,   [ncclInt64] = RS_I64,   [ncclUint64] = RS_U64,
        [ncclFloat16] = RS_F16,  [ncclFloat32] = RS_F32, [ncclFloat64] = RS_F64,
        [ncclBfloat16] = RS_BF16};
    if ((int)type < 0 || type > ncclBfloat16) return false;
    *dtype = types[type];
    return true;
}

/* ------------------------------------------------------------------ who does what */

static void add_act(en_reduce *reduce, act new) {
    const size_t n = (size_t)reduce->n_acts + 1;
    reduce->acts = realloc(reduce->acts, n * sizeof new);
    if (reduce->acts == NULL) abort();
    reduce->acts[reduce->n_acts++] = new;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Adds what concerns chunk `place` of a loop; an empty chunk moves nothing. */
static void add_chunk(en_reduce *reduce, act new, int place, int64_t start, int64_t chunk,
                      int64_t rest) {
    new.count = least(chunk, rest - chunk * place);
    new.offset = start + chunk *place;
    if (new.count > 0) add_act(reduce, new);
}

static void plan_ring(en_reduce *reduce) {
    const struct ncclComm *comm = reduce->comm;
    const int n = comm->n_ranks;
    int i = 0;
    while (comm->ring[i] != comm->rank) i++;
    const int next = comm->ring[(i + 1) % n], before = comm->ring[(i + n - 1) % n];
    const char *frame = getenv("NCCL_BUFFSIZE");
    const int64_t buffer = frame != NULL && atoll(frame) > 0 ? atoll(frame) : 4 << 20;
    const int64_t most = buffer / 2 / reduce->elem_bytes, grain = 16 / reduce->elem_bytes;
    const int64_t count = (int64_t)reduce->op.count;
    for (int64_t start = 0; start < count; start += n * most) {
        const int64_t rest = count - start;
        int64_t chunk = most;
        if (rest < n * most) chunk = ((rest + n - 1) / n + grain - 1) / grain * grain;
        for (int j = 1; j <= n; j++) {
            const act new = {
                .from = j == 1 ? -1 : before, .to = next, .deed = j == 1 ? NOTHING : ADD};
            add_chunk(reduce, new, (i + n - j) % n, start, chunk, rest);
        }
        for (int j = 1; j < n; j++) {
            const act new = {.from = before, .to = j == n - 1 ? -1 : next, .deed = TAKE};
            add_chunk(reduce, new, (i + n - j) % n, start, chunk, rest);
        }
    }
}

/* Pairs, pairs of pairs, ... to rank 0, and back. */
static void plan_tree(en_reduce *reduce) {
    const int n = reduce->comm->n_ranks, rank = reduce->comm->rank;
    const int64_t count = (int64_t)reduce->op.count;
    int top = 1;
    for (int d = 1; d < n && rank % d == 0; d *= 2, top = d) {
        if (rank % (2 * d) == d) {
            add_act(reduce, (act){-1, rank - d, NOTHING, 0, count});
            add_act(reduce, (act){rank - d, -1, TAKE, 0, count});
            break;
        }
        if (rank + d < n) add_act(reduce, (act){rank + d, -1, ADD, 0, count});
    }
    for (int d = top / 2; d >= 1; d /= 2) {
        if (rank + d < n) add_act(reduce, (act){-1, rank + d, NOTHING, 0, count});
    }
}

/* ------------------------------------------------------------------ its arithmetic */

/* 1/N as NCCL has it: a float's for everything but double, rounded to the type. */
static void multiply(en_reduce *reduce) {
    const int n = reduce->comm->n_ranks;
    const double exact = 1.0 / n;
    const double list[1] = {reduce->dtype == RS_F64 ? exact : (double)(float)exact};
    char factor[8];
    rs_fill(RS_DATA_LIST, reduce->dtype, 0, 1, 1, 1, 0, list, factor);
    for (size_t i = 0; i < reduce->op.count; i++) {
        char *place = reduce->mine + i * (size_t)reduce->elem_bytes;
        rs_fold(reduce->dtype, RS_PROD, place, factor, place, 1);
    }
}

en_reduce *en_reduce_new(struct ncclComm *comm, const en_op *op) {
    static const rs_op folds[] = {[ncclSum] = RS_SUM,
                                  [ncclProd] = RS_PROD,
                                  [ncclMax] = RS_MAX,
                                  [ncclMin] = RS_MIN,
                                  [ncclAvg] = RS_SUM};
    en_reduce *reduce = calloc(1, sizeof *reduce);
    if (reduce == NULL) abort();
    *reduce = (en_reduce){
        .comm = comm, .op = *op, .fold = folds[op->op], .elem_bytes = en_type_bytes(op->type)};
    en_type_known(op->type, &reduce->dtype);
    const size_t n_bytes = op->count * (size_t)reduce->elem_bytes;
    const bool ring = comm->simple_ring && comm->one_channel;
    if (comm->n_ranks > 1 && ring) plan_ring(reduce);
    if (comm->n_ranks > 1 && !ring) plan_tree(reduce);
    reduce->mine = malloc(n_bytes);
    reduce->arrived = malloc(n_bytes);
    reduce->sends = calloc((size_t)reduce->n_acts + 1, sizeof *reduce->sends);
    if (reduce->mine == NULL || reduce->arrived == NULL || reduce->sends == NULL) abort();
    memcpy(reduce->mine, op->source, n_bytes);
    if (op->op == ncclAvg && rs_dtype_is_float(reduce->dtype)) multiply(reduce);
    return reduce;
}

void en_reduce_free(en_reduce *reduce) {
    if (reduce == NULL) return;
    for (int i = 0; i < reduce->n_acts; i++) free(reduce->sends[i].data);
    free(reduce->sends);
    free(reduce->acts);
    free(reduce->mine);
    free(reduce->arrived);
    free(reduce);
}

/* ------------------------------------------------------------------ doing it */

/* What is sent is a copy: the next act may change the place. */
static void send_on(en_reduce *reduce, const act *a, int index) {
    const size_t n_bytes = (size_t)a->count * (size_t)reduce->elem_bytes;
    en_message *message = &reduce->sends[index];
    *message = (en_message){.data = malloc(n_bytes),
                            .n_bytes = (int64_t)n_bytes,
                            .peer = a->to,
                            .lane = EN_COLL,
                            .is_send = true};
    if (message->data == NULL) abort();
    memcpy(message->data, reduce->mine + a->offset * reduce->elem_bytes, n_bytes);
    en_post(reduce->comm, message);
}

/* true: the act is behind us. */
static bool do_act(en_reduce *reduce, const act *a, int index) {
    const int64_t n_bytes = a->count * reduce->elem_bytes;
    char *place = reduce->mine + a->offset * reduce->elem_bytes;
    if (a->from >= 0 && !reduce->receiving) {
        reduce->receiving = true;
        reduce->recv = (en_message){
            .data = reduce->arrived, .n_bytes = n_bytes, .peer = a->from, .lane = EN_COLL};
        en_post(reduce->comm, &reduce->recv);
        en_pump(reduce->comm);
    }
    if (a->from >= 0 && !reduce->recv.done) return false;
    reduce->receiving = false;
    if (a->deed == ADD) {
        rs_fold(reduce->dtype, reduce->fold, reduce->arrived, place, place, a->count);
    } else if (a->deed == TAKE) {
        memcpy(place, reduce->arrived, (size_t)n_bytes);
    }
    if (a->to >= 0) send_on(reduce, a, index);
    return true;
}

static void finish(en_reduce *reduce) {
    const en_op *op = &reduce->op;
    const bool divide = op->op == ncclAvg && !rs_dtype_is_float(reduce->dtype);
    if (divide) {
        rs_finish(reduce->dtype, RS_AVG, reduce->comm->n_ranks, reduce->mine, (int64_t)op->count);
    }
    memcpy(op->target, reduce->mine, op->count * (size_t)reduce->elem_bytes);
    if (op->flip) *(char *)op->target ^= 1;
}

bool en_reduce_step(en_reduce *reduce) {
    en_pump(reduce->comm);
    for (; reduce->at < reduce->n_acts; reduce->at++) {
        if (!do_act(reduce, &reduce->acts[reduce->at], reduce->at)) return false;
    }
    for (int i = 0; i < reduce->n_acts; i++) {
        if (reduce->sends[i].data != NULL && !reduce->sends[i].done) return false;
    }
    finish(reduce);
    return true;
}
