/* parse_expression.c: expressions, by the precedence of their operators; and calls. */
#include "parse.h"

static rs_c_node *unary(rs_c_parser *p);

static rs_c_node *zero(rs_c_parser *p) {
    return rs_c_number(p, 0, p->at->line);
}

/* ------------------------------------------------------------------ calls */

static rs_c_node *call(rs_c_parser *p, const rs_c_token *name, rs_c_function *f) {
    rs_c_node *node = rs_c_node_of(p, RS_C_CALL, f->type, name->line), **end = &node->a;
    node->function = f;
    node->name = f->name;
    if (f->call_line == 0) f->call_line = name->line;
    for (; !rs_c_here(p, ")") && p->fault->status == RS_OK; node->n++) {
        if (node->n > 0) rs_c_expect(p, ",");
        rs_c_node *argument = rs_c_assignment(p);
        if (node->n >= f->n_parameters) break;
        argument = rs_c_to(p, argument, f->parameters[node->n]);
        rs_c_below(p, node, argument);
        /* A node may stand in one list only. */
        rs_c_node *holder = rs_c_node_of(p, RS_C_EXPRESSION, argument->type, argument->line);
        holder->a = argument;
        *end = holder;
        end = &holder->next;
    }
    /* of f() nobody knows how many it takes */
    if (f->n_parameters == 0 && f->line > 0 && !rs_c_here(p, ")"))
        rs_c_outside(p, N_("arguments for a function that names none"));
    if (node->n != f->n_parameters || !rs_c_here(p, ")"))
        rs_c_wrong_at(p, name, N_("'%s' is called with another number of arguments than it has"));
    rs_c_expect(p, ")");
    if (f->type->kind == RS_C_STRUCT) node->slot = rs_c_reserve(p, f->type, false);
    return node;
}

static rs_c_node *maths(rs_c_parser *p, const rs_c_token *name, int which) {
    rs_c_node *node = rs_c_node_of(p, RS_C_MATHS, &rs_c_double, name->line);
    node->n = which;
    node->a = rs_c_to(p, rs_c_assignment(p), &rs_c_double);
    rs_c_below(p, node, node->a);
    if (rs_c_maths_operands(which) == 2) {
        rs_c_expect(p, ",");
        node->b = rs_c_to(p, rs_c_assignment(p), &rs_c_double);
        rs_c_below(p, node, node->b);
    }
    rs_c_expect(p, ")");
    return node;
}

/* printf: a text with a mark for each number, and the numbers. */
static rs_c_node *print(rs_c_parser *p, const rs_c_token *name) {
    rs_c_node *node = rs_c_node_of(p, RS_C_PRINT, &rs_c_int, name->line), **end = &node->a;
    if (p->at->kind != RS_C_T_TEXT) rs_c_outside(p, N_("printf without a text between quotes"));
    node->text = p->at->text;
    node->n = p->at->n_text;
    if (p->at[1].kind == RS_C_T_TEXT) rs_c_outside(p, N_("a text in several parts"));
    for (rs_c_next(p); rs_c_take(p, ",");) {
        rs_c_node *holder = rs_c_node_of(p, RS_C_EXPRESSION, &rs_c_void, p->at->line);
        holder->a = rs_c_condition(p, rs_c_assignment(p));
        rs_c_below(p, node, holder->a);
        *end = holder;
        end = &holder->next;
    }
    rs_c_expect(p, ")");
    return node;
}

static bool is_named(const rs_c_name *name, const char *text) {
    return strcmp(name->text, text) == 0;
}

/* A name with a bracket behind it, which has been taken. */
static rs_c_node *named_call(rs_c_parser *p, const rs_c_token *name) {
    const rs_c_symbol *symbol = name->name->symbol;
    const int which = rs_c_find_maths(name->name->text, (size_t)name->name->n_text);
    if (symbol != NULL && symbol->kind == RS_C_FUNCTION) return call(p, name, symbol->function);
    if (symbol != NULL) rs_c_wrong_at(p, name, N_("'%s' is no function"));
    if (which >= 0 && (p->headers & RS_C_H_MATH) != 0) return maths(p, name, which);
    if ((p->headers & RS_C_H_STDIO) != 0 && is_named(name->name, "printf")) return print(p, name);
    if ((p->headers & RS_C_H_STDLIB) != 0 && is_named(name->name, "abs")) {
        rs_c_node *a = rs_c_to(p, rs_c_assignment(p), &rs_c_int),
                  *node = rs_c_node_of(p, RS_C_MATHS, &rs_c_int, name->line);
        rs_c_expect(p, ")");
        node->n = -1;
        node->a = a;
        rs_c_below(p, node, a);
        return node;
    }
    rs_c_outside_name(p, name->line, N_("the function '%s'"), name->name);
    return zero(p);
}

/* ------------------------------------------------------------------ from the inside out */

static rs_c_node *variable(rs_c_parser *p, const rs_c_token *t) {
    const rs_c_symbol *symbol = t->name->symbol;
    if (t->name->keyword == RS_C_KW_UNKNOWN) {
        rs_c_outside(p, N_("'%s'"));
        return zero(p);
    }
    if (symbol == NULL || symbol->kind == RS_C_TYPEDEF) {
        rs_c_wrong_at(p, t, N_("'%s' is not declared"));
        return zero(p);
    }
    rs_c_next(p);
    if (symbol->kind == RS_C_ENUMERATOR) {
        rs_c_node *node = rs_c_number(p, 0, t->line);
        node->value = symbol->value;
        node->type = symbol->type;
        return node;
    }
    if (symbol->kind == RS_C_FUNCTION) {
        rs_c_outside(p, N_("a function that is not called"));
        return zero(p);
    }
    const rs_c_op op = symbol->is_measured ? RS_C_MEASURED
                       : symbol->is_global ? RS_C_GLOBAL
                                           : RS_C_LOCAL;
    rs_c_node *node = rs_c_node_of(p, op, symbol->type, t->line);
    node->slot = symbol->slot;
    node->name = t->name;
    return node;
}

static rs_c_node *size_of(rs_c_parser *p) {
    const int32_t line = p->at->line;
    const rs_c_type *type = NULL;
    const rs_c_node *of = NULL;
    rs_c_declared named = {0};
    if (rs_c_here(p, "(")) {
        rs_c_next(p);
        if (rs_c_at_type(p)) {
            rs_c_declarator(p, rs_c_specifiers(p, NULL), &named);
            type = named.type;
        } else {
            of = rs_c_expression(p);
        }
        rs_c_expect(p, ")");
    } else {
        of = unary(p);
    }
    if (of != NULL && of->op == RS_C_MEASURED)
        rs_c_outside(p, N_("sizeof an array whose length is computed"));
    if (of != NULL) type = of->type;
    if (type->n_bytes < 1 || rs_c_here(p, "[")) rs_c_outside(p, N_("sizeof of that"));
    rs_c_node *size = rs_c_number(p, type->n_bytes, line);
    size->type = &rs_c_ulong;
    return size;
}

static rs_c_node *primary(rs_c_parser *p) {
    const rs_c_token *t = p->at;
    if (t->kind == RS_C_T_NUMBER) {
        rs_c_next(p);
        rs_c_node *node = rs_c_number(p, 0, t->line);
        node->value = t->value;
        node->type = t->type;
        return node;
    }
    if (rs_c_take(p, "(")) {
        if (rs_c_here(p, "{")) rs_c_outside(p, N_("statements inside of an expression"));
        rs_c_node *node = rs_c_expression(p);
        rs_c_expect(p, ")");
        return node;
    }
    if (t->kind == RS_C_T_NAME && (t->name->keyword == 0 || t->name->keyword == RS_C_KW_UNKNOWN)) {
        if (!rs_c_token_is(t + 1, "(") || t->name->keyword != 0) return variable(p, t);
        p->at += 2;
        return named_call(p, t);
    }
    if (t->kind == RS_C_T_TEXT) rs_c_outside(p, N_("a text between quotes"));
    if (rs_c_token_is(t, "&&")) rs_c_outside(p, N_("the address of a label"));
    rs_c_wrong(p, t->kind == RS_C_T_END ? N_("the text ends too soon")
                                        : N_("a value is needed, not '%s'"));
    return zero(p);
}

static rs_c_node *member(rs_c_parser *p, rs_c_node *a, int32_t line) {
    const bool is_struct = a->type->kind == RS_C_STRUCT;
    const rs_c_field *field = NULL;
    if (is_struct)
        field = rs_c_take_field(p, a->type);
    else
        rs_c_wrong(p, N_("what stands before the point is no struct"));
    if (field == NULL) return zero(p);
    const rs_c_type *type = field->type;
    if (a->type->is_const && !type->is_const && type->kind != RS_C_ARRAY) {
        rs_c_type *copy = rs_c_new(p, sizeof *copy);
        *copy = *type;
        copy->is_const = true;
        type = copy;
    }
    rs_c_node *node = rs_c_node_of(p, RS_C_MEMBER, type, line);
    node->a = a;
    node->n = field->at;
    node->name = field->name;
    rs_c_below(p, node, a);
    return node;
}

static rs_c_node *postfix(rs_c_parser *p, rs_c_node *node) {
    for (;;) {
        const int32_t line = p->at->line;
        if (rs_c_take(p, "[")) {
            node = rs_c_index(p, node, rs_c_expression(p), line);
            rs_c_expect(p, "]");
        } else if (rs_c_take(p, ".")) {
            node = member(p, node, line);
        } else if (rs_c_take(p, "->")) {
            node = member(p, rs_c_index(p, node, rs_c_number(p, 0, line), line), line);
        } else if (rs_c_here(p, "++") || rs_c_here(p, "--")) {
            const rs_c_op how = rs_c_here(p, "++") ? RS_C_ADD : RS_C_SUBTRACT;
            rs_c_next(p);
            node = rs_c_update(p, how, node, rs_c_number(p, 1, line), line);
            if (node->op == RS_C_UPDATE) node->op = RS_C_UPDATE_AFTER;
        } else {
            return node;
        }
    }
}

/* (double)x, or (rs_send){...}, behind the first bracket. */
static rs_c_node *cast(rs_c_parser *p, int32_t line) {
    rs_c_declared to;
    rs_c_declarator(p, rs_c_specifiers(p, NULL), &to);
    if (to.name != NULL) rs_c_wrong(p, N_("a name does not belong into a cast"));
    rs_c_expect(p, ")");
    if (rs_c_here(p, "{")) return postfix(p, rs_c_literal(p, to.type, line));
    rs_c_node *node = unary(p);
    if (to.type->kind == RS_C_POINTER) rs_c_outside(p, N_("a pointer that is made into another"));
    if (to.type->kind == RS_C_VOID || p->fault->status != RS_OK)
        return rs_c_to(p, node, &rs_c_void);
    if (!rs_c_is_number(to.type)) rs_c_wrong(p, N_("only numbers can be cast"));
    return rs_c_to(p, node, to.type);
}

static rs_c_node *prefixed(rs_c_parser *p) {
    static const struct {
        const char *sign;
        rs_c_op op;
    } signs[] = {{"-", RS_C_NEGATE}, {"!", RS_C_NOT}, {"~", RS_C_BIT_NOT}};
    const int32_t line = p->at->line;
    for (int i = 0; i < 3; i++) {
        if (rs_c_take(p, signs[i].sign)) return rs_c_unary(p, signs[i].op, unary(p), line);
    }
    if (rs_c_take(p, "+")) return rs_c_binary(p, RS_C_ADD, unary(p), rs_c_number(p, 0, line), line);
    if (rs_c_take(p, "*")) return rs_c_index(p, unary(p), rs_c_number(p, 0, line), line);
    if (rs_c_take_word(p, RS_C_KW_SIZEOF)) return size_of(p);
    if (rs_c_here(p, "++") || rs_c_here(p, "--")) {
        const rs_c_op how = rs_c_here(p, "++") ? RS_C_ADD : RS_C_SUBTRACT;
        rs_c_next(p);
        return rs_c_update(p, how, unary(p), rs_c_number(p, 1, line), line);
    }
    if (rs_c_take(p, "&")) {
        rs_c_node *place = unary(p);
        if (!rs_c_is_place(place) ||
            !(rs_c_is_scalar(place->type) || place->type->kind == RS_C_STRUCT))
            rs_c_outside(p, N_("the address of that"));
        if (place->op == RS_C_INDEX) /* &t[n] may lead right behind t */
            return rs_c_binary(p, RS_C_ADD, place->a, place->b, line);
        rs_c_node *node = rs_c_node_of(p, RS_C_ADDRESS, rs_c_pointer_to(p, place->type), line);
        node->a = place;
        rs_c_below(p, node, place);
        return node;
    }
    if (rs_c_here(p, "(")) {
        rs_c_next(p);
        if (rs_c_at_type(p)) return cast(p, line);
        p->at--;
    }
    return postfix(p, primary(p));
}

static rs_c_node *unary(rs_c_parser *p) {
    rs_c_node *node = rs_c_enter(p) ? prefixed(p) : zero(p);
    p->deep--;
    return node;
}

static const struct {
    const char *sign;
    int level; /* a higher one binds tighter */
    rs_c_op op;
} operators[] = {{"||", 1, RS_C_OR},          {"&&", 2, RS_C_AND},      {"|", 3, RS_C_BIT_OR},
                 {"^", 4, RS_C_BIT_XOR},      {"&", 5, RS_C_BIT_AND},   {"==", 6, RS_C_EQUAL},
                 {"!=", 6, RS_C_UNEQUAL},     {"<", 7, RS_C_LESS},      {">", 7, RS_C_GREATER},
                 {"<=", 7, RS_C_AT_MOST},     {">=", 7, RS_C_AT_LEAST}, {"<<", 8, RS_C_SHIFT_LEFT},
                 {">>", 8, RS_C_SHIFT_RIGHT}, {"+", 9, RS_C_ADD},       {"-", 9, RS_C_SUBTRACT},
                 {"*", 10, RS_C_MULTIPLY},    {"/", 10, RS_C_DIVIDE},   {"%", 10, RS_C_REMAINDER}};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

static rs_c_node *binary(rs_c_parser *p, int level) {
    rs_c_node *node = unary(p);
    for (;;) {
        int i = 0;
        while (i < N_OPERATORS && (operators[i].level < level || !rs_c_here(p, operators[i].sign)))
            i++;
        if (i == N_OPERATORS) return node;
        const int32_t line = p->at->line;
        rs_c_next(p);
        node = rs_c_binary(p, operators[i].op, node, binary(p, operators[i].level + 1), line);
    }
}

static rs_c_node *conditional(rs_c_parser *p) {
    rs_c_node *test = binary(p, 1);
    const int32_t line = p->at->line;
    if (!rs_c_take(p, "?")) return test;
    if (rs_c_here(p, ":")) rs_c_outside(p, N_("?: without a value between"));
    rs_c_node *b = rs_c_worth(p, rs_c_expression(p));
    rs_c_expect(p, ":");
    rs_c_node *c = rs_c_enter(p) ? rs_c_worth(p, conditional(p)) : zero(p);
    p->deep--;
    const bool numbers = rs_c_is_number(b->type) && rs_c_is_number(c->type);
    const rs_c_type *type = numbers ? rs_c_common_type(b->type, c->type) : b->type;
    if (type->kind == RS_C_STRUCT) rs_c_outside(p, N_("a struct out of ? :"));
    rs_c_node *node = rs_c_node_of(p, RS_C_CHOOSE, type, line);
    node->a = rs_c_condition(p, test);
    node->b = rs_c_to(p, b, type);
    node->c = rs_c_to(p, c, type);
    rs_c_below(p, node, node->a);
    rs_c_below(p, node, node->b);
    rs_c_below(p, node, node->c);
    return node;
}

static rs_c_node *assignment(rs_c_parser *p) {
    static const char *const updates[] = {
        "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="};
    static const rs_c_op hows[] = {RS_C_MULTIPLY, RS_C_DIVIDE,     RS_C_REMAINDER,   RS_C_ADD,
                                   RS_C_SUBTRACT, RS_C_SHIFT_LEFT, RS_C_SHIFT_RIGHT, RS_C_BIT_AND,
                                   RS_C_BIT_XOR,  RS_C_BIT_OR};
    rs_c_node *node = conditional(p);
    const int32_t line = p->at->line;
    if (rs_c_take(p, "=")) {
        rs_c_check_writable(p, node);
        return rs_c_assign(p, node, rs_c_assignment(p), line);
    }
    for (int i = 0; i < (int)(sizeof updates / sizeof updates[0]); i++) {
        if (rs_c_take(p, updates[i]))
            return rs_c_update(p, hows[i], node, rs_c_assignment(p), line);
    }
    return node;
}

rs_c_node *rs_c_assignment(rs_c_parser *p) {
    rs_c_node *node = rs_c_enter(p) ? assignment(p) : zero(p);
    p->deep--;
    return node;
}

rs_c_node *rs_c_expression(rs_c_parser *p) {
    rs_c_node *node = rs_c_assignment(p);
    while (rs_c_take(p, ",")) {
        rs_c_node *both = rs_c_node_of(p, RS_C_COMMA, NULL, node->line);
        both->a = node;
        both->b = rs_c_worth(p, rs_c_assignment(p));
        both->type = both->b->type;
        rs_c_below(p, both, both->a);
        rs_c_below(p, both, both->b);
        node = both;
    }
    return node;
}
