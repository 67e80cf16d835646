/* train_print.c: a training as one JSON object, schema ringsim.train/1, written as it goes; a step's time against the number of
 * GPUs, in both modes, as table and CSV: each GPU has the same batch whatever their number, so twice the GPUs could train on
 * twice the samples a second.
 *
 *   - A list of GPUs has only `scaling`, and null where one number of GPUs has more.
 *   - Layers are named where a bucket begins and ends; numbers that are none (a training that ran
 *     away) are null.
 */
#include "base/json_file.h"
#include "train/train.h"
#include "base/text.h"

/* ------------------------------------------------------------------ small things */

static void put_number(rs_json *json, const char *key, double value) {
    rs_json_number(json, key, value, 9);
}

static double ratio_of(rs_ratio ratio) {
    return ratio.den > 0 ? (double)ratio.num / (double)ratio.den : 0;
}

/* ------------------------------------------------------------------ the step */

/* When a sharded bucket's weights are gathered: after the update, or in both passes. */
static void put_gathers(rs_json *json, const rc_trained *t, int32_t bucket) {
    rs_bucket_time *const *gathers = t->time.gathers;
    if (gathers[0] == NULL) return;
    const rs_bucket_time *first = &gathers[0][bucket];
    if (gathers[1] == NULL) {
        rs_json_integers(json, {"gather_start_ps", first->start_ps},
                         {"gather_end_ps", first->end_ps});
        return;
    }
    const rs_bucket_time *again = &gathers[1][bucket];
    rs_json_integers(json, {"forward_gather_start_ps", first->start_ps},
                     {"forward_gather_end_ps", first->end_ps},
                     {"backward_gather_start_ps", again->start_ps},
                     {"backward_gather_end_ps", again->end_ps});
}

static void put_buckets(rs_json *json, const rc_trained *t) {
    rs_json_array(json, "buckets");
    for (int32_t b = 0; b < t->plan.n_buckets; b++) {
        const rs_bucket *bucket = &t->plan.buckets[b];
        const rs_bucket_time *time = &t->time.buckets[b];
        rs_json_object(json, NULL);
        rs_json_text(json, "first", t->layers.items[bucket->first_layer].name);
        rs_json_text(json, "last", t->layers.items[bucket->last_layer].name);
        rs_json_integers(json, {"count", bucket->count},
                         {"bytes", bucket->count * RS_ELEMENT_BYTES});
        rs_json_known(json, "ready_ps", time->ready_ps);
        rs_json_known(json, "start_ps", time->start_ps);
        rs_json_known(json, "end_ps", time->end_ps);
        put_gathers(json, t, b);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_memory(rs_json *json, const rc_trained *t) {
    rs_json_array(json, "memory");
    for (int32_t r = 0; r < t->plan.n_ranks; r++) {
        const rs_memory *m = &t->time.memory[r];
        rs_json_object(json, NULL);
        rs_json_integers(json, {"weights", m->weights}, {"gradients", m->gradients},
                         {"buckets", m->buckets}, {"activations", m->activations},
                         {"data", m->data}, {"states", m->states});
        rs_json_close(json);
    }
    rs_json_close(json);
}

/* What a model's state takes on the fullest GPU in mixed precision, mode by mode. */
static void put_model_state(rs_json *json, const rc_trained *t) {
    rs_parallel modes[RS_HSDP + 1];
    const int n = rv_compared_modes(&t->plan, modes);
    rs_json_array(json, "model_state");
    for (int i = 0; i < n; i++) {
        const rs_model_state s = rs_model_state_of(&t->plan, modes[i], 0);
        rs_json_object(json, NULL);
        rs_json_text(json, "mode", rs_parallel_name(modes[i]));
        rs_json_integers(json, {"weights", s.weights}, {"gradients", s.gradients}, {"copy", s.copy},
                         {"optimizer", s.optimizer}, {"gathered", s.gathered},
                         {"bytes", rs_model_state_bytes(&s)});
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_pieces(rs_json *json, const rc_trained *t) {
    static const char *const lanes[] = {"gil", "thread", "compute", "network"};
    static const char *const spans[RS_N_WORKS] = {[RS_WORK_GIL_WAIT] = "gil-wait",
                                                  [RS_WORK_PYTHON] = "python",
                                                  [RS_WORK_FORWARD] = "forward",
                                                  [RS_WORK_LOSS] = "loss",
                                                  [RS_WORK_BACKWARD] = "backward",
                                                  [RS_WORK_UPDATE] = "update",
                                                  [RS_WORK_WAIT] = "wait",
                                                  [RS_WORK_ALL_REDUCE] = "all-reduce",
                                                  [RS_WORK_SCATTER] = "scatter-batch",
                                                  [RS_WORK_COPY_MODEL] = "copy-model",
                                                  [RS_WORK_GATHER] = "gather-outputs",
                                                  [RS_WORK_SCATTER_LOSS] = "scatter-loss",
                                                  [RS_WORK_REDUCE] = "reduce-gradients",
                                                  [RS_WORK_REDUCE_SCATTER] = "reduce-scatter",
                                                  [RS_WORK_ALL_GATHER] = "all-gather",
                                                  [RS_WORK_EXTRA] = "small-exchange"};
    rs_json_array(json, "pieces");
    for (int64_t i = 0; i < t->time.n_pieces; i++) {
        const rs_train_span *p = &t->time.pieces[i];
        rs_json_object(json, NULL);
        rs_json_text(json, "lane", lanes[p->lane]);
        rs_json_text(json, "work", spans[p->work]);
        rs_json_integers(json, {"rank", p->rank}, {"index", p->index}, {"start_ps", p->start_ps},
                         {"end_ps", p->end_ps});
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_step(rs_json *json, const rc_trained *t) {
    const rs_step_time *time = &t->time;
    rs_json_integer(json, "step_ps", time->step_ps);
    rs_json_known(json, "step_without_overlap_ps", t->apart_ps);
    rs_json_integers(json, {"forward_ps", time->forward_ps}, {"backward_ps", time->backward_ps},
                     {"update_ps", time->update_ps}, {"exchange_ps", time->exchange_ps},
                     {"exposed_ps", time->exposed_ps}, {"gil_ps", time->gil_ps});
    rs_json_known(json, "waits_for", rs_waits_for(&t->plan));
    rs_json_object(json, "small_exchanges");
    rs_json_integers(json, {"number", time->n_extra}, {"bytes", time->extra_bytes},
                     {"wait_ps", time->extra_ps});
    rs_json_close(json);
    rs_json_i64s(json, "sent_bytes", time->sent_bytes, t->plan.n_ranks);
    put_buckets(json, t);
    put_memory(json, t);
    put_model_state(json, t);
}

/* ------------------------------------------------------------------ the training */

static void put_steps(rs_json *json, const rs_training *result) {
    rs_json_array(json, "steps");
    for (int32_t s = 0; s < result->n_steps; s++) {
        const rs_train_step *step = &result->steps[s];
        rs_json_object(json, NULL);
        rs_json_integer(json, "samples", step->n_samples);
        put_number(json, "loss", step->loss);
        put_number(json, "loss_of_gpu_0", step->first_loss);
        put_number(json, "drift", step->drift);
        rs_json_integer(json, "right", step->n_right);
        rs_json_bool(json, "checked", step->checked);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_training(rs_json *json, const rc_trained *t) {
    const rs_training *result = &t->result;
    if (!t->real) {
        rs_json_null(json, "training");
        return;
    }
    rs_json_object(json, "training");
    rs_json_integers(json, {"dataset", t->train.sampling.n_samples}, {"epochs", t->train.n_epochs},
                     {"steps_per_epoch", result->steps_per_epoch});
    put_number(json, "rate", t->train.rate);
    rs_json_text(json, "mean", t->train.mean == RS_MEAN_RANKS ? "ranks" : "samples");
    rs_json_bool(json, "stopped", result->stopped);
    if (t->ddp.buffers_kept) {
        put_number(json, "buffers_apart", result->buffers_apart);
        put_number(json, "buffers_off", result->buffers_off);
    }
    rs_json_bool(json, "replicas_equal", result->replicas_equal);
    rs_json_integer(json, "checked_steps", result->n_checked);
    if (result->n_checked > 0) {
        rs_json_bool(json, "exact", result->exact);
        rs_json_bool(json, "bounded", result->bounded);
        put_number(json, "share_of_bound", result->worst_share);
        put_number(json, "off_the_mean", result->off);
    } else {
        rs_json_null(json, "exact");
        rs_json_null(json, "bounded");
        rs_json_null(json, "share_of_bound");
        rs_json_null(json, "off_the_mean");
    }
    rs_json_u32s(json, "weights_crc32", result->crc32, t->plan.n_ranks);
    put_steps(json, result);
    rs_json_close(json);
}

/* ------------------------------------------------------------------ the whole */

/* The machine, whose links have their own latency and bandwidth, or those of all links. */
static void put_net(rs_json *json, const rc_trained *t) {
    const rs_net *net = &t->plan.net;
    if (net->machine == NULL) {
        rs_json_integer(json, "alpha_ps", net->link.alpha_ps);
        rs_json_unsigned(json, "bandwidth_Bps", net->link.bandwidth_Bps);
        return;
    }
    rs_json_object(json, "machine");
    rs_json_text(json, "name", net->machine->name);
    rs_json_integers(json, {"gpus", net->machine->n_gpus}, {"nodes", net->machine->n_nodes});
    rs_json_close(json);
}

static void put_head(rs_json *json, const rc_trained *t) {
    const rs_step_plan *plan = &t->plan;
    rs_json_text(json, "model", t->model);
    rs_json_text(json, "mode", rs_parallel_name(plan->mode));
    rs_json_text(json, "optimizer", rs_optimizer_name(plan->optimizer));
    rs_json_text(json, "algorithm", t->schedule.name);
    if (t->gpus_per_node > 0) rs_json_integer(json, "gpus_per_node", t->gpus_per_node);
    rs_json_integers(json, {"parameters", t->layers.parameters},
                     {"flops_a_sample", t->layers.flops});
    rs_json_unsigned(json, "flops_per_s", plan->flops_per_s);
    put_number(json, "python_share", ratio_of(plan->python));
    rs_json_integer(json, "accumulate", plan->accumulate);
    rs_json_bool(json, rs_shards_weights(plan->mode) ? "prefetch" : "overlap", plan->overlap);
    rs_json_integer(json, "bucket_bytes", t->bucket_bytes);
    put_net(json, t);
}

static void put_scaling(rs_json *json, const rc_trained *t) {
    char other[24];
    snprintf(other, sizeof other, "%s_step_ps", rs_parallel_name(rv_other_mode(t->plan.mode)));
    rs_json_array(json, "scaling");
    for (int32_t i = 0; i < t->n_scaling; i++) {
        const rv_scaling *row = &t->scaling[i];
        rs_json_object(json, NULL);
        rs_json_integers(json, {"gpus", row->n_ranks}, {"ddp_step_ps", row->ddp_ps},
                         {other, row->other_ps});
        rs_json_close(json);
    }
    rs_json_close(json);
}

void rc_json_trained(const rc_trained *t, const char *sandbox, bool pieces, FILE *out) {
    rs_json json;
    rc_json_begin(&json, "ringsim.train/1", out);
    put_head(&json, t);
    if (sandbox[0] != '\0') rs_json_text(&json, "sandbox", sandbox);
    if (t->n_sizes == 1) {
        rs_json_integer(&json, "gpus", t->plan.n_ranks);
        rs_json_i64s(&json, "batch", t->plan.batch, t->plan.n_ranks);
        put_step(&json, t);
        put_training(&json, t);
    } else {
        rs_json_integer(&json, "batch", t->plan.batch[0]);
    }
    put_scaling(&json, t);
    if (pieces && t->n_sizes == 1) put_pieces(&json, t);
    rc_json_end(&json);
}

/* ------------------------------------------------------------------ several numbers of GPUs */

enum { NOTE_WIDTH = 79, NUMBER = 32 };

/* Returns in hundredths how many times as many samples a second n GPUs train on as one. */
static int64_t speedup(const rv_scaling *one, const rv_scaling *row, int64_t step_ps) {
    if (step_ps <= 0 || one->n_ranks != 1) return -1;
    return (int64_t)((double)one->ddp_ps * row->n_ranks / (double)step_ps * 100 + 0.5);
}

static void print_speedup(int64_t hundredths, int width) {
    char text[32] = "-";
    if (hundredths >= 0) {
        snprintf(text, sizeof text, "%lld.%02lld", (long long)(hundredths / 100),
                 (long long)(hundredths % 100));
    }
    printf("%*s", width, text);
}

void rc_print_scaling(const rc_trained *trained) {
    char bytes[32];
    const rv_scaling *rows = trained->scaling;
    rv_format_bytes(trained->layers.parameters * RS_ELEMENT_BYTES, bytes, sizeof bytes);
    printf(_("%s, gradients of %s, %lld samples a GPU\n"), trained->model, bytes,
           (long long)trained->plan.batch[0] * trained->plan.accumulate);
    const char *other = rs_parallel_name(rv_other_mode(trained->plan.mode));
    char step[NUMBER], ratio[NUMBER];
    rc_print_padded(_("gpus"), -6);
    for (int mode = 0; mode < 2; mode++) {
        snprintf(step, sizeof step, _("%s step"), mode == 0 ? "ddp" : other);
        rc_print_padded(step, -13);
        rc_print_padded(_("x 1 GPU"), -9);
    }
    const int width = snprintf(ratio, sizeof ratio, "%s / ddp", other) + 1;
    printf(" %*s\n", width, ratio);
    for (int32_t i = 0; i < trained->n_scaling; i++) {
        char ddp[NUMBER], slower[NUMBER];
        rv_format_time(rows[i].ddp_ps, ddp, sizeof ddp);
        rv_format_time(rows[i].other_ps, slower, sizeof slower);
        printf("%6d %12s", (int)rows[i].n_ranks, ddp);
        print_speedup(speedup(&rows[0], &rows[i], rows[i].ddp_ps), 9);
        printf(" %12s", slower);
        print_speedup(speedup(&rows[0], &rows[i], rows[i].other_ps), 9);
        const double times = (double)rows[i].other_ps / (double)rows[i].ddp_ps;
        print_speedup(rows[i].ddp_ps > 0 ? (int64_t)(times * 100 + 0.5) : -1, 1 + width);
        puts("");
    }
    rc_print_wrapped(_("x 1 GPU: how many times as many samples a second as one GPU."), NOTE_WIDTH);
}

void rc_csv_scaling(const rc_trained *trained) {
    printf("gpus,ddp_step_ps,%s_step_ps\n", rs_parallel_name(rv_other_mode(trained->plan.mode)));
    for (int32_t i = 0; i < trained->n_scaling; i++) {
        const rv_scaling *row = &trained->scaling[i];
        printf("%d,%lld,%lld\n", (int)row->n_ranks, (long long)row->ddp_ps,
               (long long)row->other_ps);
    }
}
