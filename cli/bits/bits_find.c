/* bits_find.c: in which order settings add each element, by an algorithm of ours or by NCCL's, and whether these are the same.
 *
 *     range of bytes --rn_nccl_crossing--> stretches that NCCL handles alike --both ends--> answers
 *
 *   - Over a stretch channels only grow in number. So one order at its end, where all of them are in use, is that of every
 *     smaller size; where orders go by place, another size moves the places.
 */
#include "base/containers.h"
#include "base/units.h"
#include "bits/bits.h"

static rc_exit of_own(rc_session *session, rc_bits_setting *s, rs_sums *sums, rs_bits *bits) {
    const int64_t count = s->n_bytes / rs_dtype_bytes(s->job.dtype);
    const int channels = s->asked.of[RC_BITS_CHANNELS];
    const rs_spec spec = {.n_ranks = s->job.n_ranks, .n_channels = channels > 0 ? channels : 0};
    rs_schedule schedule;
    rs_status status = rs_schedule_from_spec(s->own, &spec, count, session->error, &schedule);
    if (status == RS_OK) {
        status = rs_bits_of_schedule(&schedule, count, sums, session->arena, session->error, bits);
    }
    for (int64_t i = 0; status == RS_OK && s->in_f32 && i < bits->n_runs; i++)
        bits->runs[i].sum = rs_sum_in_f32(sums, bits->runs[i].sum);
    return rc_exit_of(status);
}

/* All of an answer but what is measured and judged. */
static rc_exit find_orders(rc_session *session, rc_bits_answer *a) {
    rc_bits_setting *s = &a->setting;
    const int32_t elem = rs_dtype_bytes(s->job.dtype);
    const int32_t n_parts = s->job.collective == RS_COLL_REDUCE_SCATTER ? s->job.n_ranks : 1;
    if (s->n_bytes < elem || s->n_bytes % elem != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--bytes: %lld bytes are no whole number of elements of %d bytes"),
                       (long long)s->n_bytes, (int)elem);
    }
    if (s->n_bytes / elem % n_parts != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("a reduce-scatter cuts the array into %d parts of as many elements"),
                       (int)n_parts);
    }
    s->job.count = s->n_bytes / elem / n_parts;
    rc_exit status = rc_bits_choose(session, s);
    if (status != RC_GOOD) return status;
    status = (s->own != NULL ? of_own : rc_bits_of_nccl)(session, s, a->sums, &a->bits);
    if (status != RC_GOOD) return status;
    a->orders = rs_bits_orders(&a->bits, session->arena, &a->n_orders);
    return a->orders != NULL ? RC_GOOD : rc_no_memory(session->error);
}

static rc_exit add_answer(rc_session *session, const rc_bits_setting *s, rc_bits_found *found) {
    rc_bits_answer a = {.setting = *s, .sums = found->sums};
    if (found->kind == RC_BITS_NUMBERS) a.sums = rs_sums_begin(s->job.n_ranks, session->arena);
    if (a.sums == NULL || !rs_reserve(session->arena, &found->answers, found->n + 1, &found->room))
        return rc_no_memory(session->error);
    const rc_exit status = find_orders(session, &a);
    found->answers[found->n++] = a;
    return status;
}

/* ------------------------------------------------------------------ sizes */

/* Bytes by which sizes grow: elements, every rank's part and units must be whole. */
static int64_t grain_of(const rc_bits_setting *s, int64_t unit) {
    const int32_t parts = s->job.collective == RS_COLL_REDUCE_SCATTER ? s->job.n_ranks : 1;
    const int64_t whole = (int64_t)rs_dtype_bytes(s->job.dtype) * parts;
    return whole / (int64_t)rc_common_divisor((uint64_t)whole, (uint64_t)unit) * unit;
}

/* The last multiple of the grain that NCCL handles as it does this size. */
static rc_exit last_alike(const rc_bits_setting *s, int64_t most, int64_t grain, rs_error *error,
                          int64_t *last) {
    rc_bits_model model;
    const rc_exit status = rc_bits_model_of(s, error, &model);
    *last = most;
    if (status == RC_GOOD && model.known && s->own == NULL &&
        rn_nccl_crossing(&model.comm, &model.table, s->job.collective, s->n_bytes, most, last)) {
        *last = (*last - 1) / grain * grain;
    }
    return status;
}

/* Answers both ends of each stretch. */
static rc_exit find_sizes(rc_session *session, const rc_bits_setting *asked, rc_bits_found *found) {
    const int64_t grain = grain_of(asked, found->unit);
    const int64_t ends[] = {found->numbers[0] * found->unit,
                            found->numbers[found->n_numbers - 1] * found->unit};
    const int64_t from = (ends[0] + grain - 1) / grain * grain, to = ends[1] / grain * grain;
    if (from < grain || from >= to) {
        return rc_fail(session->error, RC_USAGE,
                       _("--over: fewer than two sizes of whole elements lie between %lld and %lld "
                         "bytes"),
                       (long long)ends[0], (long long)ends[1]);
    }
    for (int64_t at = from, last; at <= to; at = last + grain) {
        rc_bits_setting s = *asked;
        s.n_bytes = at;
        rc_exit status = last_alike(&s, to, grain, session->error, &last);
        if (status == RC_GOOD) status = add_answer(session, &s, found);
        s.n_bytes = last;
        if (status == RC_GOOD) status = add_answer(session, &s, found);
        if (status != RC_GOOD) return status;
    }
    return RC_GOOD;
}

static rc_exit find_numbers(rc_session *session, const rc_bits_setting *asked,
                            rc_bits_found *found) {
    rc_exit status = RC_GOOD;
    for (int64_t i = 0; i < found->n_numbers && status == RC_GOOD; i++) {
        rc_bits_setting s = *asked;
        s.job.n_ranks = (int32_t)found->numbers[i];
        status = rc_bits_rings(session, &s);
        if (status == RC_GOOD) status = add_answer(session, &s, found);
    }
    return status;
}

rc_exit rc_bits_find(rc_session *session, rc_bits_found *found) {
    static rc_exit (*const finds[])(rc_session * session, const rc_bits_setting *asked,
                                    rc_bits_found *found) = {[RC_BITS_COMPARED] = add_answer,
                                                             [RC_BITS_SIZES] = find_sizes,
                                                             [RC_BITS_NUMBERS] = find_numbers};
    rc_exit status = RC_GOOD;
    found->answers = NULL;
    found->n = found->room = 0;
    for (int64_t i = 0; i < found->n_settings && status == RC_GOOD; i++)
        status = finds[found->kind](session, &found->settings[i], found);
    return status;
}

/* ------------------------------------------------------------------ the same? */

const char *rc_bits_seen(const rc_bits_setting *s) {
    const bool exact = s->own == NULL && s->job.algorithm == RN_NCCL_NVLS && s->job.n_nodes == 1;
    return exact && s->job.dtype == RS_F32
               ? N_("a switch was seen to add f32 exactly, rounding once (NVIDIA/nccl#2360); no document "
                    "promises it")
               : NULL;
}

static const char *why_unknown(const rc_bits_answer *first, const rc_bits_answer *a) {
    const char *why = a->bits.undefined;
    if (rs_never_rounds(a->setting.job.dtype, a->setting.op)) return NULL;
    if (first->bits.undefined == rc_bits_one_tree && why == rc_bits_one_tree) return NULL;
    if (why != NULL || first->bits.undefined == NULL) return why;
    return N_("not known, for that of the first is not known");
}

void rc_bits_judge(rc_bits_found *found, int64_t base) {
    const rc_bits_answer *first = &found->answers[base];
    const bool seen = rc_bits_seen(&first->setting) != NULL;
    found->verdict = RC_BITS_NEVER_ROUNDS;
    for (int64_t i = 0; i < found->n; i++) {
        rc_bits_answer *a = &found->answers[i];
        a->unknown = why_unknown(first, a);
        a->verdict = rs_never_rounds(a->setting.job.dtype, a->setting.op) ? RC_BITS_NEVER_ROUNDS
                     : found->kind == RC_BITS_NUMBERS                     ? RC_BITS_OTHER
                     : a->unknown != NULL                                 ? RC_BITS_UNKNOWN
                     : rs_bits_moved(&first->bits, &a->bits) > 0          ? RC_BITS_OTHER
                     : found->one_order && a->n_orders > 1                ? RC_BITS_UNKNOWN
                     : seen                                               ? RC_BITS_SEEN
                                                                          : RC_BITS_SAME;
        if (a->verdict > found->verdict) found->verdict = a->verdict;
    }
}

int32_t rc_bits_one_order(const rc_bits_answer *a, const rc_bits_answer *b) {
    const char *why = b->bits.undefined;
    const bool one = a->n_orders == 1 && b->n_orders == 1 && a->bits.undefined == why &&
                     (why == NULL || why == rc_bits_one_tree);
    return one && a->orders[0].sum == b->orders[0].sum ? a->orders[0].sum : RC_BITS_BY_PLACE;
}
