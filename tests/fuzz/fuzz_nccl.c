/* fuzz_nccl.c: any bytes as NCCL's log: what is found is in range, and a table, if there is one, can be taken back. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_nccl_log.h"

static void check(const rn_nccl_log *log, const rn_findings *findings) {
    for (int32_t i = 0; i < log->n_rings; i++) {
        const rn_nccl_ring *ring = &log->rings[i];
        assert(ring->n >= 1 && ring->n <= log->n_ranks);
        for (int32_t k = 0; k < ring->n; k++) {
            assert(ring->ranks[k] >= 0 && ring->ranks[k] < log->n_ranks);
        }
    }
    for (int32_t i = 0; i < log->n_trees; i++) assert(log->trees[i].root < log->n_ranks);
    for (int32_t i = 0; i < findings->n_kept; i++) {
        assert(findings->list[i].line >= 0 && findings->list[i].line <= log->n_lines);
        assert(i == 0 || findings->list[i - 1].first ||
               findings->list[i - 1].level <= findings->list[i].level);
        assert(findings->list[i].said.text[0] != '\0');
    }
    for (int32_t i = 0; i < log->n_trees; i++) {
        const rn_nccl_tree *tree = &log->trees[i];
        assert(!tree->whole || (tree->up != NULL && tree->root >= 0 && tree->up[tree->root] == -1));
        for (int32_t k = 0; tree->up != NULL && k < log->n_ranks; k++) {
            assert(tree->up[k] >= -2 && tree->up[k] < log->n_ranks);
        }
    }
    for (int32_t i = 0; i < log->n_sums; i++) {
        assert(log->sums[i].n >= 1 && log->sums[i].count >= 0 && log->sums[i].line >= 1);
    }
    assert(log->n_used + log->n_unknown + log->n_torn > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rn_nccl_log log;
    rn_findings findings = {.n_kept = 0};
    rn_nccl_fit fit;
    rs_arena_init(&arena, NULL);
    arena.limit_bytes = (size_t)1 << 30;
    rn_nccl_log_reader *reader = rn_nccl_log_begin(&arena, &findings);
    for (size_t at = 0; reader != NULL && at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t n = end != NULL ? (size_t)(end - data) - at : size - at;
        char *exact = malloc(n + 1); /* no byte more: a read beyond them is caught */
        if (exact == NULL) abort();
        memcpy(exact, data + at, n);
        rn_nccl_log_line(reader, exact, n);
        free(exact);
        at += n + 1;
    }
    const rs_status status = reader != NULL ? rn_nccl_log_end(reader, &error, &log) : RS_NO_MEMORY;
    assert(status == RS_OK || error.text[0] != '\0' || reader == NULL);
    if (status == RS_OK) {
        check(&log, &findings);
        if (size % 32 == 0 && rn_nccl_infer(&log, &error, &fit) == RS_OK) {
            assert(fit.n_alike >= 0 && fit.n_alike <= fit.n_numbers);
        }
    }
    rs_arena_free(&arena);
    return 0;
}
