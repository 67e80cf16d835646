/* never.h: a host's answer that ends what is going on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool never_go_on(void *context, const char *what, int64_t done, int64_t total) {
    (void)context, (void)what, (void)done, (void)total;
    return false;
}
