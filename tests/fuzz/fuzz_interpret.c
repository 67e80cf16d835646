/* fuzz_interpret.c: any bytes as a learner's C file: refused with a line, or answers, or a fault with its line; never more steps than
 * allowed, and no cell that is not its own. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_interpret.h"

static const char header[] =
    "typedef struct rs_send { int to; int chunk; int chunks; int copy; } rs_send;\n"
    "int send_chunk(int step, int rank, int n); int send_to(int rank, int n);\n"
    "int sends(int step, int rank, int n, rs_send out[]); int steps(int n); int chunks(int n);\n"
    "double average(int n, const double grads[], const int samples[]);\n"
    "int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]);\n"
    "void chunk_range(int count, int n, int chunk, int *first, int *length);\n"
    "float ring_sum(int n, int chunk, const float x[]); int reducer_of(int word, int n);\n"
    "void ring_order(int n, const double seconds[], int order[]);\n";

static void ignore(void *context, const char *text, size_t n_bytes) {
    size_t *n = context;
    *n += n_bytes + (size_t)(n_bytes > 0 && text[0] == '\0');
}

static void check(rs_status status, const rs_error *fault) {
    if (status != RS_BAD_INPUT) return;
    assert(fault->id != NULL && fault->line >= 0);
    assert(fault->text[0] != '\0' && strchr(fault->text, '\n') == NULL);
}

static void run(const rs_program *program, rs_arena *arena) {
    static const char *const questions[] = {"schedule 3 0 0",      "schedule 4 1 1",
                                            "average 2 0.5 1 3 4", "make_buckets 3 10 20 30 5 25",
                                            "chunk_range 10 3",    "ring_sum 3 1 1e8 1 -1e8",
                                            "reducer_of 3 2 -5 7", "ring_order 2 1 2 3 4"};
    const rs_run_limits limits = {.n_steps = 20000, .n_cells = 5000};
    rs_error fault;
    rs_runner *runner;
    rs_watched watched;
    size_t n = 0;
    rs_status status = rs_runner_make(program, &limits, ignore, &n, arena, &fault, &runner);
    check(status, &fault);
    if (status != RS_OK) return;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        check(rs_runner_ask(runner, questions[i], ignore, &n, &fault), &fault);
    check(rs_runner_watch(runner, 1, 0, 3, &watched, &fault), &fault);
    assert(watched.n_notes <= RS_MOST_NOTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_error fault;
    const rs_program *program;
    rs_arena_init(&arena, NULL);
    const rs_status status =
        rs_program_read(header, sizeof header - 1, exact, size, &arena, &fault, &program);
    free(exact);
    check(status, &fault);
    if (status == RS_OK) run(program, &arena);
    rs_arena_free(&arena);
    return 0;
}
