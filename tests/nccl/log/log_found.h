/* log_found.h: what a reader finds in a log that a test reads: sentences, with their lines and levels. Each program's file
 * includes it once.
 */
#pragma once

#include "ringsim_nccl_log.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static rn_findings found_;

static inline rn_nccl_log_reader *begin_reader(rs_arena *arena) {
    found_ = (rn_findings){.n_kept = 0};
    rn_nccl_log_reader *r = rn_nccl_log_begin(arena, &found_);
    cr_assert_not_null(r);
    return r;
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
