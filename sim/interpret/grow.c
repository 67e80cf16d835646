/* grow.c: what the parser is made of: tokens, names, and nodes that know their types. */
#include "parse.h"

#include <stdio.h>

/* ------------------------------------------------------------------ faults and tokens */

static void stop(rs_c_parser *p) {
    p->at = p->last;
}

/* Tells whether a name that nobody declares may be one of a header's, or of the compiler's own. */
static bool may_be_known(const rs_c_parser *p, const rs_c_name *name) {
    static const char *const words[] = {"stdin", "stdout", "stderr", "signgam", "math_errhandling",
                                        "uint",  "ulong",  "ushort", "environ"},
                             *const always[] = {"linux", "unix"};
    bool small = false;
    for (int32_t i = 0; i < name->n_text; i++)
        small = small || (name->text[i] >= 'a' && name->text[i] <= 'z');
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (strcmp(name->text, always[i]) == 0) return true;
    if (name->keyword == RS_C_KW_UNKNOWN) return true;
    if ((p->headers & ~(unsigned)RS_C_H_RING) == 0) return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name->text, words[i]) == 0) return true;
    return !small || (name->n_text > 2 && strcmp(name->text + name->n_text - 2, "_t") == 0);
}

/* What stands here is no part of the C that is known: a fault there proves nothing. */
static bool is_strange(const rs_c_parser *p, const rs_c_token *t) {
    if (t->kind == RS_C_T_TEXT || rs_c_token_is(t, "...")) return true;
    if (rs_c_token_is(t, "[") && t < p->last && rs_c_token_is(t + 1, "[")) return true;
    return t->kind == RS_C_T_NAME && t->name->symbol == NULL &&
           (t->name->keyword == 0 || t->name->keyword == RS_C_KW_UNKNOWN) &&
           may_be_known(p, t->name);
}

/* Blames a token. */
static void blame(rs_c_parser *p, const rs_c_token *t, rs_status status, const char *what) {
    if (status == RS_BAD_INPUT && p->fault->status == RS_OK && is_strange(p, t)) {
        status = RS_UNSUPPORTED;
        what = N_("'%s'");
    }
    char number[32] = "0";
    const char *word = t->kind == RS_C_T_END      ? ""
                       : t->kind == RS_C_T_NAME   ? t->name->text
                       : t->kind == RS_C_T_NUMBER ? number
                                                  : t->text;
    if (t->kind == RS_C_T_NUMBER && t->type != NULL) {
        if (t->type->kind == RS_C_INT)
            snprintf(number, sizeof number, "%llu", (unsigned long long)t->value.i);
        else
            snprintf(number, sizeof number, "%.15g", t->value.d);
    }
    rs_c_blame(p->fault, status, t->line, what,
               rs_c_shown(word, word != NULL ? strlen(word) : 0).text);
    stop(p);
}
void rs_c_wrong_at(rs_c_parser *p, const rs_c_token *t, const char *what) {
    blame(p, t, RS_BAD_INPUT, what);
}
void rs_c_wrong(rs_c_parser *p, const char *what) {
    blame(p, p->at, RS_BAD_INPUT, what);
}
void rs_c_outside(rs_c_parser *p, const char *what) {
    blame(p, p->at, RS_UNSUPPORTED, what);
}
void rs_c_wrong_name(rs_c_parser *p, int32_t line, const char *what, const rs_c_name *name) {
    rs_c_blame(p->fault, RS_BAD_INPUT, line, what, rs_c_named(name).text);
    stop(p);
}

void rs_c_outside_name(rs_c_parser *p, int32_t line, const char *what, const rs_c_name *name) {
    rs_c_blame(p->fault, RS_UNSUPPORTED, line, what, rs_c_named(name).text);
    stop(p);
}

void *rs_c_new(rs_c_parser *p, size_t size) {
    void *block = rs_alloc(p->arena, 1, size);
    if (block != NULL) return block;
    rs_c_lacks(p->fault);
    stop(p);
    return memset(p->spare, 0, sizeof p->spare);
}

bool rs_c_here(const rs_c_parser *p, const char *sign) {
    return rs_c_token_is(p->at, sign);
}
void rs_c_next(rs_c_parser *p) {
    if (p->at < p->last) p->at++;
}
bool rs_c_take(rs_c_parser *p, const char *sign) {
    const bool here = rs_c_here(p, sign);
    if (here) rs_c_next(p);
    return here;
}
void rs_c_expect(rs_c_parser *p, const char *sign) {
    if (rs_c_take(p, sign) || p->fault->status != RS_OK) return;
    if (is_strange(p, p->at)) return rs_c_outside(p, N_("'%s'"));
    /* It is missing where the token before it ends. */
    rs_c_blame(p->fault, RS_BAD_INPUT, p->at[-1].line, N_("'%s' is missing"), sign);
    stop(p);
}
rs_c_keyword rs_c_word(const rs_c_parser *p) {
    return p->at->kind == RS_C_T_NAME ? (rs_c_keyword)p->at->name->keyword : RS_C_NO_KEYWORD;
}
bool rs_c_take_word(rs_c_parser *p, rs_c_keyword word) {
    const bool here = rs_c_word(p) == word;
    if (here) rs_c_next(p);
    return here;
}
bool rs_c_enter(rs_c_parser *p) {
    if (p->deep++ < RS_C_DEEPEST) return true;
    rs_c_outside(p, N_("so many brackets inside each other"));
    return false;
}

/* ------------------------------------------------------------------ names */

rs_c_symbol *rs_c_declare(rs_c_parser *p, rs_c_name *name, rs_c_meaning kind, const rs_c_type *type,
                          int32_t line) {
    rs_c_symbol *symbol = rs_c_new(p, sizeof *symbol);
    *symbol = (rs_c_symbol){
        .name = name, .type = type, .level = p->level, .outer = name->symbol, .before = p->scope};
    symbol->kind = kind;
    /* Of the file's own C takes some: int x; int x = 3; */
    if (name->symbol != NULL && name->symbol->level == p->level &&
        (p->level == 0 || kind == RS_C_TYPEDEF))
        rs_c_outside_name(p, line, N_("'%s' is declared twice"), name);
    else if (name->symbol != NULL && name->symbol->level == p->level)
        rs_c_wrong_name(p, line, N_("'%s' is declared twice"), name);
    name->symbol = p->scope = symbol;
    return symbol;
}

void rs_c_close_scope(rs_c_parser *p, int32_t level) {
    for (; p->scope != NULL && p->scope->level > level; p->scope = p->scope->before) {
        if (p->scope->is_tag)
            p->scope->name->tag = p->scope->outer;
        else
            p->scope->name->symbol = p->scope->outer;
    }
    p->level = level;
}

/* ------------------------------------------------------------------ nodes */

const rs_c_type *rs_c_pointer_to(rs_c_parser *p, const rs_c_type *type) {
    rs_c_type *pointer = rs_c_new(p, sizeof *pointer);
    if (type->kind == RS_C_POINTER) rs_c_outside(p, N_("a pointer to a pointer"));
    if (type->kind == RS_C_VOID) rs_c_outside(p, N_("a pointer to void"));
    *pointer = (rs_c_type){.kind = RS_C_POINTER, .of = type, .n_cells = 1, .n_bytes = 8};
    return pointer;
}

/* Lets a node have a child. */
void rs_c_below(rs_c_parser *p, rs_c_node *node, const rs_c_node *child) {
    if (child->deep + 1 > node->deep) node->deep = child->deep + 1;
    if (node->deep > RS_C_DEEPEST_NODE) rs_c_outside(p, N_("an expression that is so long"));
}

rs_c_node *rs_c_node_of(rs_c_parser *p, rs_c_op op, const rs_c_type *type, int32_t line) {
    rs_c_node *node = rs_c_new(p, sizeof *node);
    *node = (rs_c_node){.op = op, .type = type, .line = line, .deep = 1};
    return node;
}

/* A node with one or two children. */
static rs_c_node *node_with(rs_c_parser *p, rs_c_op op, const rs_c_type *type, rs_c_node *a,
                            rs_c_node *b, int32_t line) {
    rs_c_node *node = rs_c_node_of(p, op, type, line);
    node->a = a;
    node->b = b;
    rs_c_below(p, node, a);
    if (b != NULL) rs_c_below(p, node, b);
    return node;
}

rs_c_node *rs_c_number(rs_c_parser *p, int64_t i, int32_t line) {
    rs_c_node *node = rs_c_node_of(p, RS_C_CONSTANT, &rs_c_int, line);
    node->value.i = i;
    return node;
}

/* A compiler may take it, with a warning at most. */
static rs_c_node *doubt(rs_c_parser *p, int32_t line, const char *what) {
    rs_c_outside_name(p, line, what, NULL);
    return rs_c_number(p, 0, line);
}

/* Goes on with something harmless after a fault. */
static rs_c_node *refuse(rs_c_parser *p, int32_t line, const char *what) {
    rs_c_wrong_name(p, line, what, NULL);
    return rs_c_number(p, 0, line);
}

bool rs_c_is_place(const rs_c_node *node) {
    return node->op == RS_C_LOCAL || node->op == RS_C_GLOBAL || node->op == RS_C_INDEX ||
           node->op == RS_C_MEMBER || node->op == RS_C_LITERAL;
}

rs_c_node *rs_c_worth(rs_c_parser *p, rs_c_node *node) {
    if (node->type->kind != RS_C_ARRAY) return node;
    return node_with(p, RS_C_DECAY, rs_c_pointer_to(p, node->type->of), node, NULL, node->line);
}

static rs_c_node *convert(rs_c_parser *p, rs_c_node *node, const rs_c_type *type) {
    const char *what;
    if (rs_c_same_type(node->type, type)) return node;
    if (node->op == RS_C_CONSTANT && rs_c_is_number(type)) {
        const rs_c_value value = rs_c_convert(node->type, type, node->value, &what);
        if (what == NULL) {
            node = rs_c_node_of(p, RS_C_CONSTANT, type, node->line);
            node->value = value;
            return node;
        }
    }
    return node_with(p, RS_C_CONVERT, type, node, NULL, node->line);
}

rs_c_node *rs_c_to(rs_c_parser *p, rs_c_node *node, const rs_c_type *type) {
    node = rs_c_worth(p, node);
    const rs_c_type *from = node->type;
    if (type->kind == RS_C_VOID || (rs_c_is_number(from) && rs_c_is_number(type)))
        return convert(p, node, type);
    if (!rs_c_same_type(from, type))
        return (rs_c_is_scalar(from) && rs_c_is_scalar(type) ? doubt : refuse)(
            p, node->line, N_("a value of another type than is needed here"));
    if (type->kind == RS_C_POINTER && from->of->is_const && !type->of->is_const)
        return doubt(p, node->line,
                     N_("what is const would be given to somebody who may write it"));
    return node;
}

rs_c_node *rs_c_condition(rs_c_parser *p, rs_c_node *node) {
    node = rs_c_worth(p, node);
    if (node->type->kind == RS_C_POINTER) return doubt(p, node->line, N_("a pointer as a number"));
    return rs_c_is_number(node->type) ? node : refuse(p, node->line, N_("a number is needed here"));
}

/* What numbers shorter than an int are computed in. */
static const rs_c_type *promoted(const rs_c_type *type) {
    return type->kind == RS_C_INT ? rs_c_common_type(type, &rs_c_int) : type;
}

static bool is_comparison(rs_c_op op) {
    return op >= RS_C_LESS && op <= RS_C_UNEQUAL;
}
static bool is_shift(rs_c_op op) {
    return op == RS_C_SHIFT_LEFT || op == RS_C_SHIFT_RIGHT;
}
static bool wants_integers(rs_c_op op) {
    return op == RS_C_REMAINDER || is_shift(op) || (op >= RS_C_BIT_AND && op <= RS_C_BIT_OR);
}

static rs_c_node *operation(rs_c_parser *p, rs_c_op op, const rs_c_type *in, const rs_c_type *type,
                            rs_c_node *a, rs_c_node *b, int32_t line) {
    const char *what;
    if (a->op == RS_C_CONSTANT && (b == NULL || b->op == RS_C_CONSTANT)) {
        const rs_c_value value =
            rs_c_operate(op, in, a->value, b != NULL ? b->value : a->value, &what);
        if (what == NULL) {
            rs_c_node *node = rs_c_node_of(p, RS_C_CONSTANT, type, line);
            node->value = value;
            return node;
        }
    }
    rs_c_node *node = node_with(p, op, type, a, b, line);
    node->in = in;
    return node;
}

static rs_c_node *with_pointers(rs_c_parser *p, rs_c_op op, rs_c_node *a, rs_c_node *b,
                                int32_t line) {
    if (op == RS_C_ADD && b->type->kind == RS_C_POINTER) {
        rs_c_node *other = a;
        a = b;
        b = other;
    }
    const bool sum = op == RS_C_ADD || op == RS_C_SUBTRACT;
    if (sum && a->type->kind == RS_C_POINTER && b->type->kind == RS_C_INT)
        return operation(p, op, a->type, a->type, a, b, line);
    if (is_comparison(op) && !rs_c_same_type(a->type, b->type) && rs_c_is_scalar(a->type) &&
        rs_c_is_scalar(b->type))
        return doubt(p, line, N_("a pointer compared with another kind of value"));
    if (!rs_c_same_type(a->type, b->type) || (op != RS_C_SUBTRACT && !is_comparison(op)))
        return refuse(
            p, line, N_("pointers cannot be computed with like that: is a ';' missing before it?"));
    if (is_comparison(op)) return operation(p, op, a->type, &rs_c_int, a, b, line);
    return operation(p, RS_C_DIVIDE, a->type, &rs_c_long, a, b, line);
}

rs_c_node *rs_c_binary(rs_c_parser *p, rs_c_op op, rs_c_node *a, rs_c_node *b, int32_t line) {
    a = rs_c_worth(p, a);
    b = rs_c_worth(p, b);
    if (op == RS_C_AND || op == RS_C_OR) {
        a = rs_c_condition(p, a);
        b = rs_c_condition(p, b);
        return node_with(p, op, &rs_c_int, a, b, line);
    }
    if (a->type->kind == RS_C_POINTER || b->type->kind == RS_C_POINTER)
        return with_pointers(p, op, a, b, line);
    if (!rs_c_is_number(a->type) || !rs_c_is_number(b->type))
        return refuse(p, line, N_("numbers are needed here"));
    if (wants_integers(op) && (a->type->kind != RS_C_INT || b->type->kind != RS_C_INT))
        return refuse(p, line,
                      N_("whole numbers are needed here: remainders and bits know no others"));
    const rs_c_type *in = is_shift(op) ? promoted(a->type) : rs_c_common_type(a->type, b->type);
    a = convert(p, a, in);
    if (!is_shift(op)) b = convert(p, b, in);
    return operation(p, op, in, is_comparison(op) ? &rs_c_int : in, a, b, line);
}

rs_c_node *rs_c_unary(rs_c_parser *p, rs_c_op op, rs_c_node *a, int32_t line) {
    a = rs_c_condition(p, a);
    if (op == RS_C_BIT_NOT && a->type->kind != RS_C_INT)
        return refuse(p, line,
                      N_("whole numbers are needed here: remainders and bits know no others"));
    const rs_c_type *in = op == RS_C_NOT ? a->type : promoted(a->type);
    return operation(p, op, in, op == RS_C_NOT ? &rs_c_int : in, convert(p, a, in), NULL, line);
}

/* ------------------------------------------------------------------ places, constants */

void rs_c_check_constant(rs_c_parser *p, const rs_c_node *node, const rs_c_token *at,
                         const char *what) {
    if (node->op == RS_C_CONSTANT && node->type->kind == RS_C_INT) return;
    blame(p, at, node->op != RS_C_LOCAL ? RS_UNSUPPORTED : RS_BAD_INPUT, what);
}

void rs_c_check_writable(rs_c_parser *p, const rs_c_node *place) {
    if (!rs_c_is_place(place)) {
        rs_c_wrong_name(p, place->line, N_("only a variable, or an element, can be changed"), NULL);
    } else if (place->type->is_const) {
        rs_c_wrong_name(p, place->line, N_("'%s' is const: it cannot be changed"), place->name);
    } else if (place->type->kind == RS_C_ARRAY) {
        rs_c_wrong_name(p, place->line,
                        N_("'%s' is an array: its elements are assigned one by one"), place->name);
    }
}

rs_c_node *rs_c_assign(rs_c_parser *p, rs_c_node *place, rs_c_node *b, int32_t line) {
    b = rs_c_to(p, b, place->type);
    rs_c_node *node = node_with(p, RS_C_ASSIGN, place->type, place, b, line);
    node->name = place->name;
    return node;
}

rs_c_node *rs_c_update(rs_c_parser *p, rs_c_op how, rs_c_node *place, rs_c_node *b, int32_t line) {
    rs_c_check_writable(p, place);
    b = rs_c_worth(p, b);
    const rs_c_type *type = place->type, *in = type;
    if (type->kind == RS_C_POINTER && (how == RS_C_ADD || how == RS_C_SUBTRACT) &&
        b->type->kind == RS_C_INT) {
        in = type;
    } else if (!rs_c_is_number(type) || !rs_c_is_number(b->type)) {
        return refuse(p, line, N_("numbers are needed here"));
    } else if (wants_integers(how) && (type->kind != RS_C_INT || b->type->kind != RS_C_INT)) {
        return refuse(p, line,
                      N_("whole numbers are needed here: remainders and bits know no others"));
    } else {
        in = is_shift(how) ? promoted(type) : rs_c_common_type(type, b->type);
        if (!is_shift(how)) b = convert(p, b, in);
    }
    rs_c_node *node = node_with(p, RS_C_UPDATE, type, place, b, line);
    node->how = how;
    node->in = in;
    node->name = place->name;
    return node;
}

rs_c_node *rs_c_index(rs_c_parser *p, rs_c_node *a, rs_c_node *b, int32_t line) {
    a = rs_c_worth(p, a);
    b = rs_c_worth(p, b);
    if (a->type->kind != RS_C_POINTER) {
        rs_c_node *other = a;
        a = b;
        b = other;
    }
    if (a->type->kind != RS_C_POINTER || b->type->kind != RS_C_INT)
        return refuse(p, line, N_("[ ] needs an array and a whole number"));
    rs_c_node *node = node_with(p, RS_C_INDEX, a->type->of, a, b, line);
    node->name = a->op == RS_C_DECAY ? a->a->name : a->name;
    return node;
}
