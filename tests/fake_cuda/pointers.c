/* pointers.c: a kernel's argument is looked through for pointers to ordinary memory of the host. See inside.h.
 *
 *   - A device cannot read such memory; this one could, since it is the same processor: what a real GPU
 *     would end for is found here beforehand.
 *   - Looked at are the argument, and small tables in memory of the device that it points to.
 */
#include "inside.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tells whether a word is the address of ordinary memory of the host. */
static bool is_hosts(uintptr_t word) {
    if (word < (uintptr_t)1 << 44 || word >= (uintptr_t)1 << 47) return false;
    const void *at = (const void *)word;
    if (emu_device_of(at) != EMU_HOST || emu_pinned(at, 1)) return false;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char present;
    return mincore((void *)(word / page * page), 1, &present) == 0;
}

static void look_at_words(int device, const char *words, size_t n, const char *what) {
    for (size_t i = 0; i + sizeof(uintptr_t) <= n; i += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, words + i, sizeof word);
        if (!is_hosts(word)) continue;
        emu_fault(device, cudaErrorIllegalAddress,
                  "a kernel gets a pointer to memory of the host, at byte %zu of %s", i, what);
        return;
    }
}

/* A table of addresses holds nothing else; data may look like an address by chance. */
static bool is_table(const char *words, size_t n) {
    for (size_t i = 0; i + sizeof(uintptr_t) <= n; i += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, words + i, sizeof word);
        const void *at = (const void *)word;
        const bool somewhere = emu_device_of(at) != EMU_HOST || emu_pinned(at, 1) || is_hosts(word);
        if (word != 0 && !somewhere) return false;
    }
    return true;
}

void emu_look_at_argument(int device, const char *argument, size_t n_argument) {
    enum { SMALL = 4096 };
    look_at_words(device, argument, n_argument, "its argument");
    emu_view(EMU_ALL);
    for (size_t i = 0; i + sizeof(uintptr_t) <= n_argument; i += sizeof(uintptr_t)) {
        const char *table;
        memcpy(&table, argument + i, sizeof table);
        const size_t n = emu_rest(table);
        if (n > SMALL || !is_table(table, n)) continue;
        look_at_words(device, table, n, "a table that its argument points to");
    }
}
