/* mix.h: one round of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): a number to a random-looking
 * one, the same everywhere and always. Private to sim/. */
#pragma once

#include <stdint.h>

static inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
