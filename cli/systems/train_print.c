/* train_print.c: a training in figures: buckets, the step, memory, some updates, the verdict. The
 * sentences are those of the story. */
#include "base/text.h"
#include "systems/train.h"

enum { WIDTH = 79, MOST_BUCKETS = 16, HEAD_BUCKETS = 12, NUMBER = 32, FIRST = 12, COLUMN = 12 };

/* Prints the sentence of a moment. */
static void print_moment(const rv_story *story, int32_t step, rs_arena *arena) {
    rv_frame *frame = rs_alloc(arena, 1, sizeof *frame);
    rs_error ignored;
    if (frame == NULL) return;
    frame->arena = arena;
    if (story->frame(story, step, 0, frame, &ignored) != RS_OK) return;
    puts("");
    rc_print_wrapped(frame->caption, WIDTH);
}

static void print_head(const rc_trained *t, const rv_story *story) {
    const int64_t *batch = t->plan.batch;
    const long long parameters = t->layers.parameters;
    char bytes[NUMBER];
    int64_t all = 0;
    for (int32_t r = 0; r < t->plan.n_ranks; r++) all += batch[r];
    rv_format_bytes(t->layers.parameters * RS_ELEMENT_BYTES, bytes, sizeof bytes);
    if (all == batch[0] * t->plan.n_ranks) {
        printf(_("%s\n%lld parameters, gradients of %s, %lld samples a GPU\n"), story->title(story),
               parameters, bytes, (long long)batch[0]);
    } else {
        printf(_("%s\n%lld parameters, gradients of %s, %lld samples on all GPUs together\n"),
               story->title(story), parameters, bytes, (long long)all);
    }
}

/* ------------------------------------------------------------------ the step */

static void print_cell(const char *text, int width) {
    printf("  %*s", width - 2, text);
}

static void print_time(int64_t ps) {
    char text[NUMBER];
    rv_format_time(ps, text, sizeof text);
    print_cell(text, COLUMN);
}

/* The heads of a bucket's times; gathers stand where they happen. */
static void print_heads(const rc_trained *t) {
    const bool again = t->time.gathers[1] != NULL, after = t->time.gathers[0] != NULL && !again;
    printf("\n%*s", FIRST, "");
    print_cell("bytes", COLUMN);
    if (again) print_cell("gathered", COLUMN);
    if (again) print_cell("again", COLUMN);
    print_cell("ready", COLUMN);
    print_cell("from", COLUMN);
    print_cell("until", COLUMN);
    if (after) print_cell("gathered", COLUMN);
    puts("");
}

static void print_bucket(const rc_trained *t, int32_t b) {
    char name[NUMBER], bytes[NUMBER];
    rs_bucket_time *const *gathers = t->time.gathers;
    snprintf(name, sizeof name, _("bucket %d"), (int)b + 1);
    rc_print_padded(name, FIRST);
    rv_format_bytes(t->plan.buckets[b].count * RS_ELEMENT_BYTES, bytes, sizeof bytes);
    print_cell(bytes, COLUMN);
    if (gathers[1] != NULL) print_time(gathers[0][b].end_ps);
    if (gathers[1] != NULL) print_time(gathers[1][b].end_ps);
    print_time(t->time.buckets[b].ready_ps);
    print_time(t->time.buckets[b].start_ps);
    print_time(t->time.buckets[b].end_ps);
    if (gathers[0] != NULL && gathers[1] == NULL) print_time(gathers[0][b].end_ps);
    puts("");
}

static void print_buckets(const rc_trained *t) {
    const rs_step_plan *plan = &t->plan;
    if (plan->n_buckets == 0) return;
    print_heads(t);
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        if (plan->n_buckets > MOST_BUCKETS && b == HEAD_BUCKETS) {
            b = plan->n_buckets - 1;
            puts("...");
        }
        print_bucket(t, b);
    }
}

static void print_step(const rc_trained *t) {
    const rs_step_time *time = &t->time;
    char step[NUMBER], forward[NUMBER], backward[NUMBER], update[NUMBER];
    rv_format_time(time->step_ps, step, sizeof step);
    rv_format_time(time->forward_ps, forward, sizeof forward);
    rv_format_time(time->backward_ps, backward, sizeof backward);
    rv_format_time(time->update_ps, update, sizeof update);
    printf(_("\nstep %s: forward %s, backward %s, update %s\n"), step, forward, backward, update);
}

static void print_exchange(const rc_trained *t) {
    const rs_step_time *time = &t->time;
    char exchange[NUMBER], hidden[NUMBER], waits[NUMBER], apart[NUMBER], gil[NUMBER];
    const int64_t hidden_ps = time->exchange_ps - time->exposed_ps;
    rv_format_time(time->exchange_ps, exchange, sizeof exchange);
    rv_format_time(hidden_ps > 0 ? hidden_ps : 0, hidden, sizeof hidden);
    rv_format_time(time->exposed_ps, waits, sizeof waits);
    rv_format_time(t->apart_ps, apart, sizeof apart);
    rv_format_time(time->gil_ps, gil, sizeof gil);
    if (t->apart_ps >= 0) {
        printf(_("exchange %s: %s hidden, %s waited for\n"), exchange, hidden, waits);
        printf(rs_shards_weights(t->plan.mode) ? _("without prefetch the step takes %s\n")
                                               : _("without overlap the step takes %s\n"),
               apart);
    } else if (t->plan.mode == RS_DP && t->plan.n_ranks > 1) {
        printf(_("exchange %s, all of it through GPU 0\n"), exchange);
        printf(_("Python %s, one thread at a time (GIL)\n"), gil);
    }
}

static int64_t memory_of(const rs_memory *m) {
    return m->weights + m->gradients + m->buckets + m->activations + m->data + m->states;
}

static void print_memory(const rc_trained *t) {
    char first[NUMBER], other[NUMBER];
    const rs_memory *memory = t->time.memory;
    rv_format_bytes(memory_of(&memory[0]), first, sizeof first);
    if (t->plan.n_ranks == 1) {
        printf(_("memory: %s\n"), first);
        return;
    }
    rv_format_bytes(memory_of(&memory[1]), other, sizeof other);
    printf(_("memory: GPU 0 %s, GPU 1 %s\n"), first, other);
}

/* ------------------------------------------------------------------ updates */

/* The last column is for classes: how many samples the model puts into their own. */
static void print_update(const rs_train_step *step, int32_t number, bool classes) {
    char loss[NUMBER], first[NUMBER], drift[NUMBER];
    snprintf(loss, sizeof loss, "%.4g", step->loss);
    snprintf(first, sizeof first, "%.4g", step->first_loss);
    snprintf(drift, sizeof drift, "%.3g", step->drift);
    printf("%8d%*lld", (int)number + 1, COLUMN, (long long)step->n_samples);
    print_cell(loss, COLUMN);
    print_cell(first, COLUMN);
    print_cell(drift, COLUMN);
    if (classes) {
        snprintf(drift, sizeof drift, "%.0f %%",
                 100.0 * (double)step->n_right / (double)step->n_samples);
        print_cell(drift, COLUMN);
    }
    puts("");
}

/* 1, 2, 4, 8, ... and the last. */
static void print_updates(const rc_trained *t) {
    const rs_training *result = &t->result;
    if (result->n_steps == 0) return;
    const bool classes = t->train.model.n_sizes > 2;
    printf("\n%8s%*s%*s%*s%*s", "update", COLUMN, "samples", COLUMN, "loss", COLUMN, "of GPU 0",
           COLUMN, "drift");
    if (classes) print_cell("right", COLUMN);
    puts("");
    int32_t at = 1;
    for (; at < result->n_steps; at = at < INT32_MAX / 2 ? 2 * at : result->n_steps) {
        print_update(&result->steps[at - 1], at - 1, classes);
    }
    print_update(&result->steps[result->n_steps - 1], result->n_steps - 1, classes);
}

void rc_print_trained(const rc_trained *t, const rv_story *story, rs_arena *arena) {
    print_head(t, story);
    print_buckets(t);
    print_step(t);
    print_exchange(t);
    print_memory(t);
    if (rs_is_sharded(t->plan.mode) || t->plan.optimizer != RS_SGD) rc_print_model_state(t);
    if (t->real) print_updates(t);
    if (t->real) print_moment(story, story->n_steps, arena);
}
