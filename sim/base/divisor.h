/* divisor.h: fractions in their lowest terms. Private to sim/. */
#pragma once

#include <stdint.h>

static inline uint64_t rs_greatest_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
