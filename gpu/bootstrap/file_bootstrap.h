/* file_bootstrap.h: the file as a store: its layout (drawn in file_bootstrap.c), locks, reading and
 * writing. Private to gpu/.
 */
#ifndef RG_FILE_BOOTSTRAP_H
#define RG_FILE_BOOTSTRAP_H

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

/* ------------------------------------------------------------------ file_disk.c */

/* Fails with what this rank could not do, and errno. */
rs_status rg_disk_fail(const rg_bootstrap *bootstrap, const char *what, rs_error *error);
/* Takes the file's lock, F_RDLCK or F_WRLCK; the error names the process that holds it too long. */
rs_status rg_disk_lock(rg_bootstrap *bootstrap, short type, int64_t deadline_ps, rs_error *error);
void rg_disk_unlock(const rg_file_store *shared);
/* Marks this rank as alive, for as long as the process lives and keeps the file open. */
bool rg_disk_claim(const rg_file_store *shared, int32_t rank);
/* Tells whether that rank lives, in another process (never true of our own); true where nobody can say. */
bool rg_disk_lives(const rg_file_store *shared, int32_t rank);
/* false: errno says why; a file that is too short is an error as well. */
bool rg_disk_write(int fd, const void *bytes, size_t n, int64_t at);
bool rg_disk_read(int fd, void *bytes, size_t n, int64_t at);
int64_t rg_slot_at(int64_t rank);
bool rg_slot_write(const rg_bootstrap *bootstrap); /* our own */
bool rg_slots_read(const rg_bootstrap *bootstrap); /* and the head */

#endif
