/* One array operation of the device, in every type and op, from every place: bit by bit what rs_fold and
   rs_finish make of it. On the emulated device: this is kernels.cu, built for the processor; what nvcc
   makes of it is not tried here. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cuda/kernels.h"
#include "emulator.h"
#include "support/naive_apply.h"

#define OK(call) cr_assert_eq((call), cudaSuccess, #call ": %s", emu_last_words())

enum { MARGIN = 64, BLOCKS = 3 };

/* Three arrays on the device, and what they hold on the host; margins lie around each. */
typedef struct bench {
    rs_dtype dtype;
    size_t size, n_bytes; /* of an element; of each array, margins included */
    char *host[3], *device[3];
    char *seen; /* what came back */
} bench;
enum { LEFT, RIGHT, OUT };

static void set_up(bench *b, rs_dtype dtype, int64_t most) {
    *b = (bench){.dtype = dtype, .size = (size_t)rs_dtype_bytes(dtype)};
    b->n_bytes = (size_t)most * b->size + 16 + 2 * MARGIN;
    b->seen = malloc(b->n_bytes);
    for (int i = 0; i < 3; i++) {
        b->host[i] = malloc(b->n_bytes);
        OK(cudaMalloc((void **)&b->device[i], b->n_bytes));
    }
}

static void tear_down(bench *b) {
    free(b->seen);
    for (int i = 0; i < 3; i++) {
        free(b->host[i]);
        OK(cudaFree(b->device[i]));
    }
}

static uint64_t random_bits(uint64_t *state) {
    return (uint64_t)(uint32_t)random_below(state, INT32_MAX) << 33 ^
           (uint64_t)(uint32_t)random_below(state, INT32_MAX) << 11 ^
           (uint64_t)(uint32_t)random_below(state, INT32_MAX);
}

/* Bits that floats of this width stumble over: zeros, ones, infinities, NaN, the smallest and largest
   of all kinds, of both signs. */
static uint64_t special_bits(rs_dtype dtype, uint64_t *state) {
    static const struct {
        int digits, width;
    } forms[RS_N_DTYPES] = {
        [RS_F16] = {10, 16}, [RS_BF16] = {7, 16}, [RS_F32] = {23, 32}, [RS_F64] = {52, 64}};
    const int digits = forms[dtype].digits, width = forms[dtype].width;
    const uint64_t one = 1, sign = one << (width - 1), infinity = sign - (one << digits);
    const uint64_t kinds[] = {0,
                              1,
                              (one << digits) - 1, /* the largest subnormal */
                              one << digits,       /* the smallest normal */
                              infinity - 1,        /* the largest */
                              infinity,
                              infinity + (one << (digits - 1)),            /* NaN, the usual one */
                              infinity + (one << (digits - 1)) + 3,        /* another one */
                              (infinity >> 1) / (one << digits) << digits, /* about 1 */
                              random_bits(state) & ((one << digits) - 1)};
    const uint64_t kind = kinds[random_below(state, sizeof kinds / sizeof *kinds)];
    return random_below(state, 2) == 0 ? kind : kind | sign;
}

static void fill(bench *b, uint64_t *state) {
    for (int i = 0; i < 3; i++) {
        for (size_t at = 0; at < b->n_bytes; at += b->size) {
            uint64_t bits = random_bits(state);
            if (rs_dtype_is_float(b->dtype) && random_below(state, 4) == 0) {
                bits = special_bits(b->dtype, state);
            }
            memcpy(b->host[i] + at, &bits, b->size <= b->n_bytes - at ? b->size : b->n_bytes - at);
        }
        OK(cudaMemcpy(b->device[i], b->host[i], b->n_bytes, cudaMemcpyHostToDevice));
    }
}

/* Where the arrays begin, in elements behind the margin; which two are one: out may be either. */
typedef struct places {
    int64_t first[3];
    int out_is; /* LEFT, RIGHT or OUT */
} places;

static places draw_places(const bench *b, uint64_t *state, bool alike) {
    const int32_t a_pack = (int32_t)(16 / b->size);
    places p = {.out_is = random_below(state, 3)};
    for (int i = 0; i < 3; i++) {
        p.first[i] = i > 0 && alike ? p.first[0] : random_below(state, a_pack);
    }
    return p;
}

static char *place(const bench *b, char *const arrays[3], const places *p, int which) {
    const int array = which == OUT ? p->out_is : which;
    return arrays[array] + MARGIN + (size_t)p->first[array] * b->size;
}

static void launch(const bench *b, const places *p, rs_op op, rg_plan_op op_kind, int64_t n,
                   int32_t n_ranks, bool flip) {
    rg_piece piece = {.left = place(b, b->device, p, LEFT),
                      .right = place(b, b->device, p, RIGHT),
                      .out = place(b, b->device, p, OUT),
                      .count = n,
                      .n_ranks = n_ranks,
                      .op_kind = (uint8_t)op_kind,
                      .flip = flip};
    void *arguments[] = {&piece};
    OK(cudaLaunchKernel(rg_kernel_of(RG_PIECE, b->dtype, op), (dim3){BLOCKS, 1, 1},
                        (dim3){RG_THREADS, 1, 1}, arguments, 0, NULL));
    OK(cudaDeviceSynchronize());
}

/* What the reference makes of the host's arrays. */
static void expect(const bench *b, const places *p, rs_op op, rg_plan_op op_kind, int64_t n,
                   int32_t n_ranks, bool flip) {
    char *left = place(b, b->host, p, LEFT), *right = place(b, b->host, p, RIGHT);
    char *out = place(b, b->host, p, OUT);
    const size_t n_bytes = (size_t)n * b->size;
    char *arrived = malloc(n_bytes + 1);
    memcpy(arrived, left, n_bytes);
    if (flip && n > 0) *arrived ^= 1;
    if (op_kind == RG_REDUCE) {
        rs_fold(b->dtype, op, arrived, right, out, n);
    } else {
        memcpy(out, arrived, n_bytes);
    }
    if (op_kind == RG_FINISH) rs_finish(b->dtype, op, n_ranks, out, n);
    free(arrived);
}

/* All bits must be equal, margins included, but for NaN in wide floats: theirs is any NaN. */
static bool same(const bench *b, const places *p, rs_op op, int64_t n) {
    const int array = p->out_is;
    const size_t before = MARGIN + (size_t)p->first[array] * b->size, n_bytes = (size_t)n * b->size;
    const char *host = b->host[array];
    OK(cudaMemcpy(b->seen, b->device[array], b->n_bytes, cudaMemcpyDeviceToHost));
    const bool chooses = op == RS_MIN || op == RS_MAX;
    const bool exact = chooses || (b->dtype != RS_F32 && b->dtype != RS_F64);
    const bool inside = exact ? memcmp(host + before, b->seen + before, n_bytes) == 0
                              : rs_equal(b->dtype, host + before, b->seen + before, n);
    return inside && memcmp(host, b->seen, before) == 0 &&
           memcmp(host + before + n_bytes, b->seen + before + n_bytes,
                  b->n_bytes - before - n_bytes) == 0;
}

static void check(bench *b, rs_op op, rg_plan_op op_kind, int64_t n, bool alike, uint64_t *state) {
    const places p = draw_places(b, state, alike);
    const int32_t n_ranks = 1 + random_below(state, 300);
    const bool flip = random_below(state, 4) == 0 && op_kind != RG_FINISH;
    fill(b, state);
    launch(b, &p, op, op_kind, n, n_ranks, flip);
    expect(b, &p, op, op_kind, n, n_ranks, flip);
    cr_assert(same(b, &p, op, n), "%s %s deed %d of %d from %d, %d to %d%s%s",
              rs_dtype_name(b->dtype), rs_op_name(op), (int)op_kind, (int)n, (int)p.first[0],
              (int)p.first[1], (int)p.first[2], p.out_is == OUT ? "" : ", in place",
              flip ? ", flipped" : "");
}

static void check_few(rs_dtype dtype, rs_op op, uint64_t *state) {
    enum { MOST = 70 };
    bench b;
    set_up(&b, dtype, MOST);
    for (int64_t n = 0; n <= MOST; n++) {
        check(&b, op, RG_REDUCE, n, true, state);
        check(&b, op, RG_REDUCE, n, false, state);
        check(&b, op, RG_COPY, n, n % 2 == 0, state);
        if (op == RS_AVG) check(&b, op, RG_FINISH, n, n % 2 == 0, state);
    }
    tear_down(&b);
}

/* More than all threads of a block have on the way at once, and a rest. */
static void check_many(rs_dtype dtype, rs_op op, uint64_t *state) {
    const int64_t large = BLOCKS * 4 * RG_THREADS * 16 / rs_dtype_bytes(dtype);
    bench b;
    set_up(&b, dtype, large + 2000);
    for (int i = 0; i < 2; i++) {
        const int64_t n = large + random_below(state, 2000);
        check(&b, op, RG_REDUCE, n, true, state);
        check(&b, op, RG_COPY, n, i == 0, state);
        if (op == RS_AVG) check(&b, op, RG_FINISH, n, i == 0, state);
    }
    tear_down(&b);
}

static void check_dtypes(rs_dtype first, rs_dtype last, const char *seed) {
    setenv("EMU_SEED", seed, 1);
    emu_reset();
    uint64_t state = (uint64_t)first + 1;
    for (rs_dtype dtype = first; dtype <= last; dtype++) {
        for (rs_op op = RS_SUM; op < RS_N_OPS; op++) {
            check_few(dtype, op, &state);
            check_many(dtype, op, &state);
        }
    }
}

Test(device_pieces, of_whole_numbers_are_the_references) {
    check_dtypes(RS_I8, RS_U64, "0");
}
Test(device_pieces, of_whole_numbers_are_in_any_order_of_threads_and_blocks) {
    check_dtypes(RS_I8, RS_U64, "1");
}
Test(device_pieces, of_floats_are_the_references) {
    check_dtypes(RS_F16, RS_F64, "0");
}
Test(device_pieces, of_floats_are_in_any_order_of_threads_and_blocks) {
    check_dtypes(RS_F16, RS_F64, "1");
}

static void check_division(bench *b, int32_t n) {
    enum { ALL = 1 << 16 };
    const places p = {.out_is = OUT};
    for (int32_t i = 0; i < ALL; i++) {
        const uint16_t bits = (uint16_t)i;
        memcpy(b->host[LEFT] + MARGIN + (size_t)i * 2, &bits, 2);
    }
    memset(b->host[OUT], 0, b->n_bytes);
    for (int i = 0; i < 3; i++) {
        OK(cudaMemcpy(b->device[i], b->host[i], b->n_bytes, cudaMemcpyHostToDevice));
    }
    launch(b, &p, RS_AVG, RG_FINISH, ALL, n, false);
    expect(b, &p, RS_AVG, RG_FINISH, ALL, n, false);
    cr_assert(same(b, &p, RS_AVG, ALL), "%s / %d", rs_dtype_name(b->dtype), (int)n);
}

/* Every value there is, divided by many world sizes. By the last ones some quotients come so close to the
   middle of two values, on either side, that an f32 would be the middle itself: f16's 1087 x 2^15 / 8845
   is 4027 and 1 / 8845. */
Test(device_pieces, divide_every_narrow_float_as_the_reference_does) {
    static const int32_t sizes[] = {2,  3,   4,   5,    6,    7,    8,    9,     11,    12,
                                    24, 100, 129, 1175, 8283, 8845, 8919, 69559, 77693, 131072};
    for (rs_dtype dtype = RS_F16; dtype <= RS_BF16; dtype++) {
        bench b;
        set_up(&b, dtype, 1 << 16);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_division(&b, sizes[i]);
        tear_down(&b);
    }
}

Test(device_pieces, have_a_kernel_for_every_type_and_op) {
    for (rs_dtype dtype = 0; dtype < RS_N_DTYPES; dtype++) {
        for (rs_op op = 0; op < RS_N_OPS; op++) {
            cr_expect_not_null(rg_kernel_of(RG_PIECE, dtype, op));
            cr_expect_not_null(rg_kernel_of(4, dtype, op));
            cr_expect_neq(rg_kernel_of(1, dtype, op), rg_kernel_of(2, dtype, op));
        }
    }
}

Test(device_pieces, of_the_clock_goes_on) {
    unsigned long long *device, times[2];
    OK(cudaMalloc((void **)&device, sizeof times));
    for (int i = 0; i < 2; i++) {
        unsigned long long *at = device + i;
        void *arguments[] = {&at};
        OK(cudaLaunchKernel(rg_kernel_of_clock(), (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0,
                            NULL));
        OK(cudaDeviceSynchronize());
    }
    OK(cudaMemcpy(times, device, sizeof times, cudaMemcpyDeviceToHost));
    cr_expect(times[0] > 0 && times[1] >= times[0]);
    OK(cudaFree(device));
}
