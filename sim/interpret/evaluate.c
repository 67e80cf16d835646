/* evaluate.c: runs the tree.
 *
 *   - After a fault everything returns: values are worth nothing then, and every statement and loop looks.
 *   - A place is base + at: the cell; n, the object's length, is what an index may not pass.
 */
#include "runner.h"

#include <string.h>

typedef enum flow { GOES_ON, BREAKS, CONTINUES, RETURNS } flow;
enum { CALLS = 1000 }; /* inside each other */

static rs_c_value evaluate(rs_runner *run, const rs_c_node *node);

static void wrong(rs_runner *run, const rs_c_node *node, const char *what) {
    rs_c_blame(&run->fault, RS_BAD_INPUT, node->line, what, rs_c_named(node->name).text);
}

/* What is too much for an interpreter may be right. */
static void give_up(rs_runner *run, const rs_c_node *node, const char *what) {
    rs_c_blame(&run->fault, RS_UNSUPPORTED, node->line, what, rs_c_named(node->name).text);
}

/* Gives the run more steps, if there are any and the host lets it go on. */
static void take_steps(rs_runner *run, const rs_c_node *node) {
    enum { AT_ONCE = 1 << 20 /* some 10 ms */ };
    const int64_t lacking = AT_ONCE - run->steps_left;
    const int64_t more = lacking < run->steps_beyond ? lacking : run->steps_beyond;
    run->steps_left += more;
    run->steps_beyond -= more;
    if (run->steps_left < 0)
        rs_c_blame(&run->fault, RS_UNSUPPORTED, node->line,
                   N_("it did not come to an end within %lld steps"),
                   (long long)run->limits.n_steps);
    else if (!rs_go_on(run->host, "running", run->limits.n_steps - run->steps_beyond,
                       run->limits.n_steps))
        rs_c_blame(&run->fault, RS_CANCELLED, node->line, N_("cancelled while it was running"));
}

static bool stopped(const rs_runner *run) {
    return run->fault.status != RS_OK;
}

/* Notes that the line was executed. */
static void see(rs_runner *run, const rs_c_node *node) {
    if (node->line > 0 && node->line <= run->watched->n_lines)
        run->watched->executed[node->line - 1] = true;
}

/* ------------------------------------------------------------------ places */

static rs_c_value fill(rs_runner *run, const rs_c_node *node);
static rs_c_value call(rs_runner *run, const rs_c_node *node);

/* Steps from an array's first element to another. */
static void step_to(rs_runner *run, const rs_c_node *node, int64_t index, rs_c_value *place) {
    const int32_t size = node->type->n_cells;
    const int64_t room = place->p.n / size, at = place->p.at / size;
    if (index < -at || index >= room - at) {
        if (room == 1 && index == 0)
            wrong(run, node, N_("'%s' leads behind what it belongs to"));
        else
            rs_c_blame(&run->fault, RS_BAD_INPUT, node->line,
                       N_("'%s' has the elements 0 to %lld, not %lld"), rs_c_named(node->name).text,
                       (long long)room - 1, (long long)(at + index));
        place->p.at = 0;
        return;
    }
    place->p.at += (int32_t)index * size;
}

/* Finds the cells that an expression stands for. */
static rs_c_value place_of(rs_runner *run, const rs_c_node *node) {
    rs_c_value place = {{0}};
    switch (node->op) {
    case RS_C_LOCAL:
    case RS_C_GLOBAL:
        place.p.base = node->slot + (node->op == RS_C_LOCAL ? run->frame : 0);
        place.p.n = node->type->n_cells;
        return place;
    case RS_C_INDEX: {
        place = evaluate(run, node->a);
        const rs_c_value index = evaluate(run, node->b);
        if (!stopped(run)) step_to(run, node, index.i, &place);
        return place;
    }
    case RS_C_MEMBER:
        place = place_of(run, node->a);
        place.p.base += place.p.at + node->n;
        place.p.at = 0;
        place.p.n = node->type->n_cells;
        return place;
    case RS_C_LITERAL:
        fill(run, node->a);
        place.p.base = run->frame + node->slot;
        place.p.n = node->type->n_cells;
        return place;
    default: /* a struct that an operator is worth */ return evaluate(run, node);
    }
}

static rs_c_cell *cell_at(rs_runner *run, rs_c_value place) {
    return &run->cells[stopped(run) ? 0 : place.p.base + place.p.at];
}

static rs_c_value load(rs_runner *run, const rs_c_node *node, rs_c_value place) {
    if (node->type->kind == RS_C_STRUCT || stopped(run)) return place;
    const rs_c_cell *cell = cell_at(run, place);
    if (!cell->is_set) {
        if (node->op == RS_C_INDEX)
            rs_c_blame(&run->fault, RS_BAD_INPUT, node->line,
                       N_("element %lld of '%s' is read, and nothing has been written there"),
                       (long long)(place.p.at / node->type->n_cells), rs_c_named(node->name).text);
        else
            wrong(run, node, N_("'%s' is read, and has no value yet"));
    }
    return cell->value;
}

static void store(rs_runner *run, const rs_c_node *node, rs_c_value place, rs_c_value value) {
    if (stopped(run)) return;
    rs_c_cell *cell = cell_at(run, place);
    if (node->type->kind == RS_C_STRUCT) {
        const rs_c_cell *from = cell_at(run, value);
        memmove(cell, from, (size_t)node->type->n_cells * sizeof *cell);
        return;
    }
    *cell = (rs_c_cell){.value = value, .is_set = true};
    if (run->watched != NULL) rs_c_note(run, node, value);
}

/* ------------------------------------------------------------------ expressions */

static bool is_true(const rs_c_node *node, rs_c_value value) {
    return node->type->kind == RS_C_INT ? value.i != 0 : value.d != 0;
}

static bool holds(rs_runner *run, const rs_c_node *node) {
    return is_true(node, evaluate(run, node));
}

static rs_c_value operate(rs_runner *run, const rs_c_node *node, rs_c_op op, const rs_c_type *in,
                          rs_c_value a, rs_c_value b) {
    const char *what = NULL;
    if (stopped(run)) return a;
    const rs_c_value value = rs_c_operate(op, in, a, b, &what);
    if (what != NULL) wrong(run, node, what);
    return value;
}

static rs_c_value convert(rs_runner *run, const rs_c_node *node, const rs_c_type *from,
                          const rs_c_type *to, rs_c_value value) {
    const char *what = NULL;
    if (stopped(run)) return value;
    value = rs_c_convert(from, to, value, &what);
    if (what != NULL) wrong(run, node, what);
    return value;
}

static rs_c_value update(rs_runner *run, const rs_c_node *node) {
    const rs_c_value place = place_of(run, node->a);
    const rs_c_value b = evaluate(run, node->b);
    const rs_c_value before = load(run, node->a, place);
    rs_c_value value = convert(run, node, node->type, node->in, before);
    value = operate(run, node, node->how, node->in, value, b);
    value = convert(run, node, node->in, node->type, value);
    store(run, node, place, value);
    return node->op == RS_C_UPDATE ? value : before;
}

static rs_c_value fill(rs_runner *run, const rs_c_node *node) {
    rs_c_cell *cells = &run->cells[run->frame + node->slot];
    for (int32_t i = 0; i < node->n; i++) cells[i] = (rs_c_cell){.is_set = true};
    run->steps_left -= node->n / 8;
    for (const rs_c_node *item = node->a; item != NULL && !stopped(run); item = item->next)
        evaluate(run, item);
    return (rs_c_value){{0}};
}

/* ------------------------------------------------------------------ calls */

static rs_c_value printed(rs_runner *run, const rs_c_node *node) {
    enum { MOST = 16, STEPS_OF_A_NUMBER = 30 }; /* what writing one takes */
    const rs_c_type *types[MOST];
    rs_c_value values[MOST];
    int n = 0;
    for (const rs_c_node *one = node->a; one != NULL && n < MOST && !stopped(run);
         one = one->next, n++) {
        types[n] = one->a->type;
        values[n] = evaluate(run, one->a);
    }
    if (stopped(run)) return (rs_c_value){{0}};
    run->steps_left -= STEPS_OF_A_NUMBER * n;
    const char *what = rs_c_format(node->text, node->n, types, values, n, &run->said);
    if (what != NULL) give_up(run, node, what);
    return (rs_c_value){{0}};
}

static rs_c_value maths(rs_runner *run, const rs_c_node *node) {
    const rs_c_value a = evaluate(run, node->a);
    if (node->n < 0) {
        if (a.i == INT32_MIN) wrong(run, node, N_("the result does not fit into its type"));
        return (rs_c_value){.i = a.i < 0 ? -a.i : a.i};
    }
    const double b = node->b != NULL ? evaluate(run, node->b).d : 0;
    return (rs_c_value){.d = rs_c_maths(node->n, a.d, b)};
}

static rs_c_value call(rs_runner *run, const rs_c_node *node) {
    rs_c_value values[RS_C_PARAMETERS];
    int n = 0;
    for (const rs_c_node *one = node->a; one != NULL; one = one->next)
        values[n++] = evaluate(run, one->a);
    if (stopped(run)) return (rs_c_value){{0}};
    const rs_c_value value = rs_c_run(run, node->function, values, node->line);
    if (node->type->kind != RS_C_STRUCT || stopped(run)) return value;
    /* It lies where the frame of the call was: nothing has come there since. */
    rs_c_value place = {{0}};
    place.p.base = run->frame + node->slot;
    place.p.n = node->type->n_cells;
    store(run, node, place, value);
    return place;
}

static rs_c_value evaluate(rs_runner *run, const rs_c_node *node) {
    rs_c_value value, b;
    if (--run->steps_left < 0) take_steps(run, node);
    if (run->watched != NULL) see(run, node);
    switch (node->op) {
    case RS_C_CONSTANT: return node->value;
    case RS_C_LOCAL:
        if (node->type->kind != RS_C_STRUCT && run->cells[run->frame + node->slot].is_set)
            return run->cells[run->frame + node->slot].value;
        return load(run, node, place_of(run, node));
    case RS_C_MEASURED: return run->cells[run->frame + node->slot].value;
    case RS_C_GLOBAL:
    case RS_C_INDEX:
    case RS_C_MEMBER:
    case RS_C_LITERAL:
        if (stopped(run)) return (rs_c_value){{0}};
        return load(run, node, place_of(run, node));
    case RS_C_DECAY:
        value = place_of(run, node->a);
        value.p.base += value.p.at;
        value.p.at = 0;
        value.p.n = node->a->type->n_cells;
        return value;
    case RS_C_ADDRESS: return place_of(run, node->a);
    case RS_C_CONVERT: return convert(run, node, node->a->type, node->type, evaluate(run, node->a));
    case RS_C_AND: return (rs_c_value){.i = holds(run, node->a) && holds(run, node->b)};
    case RS_C_OR: return (rs_c_value){.i = holds(run, node->a) || holds(run, node->b)};
    case RS_C_CHOOSE: return evaluate(run, holds(run, node->a) ? node->b : node->c);
    case RS_C_COMMA: evaluate(run, node->a); return evaluate(run, node->b);
    case RS_C_ASSIGN:
        b = place_of(run, node->a);
        value = evaluate(run, node->b);
        store(run, node, b, value);
        return node->type->kind == RS_C_STRUCT ? b : value;
    case RS_C_UPDATE:
    case RS_C_UPDATE_AFTER: return update(run, node);
    case RS_C_CALL: return call(run, node);
    case RS_C_MATHS: return maths(run, node);
    case RS_C_PRINT: return printed(run, node);
    default:
        value = evaluate(run, node->a);
        b = node->b != NULL ? evaluate(run, node->b) : value;
        return operate(run, node, node->op, node->in, value, b);
    }
}

/* ------------------------------------------------------------------ statements */

static flow execute(rs_runner *run, const rs_c_node *node);

static flow execute_list(rs_runner *run, const rs_c_node *node) {
    flow how = GOES_ON;
    for (; node != NULL && how == GOES_ON; node = node->next) how = execute(run, node);
    return how;
}

static flow loop(rs_runner *run, const rs_c_node *node) {
    const int32_t top = run->top;
    flow how = node->a != NULL ? execute(run, node->a) : GOES_ON;
    bool goes = how == GOES_ON && (node->how == RS_C_ADD || node->b == NULL || holds(run, node->b));
    const int32_t inner = run->top;
    while (goes && !stopped(run)) {
        how = node->body != NULL ? execute(run, node->body) : GOES_ON;
        run->top = inner;
        if (how == BREAKS || how == RETURNS) break;
        how = GOES_ON;
        if (run->watched != NULL) see(run, node);
        if (node->c != NULL) execute(run, node->c);
        if (--run->steps_left < 0) take_steps(run, node);
        goes = node->b == NULL || holds(run, node->b);
    }
    run->top = top;
    return stopped(run) || how == RETURNS ? RETURNS : GOES_ON;
}

static flow choose_case(rs_runner *run, const rs_c_node *node) {
    const int64_t value = evaluate(run, node->a).i;
    const rs_c_node *found = NULL;
    const int32_t top = run->top;
    for (const rs_c_node *one = node->body->a; one != NULL; one = one->next) {
        if (one->op != RS_C_CASE) continue;
        if (one->how == RS_C_NOT && found == NULL) found = one;
        if (one->how != RS_C_NOT && one->value.i == value) {
            found = one;
            break;
        }
    }
    const flow how = execute_list(run, found);
    run->top = top;
    return how == BREAKS ? GOES_ON : how;
}

/* An array whose length is computed: it lies on top, until its block ends. */
static void measure(rs_runner *run, const rs_c_node *node) {
    const int64_t n = evaluate(run, node->a).i;
    if (stopped(run)) return;
    if (n < 1 || n > (run->limits.n_cells - run->top) / node->n) {
        rs_c_blame(&run->fault, n >= 1 ? RS_UNSUPPORTED : RS_BAD_INPUT, node->line,
                   N_("'%s' would have %lld elements"), rs_c_named(node->name).text, (long long)n);
        return;
    }
    rs_c_cell *cell = &run->cells[run->frame + node->slot];
    *cell = (rs_c_cell){.is_set = true};
    cell->value.p.base = run->top;
    cell->value.p.n = (int32_t)n * node->n;
    for (int32_t i = 0; i < cell->value.p.n; i++) run->cells[run->top + i].is_set = false;
    run->steps_left -= cell->value.p.n / 8;
    run->top += cell->value.p.n;
}

static void clear(rs_runner *run, const rs_c_node *node) {
    rs_c_cell *cells = &run->cells[run->frame + node->slot];
    for (int32_t i = 0; i < node->n; i++) cells[i].is_set = false;
    run->steps_left -= node->n / 8;
}

static flow give_back(rs_runner *run, const rs_c_node *node) {
    if (node->a != NULL) run->returned = evaluate(run, node->a);
    if (run->watched != NULL && run->n_calls == 1) run->watched->return_line = node->line;
    return RETURNS;
}

static flow execute(rs_runner *run, const rs_c_node *node) {
    const int32_t top = run->top;
    flow how = GOES_ON;
    if (--run->steps_left < 0) take_steps(run, node);
    if (run->watched != NULL) see(run, node);
    switch (node->op) {
    case RS_C_BLOCK:
        how = execute_list(run, node->a);
        if (node->how != RS_C_MEASURE) run->top = top;
        break;
    case RS_C_IF: {
        const rs_c_node *taken = holds(run, node->a) ? node->b : node->c;
        if (taken != NULL && !stopped(run)) how = execute(run, taken);
        break;
    }
    case RS_C_LOOP: how = loop(run, node); break;
    case RS_C_SWITCH: how = choose_case(run, node); break;
    case RS_C_CASE: break;
    case RS_C_BREAK: how = BREAKS; break;
    case RS_C_CONTINUE: how = CONTINUES; break;
    case RS_C_RETURN: how = give_back(run, node); break;
    case RS_C_EXPRESSION: evaluate(run, node->a); break;
    case RS_C_CLEAR: clear(run, node); break;
    case RS_C_FILL: fill(run, node); break;
    case RS_C_MEASURE: measure(run, node); break;
    default: evaluate(run, node); /* what a variable begins with */
    }
    return stopped(run) ? RETURNS : how;
}

/* ------------------------------------------------------------------ functions */

/* Takes cells for a frame and puts the arguments there. */
static bool open_frame(rs_runner *run, const rs_c_function *f, const rs_c_value arguments[]) {
    const int32_t base = run->top;
    if (f->n_cells > run->limits.n_cells - base) return false;
    for (int32_t i = 0; i < f->n_cells; i++) run->cells[base + i].is_set = false;
    run->steps_left -= f->n_cells / 8;
    for (int32_t i = 0; i < f->n_parameters; i++) {
        rs_c_cell *cell = &run->cells[base + f->slots[i]];
        if (f->parameters[i]->kind == RS_C_STRUCT) {
            memcpy(cell, cell_at(run, arguments[i]),
                   (size_t)f->parameters[i]->n_cells * sizeof *cell);
        } else {
            *cell = (rs_c_cell){.value = arguments[i], .is_set = true};
        }
    }
    run->frame = base;
    run->top = base + f->n_cells;
    return true;
}

rs_c_value rs_c_run(rs_runner *run, const rs_c_function *f, const rs_c_value arguments[],
                    int32_t line) {
    const int32_t top = run->top, frame = run->frame, nested = run->nested;
    const rs_c_node at = {.line = line, .name = f->name};
    run->returned = (rs_c_value){{0}};
    run->nested += f->body->deep;
    run->n_calls++;
    if (run->nested > run->limits.n_nested || run->n_calls > CALLS) {
        give_up(run, &at, N_("'%s' calls itself too often, one call inside the other"));
    } else if (!open_frame(run, f, arguments)) {
        give_up(run, &at, N_("'%s' needs more memory than there is"));
    } else if (execute(run, f->body) != RETURNS && f->type->kind != RS_C_VOID) {
        /* Nobody may want the value. */
        rs_c_blame(&run->fault, line > 0 ? RS_UNSUPPORTED : RS_BAD_INPUT, f->end_line,
                   N_("'%s' comes to its end without a return"), rs_c_named(f->name).text);
    }
    run->n_calls--;
    run->nested = nested;
    run->top = top;
    run->frame = frame;
    return run->returned;
}
