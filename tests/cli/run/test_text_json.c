/* test_text_json.c: what a command prints for people and its JSON are of one run. Calls are drawn; each
 * figure of the JSON must stand in the text, in its row, as the product writes times and bytes.
 */
#include "config.h"
#include "ringsim_viz.h"

#include <criterion/criterion.h>

#ifndef HAVE_CJSON
Test(text_json, are_left_out_of_this_build) {
    cr_skip("built without cJSON");
}
#else

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/random_job.h"

enum { CALL = 400, ROW = 600 };

/* One call, as text with each run of blanks made one, and as JSON. */
typedef struct told {
    char call[CALL];
    char *text;
    cJSON *json;
} told;

static char *output_of(const char *call) {
    char command[CALL + 64], *text = NULL;
    size_t n = 0;
    const char *program = getenv("RINGSIM");
    snprintf(command, sizeof command, "%s %s </dev/null", program ? program : "./ringsim", call);
    FILE *out = open_memstream(&text, &n), *in = popen(command, "r");
    cr_assert(in != NULL && out != NULL);
    for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
    const int status = pclose(in);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ringsim %s", call);
    fclose(out);
    return text;
}

static void squeeze(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == ' ' && (to == text || to[-1] == ' ' || to[-1] == '\n')) continue;
        if (*from == '\n' && to > text && to[-1] == ' ') to--;
        *to++ = *from;
    }
    *to = '\0';
}

__attribute__((format(printf, 1, 2))) static told tell(const char *format, ...) {
    told t;
    char json[CALL + 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t.call, sizeof t.call, format, arguments);
    va_end(arguments);
    t.text = output_of(t.call);
    squeeze(t.text);
    snprintf(json, sizeof json, "%s --json", t.call);
    char *object = output_of(json);
    t.json = cJSON_Parse(object);
    cr_assert(t.json != NULL, "ringsim %s", json);
    free(object);
    return t;
}

static void forget(told *t) {
    free(t->text);
    cJSON_Delete(t->json);
}

/* Expects these words in one row of the text. */
__attribute__((format(printf, 2, 3))) static void expect(const told *t, const char *format, ...) {
    char row[ROW];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row, sizeof row, format, arguments);
    va_end(arguments);
    squeeze(row);
    cr_expect(strstr(t->text, row) != NULL, "ringsim %s does not say: %s", t->call, row);
}

static const cJSON *at(const cJSON *object, const char *key) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    cr_assert(found != NULL, "no key %s", key);
    return found;
}

static int64_t whole(const cJSON *object, const char *key) {
    return (int64_t)at(object, key)->valuedouble;
}

/* A time, or a number of bytes, under a key; each call has its own room for a while. */
static const char *time_at(const cJSON *object, const char *key) {
    static char room[8][32];
    static int next;
    char *out = room[next++ % 8];
    rv_format_time(whole(object, key), out, sizeof room[0]);
    return out;
}

static const char *bytes_at(const cJSON *object, const char *key) {
    static char room[8][32];
    static int next;
    char *out = room[next++ % 8];
    rv_format_bytes(whole(object, key), out, sizeof room[0]);
    return out;
}

/* 25557032 as "25,557,032". */
static const char *grouped(int64_t n) {
    static char room[32];
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    int used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) room[used++] = ',';
        room[used++] = digits[i];
    }
    room[used] = '\0';
    return room;
}

static long long drawn(uint64_t *state, int64_t least, int64_t most) {
    return least + draw_below(state, most - least + 1);
}

/* ------------------------------------------------------------------ compare */

static void expect_compared(const told *t) {
    int64_t ring_ps = 0;
    for (const cJSON *row = at(t->json, "rows")->child; row != NULL; row = row->next) {
        const char *name = at(row, "algorithm")->valuestring;
        const int64_t time_ps = whole(row, "time_ps");
        if (strcmp(name, "ring") == 0) ring_ps = time_ps;
        expect(t, "%s %d %s %s %s %.3f%s\n", name, (int)whole(row, "steps"),
               time_at(row, "time_ps"),
               cJSON_IsNull(at(row, "closed_form_ps")) ? "-" : time_at(row, "closed_form_ps"),
               bytes_at(row, "bytes_per_gpu"), (double)time_ps / (double)ring_ps,
               cJSON_IsTrue(at(row, "best")) ? " *" : "");
    }
    expect(t, "latency %s, bandwidth %s/s, rendezvous, type %s\n",
           time_at(at(t->json, "net"), "alpha_ps"), bytes_at(at(t->json, "net"), "bandwidth_Bps"),
           at(t->json, "dtype")->valuestring);
}

Test(text_json, compare_says_what_its_rows_say) {
    uint64_t state = 1;
    for (int i = 0; i < 12; i++) {
        told t = tell("compare --gpus %lld,%lld --count %lld --alpha %lldns --bandwidth %lldMB/s",
                      drawn(&state, 2, 8), drawn(&state, 9, 40), drawn(&state, 1, 5000000),
                      drawn(&state, 1, 20000), drawn(&state, 100, 50000));
        expect_compared(&t);
        forget(&t);
    }
}

/* ------------------------------------------------------------------ train */

/* A GPU's row of the table: its parts, without states where there are none, and all of them. */
static void expect_memory(const told *t, int rank) {
    const cJSON *memory = cJSON_GetArrayItem(at(t->json, "memory"), rank);
    const bool states = strcmp(at(t->json, "optimizer")->valuestring, "sgd") != 0;
    char row[ROW], bytes[32];
    int64_t sum = 0;
    int n = sprintf(row, "GPU %d", rank);
    for (const cJSON *part = memory->child; part != NULL; part = part->next) {
        sum += (int64_t)part->valuedouble;
        if (strcmp(part->string, "states") == 0 && !states) continue;
        rv_format_bytes((int64_t)part->valuedouble, bytes, sizeof bytes);
        n += sprintf(row + n, " %s", bytes);
    }
    rv_format_bytes(sum, bytes, sizeof bytes);
    expect(t, "%s %s\n", row, bytes);
}

static void expect_step(const told *t) {
    const cJSON *o = t->json;
    char bytes[32], hidden[32];
    rv_format_bytes(whole(o, "parameters") * 4, bytes, sizeof bytes);
    int64_t all = 0;
    const cJSON *batch = at(o, "batch"), *first = batch->child;
    bool same = true;
    for (const cJSON *each = first; each != NULL; each = each->next) {
        same = same && each->valueint == first->valueint;
        all += each->valueint;
    }
    expect(t, "%s parameters, gradients of %s, %lld samples %s\n", grouped(whole(o, "parameters")),
           bytes, (long long)(same ? first->valueint : all),
           same ? "a GPU" : "on all GPUs together");
    expect(t, "step %s: forward %s, backward %s, update %s\n", time_at(o, "step_ps"),
           time_at(o, "forward_ps"), time_at(o, "backward_ps"), time_at(o, "update_ps"));
    for (int rank = 0; rank < cJSON_GetArraySize(at(o, "memory")); rank++) expect_memory(t, rank);
    if (strcmp(at(o, "mode")->valuestring, "dp") == 0) {
        expect(t, "exchange %s, all of it through GPU 0\n", time_at(o, "exchange_ps"));
        expect(t, "Python %s, one thread at a time (GIL)\n", time_at(o, "gil_ps"));
        return;
    }
    const int64_t hidden_ps = whole(o, "exchange_ps") - whole(o, "exposed_ps");
    rv_format_time(hidden_ps > 0 ? hidden_ps : 0, hidden, sizeof hidden);
    expect(t, "exchange %s: %s hidden, %s waited for\n", time_at(o, "exchange_ps"), hidden,
           time_at(o, "exposed_ps"));
    const bool gathers = cJSON_GetObjectItem(o, "prefetch") != NULL;
    expect(t, "without %s the step takes %s\n", gathers ? "prefetch" : "overlap",
           time_at(o, "step_without_overlap_ps"));
}

static void expect_buckets(const told *t) {
    int number = 1;
    const int n = cJSON_GetArraySize(at(t->json, "buckets"));
    for (const cJSON *b = at(t->json, "buckets")->child; b != NULL; b = b->next, number++) {
        if (n > 16 && number > 12 && number < n - 3) continue; /* ... */
        expect(t, "bucket %d ", number); /* how many layers it has is not in the JSON */
        expect(t, " %s %s %s %s\n", bytes_at(b, "bytes"), time_at(b, "ready_ps"),
               time_at(b, "start_ps"), time_at(b, "end_ps"));
    }
}

Test(text_json, train_says_what_GPUs_with_batches_of_their_own_do) {
    static const char *const batches[] = {"3,1", "1,3", "2,2,5", "1,2,3", "4,4,4"};
    for (int i = 0; i < 5; i++) {
        told t = tell("train --gpus %d --batch %s", i < 2 ? 2 : 3, batches[i]);
        expect_step(&t);
        forget(&t);
    }
}

Test(text_json, train_says_what_its_step_is) {
    static const char *const modes[] = {"ddp", "dp"}, *const models[] = {"resnet50", "gpt2"};
    uint64_t state = 2;
    for (int i = 0; i < 12; i++) {
        told t = tell("train --model %s.lay --mode %s --gpus %lld --batch %lld --bucket-mb %lld "
                      "--flops %lldGFLOP/s --python-share %lld%%",
                      models[i / 2 % 2], modes[i % 2], drawn(&state, 2, 9), drawn(&state, 1, 64),
                      drawn(&state, 1, 50), drawn(&state, 1000, 90000), drawn(&state, 0, 40));
        expect_step(&t);
        if (i % 2 == 0) expect_buckets(&t);
        forget(&t);
    }
}

/* When a bucket's weights are gathered, what is sent, and bytes a parameter, mode by mode. */
static void expect_shards(const told *t, const char *mode) {
    const cJSON *o = t->json;
    const bool twice = strcmp(mode, "zero3") == 0 || strcmp(mode, "hsdp") == 0;
    const double all = (double)whole(o, "parameters");
    char sent[32];
    int number = 1;
    const cJSON *b = at(o, "buckets")->child;
    for (; b != NULL && number <= 12; b = b->next, number++) {
        const char *bytes = bytes_at(b, "bytes");
        if (twice) {
            expect(t, "bucket %d %s %s %s %s %s %s\n", number, bytes,
                   time_at(b, "forward_gather_end_ps"), time_at(b, "backward_gather_end_ps"),
                   time_at(b, "ready_ps"), time_at(b, "start_ps"), time_at(b, "end_ps"));
        } else {
            expect(t, "bucket %d ", number);
            expect(t, " %s %s %s %s %s\n", bytes, time_at(b, "ready_ps"), time_at(b, "start_ps"),
                   time_at(b, "end_ps"), time_at(b, "gather_end_ps"));
        }
    }
    const int64_t n_bytes = (int64_t)at(o, "sent_bytes")->child->valuedouble;
    rv_format_bytes(n_bytes, sent, sizeof sent);
    expect(t, "GPU 0 sends %s in the step, %.4g times the parameters\n", sent,
           (double)n_bytes / 4 / all);
    const cJSON *first = at(o, "model_state")->child;
    for (const cJSON *m = first; m != NULL; m = m->next) {
        const char *name = at(m, "mode")->valuestring;
        char row[ROW];
        int n = sprintf(row, "%s", name);
        for (int part = 0; part < 4; part++) { /* a star: less than in the first mode */
            static const char *const keys[] = {"weights", "gradients", "copy", "optimizer"};
            n += sprintf(row + n, " %.4g%s", (double)whole(m, keys[part]) / all,
                         whole(m, keys[part]) < whole(first, keys[part]) ? " *" : "");
        }
        expect(t, "%s %.4g %.4g%s %s\n", row, (double)whole(m, "gathered") / all,
               (double)whole(m, "bytes") / all, strcmp(name, mode) == 0 ? " >" : "",
               bytes_at(m, "bytes"));
    }
}

Test(text_json, train_says_what_is_sharded_and_gathered) {
    static const char *const modes[] = {"zero1", "zero2", "zero3", "hsdp"};
    static const char *const optimizers[] = {"sgd", "momentum", "adam"};
    uint64_t state = 5;
    for (int i = 0; i < 12; i++) {
        const int node = (int)drawn(&state, 2, 3), n = node * (int)drawn(&state, 1, 3);
        char nodes[32] = "";
        if (i % 4 == 3) sprintf(nodes, "--gpus-per-node %d", node);
        told t = tell("train --mode %s --gpus %d %s --optimizer %s --bucket-mb %lld "
                      "--bandwidth %lldGB/s",
                      modes[i % 4], n, nodes, optimizers[i % 3], drawn(&state, 5, 50),
                      drawn(&state, 1, 50));
        expect_step(&t);
        expect_shards(&t, modes[i % 4]);
        forget(&t);
    }
}

/* ------------------------------------------------------------------ sampler */

/* Writes what a rank gets in an epoch; a star is what was dealt out to fill up. */
static int row_of(const cJSON *epoch, int rank, int n_ranks, int64_t dataset, char *out) {
    int n = 0, place = rank;
    const cJSON *index = cJSON_GetArrayItem(at(epoch, "indices"), rank)->child;
    for (; index != NULL; index = index->next, place += n_ranks) {
        n += sprintf(out + n, " %d%s", index->valueint, place >= dataset ? "*" : "");
    }
    return n;
}

Test(text_json, sampler_deals_out_what_its_indices_say) {
    uint64_t state = 3;
    for (int i = 0; i < 20; i++) {
        const int n_ranks = (int)drawn(&state, 2, 4), n_epochs = (int)drawn(&state, 1, 2);
        told t = tell("sampler --dataset %lld --gpus %d --epochs %d --seed %lld%s%s",
                      drawn(&state, 5, 16), n_ranks, n_epochs, drawn(&state, 0, 99),
                      i % 2 ? " --shuffle" : "", i % 3 ? "" : " --drop-last");
        for (int rank = 0; rank < n_ranks; rank++) {
            char row[ROW];
            int n = sprintf(row, "GPU %d", rank);
            for (int e = 0; e < n_epochs; e++) {
                const cJSON *epoch = cJSON_GetArrayItem(at(t.json, "epochs"), e);
                n += row_of(epoch, rank, n_ranks, whole(t.json, "dataset"), row + n);
            }
            expect(&t, "%s\n", row);
        }
        expect(&t, "= %d each, %d in all", (int)whole(t.json, "num_samples"),
               (int)whole(t.json, "total_size"));
        forget(&t);
    }
}

/* ------------------------------------------------------------------ mapreduce, gil, launch */

static void expect_shuffled(const told *t) {
    for (const cJSON *m = at(t->json, "messages")->child; m != NULL; m = m->next) {
        if (cJSON_IsNull(at(m, "start_ps"))) continue; /* it stays where it is */
        expect(t, "GPU %d -> GPU %d %d %d %s %s\n", (int)whole(m, "src"), (int)whole(m, "dst"),
               (int)whole(m, "pairs"), (int)whole(m, "bytes"), time_at(m, "start_ps"),
               time_at(m, "done_ps"));
    }
    const cJSON *ring = at(t->json, "ring");
    if (!cJSON_IsObject(ring)) return;
    expect(t, "numbers on a GPU %d, ", (int)whole(ring, "count"));
    expect(t, "sent by a GPU %s, time %s\n", bytes_at(ring, "bytes_sent"),
           time_at(ring, "time_ps"));
}

Test(text_json, mapreduce_says_who_sends_what) {
    static const char *const texts[] = {"one two three two one", "a b c a b a",
                                        "to be or not to be"};
    uint64_t state = 4;
    for (int i = 0; i < 12; i++) {
        told t = tell("mapreduce --text '%s' --gpus %lld%s", texts[i % 3], drawn(&state, 2, 5),
                      i % 2 ? " --combine" : "");
        expect(&t, "words %d, different %d; GPUs %d", (int)whole(t.json, "words"),
               (int)whole(t.json, "different"), (int)whole(t.json, "gpus"));
        expect_shuffled(&t);
        expect(&t, "the last GPU is done after %s\n", time_at(t.json, "makespan_ps"));
        forget(&t);
    }
}

Test(text_json, gil_says_what_it_simulates) {
    static const char *const ways[][2] = {
        {"one does all", "alone_ps"}, {"threads", "threads_ps"}, {"processes", "processes_ps"}};
    uint64_t state = 5;
    for (int i = 0; i < 12; i++) {
        const long long percent = drawn(&state, 0, 100);
        told t = tell("gil --iters 0 --gpus %lld --cores %lld --slices %lld --work %lldms "
                      "--python-share %lld%%",
                      drawn(&state, 1, 9), drawn(&state, 1, 6), drawn(&state, 1, 30),
                      drawn(&state, 1, 400), percent);
        const cJSON *simulated = at(t.json, "simulated");
        expect(&t,
               "workers %d, work %s each in %d slices; Python, under the lock: %lld %%; cores %d\n",
               (int)whole(t.json, "workers"), time_at(t.json, "work_ps"),
               (int)whole(t.json, "slices"), percent, (int)whole(t.json, "cores"));
        for (int way = 0; way < 3; way++) {
            char ratio[32];
            rv_format_ratio(whole(simulated, "alone_ps"), whole(simulated, ways[way][1]), ratio,
                            sizeof ratio);
            expect(&t, "%s %s, %s x\n", ways[way][0], time_at(simulated, ways[way][1]), ratio);
        }
        forget(&t);
    }
}

static void expect_process(const told *t, const cJSON *p) {
    char gpus[64];
    const cJSON *list = at(p, "gpus");
    const int n = cJSON_GetArraySize(list), first = list->child->valueint;
    snprintf(gpus, sizeof gpus, n == 1 ? "%d" : "%d %d", first, first + n - 1);
    expect(t, "%d %d %d of %d %s %d works *\n", (int)whole(p, "rank"), (int)whole(p, "node"),
           (int)whole(p, "local_rank"), (int)whole(p, "local_world_size"), gpus,
           (int)whole(p, "world_size"));
}

Test(text_json, launch_names_each_process) {
    uint64_t state = 6;
    for (int i = 0; i < 8; i++) {
        const long long each = drawn(&state, 1, 2);
        told t =
            tell("launch --nodes %lld --gpus-per-node %lld --gpus-per-proc %lld%s",
                 drawn(&state, 1, 3), each * drawn(&state, 1, 3), each, i % 2 ? " --init tcp" : "");
        const cJSON *p = at(t.json, "processes")->child;
        for (; p != NULL; p = p->next) expect_process(&t, p);
        for (const cJSON *c = at(t.json, "commands")->child; c != NULL; c = c->next) {
            expect(&t, "$ %s\n", c->valuestring);
        }
        forget(&t);
    }
}

#endif
