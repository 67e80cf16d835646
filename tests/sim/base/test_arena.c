/* An arena's memory is zeroed, aligned and apart; whoever writes past an array's end is found. */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ringsim.h"

static const size_t sizes[] = {0, 1, 7, 8, 63, 64, 65, 1000, 65000, 65536, 200000};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

Test(arena, arrays_are_zeroed_aligned_and_apart) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    unsigned char *arrays[3 * N_SIZES];
    for (int i = 0; i < 3 * N_SIZES; i++) {
        const size_t n = sizes[i % N_SIZES];
        arrays[i] = rs_alloc(&arena, n, 1);
        cr_assert_not_null(arrays[i]);
        cr_assert_eq((uintptr_t)arrays[i] % 64, 0);
        for (size_t k = 0; k < n; k++) cr_assert_eq(arrays[i][k], 0);
        memset(arrays[i], i + 1, n);
    }
    for (int i = 0; i < 3 * N_SIZES; i++) {
        for (size_t k = 0; k < sizes[i % N_SIZES]; k++) cr_assert_eq(arrays[i][k], i + 1);
    }
    rs_arena_free(&arena);
}

/* Writes `past` bytes too many behind array `spoilt` of all sizes; returns how the process ended. */
static int end_of_writer(int spoilt, size_t past, int byte) {
    const pid_t child = fork();
    if (child == 0) {
        rs_arena arena;
        char *arrays[N_SIZES];
        rs_arena_init(&arena, NULL);
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(1); /* what assert says */
        for (int i = 0; i < N_SIZES; i++) arrays[i] = rs_alloc(&arena, sizes[i], 1);
        for (int i = 0; i < N_SIZES; i++) {
            memset(arrays[i], byte, sizes[i] + (i == spoilt ? past : 0));
        }
        rs_arena_free(&arena);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(arena, whoever_writes_past_an_end_is_found) {
    static const int bytes[] = {0x5a, 0xff};
    for (int b = 0; b < 2; b++) {
        cr_expect_eq(end_of_writer(-1, 0, bytes[b]), 0, "nobody did");
        for (int i = 0; i < N_SIZES; i++) {
            for (size_t past = 1; past <= 64; past = past * 2) {
                const int status = end_of_writer(i, past, bytes[b]);
                cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%zu behind %zu",
                          past, sizes[i]);
            }
        }
    }
}

/* A loop that goes one too far over sizes, times or places must not pass for one that does not. */
Test(arena, whoever_reads_past_an_end_gets_numbers_too_large) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    for (size_t n = 0; n < 3000; n++) {
        const char *end = (const char *)rs_alloc(&arena, n, 16) + 16 * n;
        for (size_t at = 0; at < 56; at += 8) {
            int64_t whole;
            int32_t half;
            double real;
            memcpy(&whole, end + at, sizeof whole);
            memcpy(&half, end + at, sizeof half);
            memcpy(&real, end + at, sizeof real);
            cr_assert(whole > INT64_MAX / 2 && whole % 2 == 1);
            cr_assert(half > INT32_MAX / 2 && half % 2 == 1);
            cr_assert(real > 1e300);
        }
    }
    rs_arena_free(&arena);
}

Test(arena, refuses_what_is_too_large_or_beyond_its_limit) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    for (int shift = 1; shift < 64; shift++) {
        cr_expect_null(rs_alloc(&arena, SIZE_MAX >> (shift / 2), (size_t)1 << shift));
    }
    cr_expect_null(rs_alloc(&arena, SIZE_MAX / 2, 1));
    cr_expect_null(rs_alloc(&arena, 1, SIZE_MAX));
    arena.limit_bytes = 1 << 20;
    cr_expect_null(rs_alloc(&arena, 1 << 20, 1));
    for (int i = 0; rs_alloc(&arena, 1, 30000) != NULL; i++) cr_assert_lt(i, 40);
    cr_expect_leq(arena.n_bytes, arena.limit_bytes);
    rs_arena_free(&arena);
    cr_expect_eq(arena.n_bytes, 0);
}
