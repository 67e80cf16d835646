/* train_gpus.c: on which GPUs, how they share the work, and by which schedule they exchange. */
#include "run/request.h"
#include "train/train.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ the schedule */

rc_exit rc_train_schedule(const rc_trained *trained, int32_t n_ranks, rs_error *error,
                          rs_schedule *schedule) {
    if (trained->algorithm == NULL) return RC_GOOD;
    const rs_spec spec = {.n_ranks = n_ranks,
                          .order = trained->order,
                          .gpus_per_node = trained->gpus_per_node,
                          .dealt = trained->dealt};
    return rc_exit_of(rs_schedule_from_spec(trained->algorithm, &spec, 1, error, schedule));
}

/* A file says for how many GPUs it is; --gpus may only say the same. */
static rc_exit read_file(rc_session *session, const char *path, rc_trained *trained) {
    const rc_value *gpus = &session->options.value[RC_GPUS];
    if (gpus->n > 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("--gpus %.60s: the world size must lie in %d..%d"), gpus->text, 1,
                       RS_MAX_TRAIN_RANKS);
    }
    const rc_exit status = rc_read_schedule(
        session, path, gpus->text != NULL ? (int32_t)gpus->list[0] : 0, &trained->schedule);
    if (status != RC_GOOD) return status;
    if (trained->schedule.collective != RS_COLL_ALL_REDUCE) {
        return rc_fail(session->error, RC_USAGE, _("--algo %.200s: this is for %s, not for %s"),
                       path, rs_collective_name(trained->schedule.collective), "all-reduce");
    }
    gpus->list[0] = trained->schedule.n_ranks;
    if (gpus->list[0] <= RS_MAX_TRAIN_RANKS) return RC_GOOD;
    return rc_fail(session->error, RC_USAGE, _("--algo: at most %d GPUs can be trained"),
                   RS_MAX_TRAIN_RANKS);
}

/* Sharded modes need a reduce-scatter that leaves rank r its own shard. */
static rc_exit take_sharded(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const rs_parallel mode = trained->plan.mode;
    const char *needed = mode == RS_HSDP ? "two-level" : "ring";
    const rc_value *algo = &options->value[RC_ALGO];
    const bool other =
        algo->number == RC_A_FILE || strcmp(rc_any_algorithm_at((int)algo->number), needed) != 0;
    if (rc_given(options, RC_ALGO) && other) {
        return rc_fail(session->error, RC_USAGE,
                       _("--algo %.60s: %s exchanges by %s, whose halves leave each GPU its shard; "
                         "leave --algo out"),
                       algo->text, rs_parallel_name(mode), needed);
    }
    if (rc_given(options, RC_ORDER) && options->value[RC_ORDER].number != RS_ORDER_NCCL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order seed: a reduce-scatter leaves rank r shard r, which is NCCL's "
                         "order; take --order nccl or leave it out"));
    }
    trained->algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, needed);
    trained->order = RS_ORDER_NCCL;
    return RC_GOOD;
}

static rc_exit take_algorithm(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const rc_value *algo = &options->value[RC_ALGO];
    const bool file = algo->number == RC_A_FILE;
    if (rs_is_sharded(trained->plan.mode)) return take_sharded(session, trained);
    trained->order = (rs_order)options->value[RC_ORDER].number;
    const rc_exit status =
        file ? read_file(session, algo->text, trained)
             : rc_algorithm_of(RS_COLL_ALL_REDUCE, algo, session->error, &trained->algorithm);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_ORDER) && (file || strcmp(trained->algorithm->name, "ring") != 0)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order: only the ring has an order to choose"));
    }
    return RC_GOOD;
}

/* Puts as many ranks on the machine as the largest world has. */
static rc_exit take_place(rc_session *session, rc_trained *trained) {
    rs_net *net = &trained->plan.net;
    int32_t most = 1;
    if (trained->machine == NULL) return RC_GOOD;
    for (int64_t i = 0; i < trained->n_sizes; i++) {
        if (trained->sizes[i] > most) most = (int32_t)trained->sizes[i];
    }
    net->machine = trained->machine;
    return rc_take_place(session, trained->machine, most, &net->place);
}

/* hsdp must know its nodes; two-level may choose them. */
static rc_exit take_nodes(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const bool hsdp = trained->plan.mode == RS_HSDP;
    const bool knows = trained->algorithm != NULL && trained->algorithm->accepts != NULL;
    if (rc_given(options, RC_PER_NODE) && !knows) {
        return rc_fail(session->error, RC_USAGE,
                       _("--gpus-per-node: only --mode hsdp and --algo two-level know of nodes"));
    }
    if (!knows) return RC_GOOD;
    rs_spec spec = {.n_ranks = trained->plan.n_ranks};
    const rc_exit status = rc_take_nodes(session, &trained->plan.net, trained->algorithm, &spec);
    if (status != RC_GOOD) return status;
    trained->dealt = spec.dealt && !hsdp; /* whose shards are those of ranks in order */
    trained->gpus_per_node = spec.dealt && hsdp ? 0 : spec.gpus_per_node;
    if (!hsdp ||
        (trained->gpus_per_node > 0 && trained->plan.n_ranks % trained->gpus_per_node == 0)) {
        return RC_GOOD;
    }
    if (trained->gpus_per_node == 0 && trained->machine != NULL) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--mode hsdp: %d GPUs do not fill nodes of %s in order; say --gpus-per-node"),
            (int)trained->plan.n_ranks, trained->machine->name);
    }
    if (trained->gpus_per_node == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--mode hsdp: say how large a node is, by --gpus-per-node or --machine"));
    }
    return rc_fail(session->error, RC_USAGE,
                   _("--mode hsdp: %d GPUs cannot be cut into nodes of %d; take a divisor of %d"),
                   (int)trained->plan.n_ranks, (int)trained->gpus_per_node,
                   (int)trained->plan.n_ranks);
}

static rs_parallel mode_of(const rc_value *value) {
    enum { FSDP = RS_HSDP + 1 }; /* another name */
    return value->number == FSDP ? RS_ZERO3 : (rs_parallel)value->number;
}

rc_exit rc_read_train_gpus(rc_session *session, rc_trained *trained) {
    const rc_value *gpus = &session->options.value[RC_GPUS];
    trained->plan.mode = mode_of(&session->options.value[RC_MODE]);
    rc_exit status = rc_take_machine(session, &trained->machine);
    if (status == RC_GOOD && trained->machine != NULL && !rc_given(&session->options, RC_GPUS)) {
        gpus->list[0] = trained->machine->n_gpus;
    }
    if (status == RC_GOOD && gpus->list[0] > RS_MAX_TRAIN_RANKS) {
        return rc_fail(session->error, RC_USAGE,
                       _("--machine %s: it has %d GPUs, at most %d can be trained; say --gpus"),
                       trained->machine->name, (int)gpus->list[0], RS_MAX_TRAIN_RANKS);
    }
    if (status == RC_GOOD) status = take_algorithm(session, trained);
    if (status != RC_GOOD) return status;
    trained->sizes = gpus->list;
    assert(gpus->n >= 1 && gpus->list[0] >= 1);
    trained->n_sizes = gpus->n;
    trained->plan.n_ranks = (int32_t)gpus->list[0];
    status = take_place(session, trained);
    if (status == RC_GOOD) status = take_nodes(session, trained);
    if (status != RC_GOOD) return status;
    return rc_train_schedule(trained, trained->plan.n_ranks, session->error, &trained->schedule);
}

/* ------------------------------------------------------------------ what makes no sense */

rc_exit rc_check_train_mode(rc_session *session, const rc_trained *trained) {
    const rc_options *options = &session->options;
    const rs_parallel mode = trained->plan.mode;
    const char *name = rs_parallel_name(mode);
    if (rc_given(options, RC_PREFETCH) && !rs_shards_weights(mode)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--prefetch: only zero3 and hsdp gather weights ahead, not %s"), name);
    }
    if (rc_given(options, RC_NO_OVERLAP) && rs_shards_weights(mode)) {
        return rc_fail(session->error, RC_USAGE, _("--no-overlap: under %s that is --prefetch off"),
                       name);
    }
    if (rc_given(options, RC_NO_BROADCAST) && rs_is_sharded(mode)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--no-broadcast: under %s there is one model, in shards; take ddp"), name);
    }
    return RC_GOOD;
}
