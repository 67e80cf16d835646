/* kernels.cu: the kernels that kernels.h declares. Tests compare each with rs_fold and rs_apply before a
 * benchmark times it.
 *
 *     block --> its slice of a move's chunk --> copy | fold | finish
 *
 *     an array from any place:   | head |  16 bytes  16 bytes ... 16 bytes  | tail |
 *                                   by elements       threads in turns      by elements
 *
 *   - Variant 1 is the simplest correct kernel: a thread accesses one element at a time.
 *   - Threads of variant 2 access 16 bytes, several times at once: memory answers after hundreds of cycles,
 *     and a processor that asks for one access at a time waits for most of them.
 *   - Variant 4 is one kernel for all rounds. A rank's block i makes slice i of every chunk, so it waits
 *     only for block i of other ranks, by flags. Variant 5 is the same kernel with more slices than blocks.
 *   - While a block makes a move no other block writes what the move reads, or touches what it writes
 *     (plan.h): plain loads and stores suffice. None may go through the read-only cache, which no flag
 *     refreshes: hence no __restrict__.
 */
#include "cuda/kernels.h"

#include "cuda/arithmetic.h"
#include "cuda/cut.h"
#include "cuda/floor_kernel.h"
#include "cuda/line_kernel.h"

#include <utility>

/* ------------------------------------------------------------------ arrays, by all threads of a block */

#ifndef RG_IN_FLIGHT /* make first-hour measures others */
#define RG_IN_FLIGHT 4
#endif
enum {
    IN_FLIGHT =
        RG_IN_FLIGHT, /* accesses of 16 bytes that a thread has under way, for each operand */
    BLOCKS = IN_FLIGHT > 4
                 ? 2
                 : 3 /* on a multiprocessor at once: leaves a thread 80 registers (with more in
                        flight 128); nvcc spills none, but 4 to 12 bytes in min and max of bytes */
};

/* What a block waits for: each of its first threads for a warp of another block. */
typedef struct arrival {
    const uint32_t *done; /* until it has come to `enough`; nullptr: this thread waits for none */
    const int
        *stop; /* as in rg_whole; nullptr: nothing is waited for, there is no barrier either */
    uint32_t enough;
    bool across; /* as in rg_whole */
} arrival;

/* The thread that loads a flag (acquire) sees what that warp wrote before it; after the barrier all threads of this
   block see it. A block that must stop goes on at once: the run is lost, but it ends, and no block waits for
   this one for ever. Counts wrap at 2^32; only differences matter. */
static __device__ __forceinline__ void wait_for(const arrival &of) {
    if (of.stop == nullptr) return;
    if (of.done != nullptr) {
        for (int look = 1; (int32_t)(rg_load_acquire(of.done, of.across) - of.enough) < 0; look++) {
            if (!looks_on(of.stop, look)) break;
        }
    }
    __syncthreads();
}

template <int in_flight, class Pack>
static __device__ __forceinline__ void load_some(Pack to[in_flight], const Pack *from, int64_t n) {
    RG_UNROLL for (int k = 0; k < in_flight && k * RG_THREADS < n; k++) {
        to[k] = from[k * RG_THREADS];
    }
}

/* Computes out[i] = one(left[i], right[i]) for n packs; without `binary` it does not read right. All loads
   of a turn come before its stores: the compiler cannot move them, since out may be left or right. In the
   last turn, too, which a loop of single accesses would make several. Those of the first turn from right do not
   wait for left's arrival. */
template <int in_flight, bool binary, class Pack, class One>
static __device__ __forceinline__ void for_packs(const Pack *left, const Pack *right, Pack *out,
                                                 int64_t n, One one, const arrival &of_left = {}) {
    Pack a[in_flight], b[in_flight];
    left += threadIdx.x, right += threadIdx.x, out += threadIdx.x, n -= threadIdx.x;
    if (binary) load_some<in_flight>(b, right, n);
    wait_for(of_left);
    RG_STAY_LOOP while (n > 0) {
        load_some<in_flight>(a, left, n);
        RG_UNROLL for (int k = 0; k < in_flight && k * RG_THREADS < n; k++) {
            out[k * RG_THREADS] = one(a[k], binary ? b[k] : a[k]);
        }
        left += in_flight * RG_THREADS, right += in_flight * RG_THREADS;
        out += in_flight * RG_THREADS, n -= in_flight * RG_THREADS;
        if (binary) load_some<in_flight>(b, right, n);
    }
}

static __device__ __forceinline__ unsigned misaligned(const void *address, unsigned n_bytes) {
    return (unsigned)(uintptr_t)address & (n_bytes - 1);
}
static __device__ __forceinline__ bool apart(const void *a, const void *b, unsigned n_bytes) {
    return misaligned(a, n_bytes) != misaligned(b, n_bytes);
}

/* Computes the same for n elements, by packs: all arrays miss the packs' alignment by as much. One thread
   each takes the elements at both ends that fill no pack. */
template <int in_flight, bool binary, class Pack, class Element, class OfElement, class OfPack>
static __device__ __forceinline__ void for_aligned(const Element *left, const Element *right,
                                                   Element *out, int64_t n, OfElement element,
                                                   OfPack pack, const arrival &of_left = {}) {
    const unsigned size = sizeof(Pack), a_pack = size / sizeof(Element);
    int64_t head = (size - misaligned(out, size)) % size / sizeof(Element);
    if (head > n) head = n;
    const int64_t n_packs = (n - head) / a_pack;
    const unsigned edges = (unsigned)(n - n_packs * a_pack);
    for_packs<in_flight, binary>((const Pack *)(left + head), (const Pack *)(right + head),
                                 (Pack *)(out + head), n_packs, pack, of_left);
    if (threadIdx.x < edges) {
        const int64_t i = threadIdx.x < head ? threadIdx.x : n - edges + threadIdx.x;
        out[i] = element(left[i], binary ? right[i] : left[i]);
    }
}

/* ------------------------------------------------------------------ what is done to them */

/* The device calls each of these as a function of its own: nvcc compiles it once for a type and an
   operation, not once more for each variant. */

template <rs_dtype D, rs_op O>
static __device__ RG_SEPARATE void fold_elements(const bits_of<D> *left, const bits_of<D> *right,
                                                 bits_of<D> *out, int64_t n) {
    for_packs<1, true>(left, right, out, n, folding<D, O>());
}

template <rs_dtype D, rs_op O>
static __device__ RG_SEPARATE void fold_vectors(const bits_of<D> *left, const bits_of<D> *right,
                                                bits_of<D> *out, int64_t n, arrival of_left) {
    for_aligned<IN_FLIGHT, true, uint4>(left, right, out, n, folding<D, O>(), folding<D, O>(),
                                        of_left);
}

/* A division takes many instructions: one access at a time, so that it stands here once. */
template <class Pack, bool binary, rs_dtype D, class One>
static __device__ RG_SEPARATE void finish_packs(const bits_of<D> *left, const bits_of<D> *right,
                                                bits_of<D> *out, int64_t n, One one) {
    for_aligned<1, binary, Pack>(left, right, out, n, one, one);
}

struct itself {
    template <class Pack>
    __device__ __forceinline__ Pack operator()(const Pack &a, const Pack &) const {
        return a;
    }
};

template <class Bits>
static __device__ RG_SEPARATE void copy_elements(const Bits *from, Bits *to, int64_t n) {
    for_packs<1, false>(from, from, to, n, itself());
}

static __device__ RG_SEPARATE void copy_vectors(const char *from, char *to, int64_t n) {
    for_aligned<IN_FLIGHT, false, uint4>(from, from, to, n, itself(), itself());
}

/* One operation (rg_op_kind) on n elements. */
typedef struct work {
    const char *left, *right;
    char *out;
    int64_t n;
    int32_t n_ranks;
    uint8_t op_kind;
    bool flip;       /* left[0] arrives with its lowest bit flipped */
    bool finish;     /* avg: out is divided; not with flip */
    arrival of_left; /* still to be waited for: a sum's, without flip or finish */
} work;

template <bool vector, rs_dtype D, rs_op O> static __device__ __forceinline__ void do_work(work w) {
    using bits = bits_of<D>;
    const bits *left = (const bits *)w.left, *right = (const bits *)w.right;
    bits *out = (bits *)w.out;
    if (w.flip && w.n > 0) {
        if (threadIdx.x == 0) {
            const bits arrived = (bits)(left[0] ^ 1);
            out[0] = w.op_kind == RG_REDUCE ? fold<D, O>(arrived, right[0]) : arrived;
        }
        left++, right++, out++, w.n--;
    }
    const bool by_16 = vector && !apart(left, out, 16) && !apart(right, out, 16);
    if (O == RS_AVG && w.finish && w.op_kind == RG_REDUCE) {
        const finishing_sum<D> one{w.n_ranks};
        if (by_16)
            finish_packs<uint4, true, D>(left, right, out, w.n, one);
        else
            finish_packs<bits, true, D>(left, right, out, w.n, one);
    } else if (O == RS_AVG && w.finish) {
        const finishing<D> one{w.n_ranks};
        if (by_16)
            finish_packs<uint4, false, D>(left, left, out, w.n, one);
        else
            finish_packs<bits, false, D>(left, left, out, w.n, one);
    } else if (w.op_kind == RG_REDUCE) {
        if (by_16)
            fold_vectors<D, fold_op<O>>(left, right, out, w.n, w.of_left);
        else
            wait_for(w.of_left), fold_elements<D, fold_op<O>>(left, right, out, w.n);
    } else if (vector && !apart(left, out, 16)) {
        copy_vectors((const char *)left, (char *)out, w.n * (int64_t)sizeof(bits));
    } else {
        copy_elements(left, out, w.n);
    }
}

/* ------------------------------------------------------------------ moves */

static __device__ __forceinline__ void stamp_start(const rg_field &field, int32_t transfer) {
    if (field.starts == nullptr || transfer < 0 || threadIdx.x != 0) return;
    atomicMin(&field.starts[transfer], rg_clock_ns());
}

static __device__ __forceinline__ void stamp_end(const rg_field &field, int32_t transfer) {
    if (field.starts == nullptr || transfer < 0) return;
    __syncthreads(); /* the block ends when its last thread does */
    if (threadIdx.x == 0) atomicMax(&field.ends[transfer], rg_clock_ns());
}

/* Makes a block's slice of a turn's move. */
template <bool vector, rs_dtype D, rs_op O>
static __device__ __forceinline__ void make_move(const rg_field &field, const rg_turn &turn,
                                                 const slice &part, const arrival &of_left = {}) {
    const int64_t at = part.first * n_bytes<D>;
    work w;
    w.left = turn.left + at;
    w.right = turn.right + at;
    w.out = turn.out + at;
    w.n = part.n;
    w.n_ranks = field.n_ranks;
    w.op_kind = turn.op_kind;
    w.flip = turn.flip && part.first == 0;
    w.finish = turn.finish;
    w.of_left = of_left;
    stamp_start(field, turn.transfer);
    do_work<vector, D, O>(w);
    stamp_end(field, turn.transfer);
}

/* ------------------------------------------------------------------ variants 1 to 3 */

template <bool vector, rs_dtype D, rs_op O>
static __global__ void __launch_bounds__(RG_THREADS, BLOCKS) round_kernel(rg_round round) {
    const int32_t block = (int32_t)blockIdx.x;
    const cut how = cut_of(round.field, round.slices, 16 / n_bytes<D>);
    const rg_turn turn = round.turns[block / round.slices];
    make_move<vector, D, O>(round.field, turn, part_of(how, turn, block % round.slices));
}

/* ------------------------------------------------------------------ variants 4 and 5 */

/* Takes the turns first .. end - 1 into shared memory, as many as fit, by all threads of the block at once. */
template <class Held>
static __device__ __forceinline__ void hold_turns(Held &held, const rg_turn *turns, int32_t first,
                                                  int32_t end) {
    __syncthreads(); /* no thread still reads those before */
    for (int32_t i = threadIdx.x; i < RG_TURNS_HELD && first + i < end; i += RG_THREADS) {
        held[i] = turns[first + i];
    }
    __syncthreads();
}

/* Which tiles a block carries side by side, in lanes: first .. first + n - 1; and which of them has its turn. */
typedef struct place_of_tile {
    int32_t first, n, lane;
} place_of_tile;

/* What `done` holds when n tasks of a tile are done: each task of one lane follows that of the lane before, so the
   count of a block only grows. */
static __device__ __forceinline__ uint32_t count_of(const rg_whole &whole, const place_of_tile &at,
                                                    int32_t n_tasks) {
    return (whole.run * (uint32_t)whole.tiles + (uint32_t)at.first) * (uint32_t)whole.most_tasks +
           (uint32_t)((n_tasks - 1) * at.n + at.lane + 1);
}

/* The tasks of other ranks that this turn needs: a thread watches each warp of their blocks. Nobody waits in a circle:
   a task's waits are for tasks of earlier rounds (plan.h), in the same lane, and before it the block itself
   has done that round in earlier lanes, and earlier rounds, alone. So of all that is not done what comes first by
   tiles, round and lane waits for nothing. */
static __device__ __forceinline__ arrival arrival_of(const rg_whole &whole, const rg_turn &turn,
                                                     const place_of_tile &at, int32_t index) {
    const rg_wait wait = threadIdx.x < RG_WARPS ? turn.waits[0] : turn.waits[1];
    arrival made = {nullptr, whole.stop, count_of(whole, at, wait.n_tasks), whole.across != 0};
    if (threadIdx.x < 2 * RG_WARPS && wait.rank >= 0) {
        const int64_t block = (int64_t)wait.rank * whole.slices + index;
        made.done = &whole.done[block * RG_WARPS + threadIdx.x % RG_WARPS];
    }
    return made;
}

/* Publishes that this warp has done so many of the block's tasks: its threads' stores come before the flag's
   store, whose release makes other blocks see them (PTX: causality order). No warp waits for another. */
static __device__ __forceinline__ void publish(const rg_whole &whole, const place_of_tile &at,
                                               int32_t n_tasks) {
    rg_sync_warp();
    if (threadIdx.x % 32 != 0) return;
    const int64_t block = (int64_t)whole.first_rank * whole.slices + blockIdx.x;
    const int64_t flag = block * RG_WARPS + threadIdx.x / 32;
    const uint32_t count = count_of(whole, at, n_tasks);
    rg_store_release(&whole.done[flag], count, whole.across);
    if (whole.watchers == nullptr) return;
    uint64_t far = whole.watchers[(int32_t)blockIdx.x / whole.slices];
    RG_STAY_LOOP for (int device = 0; far != 0; device++, far >>= 1) {
        if (far & 1) rg_store_release(&whole.far_done[device][flag], count, true);
    }
}

/* Asks for the own operand of a later turn: it comes from memory while the block waits. */
static __device__ __forceinline__ void ask_for(const rg_turn &turn, const slice &part,
                                               int64_t size) {
    enum { LINE = 128 };
    const char *first = turn.right + part.first * size;
    RG_STAY_LOOP for (int64_t i = (int64_t)threadIdx.x * LINE; i < part.n * size;
                      i += RG_THREADS * LINE) {
        rg_prefetch(first + i);
    }
}

/* Takes a turn of the tile whose turn it is. */
template <rs_dtype D, rs_op O>
static __device__ __forceinline__ void take_turn(const rg_whole &whole, const cut &how,
                                                 const rg_turn &turn, const place_of_tile &at,
                                                 int32_t index) {
    const int32_t tile = at.first + at.lane, next = tile + whole.lanes;
    const bool adds = turn.n > 0 && turn.op_kind == RG_REDUCE;
    arrival of_left = arrival_of(whole, turn, at, index);
    if (whole.ahead && adds && next < whole.tiles) {
        ask_for(turn, part_of(how, turn, next * whole.slices + index), n_bytes<D>);
    }
    if (whole.early && adds && !turn.flip && !turn.finish) {
        __syncthreads(); /* other threads may have written the own operand in an earlier turn */
    } else {
        wait_for(of_left);
        of_left.stop = nullptr;
    }
    if (turn.n > 0) {
        make_move<true, D, O>(whole.field, turn, part_of(how, turn, tile * whole.slices + index),
                              of_left);
    }
}

template <rs_dtype D, rs_op O>
static __global__ void __launch_bounds__(RG_THREADS, BLOCKS) whole_kernel(rg_whole whole) {
    RG_SHARED(rg_turn, held, RG_TURNS_HELD);
    const int32_t rank = (int32_t)blockIdx.x / whole.slices,
                  index = (int32_t)blockIdx.x % whole.slices;
    const cut how = cut_of(whole.field, whole.slices * whole.tiles, 16 / n_bytes<D>);
    const int32_t first = whole.turn_first[rank], end = whole.turn_first[rank + 1];
    place_of_tile at;
    RG_STAY_LOOP for (at.first = 0; at.first < whole.tiles; at.first += whole.lanes) {
        at.n = whole.tiles - at.first < whole.lanes ? whole.tiles - at.first : whole.lanes;
        RG_STAY_LOOP for (int32_t t = first; t < end; t++) {
            const int32_t place = (t - first) % RG_TURNS_HELD;
            const bool held_before = at.first > 0 && end - first <= RG_TURNS_HELD;
            if (place == 0 && !held_before) hold_turns(held, whole.turns, t, end);
            RG_STAY_LOOP for (at.lane = 0; at.lane < at.n; at.lane++) {
                const rg_turn turn = held[place];
                take_turn<D, O>(whole, how, turn, at, index);
                const rg_turn again = held[place]; /* not kept in registers meanwhile */
                if (again.n_tasks > 0) publish(whole, at, again.n_tasks);
            }
        }
    }
}

/* ------------------------------------------------------------------ variants 6 and 7 */

/* All turns of a block are in one order for all its threads, but no thread waits for another of its own block, but
   where the next turns come. */
template <rs_dtype D, rs_op O>
static __global__ void __launch_bounds__(RG_THREADS, BLOCKS) line_kernel(rg_whole whole) {
    RG_SHARED(rg_turn, held, RG_TURNS_HELD);
    const int32_t rank = (int32_t)blockIdx.x / whole.slices,
                  index = (int32_t)blockIdx.x % whole.slices;
    const cut how = cut_of(whole.field, whole.slices, line_unit<D>::per);
    const int32_t first = whole.turn_first[rank], end = whole.turn_first[rank + 1];
    RG_STAY_LOOP for (int32_t t = first; t < end; t++) {
        const int32_t place = (t - first) % RG_TURNS_HELD;
        if (place == 0) hold_turns(held, whole.turns, t, end);
        const rg_turn turn = held[place];
        make_line_turn<D, O>(whole, turn, part_of(how, turn, index));
    }
}

template <rs_dtype D, rs_op O>
static __global__ void __launch_bounds__(RG_THREADS, BLOCKS) floor_kernel(rg_floor_run run) {
    const cut how = cut_of(run.field, run.slices, 16 / n_bytes<D>);
    const rg_floor_sum sum = run.sums[(int32_t)blockIdx.x / run.slices];
    const slice part =
        slice_of(how.chunk + sum.larger, how.slice + (sum.larger ? how.slice_more : 0),
                 (int32_t)blockIdx.x % run.slices);
    /* A division takes many instructions: one access at a time, so that it stands here once. */
    add_slice<O == RS_AVG ? 1 : IN_FLIGHT, D, O>(run, sum, part);
}

/* ------------------------------------------------------------------ pieces, and the clock */

template <rs_dtype D, rs_op O>
static __global__ void __launch_bounds__(RG_THREADS, BLOCKS) piece_kernel(rg_piece piece) {
    const int64_t unit = 16 / n_bytes<D>, blocks = gridDim.x,
                  units = (piece.count + unit - 1) / unit;
    const int64_t length = whole_lines(divide(units + blocks - 1, blocks)) * unit;
    const slice part = slice_of(piece.count, length, (int32_t)blockIdx.x);
    const int64_t at = part.first * n_bytes<D>;
    work w;
    w.left = piece.left + at;
    w.right = piece.right + at;
    w.out = piece.out + at;
    w.n = part.n;
    w.n_ranks = piece.n_ranks;
    w.op_kind = piece.op_kind;
    w.flip = piece.flip && blockIdx.x == 0;
    w.finish = piece.op_kind == RG_FINISH;
    w.of_left = arrival{};
    do_work<true, D, O>(w);
}

static __global__ void clock_kernel(unsigned long long *ns) {
    *ns = rg_clock_ns();
}

/* ------------------------------------------------------------------ the kernels' addresses */

/* Sums and products of signed and of unsigned integers have the same bits: one kernel serves both. */
template <rs_dtype D, rs_op O>
constexpr rs_dtype plain = (O == RS_SUM || O == RS_PROD) && is_signed<D> ? (rs_dtype)(D + 1) : D;
static_assert(RS_U8 == RS_I8 + 1 && RS_U32 == RS_I32 + 1 && RS_U64 == RS_I64 + 1);

template <rs_dtype D, rs_op O> struct kernel_of {
    static constexpr rs_dtype dtype = plain<D, O>;
    static constexpr rs_op op = O;
};

/* Finds the address of one of the kernels for all types and operations, numbered type after type. */
template <class Find, int... I>
static const void *find_kernel(const Find &find, rs_dtype dtype, rs_op op,
                               std::integer_sequence<int, I...>) {
    const void *const all[] = {find(kernel_of<rs_dtype(I / RS_N_OPS), rs_op(I % RS_N_OPS)>())...};
    return dtype < RS_N_DTYPES && op < RS_N_OPS ? all[dtype * RS_N_OPS + op] : nullptr;
}

/* Returns the address of a kernel of this name for the type and the operation. */
#define FOUND(kernel)                                                                              \
    find_kernel([](auto of) { return rg_kernel_address(kernel<of.dtype, of.op>); }, dtype, op,     \
                std::make_integer_sequence<int, RS_N_DTYPES * RS_N_OPS>())

template <rs_dtype D, rs_op O> constexpr auto scalar_kernel = round_kernel<false, D, O>;
template <rs_dtype D, rs_op O> constexpr auto vector_kernel = round_kernel<true, D, O>;

const void *rg_kernel_of(int32_t variant, rs_dtype dtype, rs_op op) {
    const void *const kernels[RG_PIECE] = {
        FOUND(scalar_kernel), FOUND(vector_kernel), FOUND(vector_kernel), FOUND(whole_kernel),
        FOUND(whole_kernel),  FOUND(line_kernel),   FOUND(floor_kernel),  FOUND(piece_kernel)};
    return kernels[variant - 1];
}
const void *rg_kernel_of_clock(void) {
    return rg_kernel_address(clock_kernel);
}
