/* Tables of layers: what is read, what is refused, and how gradients are cut into buckets. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_train.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(layers, .init = open_arena, .fini = close_arena);

static const char small[] = "ringsim-layers 1\n"
                            "input 8   # a comment\n"
                            "output 2\n"
                            "layer a 10 100 5\n"
                            "layer b 0 7\n"
                            "layer c 4 40 1\n";

Test(layers, reads_a_table) {
    rs_layers t;
    cr_assert_eq(rs_parse_layers(small, sizeof small - 1, &arena, &error, &t), RS_OK, "%s",
                 error.text);
    cr_expect_eq(t.n_layers, 3);
    cr_expect_eq(t.input, 8);
    cr_expect_eq(t.output, 2);
    cr_expect_eq(t.parameters, 14);
    cr_expect_eq(t.flops, 147);
    cr_expect_eq(t.activations, 6);
    cr_expect_str_eq(t.items[2].name, "c");
}

static void refuses(const char *text, const char *says) {
    rs_layers t = {.n_layers = 77};
    cr_expect_eq(rs_parse_layers(text, strlen(text), &arena, &error, &t), RS_BAD_INPUT, "%s", text);
    cr_expect(strstr(error.text, says) != NULL, "'%s' does not say '%s'", error.text, says);
    cr_expect_eq(t.n_layers, 77, "the result is touched");
}

Test(layers, says_what_is_wrong_and_where) {
    refuses("", "line 1, column 1: expected 'ringsim-layers 1'");
    refuses("layers 1\n", "expected 'ringsim-layers 1'");
    refuses("ringsim-layers 2\n", "line 1, column 16");
    refuses("ringsim-layers 1\n", "expected a layer with parameters");
    refuses("ringsim-layers 1\nlayer a 0 5\n", "expected a layer with parameters");
    refuses("ringsim-layers 1\nlayer a\n", "line 2, column 8: expected the number of parameters");
    refuses("ringsim-layers 1\nlayer a 1\n", "the number of FLOPs");
    refuses("ringsim-layers 1\nlayer a 1 2 3 4\n", "expected the end of the line");
    refuses("ringsim-layers 1\nlayer a -1 2\n", "the number of parameters");
    refuses("ringsim-layers 1\nlayer a 1.5 2\n", "expected a blank after the number");
    refuses("ringsim-layers 1\nlayer a 1125899906842625 0\n", "must lie in");
    refuses("ringsim-layers 1\nlayer a 1125899906842624 0\nlayer b 1 0\n", "too many");
    refuses("ringsim-layers 1\ninput 1\ninput 2\nlayer a 1 1\n", "said twice");
    refuses("ringsim-layers 1\nlair a 1 1\n", "line 2, column 1: expected 'input'");
    refuses("ringsim-layers 1\nlayer "
            "0123456789012345678901234567890123456789012345678901234567890123 1 1\n",
            "63 bytes");
}

/* ------------------------------------------------------------------ known architectures */

static rs_layers table_of(const char *path) {
    FILE *stream = fopen(path, "r");
    cr_assert_not_null(stream, "%s is missing", path);
    static char text[1 << 16];
    const size_t n = fread(text, 1, sizeof text, stream);
    fclose(stream);
    rs_layers t;
    cr_assert_eq(rs_parse_layers(text, n, &arena, &error, &t), RS_OK, "%s", error.text);
    return t;
}

Test(layers, resnet50_and_gpt2_have_the_parameters_they_are_known_for) {
    const rs_layers resnet = table_of("assets/resnet50.lay"), gpt2 = table_of("assets/gpt2.lay");
    cr_expect_eq(resnet.parameters, 25557032, "%lld", (long long)resnet.parameters);
    cr_expect_eq(gpt2.parameters, 124439808, "%lld", (long long)gpt2.parameters);
    cr_expect_eq(resnet.n_layers, 161, "as many tensors as torchvision's model has");
    /* 4.09 billion multiplications in convolutions and the last layer, as torchvision says */
    cr_expect(llabs(resnet.flops - 2 * 4089184256) < 50000000, "%lld", (long long)resnet.flops);
}

/* ------------------------------------------------------------------ buckets */

static void check_cover(const rs_layers *t, const rs_bucket *b, int32_t n, int64_t first,
                        int64_t bytes) {
    int64_t offset = 0;
    int32_t layer = t->n_layers - 1;
    for (int32_t i = 0; i < n; i++) {
        int64_t count = 0, without_last = 0;
        cr_assert_eq(b[i].offset, offset);
        cr_assert_eq(b[i].first_layer, layer, "buckets follow each other downwards");
        for (; layer >= b[i].last_layer; layer--) {
            without_last = count;
            count += t->items[layer].parameters;
        }
        const int64_t limit = i == 0 ? first : bytes;
        cr_expect_eq(b[i].count, count);
        cr_expect_gt(count, 0);
        cr_expect_lt(without_last * 4, limit, "the bucket was full before its last layer");
        if (i < n - 1) cr_expect_geq(count * 4, limit, "the bucket ended before it was full");
        offset += count;
    }
    cr_expect_eq(offset, t->parameters, "every gradient is in one bucket");
}

Test(layers, buckets_hold_every_gradient_once_and_end_when_full) {
    rs_bucket *b;
    int32_t n;
    rs_layer items[40];
    uint64_t state = 1;
    for (int what_if = 0; what_if < 500; what_if++) {
        rs_layers t = {.items = items, .n_layers = 1 + what_if % 40};
        for (int i = 0; i < t.n_layers; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            items[i] = (rs_layer){.parameters = (int64_t)(state >> 40) % 5 * 13};
            if (i == 0) items[0].parameters++;
            t.parameters += items[i].parameters;
        }
        const int64_t first = 1 + what_if % 300, bytes = 1 + what_if * 7 % 900;
        cr_assert_eq(rs_cut_buckets(&t, first, bytes, &arena, &error, &b, &n), RS_OK);
        check_cover(&t, b, n, first, bytes);
    }
}

Test(layers, resnet50_is_cut_as_torch_cuts_it) {
    const rs_layers t = table_of("assets/resnet50.lay");
    /* torch adds tensors from the last one on; a bucket ends with 1 MiB, the others with 25 */
    const int64_t counts[] = {2049000, 7875584, 6563840, 6637568, 2431040};
    rs_bucket *b;
    int32_t n;
    cr_assert_eq(rs_cut_buckets(&t, 1 << 20, 25 << 20, &arena, &error, &b, &n), RS_OK);
    cr_assert_eq(n, 5);
    int64_t sum = 0;
    for (int i = 0; i < 5; i++) sum += b[i].count;
    cr_expect_eq(sum, t.parameters);
    cr_expect_eq(b[0].count, counts[0], "the last layer alone: %lld", (long long)b[0].count);
    for (int i = 1; i < 5; i++)
        cr_expect_eq(b[i].count, counts[i], "%d: %lld", i, (long long)b[i].count);
    check_cover(&t, b, n, 1 << 20, 25 << 20);
}
