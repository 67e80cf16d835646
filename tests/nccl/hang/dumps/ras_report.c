/* ras_report.c: a made report of NCCL's RAS, and what is read of it. */
#include "nccl/hang/dumps/ras_report.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>

ras_report ras;

void ras_start(void) {
    rs_arena_init(&ras.scratch, NULL);
    rs_arena_init(&ras.keep, NULL);
    ras.n_text = 0;
}

void ras_stop(void) {
    rs_arena_free(&ras.scratch);
    rs_arena_free(&ras.keep);
}

void ras_again(void) {
    ras_stop();
    ras_start();
}

uint32_t ras_draw(uint32_t below) {
    ras.state = ras.state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(ras.state >> 33) % below;
}

void ras_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(ras.text + ras.n_text, RAS_ROOM - ras.n_text, format, arguments);
    va_end(arguments);
    ras.n_text += (size_t)n;
    cr_assert_lt(ras.n_text, (size_t)RAS_ROOM);
}

rs_status ras_read_text(void) {
    return rn_read_ras_text(ras.text, ras.n_text, &ras.scratch, &ras.keep, &ras.error, &ras.dumps,
                            &ras.n_dumps);
}
