/* hang_tar.c: the files of a tar archive that is in memory, one after another; nothing is unpacked.
 *
 *   - Regular files only; links, folders and devices are passed over. Long names as GNU tar writes them.
 *   - An archive that ends too early ends there; a member's bytes are those that are there.
 */
#include "ringsim_archive.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, MAGIC = 257, SIZE = 124, TYPE = 156, NAME_BYTES = 100 };

bool rn_is_tar(const char *bytes, size_t n_bytes) {
    return n_bytes >= BLOCK && memcmp(bytes + MAGIC, "ustar", 5) == 0;
}

static size_t octal(const char *digits, int n) {
    size_t value = 0;
    for (int i = 0; i < n; i++) {
        if (digits[i] >= '0' && digits[i] <= '7') value = value * 8 + (size_t)(digits[i] - '0');
    }
    return value;
}

bool rn_tar_next(const char *bytes, size_t n_bytes, size_t *at, rn_tar_member *member) {
    bool named = false;
    while (*at <= n_bytes && n_bytes - *at >= BLOCK && bytes[*at] != '\0') {
        const char *head = bytes + *at, type = head[TYPE];
        const size_t left = n_bytes - *at - BLOCK, size = octal(head + SIZE, 12);
        const size_t there = size < left ? size : left;
        *at += BLOCK + (there + BLOCK - 1) / BLOCK * BLOCK;
        if (type == 'L') { /* the next member's name */
            const int n =
                there < sizeof member->name - 1 ? (int)there : (int)sizeof member->name - 1;
            snprintf(member->name, sizeof member->name, "%.*s", n, head + BLOCK);
            named = true;
            continue;
        }
        if (type == '0' || type == '\0') {
            if (!named) snprintf(member->name, sizeof member->name, "%.*s", NAME_BYTES, head);
            member->bytes = head + BLOCK;
            member->n_bytes = there;
            return true;
        }
        if (type != 'x' && type != 'g') named = false;
    }
    return false;
}
