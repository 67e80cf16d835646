/* seeds.c: gives every student their own numbers, by SHA-256 of a secret, the student's name and the lab.
 *
 *     secret | student | lab --> 256 bits --> the first 64 --> a stream of numbers (splitmix64)
 *
 * The same three give the same numbers on every machine, and nobody without the secret knows them.
 * SHA-256: FIPS 180-4, with its own test vectors in the tests.
 */
#include "grade/seeds.h"
#include "base/containers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void mix_block(const uint8_t block[64], uint32_t h[8]) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) {
        const uint8_t *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        const uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        const uint32_t one =
            v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[i] + w[i];
        const uint32_t a = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        const uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void rc_sha256(const void *data, size_t n_bytes, uint8_t digest[32]) {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = data;
    uint8_t last[128] = {0};
    size_t left = n_bytes;
    for (; left >= 64; left -= 64, at += 64) mix_block(at, h);
    if (left > 0) memcpy(last, at, left);
    last[left] = 0x80;
    assert(left < 64);
    const size_t n_last = left < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++) {
        last[n_last - 1 - (size_t)i] = (uint8_t)((uint64_t)n_bytes * 8 >> (8 * i));
    }
    mix_block(last, h);
    if (n_last == 128) mix_block(last + 64, h);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

rc_random rc_random_of(const char *secret, size_t n_secret, const char *student, const char *lab,
                       const char *work, size_t n_work) {
    uint8_t text[4096 + 512], digest[32];
    if (n_secret > 4096) n_secret = 4096;
    if (n_secret > 0) memcpy(text, secret, n_secret);
    size_t n =
        n_secret + (size_t)snprintf((char *)text + n_secret, 400, "|%.255s|%.60s", student, lab);
    if (n_work > 0) {
        rc_sha256(work, n_work, text + n);
        n += sizeof digest;
    }
    rc_sha256(text, n, digest);
    rc_random random = {0};
    for (int i = 0; i < 8; i++) random.state = random.state << 8 | digest[i];
    return random;
}

int rc_random_in(rc_random *random, int low, int high) {
    assert(low <= high);
    return low + (int)(rs_random(&random->state) % (uint64_t)(high - low + 1));
}

double rc_random_real(rc_random *random, double low, double high) {
    const double unit = (double)(rs_random(&random->state) >> 11) / 9007199254740992.0;
    return low + unit * (high - low);
}
