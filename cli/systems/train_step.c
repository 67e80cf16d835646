/* train_step.c: from what was typed to how a training step goes: mode, batches, buckets, speeds. */
#include "systems/train.h"

#include <string.h>

enum { MIB = 1048576, MOST_BATCH = 1 << 20, MOST_SHARE = 100 };

/* Reads 10%, 0.1 or 0. */
static rc_exit read_share(rc_session *session, rs_ratio *share) {
    const char *text = session->options.value[RC_PYTHON_SHARE];
    char number[40];
    rs_error reason;
    *share = (rs_ratio){1, 10};
    if (text == NULL) return RC_GOOD;
    snprintf(number, sizeof number, "%s", text);
    const size_t n = strlen(number);
    const bool percent = n > 0 && number[n - 1] == '%';
    if (percent) number[n - 1] = '\0';
    *share = (rs_ratio){0, 1};
    if (number[0] != '\0' && strspn(number, "0.") == strlen(number) && strcmp(number, ".") != 0) {
        return RC_GOOD;
    }
    rc_exit status = rc_parse_factor(number, &reason, &share->num, &share->den);
    if (status == RC_GOOD && percent) share->den *= 100;
    const bool large = status == RC_GOOD && share->num > share->den * MOST_SHARE;
    if (large || (status == RC_GOOD && share->den > 1000000000)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--python-share %.40s: write a share such as 10%% or 0.1"), text);
    }
    return rc_blame(RC_PYTHON_SHARE, &reason, status, session->error);
}

static rc_exit read_buckets(rc_session *session, rc_trained *trained) {
    const char *text = session->options.value[RC_BUCKET_MB];
    const bool whole = text != NULL && strcmp(text, "inf") == 0;
    uint64_t num = whole ? INT32_MAX : 25, den = 1; /* 2 PiB are more than any table may hold */
    rc_reader read = rc_reader_of(session);
    if (!whole) rc_read_factor(&read, RC_BUCKET_MB, &num, &den);
    if (read.status != RC_GOOD) return read.status;
    const int64_t bytes = (int64_t)(num * MIB / den);
    trained->bucket_bytes = bytes < 1 ? 1 : bytes;
    /* the first bucket is small so that the exchange begins early; in one bucket, it is that one */
    trained->first_bucket_bytes =
        !whole && trained->bucket_bytes > MIB ? MIB : trained->bucket_bytes;
    if (trained->plan.mode != RS_DDP || trained->plan.n_ranks < 2) return RC_GOOD;
    rs_bucket *buckets;
    const rs_status cut =
        rs_cut_buckets(&trained->layers, trained->first_bucket_bytes, trained->bucket_bytes,
                       session->arena, session->error, &buckets, &trained->plan.n_buckets);
    if (cut == RS_OK) trained->plan.buckets = buckets;
    return rc_exit_of(cut);
}

/* One number for all GPUs, or one for each. */
static rc_exit read_batch(rc_session *session, rc_trained *trained) {
    const char *text = session->options.value[RC_BATCH];
    const int32_t n = trained->plan.n_ranks;
    int64_t *given, n_given, *batch = rs_alloc(session->arena, (size_t)n, sizeof *batch);
    rs_error reason;
    if (batch == NULL) return rc_fail(session->error, RC_LACKS, _("no memory"));
    const rc_exit status = rc_parse_numbers(text == NULL ? "32" : text, 1, MOST_BATCH,
                                            session->arena, &reason, &given, &n_given);
    if (status != RC_GOOD) return rc_blame(RC_BATCH, &reason, status, session->error);
    if (n_given != 1 && (n_given != n || trained->n_sizes > 1)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--batch %.60s: give one number for all, or one for each of %d GPUs"),
                       text, (int)n);
    }
    for (int32_t r = 0; r < n; r++) batch[r] = given[n_given == 1 ? 0 : r];
    trained->plan.batch = batch;
    return RC_GOOD;
}

rc_exit rc_read_train_step(rc_session *session, rc_trained *trained) {
    rc_reader read = rc_reader_of(session);
    rs_step_plan *plan = &trained->plan;
    plan->overlap = session->options.value[RC_NO_OVERLAP] == NULL;
    plan->layers = &trained->layers;
    plan->schedule = &trained->schedule;
    plan->keep_pieces = true;
    plan->mode = (rs_parallel)rc_read_choice(&read, RC_MODE);
    plan->flops_per_s = (uint64_t)rc_read_number(&read, RC_FLOPS);
    plan->accumulate = (int32_t)rc_read_number(&read, RC_ACCUMULATE);
    rc_exit status = read.status;
    if (status == RC_GOOD) status = read_share(session, &plan->python);
    if (status == RC_GOOD) status = read_buckets(session, trained);
    return status == RC_GOOD ? read_batch(session, trained) : status;
}
