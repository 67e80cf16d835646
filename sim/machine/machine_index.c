/* machine_index.c: names of devices, sorted lists of links (machine_index.h). */
#include "machine/machine_index.h"
#include "base/containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ names */

int64_t rs_gpu_number(rs_token name) {
    if (name.n < 4 || name.n > 12 || memcmp(name.text, "gpu", 3) != 0) return -1;
    if (name.text[3] == '0' && name.n > 4) return -1;
    int64_t number = 0;
    for (size_t i = 3; i < name.n; i++) {
        if (name.text[i] < '0' || name.text[i] > '9') return -1;
        number = 10 * number + (name.text[i] - '0');
    }
    return number;
}

const char *const *rs_copy_names(int32_t n_gpus, const rs_texts *switches, rs_arena *arena) {
    enum { GPU_NAME = 16 };
    size_t n_bytes = GPU_NAME * (size_t)n_gpus;
    for (uint32_t i = 0; i < switches->n; i++) n_bytes += switches->list[i].n_bytes + 1;
    const char **names = rs_alloc(arena, (size_t)n_gpus + switches->n, sizeof *names);
    char *room = rs_alloc(arena, n_bytes, 1);
    if (names == NULL || room == NULL) return NULL;
    for (int32_t i = 0; i < n_gpus; i++, room += GPU_NAME) {
        snprintf(room, GPU_NAME, "gpu%d", (int)i);
        names[i] = room;
    }
    for (uint32_t i = 0; i < switches->n; i++) {
        const rs_text *name = &switches->list[i];
        /* its zero is there */
        names[(uint32_t)n_gpus + i] = memcpy(room, name->text, name->n_bytes);
        room += name->n_bytes + 1;
    }
    return names;
}

/* ------------------------------------------------------------------ links */

/* The widest first. */
static int by_devices(const void *left, const void *right) {
    const rs_pair *a = left, *b = right;
    return 4 * RS_BY(low, high) + 2 * RS_COMPARE(b->bandwidth_Bps, a->bandwidth_Bps) + RS_BY(link);
}

void rs_sort_pairs(const rs_machine_link links[], int32_t n, rs_pair pairs[]) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = links[i].a, b = links[i].b;
        pairs[i] = (rs_pair){a < b ? a : b, a < b ? b : a, links[i].bandwidth_Bps, i};
    }
    if (n > 0) qsort(pairs, (size_t)n, sizeof *pairs, by_devices);
}

int32_t rs_find_pair(const rs_pair pairs[], int32_t n, int32_t a, int32_t b) {
    const rs_pair wanted = {a < b ? a : b, a < b ? b : a, UINT64_MAX, -1};
    int32_t low = 0, high = n;
    while (low < high) { /* the first that is not before these two */
        const int32_t middle = low + (high - low) / 2;
        if (by_devices(&pairs[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < n && pairs[low].low == wanted.low && pairs[low].high == wanted.high;
    return found ? pairs[low].link : -1;
}

/* ------------------------------------------------------------------ routes */

RS_ORDER(by_ends, rs_told_route, route.src, route.dst, at);

const char *rs_sort_routes(rs_told_route routes[], int32_t n) {
    const char *twice = NULL;
    if (n > 0) qsort(routes, (size_t)n, sizeof *routes, by_ends);
    for (int32_t i = 1; i < n; i++) {
        const rs_told_route *at = &routes[i];
        if (at->route.src != at[-1].route.src || at->route.dst != at[-1].route.dst) continue;
        if (twice == NULL || at->at < twice) twice = at->at;
    }
    return twice;
}
