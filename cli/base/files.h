/* files.h: files read with a limit and written whole or not at all (files.c), where they really go
 * (place.c), where our own lie (folders.c).
 */
#pragma once

#include "base/exit.h"

#include <limits.h>
#include <sys/types.h>

/* How large a file may be. */
enum {
    RC_TEXT_LIMIT = 16 * 1024 * 1024, /* schedules and link tables */
    RC_TRACE_LIMIT = 1024 * 1024 * 1024
};
/* Keeps what came of an input that comes once, "-" or a pipe, for who reads it again; both must live on. */
void rc_keep_input(const char *path, const char *text, size_t n_bytes);
/* Reads a whole file ("-": standard input) of at most `limit` bytes; a zero byte follows the data. */
rc_exit rc_read_file(const char *path, int64_t limit, rs_arena *arena, rs_error *error, char **data,
                     size_t *n_bytes);
/* The same of an open stream, named in errors, of which `head` has been read already. */
rc_exit rc_read_rest(FILE *stream, const char *path, const char *head, size_t n_head, int64_t limit,
                     rs_arena *arena, rs_error *error, char **data, size_t *n_bytes);
/* The same of somebody else's file: a regular one, no link to another. Waits for no pipe. Behind the first
   n_root bytes of the path no folder may be a link, whoever changes names meanwhile; 0: any may. */
rc_exit rc_read_itself(const char *path, size_t n_root, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes);
/* Tells how long a regular file is; -1 if it isn't one. */
int64_t rc_file_bytes(const char *path);

/* A file on its way: written beside its place, then moved there, so nothing is ever half-written.
   What a killed run has left beside the place is removed. "-" is standard output; what is no regular file (/dev/null, a pipe) is written directly. */
typedef struct rc_file {
    FILE *stream; /* NULL: not open */
    const char *option, *path;
    char *target, *scratch; /* NULL: written directly */
    int lock;               /* of the scratch file, until it is at its place or gone; 0: none */
} rc_file;
/* Opens the place that an option names. */
rc_exit rc_file_open(const char *option, const char *path, rs_error *error, rc_file *file);
/* Brings all bytes on their way to the disk. */
rc_exit rc_file_finish(rc_file *file, rs_error *error);
/* Moves it to its place. */
rc_exit rc_file_publish(rc_file *file, rs_error *error);
/* After a good status both; else, and where one of them fails, removes what was written. */
rc_exit rc_file_deliver(rc_file *file, rc_exit status, rs_error *error);
/* Removes what was written; harmless after publish. */
void rc_file_discard(rc_file *file);
/* Removes what killed runs left in a folder: of our user, of that type, named so with other letters for its last six, and
   that nobody holds. A young one may belong to somebody who is about to lock it. */
void rc_remove_left(const char *folder, const char *name, mode_t type,
                    void (*remove_one)(int parent, const char *name));

/* ------------------------------------------------------------------ place.c */

/* Returns the absolute place that the path names, all links followed; only its last part may be
   missing. NULL: errno says why. free() it. */
char *rc_place(const char *path);
/* From made to gone, a scratch file is removed if a signal ends the program. The text must live until it
   is gone. */
void rc_scratch_made(const char *path);
/* Forgets the file: it has gone, or it is at its place. */
void rc_scratch_gone(const char *path);
/* Clears away, then comes to the end that the signal has by itself: for a signal handler. */
void rc_end_by_signal(int number);

/* ------------------------------------------------------------------ folders.c */

enum { RC_MOST_NEAR = 3 };
/* Where files of ours may lie. */
typedef struct rc_folders {
    const char *list[RC_MOST_NEAR + 2]; /* in the order to look in; ends with NULL */
    char text[RC_MOST_NEAR][PATH_MAX + 32];
} rc_folders;
/* What may lie there. */
typedef enum rc_kept {
    RC_MODULES,
    RC_CATALOGUES,
    RC_LESSONS,
    RC_ASSETS,
    RC_PAGES,
    RC_N_KEPT
} rc_kept;
/* Lists the folders seen from the program's own, then the one that was chosen when it was installed.
   *found must stay where it is. */
void rc_find_folders(const char *program, rc_kept what, rc_folders *found);
/* Lists the names in a folder by their bytes, without those that begin with a point; returns how many, -1: errno says
   why not, unless the arena lacks memory. */
int rc_list_folder(const char *folder, rs_arena *arena, char ***names);
/* Tells whether a program of that name can be started. */
bool rc_in_path(const char *program);
