/* scopes.c: which flags need the system's scope. See inside.h.
 *
 *     device 0   store.release.SCOPE --> flag --> load.acquire.SCOPE   device 1
 *
 *   - Loads and stores that order memory between two devices, or between a device and the host, must both
 *     name the system's scope: a GPU's own reaches no further than its cache.
 *   - This device shows every write at once. What it can see is who stored a flag, and who loads it.
 *   - The table has one place for many flags: what it has forgotten is not found.
 */
#include "inside.h"

#include <stdint.h>
#include <string.h>

enum { N_PLACES = 4096 };
typedef struct stored {
    const void *at;
    int device;
    bool system;
} stored;
static stored last[N_PLACES];

const char *emu_scope_fault(int device, const void *at, bool system, bool stores) {
    stored *flag = &last[(uintptr_t)at / sizeof(uint32_t) % N_PLACES];
    const bool of_other = flag->at == at && flag->device != device;
    if (!system && emu_device_of(at) != device) {
        return "a flag beyond this device, by this device's scope only";
    }
    if (!stores && of_other && !(flag->system && system)) {
        return "a flag that another device stored, by a scope of one device";
    }
    if (stores) *flag = (stored){at, device, system};
    return NULL;
}

void emu_scopes_forget(void) {
    memset(last, 0, sizeof last);
}
