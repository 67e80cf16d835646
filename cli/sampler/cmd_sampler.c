/* cmd_sampler.c: `ringsim sampler`: which GPU sees which sample, in one epoch or several side by side.
 *
 * Exit status 0 whatever is seen twice or by nobody; 2: numbers that make no sense.
 */
#include "base/json_file.h"
#include "run/show.h"
#include "story/story_sampler.h"

/* Options of its own. */
enum { EPOCH = RC_OWN, TOTAL_BATCH };

enum { MOST_BATCH = 1000000000, MOST_EPOCHS = 64 };

static rs_sampling sampling_of(const rc_options *options) {
    const rc_value *value = options->value;
    return (rs_sampling){.n_samples = value[RC_DATASET].number,
                         .n_ranks = (int32_t)value[RC_GPUS].number,
                         .seed = (uint64_t)value[RC_SEED].number,
                         .epoch = (uint64_t)value[EPOCH].number,
                         .shuffle = rc_given(options, RC_SHUFFLE),
                         .drop_last = rc_given(options, RC_DROP_LAST)};
}

/* A batch is counted per GPU, as data loaders count it, or in total, as some programs do. */
static rc_exit read_batch(rc_session *session, const rs_shards *shards, rs_batches *batches) {
    const rc_options *options = &session->options;
    const int64_t gpus = shards->of.n_ranks;
    const int64_t each = options->value[RC_BATCH].number;
    const int64_t total = options->value[TOTAL_BATCH].number;
    if (each > 0 && total > 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--batch is per GPU and --total-batch of all GPUs: give one of them"));
    }
    if (total % gpus != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--total-batch %.60s: no multiple of %d GPUs, so they cannot share it "
                         "evenly; try %lld"),
                       options->value[TOTAL_BATCH].text, (int)gpus,
                       (long long)((total / gpus + 1) * gpus));
    }
    if (each + total > 0) rs_batches_of(shards, total > 0 ? total / gpus : each, batches);
    return RC_GOOD;
}

/* How many samples GPU 0 has met at least once after all epochs. */
static rc_exit count_met(rc_session *session, rv_sampler_story *sampled) {
    const rs_shards *first = &sampled->epochs[0];
    uint8_t *met = rs_alloc(session->arena, (size_t)first->of.n_samples + 1, 1);
    if (met == NULL) return rc_no_memory(session->error);
    for (int e = 0; e < sampled->n_epochs; e++) {
        for (int64_t i = 0; i < first->per_rank; i++) {
            uint8_t *sample = &met[rs_shard_sample(&sampled->epochs[e], 0, i)];
            sampled->met += *sample == 0;
            *sample = 1;
        }
    }
    return RC_GOOD;
}

static rc_exit deal(rc_session *session, rv_sampler_story **dealt, rv_story *story) {
    rs_sampling sampling = sampling_of(&session->options);
    const int n_epochs = (int)session->options.value[RC_EPOCHS].number;
    rv_sampler_story *sampled = rs_alloc(session->arena, 1, sizeof *sampled);
    rs_shards *epochs = rs_alloc(session->arena, (size_t)n_epochs, sizeof *epochs);
    if (sampled == NULL || epochs == NULL) return rc_no_memory(session->error);
    *dealt = sampled;
    rc_exit status = RC_GOOD;
    *sampled = (rv_sampler_story){.epochs = epochs,
                                  .n_epochs = n_epochs,
                                  .first_epoch = sampling.epoch,
                                  .forgotten = rc_given(&session->options, RC_FORGET_EPOCH)};
    if (sampled->forgotten) sampling.epoch = 0; /* what it is before anybody sets it */
    for (int e = 0; e < n_epochs && status == RC_GOOD; e++) {
        status = rc_exit_of(rs_shard(&sampling, session->arena, session->error, &epochs[e]));
        if (!sampled->forgotten) sampling.epoch++;
    }
    if (status == RC_GOOD) status = read_batch(session, &epochs[0], &sampled->batches);
    if (status == RC_GOOD) status = count_met(session, sampled);
    if (status == RC_GOOD) rv_story_sampler(sampled, story);
    return status;
}

/* ------------------------------------------------------------------ JSON */

/* Written as it goes: a hundred million indices are no tree in memory. `indices` is the first epoch's; `epochs`
   holds all of them, be it one. Two epochs whose order_seed (seed + epoch) is the same have the same order. */
static void put_indices(rs_json *json, const rs_shards *shards) {
    rs_json_array(json, "indices");
    for (int32_t r = 0; r < shards->of.n_ranks; r++) {
        rs_json_array(json, NULL);
        for (int64_t i = 0; i < shards->per_rank; i++) {
            rs_json_integer(json, NULL, rs_shard_sample(shards, r, i));
        }
        rs_json_close(json);
    }
    rs_json_close(json);
}

/* The samples that padding repeats, with the GPUs that see them. */
static void put_repeated(rs_json *json, const rs_shards *shards) {
    const int64_t n = shards->of.n_samples;
    rs_json_array(json, "repeated");
    for (int64_t place = 0; place < n && place < shards->n_padded; place++) {
        rs_json_object(json, NULL);
        rs_json_integer(json, "sample", rs_shard_position(shards, place));
        rs_json_array(json, "ranks");
        for (int64_t p = place; p < shards->total; p += n) {
            rs_json_integer(json, NULL, p % shards->of.n_ranks);
        }
        rs_json_close(json);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_dropped(rs_json *json, const rs_shards *shards) {
    rs_json_array(json, "dropped");
    for (int64_t p = shards->total; p < shards->of.n_samples; p++) {
        rs_json_integer(json, NULL, shards->order != NULL ? shards->order[p] : p);
    }
    rs_json_close(json);
}

static void put_batches(rs_json *json, const rs_batches *b) {
    if (b->per_rank == 0) {
        rs_json_null(json, "batch");
        return;
    }
    rs_json_object(json, "batch");
    rs_json_integers(json, {"per_gpu", b->per_rank}, {"total", b->per_step}, {"steps", b->n_steps},
                     {"last", b->last});
    rs_json_close(json);
}

static void put_epochs(rs_json *json, const rv_sampler_story *sampled) {
    rs_json_array(json, "epochs");
    for (int e = 0; e < sampled->n_epochs; e++) {
        const rs_shards *shards = &sampled->epochs[e];
        rs_json_object(json, NULL);
        rs_json_unsigned(json, "epoch", sampled->first_epoch + (uint64_t)e);
        rs_json_unsigned(json, "order_seed", shards->of.seed + shards->of.epoch);
        put_indices(json, shards);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_request(rs_json *json, const rv_sampler_story *sampled) {
    const rs_shards *first = &sampled->epochs[0];
    const rs_sampling *of = &first->of;
    rs_json_integers(json, {"dataset", of->n_samples}, {"gpus", of->n_ranks});
    rs_json_bool(json, "shuffle", of->shuffle);
    rs_json_bool(json, "drop_last", of->drop_last);
    rs_json_unsigned(json, "seed", of->seed);
    rs_json_unsigned(json, "epoch", sampled->first_epoch);
    rs_json_bool(json, "set_epoch", !sampled->forgotten);
    rs_json_integers(json, {"num_samples", first->per_rank}, {"total_size", first->total},
                     {"padded", first->n_padded});
}

static void write_json(const rv_sampler_story *sampled, FILE *out) {
    const rs_shards *first = &sampled->epochs[0];
    rs_json json;
    rc_json_begin(&json, "ringsim.sampler/1", out);
    put_request(&json, sampled);
    put_indices(&json, first);
    put_repeated(&json, first);
    put_dropped(&json, first);
    put_batches(&json, &sampled->batches);
    put_epochs(&json, sampled);
    rs_json_integer(&json, "met_by_gpu_0", sampled->met);
    rs_json_object(&json, "generator");
    rs_json_text(&json, "name", "mt19937");
    rs_json_text(&json, "seeded_with", "seed + epoch, low 32 bits");
    rs_json_text(&json, "draw", "i swaps with i + next mod (n - i)");
    rs_json_text(&json, "equals", "torch.randperm, CPU");
    rs_json_close(&json);
    rc_json_end(&json);
}

/* ------------------------------------------------------------------ the command */

static rc_exit sampler_subject(rc_session *session, rv_subject *subject) {
    rv_story story;
    rv_sampler_story *sampled;
    const rc_exit status = deal(session, &sampled, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

static rc_exit cmd_sampler(rc_session *session) {
    rc_showing showing;
    rv_sampler_story *sampled;
    rv_story story;
    rc_exit status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = deal(session, &sampled, &story);
    status = rc_show_story(session, &showing, status, &story);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) write_json(sampled, stdout);
    return status == RC_GOOD ? rc_print_figures(session, &showing, &story) : status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "N", N_("GPUs that share the dataset, 4"), RC_INTEGER(1, RS_MAX_RANKS, "4")},
    {RC_SEED, NULL, 0, "S", N_("of the shuffled orders, 0; epoch E has the order S + E"), NULL},
    {.id = RC_DATASET, .type = RC_INTEGER(0, RS_MAX_SAMPLES, "10")},
    {EPOCH, "epoch", 0, "E", N_("the epoch, or the first of several; 0"),
     RC_TYPE(rc_as_seed, NULL)},
    {.id = RC_EPOCHS, .type = RC_INTEGER(1, MOST_EPOCHS, "1")},
    {.id = RC_BATCH, .type = RC_INTEGER(1, MOST_BATCH, NULL)},
    {TOTAL_BATCH, "total-batch", 0, "B", N_("samples that all GPUs together take at a time"),
     RC_INTEGER(1, MOST_BATCH, NULL)},
};

const rc_command rc_command_sampler = {
    .name = "sampler",
    .operands = "",
    .summary = N_("who sees which sample"),
    RC_TAKES(RC_GPUS, RC_SEED, RC_TAKE_WALK, RC_DATASET, RC_SHUFFLE, EPOCH, RC_EPOCHS,
             RC_FORGET_EPOCH, RC_DROP_LAST, RC_BATCH, TOTAL_BATCH, RC_TAKE_STORY),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, RC_DATASET, RC_SHUFFLE, RC_SEED, EPOCH, RC_EPOCHS, RC_FORGET_EPOCH,
             RC_DROP_LAST, RC_BATCH, TOTAL_BATCH, RC_STEP, RC_VIEW, RC_LANG, RC_JSON, RC_EXPORT),
    .run = cmd_sampler,
    .subject = sampler_subject};
