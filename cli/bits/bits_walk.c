/* bits_walk.c: `ringsim bits --step`: an element's walk along the orders of the settings (viz/story/story_bits.c). */
#include "base/units.h"
#include "bits/bits.h"

/* What the ranks hold of the element, as the type has it. */
static rc_exit read_data(rc_session *session, const rc_bits_answer *a, int64_t element,
                         double data[]) {
    const rc_value *asked = &session->options.value[RC_DATA];
    const int32_t n = a->setting.job.n_ranks;
    const rs_dtype dtype = a->setting.job.dtype;
    char value[8];
    if (asked->reals != NULL && asked->n != n) {
        return rc_fail(session->error, RC_USAGE,
                       _("--data: %lld numbers for %d GPUs; give one each"), (long long)asked->n,
                       (int)n);
    }
    for (int32_t r = 0; r < n; r++) {
        rs_fill_part((rs_data)asked->number, dtype, r, 1, a->bits.count, element, 1,
                     (uint64_t)session->options.value[RC_SEED].number, asked->reals, value);
        data[r] = rs_read_float(dtype, value, 0);
    }
    return RC_GOOD;
}

rc_exit rc_bits_story(rc_session *session, const rc_bits_found *found, rv_story *story) {
    rs_error *error = session->error;
    const rc_bits_setting *s = &found->answers[0].setting;
    rc_bits_found by_rank = *found; /* the orders anew, with who adds */
    const int64_t element = found->element < 0 ? 0 : found->element;
    char size[RC_UNIT_TEXT];
    if (!rs_dtype_is_float(s->job.dtype) || s->op != RS_SUM) {
        return rc_fail(error, RC_USAGE, _("--step walks sums that round: of floats, --op sum"));
    }
    if (found->n > RV_MOST_WAYS) {
        return rc_fail(error, RC_USAGE, _("--step walks %d settings beside each other at most"),
                       (int)RV_MOST_WAYS);
    }
    rv_bits_story *of = rs_alloc(session->arena, 1, sizeof *of);
    double *data = rs_alloc(session->arena, (size_t)s->job.n_ranks, sizeof *data);
    by_rank.sums = rs_sums_begin_by_rank(s->job.n_ranks, session->arena);
    if (of == NULL || data == NULL || by_rank.sums == NULL) return rc_no_memory(error);
    *of = (rv_bits_story){
        .known = s->own != NULL ? NULL : N_("Predicted from NCCL's source, not yet shown on a GPU"),
        .element = element,
        .dtype = s->job.dtype,
        .n_ways = (int)found->n};
    snprintf(of->title, sizeof of->title, _("Element %lld, %s of %s, %s, %d GPUs"),
             (long long)element, rs_collective_name(s->job.collective),
             rc_exact_size(s->n_bytes, size), rs_dtype_name(s->job.dtype), (int)s->job.n_ranks);
    rc_exit status = read_data(session, &found->answers[0], element, data);
    if (status == RC_GOOD) status = rc_bits_find(session, &by_rank);
    for (int64_t i = 0; i < found->n && status == RC_GOOD; i++) {
        const rc_bits_answer *a = &found->answers[i];
        const char *text = a->setting.text;
        rv_way *way = &of->ways[i];
        if (a->setting.in_f32)
            return rc_fail(error, RC_USAGE, _("--step walks additions in the array's own type"));
        if (a->bits.undefined != NULL) return rc_fail(error, RC_USAGE, "%s", _(a->bits.undefined));
        if (element >= a->bits.count) {
            return rc_fail(error, RC_USAGE, _("--element %lld: there are elements 0 to %lld"),
                           (long long)element, (long long)a->bits.count - 1);
        }
        const int32_t sum = rs_bits_at(&by_rank.answers[i].bits, element);
        way->name = text != NULL ? text : rc_bits_algorithm(&a->setting);
        rs_sum_text(by_rank.sums, sum, way->order, sizeof way->order);
        status = rc_exit_of(
            rs_walk_sum(by_rank.sums, sum, s->job.dtype, data, session->arena, error, &way->walk));
    }
    if (status == RC_GOOD) rv_story_bits(of, story);
    return status;
}
