/* train_json.c: a training as one JSON object, schema ringsim.train/1, written as it goes.
 *
 *   - A list of GPUs has only `scaling`, and null where one number of GPUs has more.
 *   - Layers are named where a bucket begins and ends; numbers that are none (a training that ran
 *     away) are null.
 */
#include "systems/train.h"

#include <math.h>

/* ------------------------------------------------------------------ small things */

static void put_text(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fputc('\\', out);
        if (c < ' ') {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void put_number(const char *key, double value, FILE *out) {
    if (isfinite(value)) {
        fprintf(out, ",\"%s\":%.9g", key, value);
    } else {
        fprintf(out, ",\"%s\":null", key);
    }
}

static void put_integer(const char *key, int64_t value, FILE *out) {
    fprintf(out, ",\"%s\":%lld", key, (long long)value);
}

static void put_yes(const char *key, bool yes, FILE *out) {
    fprintf(out, ",\"%s\":%s", key, yes ? "true" : "false");
}

static void put_ratio(const char *key, rs_ratio ratio, FILE *out) {
    put_number(key, ratio.den > 0 ? (double)ratio.num / (double)ratio.den : 0, out);
}

/* ------------------------------------------------------------------ the step */

static void put_buckets(const rc_trained *t, FILE *out) {
    fputs(",\"buckets\":[", out);
    for (int32_t b = 0; b < t->plan.n_buckets; b++) {
        const rs_bucket *bucket = &t->plan.buckets[b];
        const rs_bucket_time *time = &t->time.buckets[b];
        fputs(b > 0 ? ",{\"first\":" : "{\"first\":", out);
        put_text(t->layers.items[bucket->first_layer].name, out);
        fputs(",\"last\":", out);
        put_text(t->layers.items[bucket->last_layer].name, out);
        put_integer("count", bucket->count, out);
        put_integer("bytes", bucket->count * RS_ELEMENT_BYTES, out);
        put_integer("ready_ps", time->ready_ps, out);
        put_integer("start_ps", time->start_ps, out);
        put_integer("end_ps", time->end_ps, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_memory(const rc_trained *t, FILE *out) {
    fputs(",\"memory\":[", out);
    for (int32_t r = 0; r < t->plan.n_ranks; r++) {
        const rs_memory *m = &t->time.memory[r];
        fprintf(out, "%s{\"weights\":%lld", r > 0 ? "," : "", (long long)m->weights);
        put_integer("gradients", m->gradients, out);
        put_integer("buckets", m->buckets, out);
        put_integer("activations", m->activations, out);
        put_integer("data", m->data, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_pieces(const rc_trained *t, FILE *out) {
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
                                                  [RS_WORK_REDUCE] = "reduce-gradients"};
    fputs(",\"pieces\":[", out);
    for (int64_t i = 0; i < t->time.n_pieces; i++) {
        const rs_piece *p = &t->time.pieces[i];
        fprintf(out, "%s{\"lane\":\"%s\",\"work\":\"%s\"", i > 0 ? "," : "", lanes[p->lane],
                spans[p->work]);
        put_integer("rank", p->rank, out);
        put_integer("index", p->index, out);
        put_integer("start_ps", p->start_ps, out);
        put_integer("end_ps", p->end_ps, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_step(const rc_trained *t, FILE *out) {
    const rs_step_time *time = &t->time;
    put_integer("step_ps", time->step_ps, out);
    if (t->apart_ps >= 0) {
        put_integer("step_without_overlap_ps", t->apart_ps, out);
    } else {
        fputs(",\"step_without_overlap_ps\":null", out);
    }
    put_integer("forward_ps", time->forward_ps, out);
    put_integer("backward_ps", time->backward_ps, out);
    put_integer("update_ps", time->update_ps, out);
    put_integer("exchange_ps", time->exchange_ps, out);
    put_integer("exposed_ps", time->exposed_ps, out);
    put_integer("gil_ps", time->gil_ps, out);
    put_buckets(t, out);
    put_memory(t, out);
}

/* ------------------------------------------------------------------ the training */

static void put_steps(const rs_training *result, FILE *out) {
    fputs(",\"steps\":[", out);
    for (int32_t s = 0; s < result->n_steps; s++) {
        const rs_train_step *step = &result->steps[s];
        fprintf(out, "%s{\"samples\":%lld", s > 0 ? "," : "", (long long)step->n_samples);
        put_number("loss", step->loss, out);
        put_number("loss_of_gpu_0", step->first_loss, out);
        put_number("drift", step->drift, out);
        put_integer("right", step->n_right, out);
        put_yes("checked", step->checked, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_training(const rc_trained *t, FILE *out) {
    const rs_training *result = &t->result;
    if (!t->real) {
        fputs(",\"training\":null", out);
        return;
    }
    fprintf(out, ",\"training\":{\"dataset\":%lld", (long long)t->train.sampling.n_samples);
    put_integer("epochs", t->train.n_epochs, out);
    put_integer("steps_per_epoch", result->steps_per_epoch, out);
    put_number("rate", t->train.rate, out);
    fprintf(out, ",\"mean\":\"%s\"", t->train.mean == RS_MEAN_RANKS ? "ranks" : "samples");
    put_yes("replicas_equal", result->replicas_equal, out);
    put_integer("checked_steps", result->n_checked, out);
    if (result->n_checked > 0) {
        put_yes("exact", result->exact, out);
        put_yes("bounded", result->bounded, out);
        put_number("share_of_bound", result->worst_share, out);
        put_number("off_the_mean", result->off, out);
    } else {
        fputs(",\"exact\":null,\"bounded\":null,\"share_of_bound\":null,\"off_the_mean\":null",
              out);
    }
    fputs(",\"weights_crc32\":[", out);
    for (int32_t r = 0; r < t->plan.n_ranks; r++) {
        fprintf(out, r > 0 ? ",%lu" : "%lu", (unsigned long)result->crc32[r]);
    }
    fputc(']', out);
    put_steps(result, out);
    fputc('}', out);
}

/* ------------------------------------------------------------------ the door */

static void put_head(const rc_trained *t, FILE *out) {
    static const char *const modes[] = {"ddp", "dp", "none"};
    const rs_step_plan *plan = &t->plan;
    fprintf(out, "{\"schema\":\"ringsim.train/1\",\"version\":\"%s\",\"model\":", RINGSIM_VERSION);
    put_text(t->model, out);
    fprintf(out, ",\"mode\":\"%s\",\"algorithm\":\"%s\"", modes[plan->mode], t->schedule.name);
    put_integer("parameters", t->layers.parameters, out);
    put_integer("flops_a_sample", t->layers.flops, out);
    fprintf(out, ",\"flops_per_s\":%llu", (unsigned long long)plan->flops_per_s);
    put_ratio("python_share", plan->python, out);
    put_integer("accumulate", plan->accumulate, out);
    put_yes("overlap", plan->overlap, out);
    put_integer("bucket_bytes", t->bucket_bytes, out);
    put_integer("alpha_ps", plan->net.link.alpha_ps, out);
    fprintf(out, ",\"bandwidth_Bps\":%llu", (unsigned long long)plan->net.link.bandwidth_Bps);
}

void rc_json_trained(const rc_trained *t, bool pieces, FILE *out) {
    put_head(t, out);
    if (t->n_sizes == 1) {
        put_integer("gpus", t->plan.n_ranks, out);
        fputs(",\"batch\":[", out);
        for (int32_t r = 0; r < t->plan.n_ranks; r++) {
            fprintf(out, r > 0 ? ",%lld" : "%lld", (long long)t->plan.batch[r]);
        }
        fputc(']', out);
        put_step(t, out);
        put_training(t, out);
    } else {
        put_integer("batch", t->plan.batch[0], out);
    }
    fputs(",\"scaling\":[", out);
    for (int32_t i = 0; i < t->n_scaling; i++) {
        const rv_scaling *row = &t->scaling[i];
        fprintf(out, "%s{\"gpus\":%d", i > 0 ? "," : "", (int)row->n_ranks);
        put_integer("ddp_step_ps", row->ddp_ps, out);
        put_integer("dp_step_ps", row->dp_ps, out);
        fputc('}', out);
    }
    fputc(']', out);
    if (pieces && t->n_sizes == 1) put_pieces(t, out);
    fputs("}\n", out);
}
