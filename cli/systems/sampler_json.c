/* sampler_json.c: what `sampler` dealt out as one JSON object, schema ringsim.sampler/1.
 *
 *   - Written as it goes: a hundred million indices are no tree in memory.
 *   - `indices` is the first epoch's; `epochs` holds all of them where several were asked for.
 *   - Two epochs whose order_seed (seed + epoch) is the same have the same order.
 */
#include "systems/sampler.h"

static void put_indices(const rs_shards *shards, FILE *out) {
    fputs("\"indices\":[", out);
    for (int32_t r = 0; r < shards->of.n_ranks; r++) {
        fputs(r > 0 ? ",[" : "[", out);
        for (int64_t i = 0; i < shards->per_rank; i++) {
            fprintf(out, i > 0 ? ",%lld" : "%lld", (long long)rs_shard_sample(shards, r, i));
        }
        fputc(']', out);
    }
    fputc(']', out);
}

/* The samples that padding repeats, with the GPUs that see them. */
static void put_repeated(const rs_shards *shards, FILE *out) {
    const int64_t n = shards->of.n_samples;
    fputs(",\"repeated\":[", out);
    for (int64_t place = 0; place < n && place < shards->n_padded; place++) {
        fprintf(out, "%s{\"sample\":%lld,\"ranks\":[", place > 0 ? "," : "",
                (long long)rs_shard_position(shards, place));
        for (int64_t p = place; p < shards->total; p += n) {
            fprintf(out, p > place ? ",%d" : "%d", (int)(p % shards->of.n_ranks));
        }
        fputs("]}", out);
    }
    fputc(']', out);
}

static void put_dropped(const rs_shards *shards, FILE *out) {
    fputs(",\"dropped\":[", out);
    for (int64_t p = shards->total; p < shards->of.n_samples; p++) {
        fprintf(out, p > shards->total ? ",%lld" : "%lld",
                (long long)(shards->order != NULL ? shards->order[p] : p));
    }
    fputc(']', out);
}

static void put_batches(const rs_batches *b, FILE *out) {
    if (b->per_rank == 0) {
        fputs(",\"batch\":null", out);
        return;
    }
    fprintf(out, ",\"batch\":{\"per_gpu\":%lld,\"total\":%lld,\"steps\":%lld,\"last\":%lld}",
            (long long)b->per_rank, (long long)b->per_step, (long long)b->n_steps,
            (long long)b->last);
}

static void put_epochs(const rc_sampled *sampled, FILE *out) {
    if (sampled->n_epochs == 1) return;
    fputs(",\"epochs\":[", out);
    for (int e = 0; e < sampled->n_epochs; e++) {
        const rs_shards *shards = &sampled->epochs[e];
        fprintf(out, "%s{\"epoch\":%llu,\"order_seed\":%llu,", e > 0 ? "," : "",
                (unsigned long long)(sampled->first_epoch + (uint64_t)e),
                (unsigned long long)(shards->of.seed + shards->of.epoch));
        put_indices(shards, out);
        fputc('}', out);
    }
    fputc(']', out);
}

void rc_json_sampled(const rc_sampled *sampled, int64_t met, FILE *out) {
    const rs_shards *first = &sampled->epochs[0];
    const rs_sampling *of = &first->of;
    fprintf(out,
            "{\"schema\":\"ringsim.sampler/1\",\"version\":\"%s\",\"dataset\":%lld,\"gpus\":%d,"
            "\"shuffle\":%s,\"drop_last\":%s,\"seed\":%llu,\"epoch\":%llu,\"set_epoch\":%s,"
            "\"num_samples\":%lld,\"total_size\":%lld,\"padded\":%lld,",
            RINGSIM_VERSION, (long long)of->n_samples, (int)of->n_ranks,
            of->shuffle ? "true" : "false", of->drop_last ? "true" : "false",
            (unsigned long long)of->seed, (unsigned long long)sampled->first_epoch,
            sampled->forgotten ? "false" : "true", (long long)first->per_rank,
            (long long)first->total, (long long)first->n_padded);
    put_indices(first, out);
    put_repeated(first, out);
    put_dropped(first, out);
    put_batches(&sampled->batches, out);
    put_epochs(sampled, out);
    fprintf(out, ",\"met_by_gpu_0\":%lld", (long long)met);
    fputs(",\"generator\":{\"name\":\"mt19937\",\"seeded_with\":\"seed + epoch, low 32 bits\","
          "\"draw\":\"i swaps with i + next mod (n - i)\",\"equals\":\"torch.randperm, CPU\"}}\n",
          out);
}
