/* parse_program.c: statements, declarations, and the whole program. */
#include "parse.h"

static rs_c_node *statement(rs_c_parser *p);

static rs_c_node *plain(rs_c_parser *p, rs_c_op op, int32_t line) {
    return rs_c_node_of(p, op, &rs_c_void, line);
}

/* Notes that a statement stands on these lines. */
static void note_code(rs_c_parser *p, int32_t from) {
    const int32_t to = p->at[-1].line;
    for (int32_t line = from; line > 0 && line <= to && line <= RS_MOST_WATCHED; line++)
        p->program->code[line - 1] = true;
}

/* Adds a statement to a list that is a node's child. */
static void add(rs_c_parser *p, rs_c_node *block, rs_c_node *one, rs_c_node ***end) {
    if (one == NULL) return;
    rs_c_below(p, block, one);
    **end = one;
    *end = &one->next;
}

/* ------------------------------------------------------------------ variables */

static rs_c_node *measured(rs_c_parser *p, const rs_c_declared *d) {
    rs_c_node *node = plain(p, RS_C_MEASURE, d->line);
    rs_c_symbol *symbol =
        rs_c_declare(p, d->name, RS_C_VARIABLE, rs_c_pointer_to(p, d->type->of), d->line);
    symbol->is_measured = true;
    node->slot = symbol->slot = rs_c_reserve(p, symbol->type, false);
    node->n = d->type->of->n_cells;
    node->a = rs_c_to(p, d->length, &rs_c_long);
    node->name = d->name;
    rs_c_below(p, node, node->a);
    if (rs_c_here(p, "="))
        rs_c_wrong(p, N_("an array whose length is computed begins without values"));
    return node;
}

/* Declares a variable; returns what that does while the program runs, NULL: nothing. */
static rs_c_node *variable(rs_c_parser *p, const rs_c_storage *storage, rs_c_declared *d) {
    const bool lives = p->function == NULL || storage->is_static;
    if (d->type->kind == RS_C_VOID) rs_c_wrong_name(p, d->line, N_("'%s' has no type"), d->name);
    if (storage->is_extern) rs_c_outside(p, N_("a variable of another file"));
    if (lives && d->type->kind == RS_C_POINTER)
        rs_c_outside(p, N_("a pointer that lives as long as the program"));
    if (d->length != NULL && lives)
        rs_c_wrong_name(p, d->line, N_("'%s' needs a constant"), d->name);
    if (p->fault->status != RS_OK) return NULL;
    if (d->length != NULL) return measured(p, d);
    const bool begins = rs_c_take(p, "=");
    if (begins && d->type->kind == RS_C_ARRAY && !rs_c_here(p, "{"))
        rs_c_outside(p, N_("an array whose values stand in no { } of their own"));
    if (d->type->n_cells < 1) {
        const int64_t n = begins ? rs_c_count_items(p) : 0;
        if (n < 1)
            (begins || p->function == NULL ? rs_c_outside_name : rs_c_wrong_name)(
                p, d->line, N_("the array '%s' has no length"), d->name);
        d->type = rs_c_array_of(p, d->type->of, n > 0 ? n : 1);
    }
    rs_c_symbol *symbol = rs_c_declare(p, d->name, RS_C_VARIABLE, d->type, d->line);
    symbol->is_global = lives;
    symbol->slot = rs_c_reserve(p, d->type, lives);
    const bool listed = begins && rs_c_here(p, "{");
    if (lives) {
        if (begins)
            rs_c_initialiser(p, d->type, RS_C_GLOBAL, symbol->slot, d->name,
                             &p->program->setup_end);
        return NULL;
    }
    rs_c_node *first = NULL, **end = &first;
    if (begins) rs_c_initialiser(p, d->type, RS_C_LOCAL, symbol->slot, d->name, &end);
    if (begins && (!listed || rs_c_is_scalar(d->type))) return first; /* a single assignment */
    rs_c_node *node = plain(p, listed ? RS_C_FILL : RS_C_CLEAR, d->line);
    node->slot = symbol->slot;
    node->n = d->type->n_cells;
    node->a = first;
    for (; first != NULL && p->fault->status == RS_OK; first = first->next)
        rs_c_below(p, node, first);
    return node;
}

/* Reads a declaration inside a function, as one statement. */
static rs_c_node *declaration(rs_c_parser *p) {
    rs_c_storage storage;
    rs_c_node *block = plain(p, RS_C_BLOCK, p->at->line), **end = &block->a;
    block->how = RS_C_MEASURE; /* no block of its own: what it measures stays */
    const rs_c_type *type = rs_c_specifiers(p, &storage);
    if (rs_c_take(p, ";")) return block;
    do {
        rs_c_declared d;
        rs_c_declarator(p, type, &d);
        if (d.name == NULL) rs_c_wrong(p, N_("a name is needed, not '%s'"));
        if (d.function != NULL) rs_c_outside(p, N_("a function declared inside of another"));
        if (storage.is_typedef && d.length != NULL)
            rs_c_outside(p, N_("a type whose length is computed"));
        if (p->fault->status != RS_OK) return block;
        if (storage.is_typedef)
            rs_c_declare(p, d.name, RS_C_TYPEDEF, d.type, d.line);
        else
            add(p, block, variable(p, &storage, &d), &end);
    } while (rs_c_take(p, ","));
    rs_c_expect(p, ";");
    if (block->a != NULL) note_code(p, block->line);
    return block;
}

/* ------------------------------------------------------------------ statements */

static rs_c_node *block(rs_c_parser *p) {
    const int32_t level = p->level++;
    rs_c_node *node = plain(p, RS_C_BLOCK, p->at->line), **end = &node->a;
    rs_c_expect(p, "{");
    while (!rs_c_here(p, "}") && p->at < p->last) add(p, node, statement(p), &end);
    rs_c_expect(p, "}");
    rs_c_close_scope(p, level);
    return node;
}

static rs_c_node *condition(rs_c_parser *p) {
    rs_c_expect(p, "(");
    rs_c_node *node = rs_c_condition(p, rs_c_expression(p));
    rs_c_expect(p, ")");
    return node;
}

static rs_c_node *expression_statement(rs_c_parser *p, const char *ends) {
    rs_c_node *node = plain(p, RS_C_EXPRESSION, p->at->line);
    if (rs_c_here(p, ends)) {
        rs_c_expect(p, ends);
        return NULL;
    }
    node->a = rs_c_expression(p);
    rs_c_below(p, node, node->a);
    rs_c_expect(p, ends);
    note_code(p, node->line);
    return node;
}

static rs_c_node *if_statement(rs_c_parser *p, rs_c_node *node) {
    node->a = condition(p);
    node->b = statement(p);
    if (rs_c_take_word(p, RS_C_KW_ELSE)) node->c = statement(p);
    return node;
}

static rs_c_node *body(rs_c_parser *p) {
    p->n_loops++;
    rs_c_node *node = statement(p);
    p->n_loops--;
    return node;
}

static rs_c_node *do_statement(rs_c_parser *p, rs_c_node *node) {
    node->how = RS_C_ADD;
    node->body = body(p);
    if (!rs_c_take_word(p, RS_C_KW_WHILE)) rs_c_wrong(p, N_("'while' is needed here, not '%s'"));
    node->b = condition(p);
    rs_c_expect(p, ";");
    return node;
}

static rs_c_node *for_statement(rs_c_parser *p, rs_c_node *node) {
    const int32_t level = p->level++;
    rs_c_expect(p, "(");
    node->a = rs_c_at_type(p) ? declaration(p) : expression_statement(p, ";");
    if (!rs_c_here(p, ";")) node->b = rs_c_condition(p, rs_c_expression(p));
    rs_c_expect(p, ";");
    node->c = expression_statement(p, ")");
    node->body = body(p);
    rs_c_close_scope(p, level);
    return node;
}

/* Returns the first such case of a list. */
static const rs_c_node *find_case(const rs_c_node *list, rs_c_op how, int64_t value) {
    while (list->op != RS_C_CASE || list->how != how || list->value.i != value) list = list->next;
    return list;
}

static rs_c_node *switch_statement(rs_c_parser *p, rs_c_node *node) {
    node->a = condition(p);
    if (node->a->type->kind != RS_C_INT) rs_c_wrong(p, N_("switch needs a whole number"));
    if (!rs_c_here(p, "{")) rs_c_outside(p, N_("a switch without { }"));
    const int outer = p->n_cases;
    p->n_cases = 0;
    p->n_switches++;
    node->body = block(p);
    p->n_switches--;
    bool labelled = false;
    for (const rs_c_node *one = node->body->a; one != NULL && p->fault->status == RS_OK;
         one = one->next) {
        labelled = labelled || one->op == RS_C_CASE;
        p->n_cases -= one->op == RS_C_CASE;
        if (one->op == RS_C_CASE && find_case(node->body->a, one->how, one->value.i) != one)
            rs_c_wrong_name(p, one->line, N_("the same case twice"), NULL);
        if (labelled && one->op == RS_C_BLOCK && one->how == RS_C_MEASURE && one->a != NULL)
            rs_c_outside_name(p, one->line,
                              N_("a variable between the cases of a switch: put { } round it"),
                              NULL);
    }
    if (p->n_cases != 0) rs_c_outside(p, N_("a case inside of other brackets than its switch's"));
    p->n_cases = outer;
    return node;
}

/* case and default stand in the list of the switch's block; the statement behind them is the next of the list. */
static rs_c_node *case_statement(rs_c_parser *p, rs_c_node *node, bool is_default) {
    if (p->n_switches == 0) rs_c_wrong_at(p, p->at - 1, N_("'%s' outside of a switch"));
    if (++p->n_cases > 500) rs_c_outside(p, N_("so many cases"));
    node->how = is_default ? RS_C_NOT : RS_C_ADD;
    if (!is_default) {
        const rs_c_node *value = rs_c_assignment(p);
        rs_c_check_constant(p, value, p->at, N_("a constant is needed here"));
        node->value = value->value;
    }
    rs_c_expect(p, ":");
    return node;
}

static rs_c_node *return_statement(rs_c_parser *p, rs_c_node *node) {
    const rs_c_type *type = p->function->type;
    const bool has_value = !rs_c_here(p, ";");
    if (has_value != (type->kind != RS_C_VOID)) /* compilers only warn */
        rs_c_outside_name(p, node->line,
                          has_value ? N_("'%s' returns nothing, but here it does")
                                    : N_("'%s' must return a value"),
                          p->function->name);
    if (has_value) node->a = rs_c_to(p, rs_c_expression(p), type);
    rs_c_expect(p, ";");
    note_code(p, node->line);
    return node;
}

static rs_c_node *worded_statement(rs_c_parser *p, rs_c_keyword word) {
    static const rs_c_op ops[] = {[RS_C_KW_IF] = RS_C_IF,
                                  [RS_C_KW_WHILE] = RS_C_LOOP,
                                  [RS_C_KW_DO] = RS_C_LOOP,
                                  [RS_C_KW_FOR] = RS_C_LOOP,
                                  [RS_C_KW_SWITCH] = RS_C_SWITCH,
                                  [RS_C_KW_CASE] = RS_C_CASE,
                                  [RS_C_KW_DEFAULT] = RS_C_CASE,
                                  [RS_C_KW_BREAK] = RS_C_BREAK,
                                  [RS_C_KW_CONTINUE] = RS_C_CONTINUE,
                                  [RS_C_KW_RETURN] = RS_C_RETURN};
    rs_c_node *node = plain(p, ops[word], p->at->line);
    const rs_c_token *at = p->at;
    rs_c_next(p);
    note_code(p, node->line);
    switch (word) {
    case RS_C_KW_IF: return if_statement(p, node);
    case RS_C_KW_WHILE:
        node->b = condition(p);
        node->body = body(p);
        return node;
    case RS_C_KW_DO: return do_statement(p, node);
    case RS_C_KW_FOR: return for_statement(p, node);
    case RS_C_KW_SWITCH: return switch_statement(p, node);
    case RS_C_KW_CASE:
    case RS_C_KW_DEFAULT: return case_statement(p, node, word == RS_C_KW_DEFAULT);
    case RS_C_KW_RETURN: return return_statement(p, node);
    default:
        if (p->n_loops == 0 && (word == RS_C_KW_CONTINUE || p->n_switches == 0))
            rs_c_wrong_at(p, at, N_("'%s' outside of a loop"));
        rs_c_expect(p, ";");
        return node;
    }
}

static rs_c_node *one_statement(rs_c_parser *p) {
    const rs_c_keyword word = rs_c_word(p);
    if (rs_c_here(p, "{")) return block(p);
    if (rs_c_at_type(p)) return declaration(p);
    if (word == RS_C_KW_ELSE) rs_c_wrong(p, N_("'else' without an 'if'"));
    if (word >= RS_C_KW_IF && word <= RS_C_KW_RETURN) return worded_statement(p, word);
    if (p->at->kind == RS_C_T_NAME && word == 0 && rs_c_token_is(p->at + 1, ":"))
        rs_c_outside(p, N_("a label, '%s'"));
    return expression_statement(p, ";");
}

/* NULL: an empty one. */
static rs_c_node *statement(rs_c_parser *p) {
    rs_c_node *node = rs_c_enter(p) ? one_statement(p) : NULL;
    p->deep--;
    if (node == NULL) return NULL;
    if (node->a != NULL && node->op != RS_C_BLOCK) rs_c_below(p, node, node->a);
    if (node->b != NULL) rs_c_below(p, node, node->b);
    if (node->c != NULL) rs_c_below(p, node, node->c);
    if (node->body != NULL) rs_c_below(p, node, node->body);
    return node;
}

/* ------------------------------------------------------------------ the whole */

static void function_body(rs_c_parser *p, const rs_c_declared *d, rs_c_function *f) {
    const int32_t level = p->level++;
    p->function = f;
    for (int32_t i = 0; i < f->n_parameters && p->fault->status == RS_OK; i++) {
        f->slots[i] = rs_c_reserve(p, f->parameters[i], false);
        if (d->parameters[i] == NULL)
            rs_c_outside_name(p, d->line, N_("a parameter of '%s' has no name"), d->name);
        else
            rs_c_declare(p, d->parameters[i], RS_C_VARIABLE, f->parameters[i], d->line)->slot =
                f->slots[i];
    }
    p->level = level; /* the body's own names are on the parameters' level */
    rs_c_node *node = block(p);
    if (p->fault->status != RS_OK) return;
    f->end_line = p->at[-1].line;
    f->body = node;
    p->function = NULL;
}

static bool function(rs_c_parser *p, const rs_c_declared *d) {
    rs_c_symbol *known = d->name->symbol;
    rs_c_function *f = d->function;
    f->line = d->line;
    if (strcmp(d->name->text, "main") == 0)
        rs_c_wrong_name(p, d->line, N_("'%s' stays out: ringsim asks the functions itself"),
                        d->name);
    if (known == NULL) {
        rs_c_declare(p, d->name, RS_C_FUNCTION, f->type, d->line)->function = f;
    } else if (known->kind != RS_C_FUNCTION || !rs_c_same_function(known->function, f)) {
        /* f() is declared as a function of any arguments; who leaves ring.h out may declare what it likes. */
        const bool open = known->kind == RS_C_FUNCTION &&
                          (known->function->n_parameters == 0 || f->n_parameters == 0 ||
                           (known->function->line == 0 && (p->headers & RS_C_H_RING) == 0));
        (open ? rs_c_outside_name
              : rs_c_wrong_name)(p, d->line, N_("'%s' is declared otherwise before"), d->name);
        return false;
    } else {
        f = known->function;
    }
    if (!rs_c_here(p, "{")) return false;
    if (f->body != NULL)
        rs_c_wrong_name(p, d->line, N_("'%s' is defined twice"), d->name);
    else
        function_body(p, d, f);
    return true;
}

static void outer_declaration(rs_c_parser *p) {
    rs_c_storage storage;
    const rs_c_type *type = rs_c_specifiers(p, &storage);
    if (rs_c_take(p, ";")) return;
    do {
        rs_c_declared d;
        rs_c_declarator(p, type, &d);
        if (d.name == NULL) rs_c_wrong(p, N_("a name is needed, not '%s'"));
        if (storage.is_typedef && d.function != NULL)
            rs_c_outside(p, N_("a name for the type of a function"));
        if (p->fault->status != RS_OK) return;
        if (storage.is_typedef)
            rs_c_declare(p, d.name, RS_C_TYPEDEF, d.type, d.line);
        else if (d.function == NULL)
            variable(p, &storage, &d);
        else if (function(p, &d))
            return;
    } while (rs_c_take(p, ","));
    rs_c_expect(p, ";");
}

/* A function of ring.h that is called must be defined. */
static void check_calls(rs_c_parser *p) {
    for (const rs_c_symbol *s = p->scope; s != NULL && p->fault->status == RS_OK; s = s->before) {
        if (s->kind == RS_C_FUNCTION && !s->is_tag && s->function->body == NULL &&
            s->function->call_line > 0) /* of what it declares itself a library may have it */
            (s->function->line > 0 ? rs_c_outside_name : rs_c_wrong_name)(
                p, s->function->call_line, N_("nobody defines '%s'"), s->name);
    }
}

rs_status rs_program_read(const char *header, size_t n_header, const char *text, size_t n_bytes,
                          rs_arena *arena, rs_error *error, const rs_program **program) {
    rs_program *made = rs_alloc(arena, 1, sizeof *made);
    rs_c_parser *p = rs_alloc(arena, 1, sizeof *p);
    rs_c_tokens tokens = {0};
    rs_c_fault fault = rs_c_no_fault(error);
    if (arena->lacked) return rs_no_memory(error);
    made->setup_end = NULL;
    rs_c_lex(header, n_header, text, n_bytes, made, arena, &fault, &tokens);
    if (fault.status != RS_OK) return fault.status;
    *p = (rs_c_parser){.at = tokens.list,
                       .last = tokens.list + tokens.n - 1,
                       .headers = tokens.headers,
                       .arena = arena,
                       .fault = &fault,
                       .program = made,
                       .assignment = rs_c_assignment};
    made->setup_end = &made->setup;
    rs_c_declare_known(p);
    while (p->at < p->last) {
        if (!rs_c_take(p, ";")) outer_declaration(p);
    }
    check_calls(p);
    if (fault.status == RS_OK) *program = made;
    return fault.status;
}
