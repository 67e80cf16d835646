/* parse.h: from tokens to the tree. Private to sim/interpret/.
 *
 *     parse_program.c --> parse_expression.c --> parse_values.c --> parse_type.c --> grow.c
 *     statements,         operators, calls       initialisers       types, names     nodes with their types,
 *     declarations                                                                   conversions, constants
 *
 *   - The first fault stays; after it the list of tokens is at its end, so that every loop ends.
 *   - Nothing returns NULL: where something is wrong, a constant stands in for it.
 */
#pragma once

#include "lex.h"

enum { RS_C_DEEPEST = 400, RS_C_DEEPEST_NODE = 400, RS_C_MOST_CELLS = 1 << 20 };

typedef struct rs_c_parser {
    const rs_c_token *at, *last; /* last: END */
    unsigned headers;
    rs_arena *arena;
    rs_c_fault *fault;
    rs_program *program;
    rs_c_function *function;          /* whose body is read; NULL: none */
    rs_c_symbol *scope;               /* the newest name */
    int32_t level, deep;              /* of blocks; of brackets inside each other */
    int n_loops, n_switches, n_cases; /* round the statement; of the innermost switch */
    _Alignas(64) unsigned char spare[512];
    rs_c_node *(*assignment)(struct rs_c_parser *p); /* rs_c_assignment, for what stands below it */
} rs_c_parser;

/* ------------------------------------------------------------------ grow.c: faults, tokens, names */

void rs_c_wrong_at(rs_c_parser *p, const rs_c_token *token, const char *what);
void rs_c_wrong(rs_c_parser *p, const char *what);   /* its %s is the token that stands here */
void rs_c_outside(rs_c_parser *p, const char *what); /* the same: right C, but not known */
void rs_c_wrong_name(rs_c_parser *p, int32_t line, const char *what, const rs_c_name *name);
/* The same, but a compiler may take it. */
void rs_c_outside_name(rs_c_parser *p, int32_t line, const char *what, const rs_c_name *name);
/* A fault if a whole number, which a compiler may compute in advance, is none; certain only of a variable. */
void rs_c_check_constant(rs_c_parser *p, const rs_c_node *node, const rs_c_token *at,
                         const char *what);
/* without memory a spare block, which nobody will read */
void *rs_c_new(rs_c_parser *p, size_t size);
bool rs_c_here(const rs_c_parser *p, const char *sign);
bool rs_c_take(rs_c_parser *p, const char *sign);
void rs_c_expect(rs_c_parser *p, const char *sign);
rs_c_keyword rs_c_word(const rs_c_parser *p); /* the keyword that stands here */
bool rs_c_take_word(rs_c_parser *p, rs_c_keyword word);
void rs_c_next(rs_c_parser *p);
/* Goes a level down; false: there are too many. */
bool rs_c_enter(rs_c_parser *p);

rs_c_symbol *rs_c_declare(rs_c_parser *p, rs_c_name *name, rs_c_meaning kind, const rs_c_type *type,
                          int32_t line);
/* Takes the names of the levels above `level` out. */
void rs_c_close_scope(rs_c_parser *p, int32_t level);

/* ------------------------------------------------------------------ grow.c: nodes */

rs_c_node *rs_c_node_of(rs_c_parser *p, rs_c_op op, const rs_c_type *type, int32_t line);
void rs_c_below(rs_c_parser *p, rs_c_node *node, const rs_c_node *child);
rs_c_node *rs_c_number(rs_c_parser *p, int64_t i, int32_t line);
bool rs_c_is_place(const rs_c_node *node);
/* What an expression is worth: an array is a pointer to its first element. */
rs_c_node *rs_c_worth(rs_c_parser *p, rs_c_node *node);
/* Converts as an assignment does. */
rs_c_node *rs_c_to(rs_c_parser *p, rs_c_node *node, const rs_c_type *type);
/* Converts what decides: it must be a number. */
rs_c_node *rs_c_condition(rs_c_parser *p, rs_c_node *node);
rs_c_node *rs_c_binary(rs_c_parser *p, rs_c_op op, rs_c_node *a, rs_c_node *b, int32_t line);
rs_c_node *rs_c_unary(rs_c_parser *p, rs_c_op op, rs_c_node *a, int32_t line);
rs_c_node *rs_c_update(rs_c_parser *p, rs_c_op how, rs_c_node *place, rs_c_node *b, int32_t line);
rs_c_node *rs_c_index(rs_c_parser *p, rs_c_node *a, rs_c_node *b, int32_t line);
rs_c_node *rs_c_assign(rs_c_parser *p, rs_c_node *place, rs_c_node *b, int32_t line);
/* A fault if the place is none that may be written. */
void rs_c_check_writable(rs_c_parser *p, const rs_c_node *place);

/* ------------------------------------------------------------------ parse_type.c */

typedef struct rs_c_declared {
    rs_c_name *name; /* NULL: none */
    const rs_c_type *type;
    int32_t line;
    rs_c_node *length;       /* of an array that is measured when it is declared; else NULL */
    rs_c_function *function; /* NULL: it is none */
    rs_c_name *parameters[RS_C_PARAMETERS];
} rs_c_declared;
typedef struct rs_c_storage {
    bool is_typedef, is_static, is_extern;
} rs_c_storage;
/* Tells whether a declaration begins here. */
bool rs_c_at_type(const rs_c_parser *p);
/* Reads what stands before the names: const int, struct pair {...}. storage NULL: none may be said. */
const rs_c_type *rs_c_specifiers(rs_c_parser *p, rs_c_storage *storage);
/* Reads *name[2](...); without a name, the type of a cast. */
void rs_c_declarator(rs_c_parser *p, const rs_c_type *type, rs_c_declared *out);
/* Declares what the headers bring that are included. */
void rs_c_declare_known(rs_c_parser *p);
const rs_c_type *rs_c_pointer_to(rs_c_parser *p, const rs_c_type *type);
const rs_c_type *rs_c_array_of(rs_c_parser *p, const rs_c_type *type, int64_t n);

/* ------------------------------------------------------------------ parse_expression.c */

rs_c_node *rs_c_expression(rs_c_parser *p);
rs_c_node *rs_c_assignment(rs_c_parser *p); /* without a comma */

/* ------------------------------------------------------------------ parse_values.c */

/* Reads what a variable begins with, into cells from `place` on; adds assignments at *end. */
void rs_c_initialiser(rs_c_parser *p, const rs_c_type *type, rs_c_op place, int32_t slot,
                      const rs_c_name *name, rs_c_node ***end);
/* Counts the items between the brackets that begin here. */
int64_t rs_c_count_items(const rs_c_parser *p);
/* Reads (type){...} from its first bracket on. */
rs_c_node *rs_c_literal(rs_c_parser *p, const rs_c_type *type, int32_t line);
/* Takes the name of a struct's field; NULL: it has none of that name. */
const rs_c_field *rs_c_take_field(rs_c_parser *p, const rs_c_type *type);
/* Takes cells of the frame, or of the program. */
int32_t rs_c_reserve(rs_c_parser *p, const rs_c_type *type, bool is_global);
