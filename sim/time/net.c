/* net.c: what a message costs on a link, in whole picoseconds. */
#include "ringsim.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide; /* bytes x 10^12 x a factor passes 2^64 */

static const uint64_t ps_a_second = 1000000000000, root = 1000000; /* of ps_a_second */

/* Not inlined, so that the short way does not pay for it. */
__attribute__((noinline)) static int64_t long_way(uint64_t bytes, uint64_t bandwidth_Bps,
                                                  uint64_t num, uint64_t den) {
    const wide top = (wide)bytes * ps_a_second; /* < 2^103 */
    wide ps;
    if (num == den) {
        ps = (top + bandwidth_Bps / 2) / bandwidth_Bps;
    } else {
        if (top > (~(wide)0 >> 1) / num) return INT64_MAX;
        const wide bottom = (wide)bandwidth_Bps * den;
        ps = (top * num + bottom / 2) / bottom;
    }
    return ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
}

int64_t rs_wire_ps(int64_t n_bytes, uint64_t bandwidth_Bps, uint64_t num, uint64_t den) {
    assert(n_bytes >= 0 && bandwidth_Bps >= 1 && num >= 1 && den >= 1);
    assert(num <= 1000000000 && den <= 1000000000);
    const uint64_t bytes = (uint64_t)n_bytes;
    if (num == den && bytes <= INT64_MAX / ps_a_second) {
        return (int64_t)((bytes * ps_a_second + bandwidth_Bps / 2) / bandwidth_Bps);
    }
    /* Long division in two digits, without `wide`. */
    if (num == den && bytes <= UINT64_MAX / root && bandwidth_Bps <= UINT64_MAX / root / 2) {
        const uint64_t high = bytes * root / bandwidth_Bps, rest = bytes * root % bandwidth_Bps;
        const uint64_t low = (rest * root + bandwidth_Bps / 2) / bandwidth_Bps;
        if (high < (uint64_t)INT64_MAX / root) return (int64_t)(high * root + low);
    }
    return long_way(bytes, bandwidth_Bps, num, den);
}
