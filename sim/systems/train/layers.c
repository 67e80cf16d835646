/* layers.c: a model as a table of layers: reads the .lay text, and cuts the gradients into buckets.
 * The format: ringsim-lay(5).
 *
 *     ringsim-layers 1
 *     input 150528
 *     output 1000
 *     layer conv1.weight 9408 236027904 802816     # parameters, FLOPs, activations of a sample
 *     buffers 128                                  # numbers that the layer above keeps and does not learn
 *
 *   - The parser reads the text twice; the first time it checks and counts: no number in the text
 *     decides how much it allocates.
 *   - Totals stay below 2^50, so that int64_t can count the bytes and times of many samples.
 */
#include "ringsim_train.h"
#include "base/scan.h"

#include <assert.h>
#include <string.h>

static const int64_t most_total = (int64_t)1 << 50;

typedef struct layers_parser {
    rs_scan scan;
    bool named, has_input, has_output;
    rs_layers layers; /* items NULL while counting */
} layers_parser;

static void take_name(rs_scan *scan, char name[RS_LAYER_NAME]) {
    const char *begin = scan->at;
    while (!rs_scan_at_end(scan) && *scan->at != ' ' && *scan->at != '\t') scan->at++;
    const size_t n = (size_t)(scan->at - begin);
    if (n == 0) rs_scan_fail(scan, begin, "expected the layer's name");
    for (const char *c = begin; c < scan->at; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            rs_scan_fail(scan, c, "a control character in a layer's name");
        }
    }
    if (n >= RS_LAYER_NAME) rs_scan_fail(scan, begin, "a layer's name has 63 bytes at the most");
    if (scan->status != RS_OK) return;
    memcpy(name, begin, n);
    name[n] = '\0';
    rs_scan_blanks(scan);
}

static int64_t take_number(rs_scan *scan, const char *what, int64_t *total) {
    const char *begin;
    const int64_t number = rs_scan_number(scan, what, 0, most_total, &begin);
    rs_scan_end_number(scan, "expected a blank after the number");
    if (number > most_total - *total) rs_scan_fail(scan, begin, "all layers together are too many");
    if (scan->status == RS_OK) *total += number;
    return number;
}

static void take_layer(layers_parser *p) {
    rs_scan *scan = &p->scan;
    rs_layers *layers = &p->layers;
    rs_layer layer = {.name = ""};
    take_name(scan, layer.name);
    layer.parameters =
        take_number(scan, RS_MESSAGE("the number of parameters"), &layers->parameters);
    layer.flops = take_number(scan, RS_MESSAGE("the number of FLOPs"), &layers->flops);
    if (!rs_scan_at_end(scan)) {
        layer.activations =
            take_number(scan, RS_MESSAGE("the number of activations"), &layers->activations);
    }
    if (layers->n_layers == RS_MAX_LAYERS) {
        rs_scan_fail(scan, scan->statement, "too many layers: at most 100000");
    }
    if (scan->status != RS_OK) return;
    if (layers->items != NULL) layers->items[layers->n_layers] = layer;
    layers->n_layers++;
}

static void take_buffers(layers_parser *p) {
    rs_layers *layers = &p->layers;
    if (layers->n_layers == 0) {
        rs_scan_fail(&p->scan, p->scan.statement,
                     "expected a layer, whose buffers these are, first");
    }
    const int64_t n = take_number(&p->scan, RS_MESSAGE("the number of buffers"), &layers->buffers);
    if (p->scan.status == RS_OK && layers->items != NULL) {
        layers->items[layers->n_layers - 1].buffers += n;
    }
}

static void take_size(rs_scan *scan, const char *what, bool *said, int64_t *size) {
    int64_t total = 0;
    if (*said) rs_scan_fail(scan, scan->statement, "this is said twice");
    *said = true;
    *size = take_number(scan, what, &total);
}

static void take_statement(layers_parser *p) {
    rs_scan *scan = &p->scan;
    if (!p->named) {
        rs_scan_format(scan, "ringsim-layers",
                       "expected 'ringsim-layers 1' as the first statement");
        p->named = true;
    } else if (rs_scan_word(scan, "layer")) {
        take_layer(p);
    } else if (rs_scan_word(scan, "buffers")) {
        take_buffers(p);
    } else if (rs_scan_word(scan, "input")) {
        take_size(scan, RS_MESSAGE("the elements of a sample"), &p->has_input, &p->layers.input);
    } else if (rs_scan_word(scan, "output")) {
        take_size(scan, RS_MESSAGE("the elements of an answer"), &p->has_output, &p->layers.output);
    } else {
        rs_scan_fail(scan, scan->at, "expected 'input', 'output', 'layer' or 'buffers'");
    }
    rs_scan_end(scan);
}

static rs_status read_all(const char *text, size_t n_bytes, rs_layer *items, rs_error *error,
                          rs_layers *layers) {
    layers_parser p = {.scan = {.error = error}, .layers = {.items = items}};
    for (rs_scan_begin(&p.scan, text, n_bytes); rs_scan_statement(&p.scan);) take_statement(&p);
    if (!p.named) {
        rs_scan_missing(&p.scan, "expected 'ringsim-layers 1' as the first statement");
    } else if (p.layers.n_layers == 0 || p.layers.parameters == 0) {
        rs_scan_missing(&p.scan, "expected a layer with parameters, 'layer NAME PARAMETERS FLOPS'");
    }
    if (p.scan.status == RS_OK) *layers = p.layers;
    return p.scan.status;
}

rs_status rs_parse_layers(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                          rs_layers *layers) {
    rs_layers read;
    rs_status status = read_all(text, n_bytes, NULL, error, &read);
    if (status != RS_OK) return status;
    rs_layer *items = rs_alloc(arena, (size_t)read.n_layers, sizeof *items);
    if (items == NULL) return rs_no_memory(error);
    return read_all(text, n_bytes, items, error, layers);
}

/* ------------------------------------------------------------------ buckets */

/* Fills `buckets`; if that is NULL, only counts them. */
static int32_t cut(const rs_layers *layers, int64_t first_bytes, int64_t bytes,
                   rs_bucket *buckets) {
    int32_t n = 0;
    int64_t offset = 0, count = 0;
    int32_t first = layers->n_layers - 1;
    for (int32_t i = layers->n_layers - 1; i >= 0; i--) {
        const int64_t parameters = layers->items[i].parameters;
        count += parameters;
        const bool full = count * RS_ELEMENT_BYTES >= (n == 0 ? first_bytes : bytes);
        if (count == 0 || parameters == 0 || (!full && offset + count < layers->parameters)) {
            continue;
        }
        if (buckets != NULL) buckets[n] = (rs_bucket){first, i, offset, count};
        n++;
        offset += count;
        count = 0;
        first = i - 1;
    }
    return n;
}

rs_status rs_cut_buckets(const rs_layers *layers, int64_t first_bytes, int64_t bytes,
                         rs_arena *arena, rs_error *error, rs_bucket **buckets,
                         int32_t *n_buckets) {
    assert(first_bytes >= 1 && bytes >= 1 && layers->n_layers >= 1);
    const int32_t n = cut(layers, first_bytes, bytes, NULL);
    rs_bucket *list = rs_alloc(arena, (size_t)n + 1, sizeof *list);
    if (list == NULL) return rs_no_memory(error);
    cut(layers, first_bytes, bytes, list);
    *buckets = list;
    *n_buckets = n;
    return RS_OK;
}
