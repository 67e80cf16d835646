/* ringsim_archive.h: how dumps are packed: gzip (hang_archive.c), tar (hang_archive.c), in memory. */
#pragma once

#include "ringsim_findings.h"

RS_BEGIN_DECLS

/* hang_archive.c: a file in a tar archive. */
typedef struct rn_tar_member {
    char name[512];
    const char *bytes; /* in the archive */
    size_t n_bytes;
} rn_tar_member;
bool rn_is_tar(const char *bytes, size_t n_bytes);
/* Goes to the next file, from *at = 0 on; false: there is none. */
bool rn_tar_next(const char *bytes, size_t n_bytes, size_t *at, rn_tar_member *member);

/* hang_archive.c. */
bool rn_is_gzip(const char *bytes, size_t n_bytes);
/* Unpacks a gzip of less than 2 GiB. *n_unpacked = limit + 1: there is more than the limit, and *unpacked is not all of it.
   *unpacked is the caller's to free, whatever the status. An error names the gzip. RS_UNSUPPORTED: this build has no zlib. */
rs_status rn_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                    rs_error *error, char **unpacked, size_t *n_unpacked);

RS_END_DECLS
