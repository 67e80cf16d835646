/* printed.h: what is written, kept in one piece that ends with a zero byte.
 *
 *     page printed = {0};
 *     rs_print_schedule(&schedule, keep, &printed); ... free(printed.text);
 */
#pragma once

#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

typedef struct page {
    char *text;
    size_t n, room, most; /* most: bytes of the largest part */
} page;

static inline void keep(void *context, const char *text, size_t n_bytes) {
    page *to = context;
    if (!rs_reserve(NULL, &to->text, to->n + n_bytes + 1, &to->room)) abort();
    if (n_bytes > 0) memcpy(to->text + to->n, text, n_bytes);
    to->n += n_bytes;
    to->text[to->n] = '\0';
    if (n_bytes > to->most) to->most = n_bytes;
}
