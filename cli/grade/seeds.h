/* seeds.h: every student's own numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct rc_random {
    uint64_t state;
} rc_random;
/* Writes the SHA-256 of the bytes. */
void rc_sha256(const void *data, size_t n_bytes, uint8_t digest[32]);
/* The numbers of one student in one lab: of SHA-256(secret | student | lab | work). `work` is what was
   handed in: whoever changes it gets other numbers, so that no report tells a right answer to the next
   question. "": the same for all works. */
rc_random rc_random_of(const char *secret, size_t n_secret, const char *student, const char *lab,
                       const char *work, size_t n_work);
int rc_random_in(rc_random *random, int low, int high); /* both included */
double rc_random_real(rc_random *random, double low, double high);
