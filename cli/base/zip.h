/* zip.h: the files in a zip that is in memory (zip.c). No size in it is believed. */
#pragma once

#include "base/exit.h"

#include <stdbool.h>

typedef struct rc_zip_member {
    char name[512]; /* what does not fit is cut off */
    const char *data;
    size_t n_data, n_bytes; /* packed, and as the zip says unpacked */
    uint32_t crc;
    int method;
    bool hidden; /* a folder, or what a system adds of its own */
} rc_zip_member;

/* Tells whether such a name is a zip's. */
bool rc_is_zip(const char *path);
/* Goes to the next file, from *at = 0 on; false: there is none, or what follows is damaged. */
bool rc_zip_next(const char *bytes, size_t n_bytes, size_t *at, rc_zip_member *member);
/* Tells whether this build can unpack it. */
bool rc_zip_opens(const rc_zip_member *member);
/* Unpacks one of at most `limit` bytes, with a 0 behind. RC_USAGE: it is longer, or damaged; RC_LACKS: this build cannot. */
rc_exit rc_zip_read(const rc_zip_member *member, size_t limit, rs_arena *arena, rs_error *error,
                    char **text, size_t *n_text);
