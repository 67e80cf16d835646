/* runner.c: makes what runs a program: its limits, its cells, its variables as they are at the start. */
#include "runner.h"

#include <string.h>

enum { STEPS = 200000000, CELLS = 1 << 18, NESTED = 4000 };

const rs_c_function *rs_c_find_function(const rs_program *program, const char *name) {
    for (int i = 0; i < RS_C_BUCKETS; i++) {
        for (const rs_c_name *n = program->names[i]; n != NULL; n = n->next) {
            if (n->symbol == NULL || n->symbol->kind != RS_C_FUNCTION || strcmp(n->text, name) != 0)
                continue;
            return n->symbol->function->body != NULL ? n->symbol->function : NULL;
        }
    }
    return NULL;
}

rs_c_cell *rs_c_take_cells(rs_runner *run, int32_t n, rs_c_value *pointer) {
    if (n < 0 || n > run->limits.n_cells - run->top) return NULL;
    *pointer = (rs_c_value){{0}};
    pointer->p.base = run->top;
    pointer->p.n = n;
    run->top += n;
    return &run->cells[pointer->p.base];
}

rs_status rs_runner_make(const rs_program *program, const rs_run_limits *limits, rs_write said,
                         void *context, rs_arena *arena, rs_trouble *trouble, rs_runner **runner) {
    rs_runner *run = rs_alloc(arena, 1, sizeof *run);
    *trouble = (rs_trouble){.what = NULL};
    if (run == NULL) return RS_NO_MEMORY;
    *run = (rs_runner){
        .program = program, .trouble = trouble, .said = {.write = said, .context = context}};
    if (limits != NULL) run->limits = *limits;
    if (run->limits.n_steps == 0) run->limits.n_steps = STEPS;
    if (run->limits.n_cells == 0) run->limits.n_cells = CELLS;
    if (run->limits.n_nested == 0) run->limits.n_nested = NESTED;
    if (program->n_globals > run->limits.n_cells / 2) {
        rs_c_blame(trouble, 0, N_("its static variables need more memory than there is"), "", 0);
        trouble->outside = true;
        return RS_BAD_INPUT;
    }
    run->cells = rs_alloc(arena, (size_t)run->limits.n_cells + 1, sizeof *run->cells);
    if (run->cells == NULL) return RS_NO_MEMORY;
    for (int32_t i = 0; i < program->n_globals; i++) run->cells[i].is_set = true;
    run->top = run->frame = program->n_globals;
    run->steps_left = run->limits.n_steps;
    for (const rs_c_node *one = program->setup; one != NULL; one = one->next)
        run->cells[one->a->slot].value = one->b->value;
    *runner = run;
    return RS_OK;
}

void rs_c_note(rs_runner *run, const rs_c_node *node, rs_c_value value) {
    rs_watched *w = run->watched;
    const rs_c_type *type = node->type;
    if (node->a->op != RS_C_LOCAL || node->name == NULL || run->n_calls != 1 ||
        !rs_c_is_number(type))
        return;
    const double number = type->kind == RS_C_INT ? (double)value.i : value.d;
    int i = 0;
    while (i < w->n_notes &&
           (w->notes[i].line < node->line ||
            (w->notes[i].line == node->line && strcmp(w->notes[i].name, node->name->text) != 0)))
        i++;
    if (i == w->n_notes || w->notes[i].line != node->line) {
        if (w->n_notes == RS_MOST_NOTES || node->name->n_text >= RS_NOTE_NAME) return;
        memmove(&w->notes[i + 1], &w->notes[i], (size_t)(w->n_notes++ - i) * sizeof w->notes[0]);
        w->notes[i].line = node->line;
        memcpy(w->notes[i].name, node->name->text, (size_t)node->name->n_text + 1);
    }
    w->notes[i].value = number;
}
