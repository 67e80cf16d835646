/* file_bootstrap.h: the file as a store: its layout (drawn in file_bootstrap.c), locks, reading and
 * writing. Private to gpu/.
 */
#pragma once

#include "bootstrap/bootstrap_ways.h"

enum { RG_WHY_TEXT = 512, RG_FIRST_NAP_MS = 1, RG_LONGEST_NAP_MS = 10 };

typedef struct rg_file_head {
    char magic[16];
    int64_t protocol;
    char version[RG_VERSION_BYTES];
    int64_t n_ranks;
    int64_t began_s;       /* when; the error on a stale file says it */
    int64_t over;          /* a status; RS_OK: the bootstrap goes on */
    char why[RG_WHY_TEXT]; /* `over` is not RS_OK */
    char token[RG_TOKEN_BYTES];
} rg_file_head;

typedef enum rg_presence { RG_AWAITED, RG_THERE, RG_LEFT } rg_presence;
typedef struct rg_slot {
    int64_t presence;
    int64_t n_exchanges; /* that have begun; its bytes are in the file */
    int64_t n_bytes;     /* of that exchange */
    int64_t reserved[5];
} rg_slot;

typedef struct rg_file_store {
    int fd;
    bool joined;       /* this rank has a slot */
    rg_slot *slots;    /* [N] as last read */
    rg_file_head head; /* as last read */
    int64_t from, to;  /* where the data of the last exchange lie */
} rg_file_store;

/* ------------------------------------------------------------------ file_bootstrap.c */

/* false: errno says why; a file that is too short is an error as well. */
bool rg_disk_write(int fd, const void *bytes, size_t n, int64_t at);
bool rg_disk_read(int fd, void *bytes, size_t n, int64_t at);
