/* runner.c: makes what runs a program: its limits, its cells, its variables as they are at the start. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ printf */

/* Prints as printf does: whole numbers, numbers with a point, characters. */

static char unescaped(char c) {
    static const char letters[] = "ntr0", meant[] = "\n\t\r";
    const char *found = strchr(letters, c);
    return found != NULL && *found != '\0' ? meant[found - letters] : c;
}

/* Prints one number; `mark` is the text from its % on, n its length. Returns what is wrong. */
static const char *print_one(const char *mark, size_t n, const rs_c_type *type, rs_c_value value,
                             rs_printer *out) {
    char format[32], text[128];
    const char kind = mark[n - 1];
    size_t used = 0;
    for (size_t i = 0; i + 1 < n; i++) { /* n: 13 at most */
        if (strchr("hlzjt", mark[i]) == NULL) format[used++] = mark[i];
    }
    const bool whole = strchr("diuxXoc", kind) != NULL;
    if (whole != (type->kind == RS_C_INT))
        return whole
                   ? N_("printf: %%d and its like print whole numbers, and get another one")
                   : N_("printf: %%f and its like print numbers with a point, and get a whole one");
    if (whole && kind != 'c') {
        format[used++] = 'l';
        format[used++] = 'l';
    }
    format[used++] = kind;
    format[used] = '\0';
    if (type->kind == RS_C_INT && type->bits == 32 && !strchr("di", kind)) value.i &= 0xffffffff;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (kind == 'c')
        snprintf(text, sizeof text, format, (int)(value.i & 0x7f));
    else if (whole)
        snprintf(text, sizeof text, format, (long long)value.i);
    else
        snprintf(text, sizeof text, format, value.d);
#pragma GCC diagnostic pop
    if (out->write != NULL) rs_printer_put(out, text);
    return NULL;
}

const char *rs_c_format(const char *text, int32_t n_text, const rs_c_type *const types[],
                        const rs_c_value values[], int n, rs_printer *out) {
    const char *end = text + n_text;
    int next = 0;
    while (text < end) {
        const char *mark = text;
        if (*text != '%') {
            const bool escaped = *text == '\\' && end - text > 1;
            const char c = escaped ? unescaped(text[1]) : *text;
            if (out->write != NULL) rs_printer_put_bytes(out, &c, 1);
            text += 1 + escaped;
            continue;
        }
        int digits = 0;
        for (text++; text < end && *text != '\0' && strchr("-+ #0123456789.hlzjt", *text) != NULL;
             text++)
            digits += *text >= '0' && *text <= '9';
        if (text == end || *text == '\0' || strchr("diuxXocfFeEgG%", *text) == NULL ||
            text - mark > 12 || digits > 4)
            return N_("printf: a mark that is not known");
        if (*text++ == '%') {
            if (out->write != NULL) rs_printer_put_bytes(out, "%", 1);
            continue;
        }
        if (next == n) return N_("printf: more marks than numbers");
        const char *what = print_one(mark, (size_t)(text - mark), types[next], values[next], out);
        next++;
        if (what != NULL) return what;
    }
    return NULL;
}

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
                         void *context, rs_arena *arena, rs_error *error, rs_runner **runner) {
    rs_runner *run = rs_alloc(arena, 1, sizeof *run);
    if (run == NULL) return rs_no_memory(error);
    *run = (rs_runner){.program = program,
                       .host = arena->host,
                       .fault = rs_c_no_fault(error),
                       .said = {.write = said, .context = context}};
    if (limits != NULL) run->limits = *limits;
    if (run->limits.n_steps == 0) run->limits.n_steps = STEPS;
    if (run->limits.n_cells == 0) run->limits.n_cells = CELLS;
    if (run->limits.n_nested == 0) run->limits.n_nested = NESTED;
    if (program->n_globals > run->limits.n_cells / 2) {
        rs_c_blame(&run->fault, RS_UNSUPPORTED, 0,
                   N_("its static variables need more memory than there is"));
        return RS_UNSUPPORTED;
    }
    run->cells = rs_alloc(arena, (size_t)run->limits.n_cells + 1, sizeof *run->cells);
    if (run->cells == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < program->n_globals; i++) run->cells[i].is_set = true;
    run->top = run->frame = program->n_globals;
    run->steps_beyond = run->limits.n_steps;
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
