/* machine_index.c: sorted lists of names and links (machine_index.h). */
#include "machine/machine_index.h"

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

rs_named rs_name_switch(rs_token name, int32_t number) {
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++) {
        hash = (hash ^ (unsigned char)name.text[i]) * 0x100000001b3;
    }
    return (rs_named){hash, name, number};
}

static int compare_named(const rs_named *a, const rs_named *b) {
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->name.n != b->name.n) return a->name.n < b->name.n ? -1 : 1;
    return memcmp(a->name.text, b->name.text, a->name.n);
}

static int by_name(const void *left, const void *right) {
    const rs_named *a = left, *b = right;
    const int order = compare_named(a, b);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

const char *rs_sort_names(rs_named names[], int32_t n) {
    const char *twice = NULL;
    if (n > 0) qsort(names, (size_t)n, sizeof *names, by_name);
    for (int32_t i = 1; i < n; i++) {
        const rs_named *at = &names[i];
        if (compare_named(at - 1, at) != 0) continue;
        if (twice == NULL || at->name.text < twice) twice = at->name.text;
    }
    return twice;
}

int32_t rs_find_name(const rs_named names[], int32_t n, rs_token name) {
    const rs_named wanted = rs_name_switch(name, 0);
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int order = compare_named(&names[middle], &wanted);
        if (order == 0) return names[middle].number;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

const char *const *rs_copy_names(int32_t n_gpus, const rs_named switches[], int32_t n,
                                 rs_arena *arena) {
    enum { GPU_NAME = 16 };
    size_t n_bytes = GPU_NAME * (size_t)n_gpus;
    for (int32_t i = 0; i < n; i++) n_bytes += switches[i].name.n + 1;
    const char **names = rs_alloc(arena, (size_t)n_gpus + (size_t)n, sizeof *names);
    char *room = rs_alloc(arena, n_bytes, 1);
    if (names == NULL || room == NULL) return NULL;
    for (int32_t i = 0; i < n_gpus; i++, room += GPU_NAME) {
        snprintf(room, GPU_NAME, "gpu%d", (int)i);
        names[i] = room;
    }
    for (int32_t i = 0; i < n; i++) {
        const rs_named *at = &switches[i];
        memcpy(room, at->name.text, at->name.n); /* the zero byte is there */
        names[n_gpus + at->number] = room;
        room += at->name.n + 1;
    }
    return names;
}

/* ------------------------------------------------------------------ links */

static int by_devices(const void *left, const void *right) {
    const rs_pair *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->bandwidth_Bps != b->bandwidth_Bps) return a->bandwidth_Bps > b->bandwidth_Bps ? -1 : 1;
    return (a->link > b->link) - (a->link < b->link);
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

static int by_ends(const void *left, const void *right) {
    const rs_told_route *a = left, *b = right;
    if (a->route.src != b->route.src) return a->route.src < b->route.src ? -1 : 1;
    if (a->route.dst != b->route.dst) return a->route.dst < b->route.dst ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

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
