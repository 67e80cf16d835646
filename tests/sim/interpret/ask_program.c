/* ask_program.c: a program is read, run and asked, in memory that is measured out. */
#include "ask_program.h"
#include "support/answer_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char asked_header[] =
    "#ifndef RING_H\n"
    "typedef struct rs_send { int to; int chunk; int chunks; int copy; } rs_send;\n"
    "int sends(int step, int rank, int n, rs_send out[]);\n"
    "int send_chunk(int step, int rank, int n);\n"
    "int world_size(int nodes, int gpus, int per_process);\n"
    "double busbw(int n, double bytes, double seconds);\n"
    "void plan_calls(int n, const int batches[], int calls[]);\n"
    "#endif\n";

char asked_answer[ASKED_BYTES], asked_said[ASKED_BYTES];
static void keep(void *context, const char *text, size_t n_bytes) {
    char *to = context;
    const size_t used = strlen(to);
    cr_assert_lt(used + n_bytes, ASKED_BYTES);
    memcpy(to + used, text, n_bytes);
    to[used + n_bytes] = '\0';
}

static void keep_rows(void *context, const char *rows, size_t n_bytes) {
    char *to = context;
    add_answer_text(rows, n_bytes, to, ASKED_BYTES);
    cr_assert_lt(strlen(to) + 1, ASKED_BYTES);
}

const char *ask_program(const char *text, const char *question) {
    static char out[600];
    const size_t n = strlen(text);
    char *exact = malloc(n + 1); /* no byte more: a read beyond them is caught */
    rs_arena arena;
    rs_error fault;
    const rs_program *program;
    rs_runner *runner;
    const rs_run_limits limits = {.n_steps = 100000};
    asked_answer[0] = asked_said[0] = '\0';
    cr_assert_not_null(exact);
    memcpy(exact, text, n);
    rs_arena_init(&arena, NULL);
    rs_status status =
        rs_program_read(asked_header, strlen(asked_header), exact, n, &arena, &fault, &program);
    free(exact);
    if (status == RS_OK)
        status = rs_runner_make(program, &limits, keep, asked_said, &arena, &fault, &runner);
    if (status == RS_OK) status = rs_runner_ask(runner, question, keep_rows, asked_answer, &fault);
    snprintf(out, sizeof out, "%s", asked_answer);
    if (status == RS_UNSUPPORTED && fault.id == NULL) {
        snprintf(out, sizeof out, "no question");
    } else if (status == RS_BAD_INPUT || status == RS_UNSUPPORTED) {
        cr_assert_not_null(fault.id);
        snprintf(out, sizeof out, "line %d: %s%s", (int)fault.line, fault.text,
                 status == RS_UNSUPPORTED ? " (outside)" : "");
    }
    rs_arena_free(&arena);
    return out;
}

const char *run_body(const char *body) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "#include \"ring.h\"\nint world_size(int a, int b, int c) {\n(void)a, (void)b, (void)c;\n%s\n}\n",
        body);
    return ask_program(text, "world_size 7 -3 2");
}
