/* utf8.c: reads characters one by one, and tells which bytes are none (ringsim_print.h). */
#include "ringsim_print.h"

#include <assert.h>

size_t rs_decode_utf8(const char *text, size_t n_bytes, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    assert(n_bytes > 0);
    *character = at[0];
    if (at[0] < 0x80) return 1;
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > n_bytes) return 0;
    uint32_t read = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        read = read << 6 | (at[i] & 0x3fu);
    }
    if (read < least[length] || read > 0x10ffff || (read >= 0xd800 && read < 0xe000)) return 0;
    *character = read;
    return length;
}

bool rs_is_unprintable(uint32_t c) {
    if ((c & 0xfffe) == 0xfffe) return true;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}
