/* fuzz_nccl_files.c: any bytes as the XML of NCCL's graphs, as a tuner's CSV, as settings: what is found is in range. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nccl/nccl_files.h"

static void read_graphs(const char *text, size_t n_bytes, rs_arena *arena) {
    rs_error error = {.text = ""};
    rn_findings findings = {0};
    rn_graph_file file = {0};
    if (rn_read_graph(text, n_bytes, arena, &findings, &error, &file) != RS_OK) {
        assert(error.text[0] != '\0');
        return;
    }
    assert(file.n_graphs >= 0 && file.n_graphs <= RN_MOST_GRAPHS);
    assert(file.n_graphs > 0 || findings.n[RN_ERROR] > 0);
    for (int32_t i = 0; i < file.n_graphs; i++) {
        assert(file.graphs[i].pattern < RN_N_PATTERNS);
        assert(file.graphs[i].n_channels >= 0);
        assert(file.graphs[i].n_channels <= RN_NCCL_MOST_CHANNELS);
    }
    for (int32_t i = 0; i < file.n_rings; i++) {
        assert(file.rings[i].n >= 1);
        for (int32_t k = 0; k < file.rings[i].n; k++) assert(file.rings[i].ranks[k] >= 0);
    }
}

static void read_tuner(const char *text, size_t n_bytes, rs_arena *arena) {
    rs_error error = {.text = ""};
    rn_findings findings = {0};
    rc_tuner_row *rows = NULL;
    int32_t n_rows = 0;
    rc_is_tuner(text, n_bytes);
    if (rc_read_tuner(text, n_bytes, arena, &findings, &error, &rows, &n_rows) != RC_GOOD) {
        assert(error.text[0] != '\0');
        return;
    }
    for (int32_t i = 0; i < n_rows; i++) {
        assert(rows[i].line >= 1 && rows[i].least >= -1 && rows[i].most >= -1);
        assert(rows[i].n_channels >= -1 && rows[i].n_channels <= RN_NCCL_MOST_CHANNELS);
        assert(i == 0 || rows[i - 1].line <= rows[i].line);
    }
}

static void read_environment(const char *text, size_t n_bytes, rs_arena *arena) {
    rs_error error = {.text = ""};
    rn_nccl_log log;
    rn_findings findings = {.n_kept = 0};
    if (!rc_is_environment(text, n_bytes)) return;
    rn_nccl_log_reader *reader = rn_nccl_log_begin(arena, &findings);
    if (reader == NULL) return;
    rc_read_environment(text, n_bytes, reader);
    if (rn_nccl_log_end(reader, &error, &log) != RS_OK) return; /* a name that is too long */
    for (int32_t i = 0; i < findings.n_kept; i++) {
        assert(findings.list[i].line >= 0 && findings.list[i].line <= log.n_lines);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    read_graphs(exact, size, &arena);
    read_tuner(exact, size, &arena);
    read_environment(exact, size, &arena);
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
