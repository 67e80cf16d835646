/* votes.c: a rank's deadline, its trouble, and the votes of all ranks. See communicator.h. */
#include "ranks/communicator.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------ waiting */

void rg_ranks_deadline(rg_ranks *ranks, int32_t timeout_ms) {
    ranks->timeout_ms = rg_timeout_ms(timeout_ms);
    ranks->deadline_ps = rg_now_ps() + ranks->timeout_ms * RG_MS_PS;
    ranks->step = -1;
    ranks->n_waits_for = 0;
    ranks->open_sends = ranks->open_recvs = 0;
}

bool rg_ranks_late(rg_ranks *ranks) {
    ranks->stuck = ranks->stuck || rg_now_ps() > ranks->deadline_ps;
    return ranks->stuck;
}

void rg_ranks_waits_for(rg_ranks *ranks, int32_t peer) {
    assert(peer >= 0);
    assert(peer < ranks->group.n_ranks);
    int k = 0;
    while (k < ranks->n_waits_for && ranks->waits_for[k] != peer) k++;
    if (k == ranks->n_waits_for && k < RG_MOST_WAITS) ranks->waits_for[ranks->n_waits_for++] = peer;
}

void rg_ranks_is_open(rg_ranks *ranks, bool sends, int i) {
    *(sends ? &ranks->open_sends : &ranks->open_recvs) |= (uint64_t)1 << (i < 63 ? i : 63);
}

bool rg_ranks_trouble(rg_ranks *ranks, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (ranks->trouble[0] == '\0') { /* the first is the cause of the others */
        vsnprintf(ranks->trouble, sizeof ranks->trouble, format, arguments);
    }
    va_end(arguments);
    ranks->stuck = true;
    return false;
}

/* ------------------------------------------------------------------ votes */

bool rg_ranks_vote(rg_ranks *ranks, int64_t numbers[], int64_t n, rg_vote_kind kind) {
    enum { AT_ONCE = RS_MAX_RANKS }; /* numbers of all ranks together: 1 MiB */
    int64_t all[AT_ONCE];
    const int32_t n_ranks = ranks->group.n_ranks;
    assert(n_ranks <= AT_ONCE);
    rg_ranks_deadline(ranks, ranks->timeout_ms); /* what came before may have taken its time */
    for (int64_t first = 0, part; first < n; first += part) {
        part = n - first < AT_ONCE / n_ranks ? n - first : AT_ONCE / n_ranks;
        const size_t n_bytes = (size_t)part * sizeof *numbers;
        if (!ranks->transport->collect(ranks, numbers + first, all, n_bytes)) return false;
        for (int64_t i = 0; i < part; i++) {
            int64_t sum = 0, largest = all[i];
            for (int32_t r = 0; r < n_ranks; r++) {
                const int64_t number = all[r * part + i];
                sum += number;
                if (number > largest) largest = number;
            }
            numbers[first + i] = kind == RG_ADD ? sum : largest;
        }
    }
    return true;
}
