/* bits_orders.c: in which order a setting adds each element: by an algorithm of ours, or by NCCL's. */
#include "bits/bits.h"

static rc_exit of_own(rc_session *session, const rc_bits_setting *s, int64_t count, rs_sums *sums,
                      rs_bits *bits) {
    rs_schedule schedule;
    const rs_spec spec = {.n_ranks = s->n_ranks,
                          .n_channels = s->asked_channels ? s->n_channels : 0};
    rs_status status = rs_schedule_from_spec(s->own, &spec, count, session->error, &schedule);
    if (status == RS_OK) {
        status = rs_bits_of_schedule(&schedule, count, sums, session->arena, session->error, bits);
    }
    for (int64_t i = 0; status == RS_OK && s->in_f32 && i < bits->n_runs; i++)
        bits->runs[i].sum = rs_sum_in_f32(sums, bits->runs[i].sum);
    return rc_exit_of(status);
}

rc_exit rc_bits_orders(rc_session *session, rs_sums *sums, rc_bits_answer *a) {
    rc_bits_setting *s = &a->setting;
    const int32_t elem = rs_dtype_bytes(s->dtype);
    if (s->n_bytes < elem || s->n_bytes % elem != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--bytes: %lld bytes are no whole number of elements of %d bytes"),
                       (long long)s->n_bytes, (int)elem);
    }
    const int64_t array = s->n_bytes / elem;
    const bool scatter = s->collective == RS_COLL_REDUCE_SCATTER;
    if (scatter && array % s->n_ranks != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("a reduce-scatter cuts the array into %d parts of as many elements"),
                       (int)s->n_ranks);
    }
    rc_exit status = rc_bits_choose(session, s);
    if (status != RC_GOOD) return status;
    status = s->own != NULL ? of_own(session, s, array, sums, &a->bits)
                            : rc_bits_of_nccl(session, s, sums, &a->bits);
    if (status != RC_GOOD) return status;
    a->orders = rs_bits_orders(&a->bits, session->arena, &a->n_orders);
    return a->orders != NULL ? RC_GOOD : rc_no_memory(session->error);
}
