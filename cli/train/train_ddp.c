/* train_ddp.c: what DistributedDataParallel minds, out of options: an unused layer, buffers, uneven inputs,
 * accumulated batches. One case at a time. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

static bool given(const rc_session *session, int id) {
    return rc_given(&session->options, id);
}

/* Reads a number below `end` that stands at `text` up to the character `stop`; -1: there is none. */
static int64_t number_at(const char *text, char stop, int64_t end) {
    char *behind;
    const bool digit = *text >= '0' && *text <= '9';
    const long long number = digit ? strtoll(text, &behind, 10) : -1;
    return number >= 0 && number < end && *behind == stop ? number : -1;
}

/* [RANK:]LAYER; a layer's name may begin with digits. */
static rc_exit read_unused(rc_session *session, rc_trained *trained) {
    const rs_layers *layers = &trained->layers;
    rs_ddp_case *ddp = &trained->ddp;
    const char *text = session->options.value[RC_UNUSED].text, *name = text;
    const int32_t n_ranks = trained->plan.n_ranks;
    ddp->unused_rank = (int32_t)number_at(text, ':', n_ranks);
    if (ddp->unused_rank >= 0) name = strchr(text, ':') + 1;
    ddp->unused = (int32_t)number_at(name, '\0', layers->n_layers);
    for (int32_t i = 0; i < layers->n_layers && ddp->unused < 0; i++) {
        if (strcmp(layers->items[i].name, name) == 0) ddp->unused = i;
    }
    if (ddp->unused < 0) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--unused %.80s: give a layer of the model, such as %s, or its number, 0..%d; "
              "with RANK: before it, 0..%d"),
            text, layers->items[layers->n_layers - 1].name, (int)layers->n_layers - 1,
            (int)n_ranks - 1);
    }
    const bool bias = strstr(name = layers->items[ddp->unused].name, ".bias") != NULL;
    if (layers->items[ddp->unused].parameters == 0) {
        return rc_fail(session->error, RC_USAGE, _("--unused %.80s: this layer has no parameters"),
                       name);
    }
    if (trained->real && (!bias || (ddp->find_unused && ddp->unused_rank >= 0))) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--unused: a model that is trained can do without a bias, on all GPUs, or on "
              "one without --find-unused; take a table of layers"));
    }
    return RC_GOOD;
}

static rc_exit read_uneven(rc_session *session, rc_trained *trained) {
    const char *text = session->options.value[RC_UNEVEN].text, *colon = strchr(text, ':');
    rs_ddp_case *ddp = &trained->ddp;
    const int64_t rank = number_at(text, ':', trained->plan.n_ranks);
    ddp->ended_rank = (int32_t)rank;
    ddp->fewer = colon != NULL ? number_at(colon + 1, '\0', INT32_MAX) : -1;
    if (rank >= 0 && ddp->fewer > 0) return RC_GOOD;
    return rc_fail(
        session->error, RC_USAGE,
        _("--uneven %.40s: give a GPU, 0..%d, and how many batches fewer it has, at least "
          "1, such as 1:2"),
        text, (int)trained->plan.n_ranks - 1);
}

/* Refuses what does not go together. */
static rc_exit check(rc_session *session, const rc_trained *trained) {
    static const int ids[] = {RC_UNUSED, RC_UNEVEN, RC_BUFFERS, RC_EVERY_BATCH};
    const rs_step_plan *plan = &trained->plan;
    int n = 0, first = RC_UNUSED;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (given(session, ids[i]) && n++ == 0) first = ids[i];
    }
    if (given(session, RC_FIND_UNUSED) && n == 0) first = RC_FIND_UNUSED, n = 1;
    const char *name = rc_option_of(session->options.command, first).name;
    if (given(session, RC_JOIN) && !given(session, RC_UNEVEN)) {
        return rc_fail(session->error, RC_USAGE, _("--join: that is for --uneven RANK:K"));
    }
    if (given(session, RC_EVERY_BATCH) && plan->accumulate < 2) {
        return rc_fail(session->error, RC_USAGE,
                       _("--every-batch: that is for --accumulate K, K at least 2"));
    }
    if (n > 0 && (plan->mode != RS_DDP || plan->n_ranks < 2 || trained->n_sizes > 1)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--%s: that is for --mode ddp on one number of GPUs, at least 2"), name);
    }
    if (n > 1 || (n == 1 && first != RC_EVERY_BATCH && plan->accumulate > 1)) {
        return rc_fail(session->error, RC_USAGE, _("--%s: show one case at a time; leave %s out"),
                       name, n > 1 ? _("the others") : "--accumulate");
    }
    if (trained->ddp.buffers != RS_BUFFERS_OWN && trained->layers.buffers == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--buffers: no layer of %.60s has any (ringsim-lay(5): buffers)"),
                       trained->model);
    }
    return RC_GOOD;
}

rc_exit rc_read_ddp_case(rc_session *session, rc_trained *trained) {
    rs_ddp_case *ddp = &trained->ddp;
    *ddp = rs_ddp_usual;
    ddp->find_unused = given(session, RC_FIND_UNUSED);
    ddp->buffers = (rs_buffers)session->options.value[RC_BUFFERS].number;
    ddp->buffers_kept = given(session, RC_BUFFERS);
    ddp->join = given(session, RC_JOIN);
    ddp->every_batch = given(session, RC_EVERY_BATCH);
    trained->plan.ddp = trained->train.ddp = ddp;
    trained->train.n_passes = ddp->every_batch ? trained->plan.accumulate : 1;
    rc_exit status = check(session, trained);
    if (status == RC_GOOD && given(session, RC_UNUSED)) status = read_unused(session, trained);
    if (status == RC_GOOD && given(session, RC_UNEVEN)) status = read_uneven(session, trained);
    return status;
}
