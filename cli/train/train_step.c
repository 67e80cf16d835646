/* train_step.c: from what was typed to how a training step goes: mode, batches, buckets, speeds. */
#include "train/train.h"

enum { MIB = 1048576 };

static rc_exit read_buckets(rc_session *session, rc_trained *trained) {
    const rc_value *asked = &session->options.value[RC_BUCKET_MB];
    const bool whole = asked->number > 0; /* inf: 2 PiB are more than any table may hold */
    const int64_t bytes =
        whole ? (int64_t)INT32_MAX * MIB : (int64_t)(asked->num * MIB / asked->den);
    trained->bucket_bytes = bytes < 1 ? 1 : bytes;
    /* the first bucket is small so that the exchange begins early; in one bucket, it is that one */
    trained->first_bucket_bytes =
        !whole && trained->bucket_bytes > MIB ? MIB : trained->bucket_bytes;
    const rs_parallel mode = trained->plan.mode;
    if (mode == RS_DP || mode == RS_NONE || trained->plan.n_ranks < 2) return RC_GOOD;
    rs_bucket *buckets;
    const rs_status cut =
        rs_cut_buckets(&trained->layers, trained->first_bucket_bytes, trained->bucket_bytes,
                       session->arena, session->error, &buckets, &trained->plan.n_buckets);
    if (cut == RS_OK) trained->plan.buckets = buckets;
    return rc_exit_of(cut);
}

/* One number for all GPUs, or one for each. */
static rc_exit read_batch(rc_session *session, rc_trained *trained) {
    const rc_value *given = &session->options.value[RC_BATCH];
    const int32_t n = trained->plan.n_ranks;
    int64_t *batch = rs_alloc(session->arena, (size_t)n, sizeof *batch);
    if (batch == NULL) return rc_fail(session->error, RC_LACKS, _("no memory"));
    if (given->n != 1 && (given->n != n || trained->n_sizes > 1)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--batch %.60s: give one number for all, or one for each of %d GPUs"),
                       given->text, (int)n);
    }
    for (int32_t r = 0; r < n; r++) batch[r] = given->list[given->n == 1 ? 0 : r];
    trained->plan.batch = batch;
    return RC_GOOD;
}

rc_exit rc_read_train_step(rc_session *session, rc_trained *trained) {
    const rc_value *value = session->options.value;
    rs_step_plan *plan = &trained->plan;
    enum { OFF = 1 };
    plan->overlap = !rc_given(&session->options, RC_NO_OVERLAP) && value[RC_PREFETCH].number != OFF;
    plan->optimizer = (rs_optimizer)value[RC_OPTIMIZER].number;
    plan->layers = &trained->layers;
    plan->schedule = &trained->schedule;
    plan->keep_pieces = true;
    plan->flops_per_s = (uint64_t)value[RC_FLOPS].number;
    plan->accumulate = (int32_t)value[RC_ACCUMULATE].number;
    plan->python = (rs_ratio){value[RC_PYTHON_SHARE].num, value[RC_PYTHON_SHARE].den};
    const rc_exit status = read_buckets(session, trained);
    return status == RC_GOOD ? read_batch(session, trained) : status;
}
