/* sampler_json.c: what `sampler` dealt out as one JSON object, schema ringsim.sampler/1.
 *
 *   - Written as it goes: a hundred million indices are no tree in memory.
 *   - `indices` is the first epoch's; `epochs` holds all of them, be it one.
 *   - Two epochs whose order_seed (seed + epoch) is the same have the same order.
 */
#include "base/json_file.h"
#include "sampler/sampler.h"

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

void rc_json_sampled(const rv_sampler_story *sampled, FILE *out) {
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
