/* log_text.h: a log that a test writes line by line, by chance, and reads. Each program includes it once.
 *
 *     begin_log(seed);  ADD("h:1:2 [0] NCCL INFO comm 0x%d ...\n", draw(4));  n_lines++;  read_log();  ... log_.n_ranks ...
 */
#pragma once

#include "log_found.h"

enum { LOG_ROOM = 1 << 17 };

static char text[LOG_ROOM];
static size_t n_text;
static int64_t n_lines;
static uint64_t state;

/* Begins another log, of another draw. */
static inline void begin_log(uint64_t seed) {
    stop();
    start();
    n_text = 0;
    n_lines = 0;
    state = seed * 0x9e3779b97f4a7c15;
}
static inline int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

#define ADD(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, LOG_ROOM - n_text, __VA_ARGS__);                 \
        cr_assert_lt(n_text, LOG_ROOM - 1);                                                        \
    } while (0)

static inline void read_log(void) {
    cr_assert_eq(read_bytes(text, n_text), RS_OK, "%s", error.text);
}

/* Adds a line of one thread. */
#define LOG_SAYS(...)                                                                              \
    do {                                                                                           \
        ADD("h:1:2 [0] NCCL INFO ");                                                               \
        ADD(__VA_ARGS__);                                                                          \
        text[n_text++] = '\n';                                                                     \
        n_lines++;                                                                                 \
    } while (0)
