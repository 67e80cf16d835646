/* log_found.h: a log that a test reads, and what is found in it: sentences, with their lines and levels. */
#pragma once

#include "ringsim_nccl_log.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rn_nccl_log log_; /* what was read */
static rn_findings found_;

static inline void start(void) {
    rs_arena_init(&arena, NULL);
}
static inline void stop(void) {
    rs_arena_free(&arena);
}

static inline rn_nccl_log_reader *begin_reader(void) {
    found_ = (rn_findings){.n_kept = 0};
    rn_nccl_log_reader *r = rn_nccl_log_begin(&arena, &found_);
    cr_assert_not_null(r);
    return r;
}

static inline rs_status read_bytes(const char *bytes, size_t n_bytes) {
    rn_nccl_log_reader *r = begin_reader();
    for (size_t at = 0; at < n_bytes;) {
        const char *end = memchr(bytes + at, '\n', n_bytes - at);
        const size_t n = end != NULL ? (size_t)(end - bytes) - at : n_bytes - at;
        rn_nccl_log_line(r, bytes + at, n);
        at += n + 1;
    }
    return rn_nccl_log_end(r, &error, &log_);
}

static inline int64_t count_all(void) {
    return found_.n[RN_ERROR] + found_.n[RN_WARNING] + found_.n[RN_NOTE];
}

/* How many sentences have the words. */
static inline int count_found(const char *words) {
    int n = 0;
    for (int32_t i = 0; i < found_.n_kept; i++)
        n += strstr(found_.list[i].said.text, words) != NULL;
    return n;
}

/* Is the sentence said, once, at that line and level? */
static inline void expect_found(rn_level level, int64_t line, const char *format, ...)
    RS_PRINTF(3, 4);
static inline void expect_found(rn_level level, int64_t line, const char *format, ...) {
    char sentence[2 * RS_ERROR_TEXT];
    int n = 0;
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    for (int32_t i = 0; i < found_.n_kept; i++) {
        const rn_finding *one = &found_.list[i];
        if (strcmp(one->said.text, sentence) != 0) continue;
        cr_expect(one->level == level && one->line == line, "%s: level %d, line %d, not %d, %d",
                  sentence, (int)one->level, (int)one->line, (int)level, (int)line);
        n++;
    }
    cr_expect_eq(n, 1, "said %d times: %s", n, sentence);
}
