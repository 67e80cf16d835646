/* nccl_tests_rows.c: what of a row can be meant is a sample; what cannot is left out and told of. */
#include "nccl/nccl_tests_rows.h"

#include <math.h>
#include <string.h>

bool rc_agrees(const rc_reading *r) {
    if (!(r->time_us > 0) || !(r->algbw >= 0) || !(r->busbw >= 0)) return false;
    const double rate = (double)r->n_bytes / r->time_us / 1000;
    return fabs(rate - r->algbw) <= 0.006 + 0.01 * rate;
}

void rc_leave_out(rc_gathering *g, rc_row_fault why) {
    if (g->n_left_out > 0 && g->last_left_out < g->table_line) g->n_left_out = 0;
    if (g->n_left_out > 0 && g->last_left_out == g->line) return; /* counted already */
    g->last_left_out = g->line;
    if (g->n_left_out < RC_LEFT_OUT_TOLD) {
        g->left_out[g->n_left_out] = (rc_bad_row){g->line, why};
    }
    g->n_left_out++;
}

/* Tells whether busbw is to algbw as in the other rows, as far as both are rounded. */
static bool is_of_all(const rc_gathering *g, const rc_reading *r) {
    const double most = 0.006 * (1 + g->expected_ratio) + 0.03 * r->busbw;
    return g->expected_ratio <= 0 || fabs(r->busbw - g->expected_ratio * r->algbw) <= most;
}

void rc_take_reading(rc_gathering *g, const rc_reading *r) {
    static const double most_us = 1e9, ps_per_us = 1e6;
    if (r->n_bytes <= 0) return; /* an ordinary row: nothing was sent */
    if (r->time_us > most_us || !is_of_all(g, r)) {
        rc_leave_out(g, r->time_us > most_us ? RC_ROW_TOO_LONG : RC_ROW_OTHER_BUSBW);
        return;
    }
    if (g->next_table) {
        g->n = 0;
        g->ratio_rate = 0;
        if (g->last_left_out < g->table_line) g->n_left_out = 0;
        g->next_table = false;
        memcpy(g->of, g->next, sizeof g->of);
    }
    if (g->samples != NULL) {
        g->samples[g->n] = (rs_sample){r->n_bytes, llround(r->time_us * ps_per_us)};
    }
    if (++g->n > g->most) g->most = g->n;
    if (r->algbw <= g->ratio_rate) return;
    g->ratio_rate = r->algbw;
    g->ratio = r->busbw / r->algbw;
}
