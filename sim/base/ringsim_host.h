/* ringsim_host.h: status and errors, what the outside world lends the library, and memory. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Around the declarations of a header that C++ may include, too. */
#ifdef __cplusplus
#define RS_BEGIN_DECLS extern "C" {
#define RS_END_DECLS }
#else
#define RS_BEGIN_DECLS
#define RS_END_DECLS
#endif

RS_BEGIN_DECLS

typedef enum rs_status {
    RS_OK,
    RS_BAD_INPUT, /* the caller's data is wrong; nothing was done */
    RS_NO_MEMORY, /* the host has no more memory, or the arena's limit is reached */
    RS_TOO_LARGE, /* beyond what this function promises (times past 2^53 ps, too many transfers) */
    RS_UNSUPPORTED, /* right in itself, but not with this engine */
    RS_CANCELLED    /* the host's progress function said stop */
} rs_status;

enum { RS_ERROR_TEXT = 512, RS_ERROR_FILE = 204 };
typedef struct rs_error {
    char text[RS_ERROR_TEXT]; /* in English: one line, UTF-8, always terminated */
    /* the message: its English format, by which translations are found; NULL: `text` is all there is */
    const char *id;
    char values[RS_ERROR_TEXT]; /* what stands for its conversions, one after another (error.c) */
    char file[RS_ERROR_FILE];   /* what was read; "": nothing, or the message says it itself */
    int64_t line, column;       /* where in it, from 1; 0: nowhere */
} rs_error;

#if defined(__GNUC__)
#define RS_PRINTF(at, values) __attribute__((format(printf, at, values)))
#else
#define RS_PRINTF(at, values)
#endif
/* Writes a printf-style message into *error (may be NULL) and returns `status`. The format stays where it is:
   a literal. Known are %d, %ld, %lld, %zu, their kin, %s, %.*s and floats. */
rs_status rs_fail(rs_error *error, rs_status status, const char *format, ...) RS_PRINTF(3, 4);
/* The same; the value number `word`, from 0, is a message itself: a noun, a fault. */
rs_status rs_fail_word(rs_error *error, rs_status status, int word, const char *format, ...)
    RS_PRINTF(4, 5);
/* The same, for functions like it; word -1: none. */
rs_status rs_vfail(rs_error *error, rs_status status, int word, const char *format, va_list values)
    RS_PRINTF(4, 0);
/* The same; value number `which` is a whole message: `inner`, whose text is given there. */
rs_status rs_fail_with(rs_error *error, rs_status status, int which, const rs_error *inner,
                       const char *format, ...) RS_PRINTF(5, 6);
/* Says where in a text that was (column 0: somewhere in the line), and then in which file: it stands before the message. */
void rs_error_at(rs_error *error, int64_t line, int64_t column);
void rs_error_in(rs_error *error, const char *file);
rs_status rs_no_memory(rs_error *error);
/* A message that is handed on by its name is marked for the catalogue of translations. */
#define RS_MESSAGE(text) text
/* Returns a message in the reader's language, or itself where there is no other. */
typedef const char *(*rs_translate)(const char *id);
/* Writes the message as a language has it, at most n_out bytes with the zero. Returns out. */
char *rs_error_said(const rs_error *error, rs_translate translate, char *out, size_t n_out);

/* What the library may ask of the outside world. Every member may be NULL (or 0). The caller owns it and keeps
   it for as long as an arena names it. */
typedef struct rs_host {
    void *context;                                    /* handed back to each function below */
    void *(*allocate)(void *context, size_t n_bytes); /* NULL: malloc */
    void (*release)(void *context, void *block, size_t n_bytes); /* NULL: free */
    /* Runs task(argument, 0..n_tasks-1), in any order, on any threads; returns when all are done.
       NULL: one after another. */
    void (*parallel_for)(void *context, int n_tasks, void (*task)(void *argument, int index),
                         void *argument);
    int n_workers; /* how many tasks really run side by side; 0 means 1 */
    /* The library reports now and then how far `what` has come, from the thread that entered it; returns
       false to cancel. NULL: it reports nothing. */
    bool (*progress)(void *context, const char *what, int64_t done, int64_t total);
    /* Tells, from any thread, that progress would return false: tasks that last end early, and what
       they made is not used. NULL: never. */
    bool (*stopped)(void *context);
} rs_host;

/* Reports how far `what` has come; false: end. A host that is NULL, or without the function, lets all
   go on. */
bool rs_go_on(const rs_host *host, const char *what, int64_t done, int64_t total);
/* Tells a task of parallel_for, or whoever has nothing to report, whether to end. */
bool rs_stopped(const rs_host *host);
/* Runs task(argument, 0..n_tasks-1) by the host's parallel_for; without one, one after another. */
void rs_run_tasks(const rs_host *host, int n_tasks, void (*task)(void *argument, int index),
                  void *argument);

/* Takes text that the library prints, piece by piece. */
typedef void (*rs_write)(void *context, const char *text, size_t n_bytes);

/* All the memory of one run, freed at once. */
typedef struct rs_arena {
    const rs_host *host;
    struct rs_block *blocks;
    size_t n_bytes;     /* taken from the host so far */
    size_t limit_bytes; /* 0: no limit */
    bool lacked;        /* a request found no memory: what was made with it may not be whole */
} rs_arena;

void rs_arena_init(rs_arena *arena, const rs_host *host); /* host may be NULL */
/* Frees all that came from it; ends the program if anything was written right behind an array. */
void rs_arena_free(rs_arena *arena);
/* Returns `count` zeroed objects of `size` bytes, aligned to 64; NULL on overflow or want of memory.
   Blocks of more than 64 KiB are separate host blocks, so that large ones start on fresh pages. */
void *rs_alloc(rs_arena *arena, size_t count, size_t size);

RS_END_DECLS
