/* gemm.c: the loop that does nearly all arithmetic of training: C += A B.
 *
 *     tile: ROWS x 16 elements of C stay in registers while k runs     A(m, k) ---> each row times
 *                                                                      B[k][n .. n + 15]
 *
 *   - Each element is its own chain of additions, k = 0, 1, 2, ...: tiles, vectors and processors
 *     change the speed but no bit. The compiler must not contract a multiplication and an addition
 *     into one.
 *   - The loop is compiled once for any processor and once for AVX2; the processor at run time
 *     decides which runs.
 */
#include "systems/train/perceptron.h"

#include <string.h>

typedef float vector __attribute__((vector_size(32)));
enum { VECTOR = 8, WIDE = 2, ROWS = 4 };

#define INSIDE static inline __attribute__((always_inline))

typedef struct factors {
    const float *a, *b;
    float *c;
    int64_t a_row, a_column, n_columns, n_inner;
} factors;

/* Does n_rows <= ROWS rows of 16 columns. */
INSIDE void wide_tile(const factors *f, int64_t row, int n_rows, int64_t column) {
    vector sum[ROWS][WIDE];
    float *c = f->c + row * f->n_columns + column;
    const float *a = f->a + row * f->a_row, *b = f->b + column;
    for (int r = 0; r < n_rows; r++) memcpy(sum[r], c + r * f->n_columns, sizeof sum[r]);
    for (int64_t k = 0; k < f->n_inner; k++) {
        vector right[WIDE];
        memcpy(right, b + k * f->n_columns, sizeof right);
        for (int r = 0; r < n_rows; r++) {
            const float left = a[r * f->a_row + k * f->a_column];
            for (int w = 0; w < WIDE; w++) sum[r][w] += left * right[w];
        }
    }
    for (int r = 0; r < n_rows; r++) memcpy(c + r * f->n_columns, sum[r], sizeof sum[r]);
}

/* Does the columns at the end that fill no vector. */
INSIDE void narrow(const factors *f, int64_t row, int64_t column) {
    float *c = f->c + row * f->n_columns;
    const float *a = f->a + row * f->a_row;
    for (int64_t n = column; n < f->n_columns; n++) {
        float sum = c[n];
        for (int64_t k = 0; k < f->n_inner; k++) {
            sum += a[k * f->a_column] * f->b[k * f->n_columns + n];
        }
        c[n] = sum;
    }
}

INSIDE void multiply(const factors *f, int64_t n_rows) {
    enum { COLUMNS = VECTOR * WIDE };
    const int64_t whole = f->n_columns - f->n_columns % COLUMNS;
    for (int64_t n = 0; n < whole; n += COLUMNS) {
        int64_t m = 0;
        for (; m + ROWS <= n_rows; m += ROWS) wide_tile(f, m, ROWS, n);
        for (; m < n_rows; m++) wide_tile(f, m, 1, n);
    }
    if (whole == f->n_columns) return;
    for (int64_t m = 0; m < n_rows; m++) narrow(f, m, whole);
}

static void multiply_plain(const factors *f, int64_t n_rows) {
    multiply(f, n_rows);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_avx2(const factors *f, int64_t n_rows) {
    multiply(f, n_rows);
}
#endif

void rs_multiply_add(int64_t n_rows, int64_t n_columns, int64_t n_inner, const float a[],
                     int64_t a_row, int64_t a_column, const float b[], float c[]) {
    const factors f = {a, b, c, a_row, a_column, n_columns, n_inner};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        multiply_avx2(&f, n_rows);
        return;
    }
#endif
    multiply_plain(&f, n_rows);
}
