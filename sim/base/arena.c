/* arena.c: all the memory of one run, freed at once; how the host is asked.
 *
 *   - Small requests share 64 KiB blocks, large ones get a block each.
 *   - Everything handed out is zeroed and aligned to 64 bytes (a cache line, an AVX-512 vector).
 *   - A guard stands behind each array: freeing the arena ends the program if anything wrote past an end;
 *     who reads there gets numbers so large that his result shows it.
 *   - Not for use from several threads at once: allocate before parallel_for.
 */
#include "ringsim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, SHARED_BYTES = 64 * 1024 };

struct rs_block {
    struct rs_block *next;
    size_t n_bytes; /* of the host's block, this head included */
    size_t used;    /* from the start of this head */
    size_t guard;   /* the last one's place, 0: none */
};

/* Stands right behind an array, at any address. */
enum { MARKS = 7 };
typedef struct guard {
    uint64_t marks[MARKS]; /* follow from `before` */
    uint64_t before;       /* the place of the block's guard before, 0: none */
} guard;
/* As f64 1.2e308; as i64, and both halves as i32, large, odd, no place of memory. */
static const uint64_t guard_mark = 0x7fe5a7d37fe5a7d3;

bool rs_go_on(const rs_host *host, const char *what, int64_t done, int64_t total) {
    return host == NULL || host->progress == NULL ||
           host->progress(host->context, what, done, total);
}

bool rs_stopped(const rs_host *host) {
    return host != NULL && host->stopped != NULL && host->stopped(host->context);
}

void rs_run_tasks(const rs_host *host, int n_tasks, void (*task)(void *, int), void *argument) {
    if (host != NULL && host->parallel_for != NULL && n_tasks > 1) {
        host->parallel_for(host->context, n_tasks, task, argument);
    } else {
        for (int i = 0; i < n_tasks; i++) task(argument, i);
    }
}

void rs_arena_init(rs_arena *arena, const rs_host *host) {
    *arena = (rs_arena){.host = host};
}

static void check_guards(const struct rs_block *block) {
    guard found;
    for (size_t at = block->guard; at != 0; at = found.before) {
        memcpy(&found, (const char *)block + at, sizeof found);
        for (int i = 0; i < MARKS; i++) { /* else somebody wrote past an array's end */
            assert(found.marks[i] == (found.before ^ guard_mark));
        }
    }
}

void rs_arena_free(rs_arena *arena) {
    const rs_host *host = arena->host;
    for (struct rs_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        check_guards(block);
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

/* Returns the aligned place for n_bytes and their guard in the block, NULL if they do not fit. */
static void *take(struct rs_block *block, size_t n_bytes) {
    const uintptr_t start = (uintptr_t)block + block->used;
    const uintptr_t place = (start + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    const size_t used = place - (uintptr_t)block;
    guard behind = {.before = block->guard};
    for (int i = 0; i < MARKS; i++) behind.marks[i] = block->guard ^ guard_mark;
    if (used > block->n_bytes || n_bytes + sizeof behind > block->n_bytes - used) return NULL;
    block->guard = used + n_bytes;
    block->used = block->guard + sizeof behind;
    memcpy((char *)block + block->guard, &behind, sizeof behind);
    return (void *)place;
}

void *rs_alloc(rs_arena *arena, size_t count, size_t size) {
    const size_t room = sizeof(struct rs_block) + ALIGNMENT + sizeof(guard);
    if (size != 0 && count > (SIZE_MAX / 2 - room) / size) {
        arena->lacked = true;
        return NULL;
    }
    const size_t n_bytes = count * size;
    if (arena->blocks != NULL) {
        void *place = take(arena->blocks, n_bytes);
        if (place != NULL) return place;
    }
    const bool large = n_bytes + room > SHARED_BYTES;
    struct rs_block *block = new_block(arena, large ? n_bytes + room : SHARED_BYTES);
    if (block == NULL) {
        arena->lacked = true;
        return NULL;
    }
    /* A large block goes behind the shared one, which may still have room. */
    struct rs_block **where =
        large && arena->blocks != NULL ? &arena->blocks->next : &arena->blocks;
    block->next = *where;
    *where = block;
    return take(block, n_bytes);
}
