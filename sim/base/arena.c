/* arena.c: all the memory of one run, freed at once; how errors are written; how the host is asked.
 *
 *   - Small requests share 64 KiB blocks, large ones get a block each.
 *   - Everything handed out is zeroed and aligned to 64 bytes (a cache line, an AVX-512 vector).
 *   - Not for use from several threads at once: allocate before parallel_for.
 */
#include "ringsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, SHARED_BYTES = 64 * 1024 };

struct rs_block {
    struct rs_block *next;
    size_t n_bytes; /* of the host's block, this head included */
    size_t used;    /* from the start of this head */
};

rs_status rs_fail(rs_error *error, rs_status status, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

bool rs_go_on(const rs_host *host, const char *what, int64_t done, int64_t total) {
    return host == NULL || host->progress == NULL ||
           host->progress(host->context, what, done, total);
}

bool rs_stopped(const rs_host *host) {
    return host != NULL && host->stopped != NULL && host->stopped(host->context);
}

void rs_arena_init(rs_arena *arena, const rs_host *host) {
    *arena = (rs_arena){.host = host};
}

void rs_arena_free(rs_arena *arena) {
    const rs_host *host = arena->host;
    for (struct rs_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        if (host != NULL && host->release != NULL) {
            host->release(host->context, block, block->n_bytes);
        } else {
            free(block);
        }
    }
    arena->blocks = NULL;
    arena->n_bytes = 0;
}

static struct rs_block *new_block(rs_arena *arena, size_t n_bytes) {
    const rs_host *host = arena->host;
    if (arena->limit_bytes != 0 && n_bytes > arena->limit_bytes - arena->n_bytes) return NULL;
    const bool own = host != NULL && host->allocate != NULL;
    struct rs_block *block = own ? host->allocate(host->context, n_bytes) : calloc(1, n_bytes);
    if (block == NULL) return NULL;
    if (own) memset(block, 0, n_bytes); /* calloc's large blocks are fresh zero pages already */
    *block = (struct rs_block){.n_bytes = n_bytes, .used = sizeof *block};
    arena->n_bytes += n_bytes;
    return block;
}

/* Returns the aligned place for n_bytes in the block, NULL if it does not fit. */
static void *take(struct rs_block *block, size_t n_bytes) {
    const uintptr_t start = (uintptr_t)block + block->used;
    const uintptr_t place = (start + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    const size_t used = place - (uintptr_t)block;
    if (used > block->n_bytes || n_bytes > block->n_bytes - used) return NULL;
    block->used = used + n_bytes;
    return (void *)place;
}

void *rs_alloc(rs_arena *arena, size_t count, size_t size) {
    const size_t room = sizeof(struct rs_block) + ALIGNMENT;
    if (size != 0 && count > (SIZE_MAX / 2 - room) / size) return NULL;
    const size_t n_bytes = count * size;
    if (arena->blocks != NULL) {
        void *place = take(arena->blocks, n_bytes);
        if (place != NULL) return place;
    }
    const bool large = n_bytes + room > SHARED_BYTES;
    struct rs_block *block = new_block(arena, large ? n_bytes + room : SHARED_BYTES);
    if (block == NULL) return NULL;
    /* A large block goes behind the shared one, which may still have room. */
    struct rs_block **where =
        large && arena->blocks != NULL ? &arena->blocks->next : &arena->blocks;
    block->next = *where;
    *where = block;
    return take(block, n_bytes);
}
