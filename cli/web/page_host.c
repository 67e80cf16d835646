/* page_host.c: what host.c, memory.c and place.c are elsewhere: a page has one core, no signals and no links; and the
   C library's memory, which is slow there. */
#include "base/files.h"
#include "base/host.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << 30 }; /* a browser gives a page so much at least */

/* program.js: lets the browser have a moment where much time has passed since its last one, and tells it how far the
   work is; 0: nobody waits for this run any more. */
int page_breathe(double done, double total);

/* Only a function that the browser called to wait for may be made to wait. */
static bool breathes;
static int64_t behind, whole; /* how far the work is, as far as it has said */
__attribute__((export_name("page_breathes"))) void rc_page_breathes(int may) {
    breathes = may != 0;
}

static bool go_on(void *context, const char *what, int64_t done, int64_t total) {
    (void)context, (void)what;
    behind = done;
    whole = total;
    return !breathes || page_breathe((double)done, (double)total) != 0;
}

/* Whoever asks whether to end lets the browser have its moment, too. */
static bool stopped(void *context) {
    return !go_on(context, NULL, behind, whole);
}

/* There is one host, and nothing in it. */
static const rs_host face = {.n_workers = 1, .progress = go_on, .stopped = stopped};

rc_host *rc_host_new(void) {
    return (rc_host *)&face;
}

void rc_host_free(rc_host *host) {
    (void)host;
}

const rs_host *rc_host_face(rc_host *host) {
    (void)host;
    return &face;
}

void rc_host_quiet(rc_host *host) {
    (void)host;
}

void rc_host_hush(rc_host *host) {
    (void)host;
}

void rc_host_watch(rc_host *host, bool listening) {
    (void)host, (void)listening;
}

rc_exit rc_host_end(rc_host *host, rc_exit status, rs_error *error) {
    (void)host, (void)error;
    return status;
}

int rc_host_signal(void) {
    return 0;
}

int rc_cores(void) {
    return 1;
}

int64_t rc_memory_bytes(void) {
    return PAGE_BYTES;
}

rc_exit rc_need_memory(rc_host *host, double need_bytes, const char *what, const char *instead,
                       rs_error *error) {
    (void)host;
    if (need_bytes <= PAGE_BYTES) return RC_GOOD;
    return rc_fail(error, RC_LACKS, _("%s takes %.1f GB of memory, and %.1f GB may be taken; %s"),
                   what, need_bytes / 1e9, PAGE_BYTES / 1e9, instead);
}

char *rc_place(const char *path) {
    char place[PATH_MAX];
    if (path[0] == '/') return strdup(path);
    snprintf(place, sizeof place, "/%s", path);
    return strdup(place);
}

void rc_scratch_made(const char *path) {
    (void)path;
}

void rc_scratch_gone(const char *path) {
    (void)path;
}

/* The C library's writes eight bytes at a time. */
__attribute__((target("bulk-memory"))) void *memset(void *to, int byte, size_t n_bytes) {
    return __builtin_memset(to, byte, n_bytes);
}

/* As the C library's, but what the memory has grown by is zero already, and is not touched: a trace of 1,024 ranks has
   134 MB, which no breath could divide. */
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    const size_t n_bytes = count * size, end = __builtin_wasm_memory_size(0) << 16;
    if (size != 0 && n_bytes / size != count) return NULL;
    char *place = malloc(n_bytes);
    const size_t start = (size_t)place;
    if (place != NULL && start < end)
        memset(place, 0, n_bytes < end - start ? n_bytes : end - start);
    return place;
}
