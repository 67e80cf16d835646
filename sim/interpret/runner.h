/* runner.h: a program under way: its cells, and what is left of its limits. Private to sim/interpret/. */
#pragma once

#include "tree.h"

#include "ringsim_print.h"

typedef struct rs_c_cell {
    rs_c_value value;
    bool is_set;
} rs_c_cell;

struct rs_runner {
    const rs_program *program;
    rs_run_limits limits;
    rs_c_cell *cells; /* the program's, the question's, then a frame for each call */
    int32_t top, frame;
    const rs_host *host;
    int64_t steps_left, steps_beyond; /* until the host is asked; behind that */
    int32_t nested, n_calls;
    rs_c_value returned; /* by the function that ended last */
    rs_c_fault fault;
    rs_watched *watched; /* NULL: nobody looks */
    rs_printer said;
};

/* Calls a function. The value of nothing is 0. */
rs_c_value rs_c_run(rs_runner *run, const rs_c_function *f, const rs_c_value arguments[],
                    int32_t line);
/* Finds a function that the program defines; NULL: it does not. */
const rs_c_function *rs_c_find_function(const rs_program *program, const char *name);
/* Takes n cells for a question; NULL: there are no more. */
rs_c_cell *rs_c_take_cells(rs_runner *run, int32_t n, rs_c_value *pointer);
/* Notes for those who watch what a line has written. */
void rs_c_note(rs_runner *run, const rs_c_node *node, rs_c_value value);
/* runner.c: prints as printf does. */
const char *rs_c_format(const char *text, int32_t n_text, const rs_c_type *const types[],
                        const rs_c_value values[], int n, rs_printer *out);
