/* nccl_log_pieces.c: pieces of lines, and what grows while a log is read. */
#include "nccl_log.h"

#include <string.h>

void rn_log_keep_word(char out[], size_t n_out, const char *text, size_t n) {
    if (n > n_out - 1) n = n_out - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

const char *rn_log_value(const rn_nccl_log *log, const char *name) {
    for (int32_t i = 0; i < log->n_settings; i++) {
        if (strcmp(log->settings[i].name, name) == 0) return log->settings[i].value;
    }
    return NULL;
}

void rn_log_note_loose_ranks(rn_nccl_log_reader *r, int64_t n_ranks) {
    if (n_ranks <= r->loose_ranks || n_ranks > RN_LOG_MOST_RANKS) return;
    r->loose_ranks = (int32_t)n_ranks;
    r->loose_line = r->log.n_lines;
}

/* ------------------------------------------------------------------ threads */

int32_t *rn_log_find_thread(rn_nccl_log_reader *r, uint64_t thread) {
    const int64_t number = rs_text_find(&r->threads, &thread, sizeof thread);
    return thread == 0 || number == RS_NO_TEXT ? NULL : &r->thread_comms[number];
}

void rn_log_note_thread(rn_nccl_log_reader *r, uint64_t thread, int32_t comm) {
    int32_t *known = rn_log_find_thread(r, thread);
    if (known != NULL) {
        *known = comm;
        return;
    }
    if (r->threads.n == RN_LOG_MOST_THREADS ||
        !rs_reserve(r->arena, &r->thread_comms, (int64_t)r->threads.n + 1, &r->thread_room))
        return;
    const int64_t number = rs_text_kept(&r->threads, &thread, sizeof thread);
    if (number != RS_NO_TEXT) r->thread_comms[number] = comm;
}

/* ------------------------------------------------------------------ places */

rn_log_place *rn_log_add_place(rn_nccl_log_reader *r, rn_log_places *to, int32_t channel,
                               int32_t tree, int32_t rank, int32_t prev, int32_t next) {
    if (to->n == RN_LOG_MOST_PLACES) {
        to->full = true;
        return NULL;
    }
    if (to->n % RN_LOG_BLOCK == 0) {
        const int32_t block = to->n / RN_LOG_BLOCK;
        if (!rs_reserve(r->arena, &to->blocks, block + 1, &to->room)) return NULL;
        to->blocks[block] = rs_alloc(r->arena, RN_LOG_BLOCK, sizeof **to->blocks);
        if (to->blocks[block] == NULL) return NULL;
    }
    const int64_t line = r->log.n_lines < UINT32_MAX ? r->log.n_lines : UINT32_MAX;
    rn_log_place *place = rn_log_place_at(to, to->n++);
    *place = (rn_log_place){.comm = r->comm,
                            .line = (uint32_t)line,
                            .channel = (uint8_t)channel,
                            .tree = tree != 0,
                            .rank = (uint32_t)rank & 0x3ffff,
                            .prev_1 = (uint32_t)(prev + 1) & 0x3ffff,
                            .next_1 = (uint32_t)(next + 1) & 0x3ffff};
    return place;
}
