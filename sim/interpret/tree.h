/* tree.h: types, values, and the tree that a program becomes. Private to sim/interpret/.
 *
 *     int send_chunk(int step, int rank, int n) { return (rank - step) % n; }
 *
 *     function send_chunk, cells: step rank n
 *       RETURN --a--> REMAINDER int --a--> SUBTRACT --a--> LOCAL 1
 *                                   |              +--b--> LOCAL 0
 *                                   +-b--> LOCAL 2
 *
 *   - Memory is cells. A number takes one, a struct one for each number in it, an array as many as all its elements.
 *   - Every node knows its type, and conversions are nodes of their own: nothing is decided at run time.
 */
#pragma once

#include "ringsim_interpret.h"

#define N_(text) text /* marks a text for translation, where it is shown */

typedef enum rs_c_kind {
    RS_C_VOID,
    RS_C_INT,
    RS_C_FLOAT,
    RS_C_DOUBLE,
    RS_C_POINTER,
    RS_C_ARRAY,
    RS_C_STRUCT
} rs_c_kind;

typedef struct rs_c_type rs_c_type;
typedef struct rs_c_field {
    const struct rs_c_name *name;
    const rs_c_type *type;
    int32_t at; /* its first cell in the struct */
} rs_c_field;
struct rs_c_type {
    rs_c_kind kind;
    uint8_t bits; /* of an int; 1: bool */
    bool is_signed, is_const;
    const rs_c_type *of; /* what an array has, and a pointer leads to */
    int32_t n_cells;     /* < 1: not known, an array that its initialiser measures */
    int32_t n_bytes;     /* what sizeof says */
    const rs_c_field *fields;
    int32_t n_fields;
};
extern const rs_c_type rs_c_void, rs_c_bool, rs_c_int, rs_c_unsigned, rs_c_long, rs_c_ulong,
    rs_c_float, rs_c_double;

/* A number, or where a pointer leads: to cell base + at of an object that is cells base .. base + n - 1. */
typedef union rs_c_value {
    struct {
        int32_t base, n, at;
    } p; /* the first and the longest: what is zeroed is zeroed whole */
    int64_t i;
    double d;
} rs_c_value;

/* A name of the source; each is kept once, and knows what it means just now. */
typedef struct rs_c_name {
    const char *text;
    int32_t n_text;
    int32_t keyword;            /* 1 + its place among the keywords; 0: none */
    struct rs_c_macro *macro;   /* what #define made of it */
    struct rs_c_symbol *symbol; /* the innermost declaration */
    struct rs_c_symbol *tag;    /* of a struct */
    struct rs_c_name *next;
} rs_c_name;

typedef enum rs_c_op {
    /* numbers and places */
    RS_C_CONSTANT,
    RS_C_LOCAL,    /* a cell of the frame */
    RS_C_GLOBAL,   /* a cell of the program */
    RS_C_MEASURED, /* an array whose length was computed: its cell leads to it */
    RS_C_INDEX,    /* *(a + b) */
    RS_C_MEMBER,   /* cell n of the struct a */
    RS_C_LITERAL,  /* (rs_send){...}: a fills it */
    RS_C_DECAY,    /* the array a, as a pointer to its first element */
    RS_C_ADDRESS,
    RS_C_CONVERT,
    /* operators; what they do stands in operate.c */
    RS_C_MULTIPLY,
    RS_C_DIVIDE,
    RS_C_REMAINDER,
    RS_C_ADD,
    RS_C_SUBTRACT,
    RS_C_SHIFT_LEFT,
    RS_C_SHIFT_RIGHT,
    RS_C_LESS,
    RS_C_GREATER,
    RS_C_AT_MOST,
    RS_C_AT_LEAST,
    RS_C_EQUAL,
    RS_C_UNEQUAL,
    RS_C_BIT_AND,
    RS_C_BIT_XOR,
    RS_C_BIT_OR,
    RS_C_NEGATE,
    RS_C_BIT_NOT,
    RS_C_NOT,
    /* what is more than its operands */
    RS_C_AND,
    RS_C_OR,
    RS_C_CHOOSE, /* a ? b : c */
    RS_C_COMMA,
    RS_C_ASSIGN,
    RS_C_UPDATE,       /* a how= b */
    RS_C_UPDATE_AFTER, /* the same, and worth what was there before */
    RS_C_CALL,
    RS_C_MATHS,
    RS_C_PRINT,
    /* statements */
    RS_C_EXPRESSION,
    RS_C_CLEAR,   /* n cells of the frame have no value */
    RS_C_FILL,    /* n cells are 0, but for what the list a assigns */
    RS_C_MEASURE, /* makes an array of a elements */
    RS_C_BLOCK,
    RS_C_IF,
    RS_C_LOOP, /* a: before; b: as long as; c: after each time; body. how: ADD for do .. while */
    RS_C_SWITCH,
    RS_C_CASE, /* how: NOT for default */
    RS_C_BREAK,
    RS_C_CONTINUE,
    RS_C_RETURN
} rs_c_op;

typedef struct rs_c_node rs_c_node;
struct rs_c_node {
    rs_c_op op, how;
    int32_t line, deep; /* levels below it, and its own */
    int32_t slot, n;
    const rs_c_type *type, *in; /* its own; that in which it computes */
    rs_c_node *a, *b, *c, *body, *next;
    rs_c_value value;
    const rs_c_name *name;
    const struct rs_c_function *function;
    const char *text; /* what PRINT prints */
};

enum { RS_C_PARAMETERS = 16 };
typedef struct rs_c_function {
    const rs_c_name *name;
    const rs_c_type *type; /* what it returns */
    int32_t n_parameters;
    const rs_c_type *parameters[RS_C_PARAMETERS];
    int32_t slots[RS_C_PARAMETERS];
    int32_t n_cells; /* of its frame */
    int32_t line, end_line, call_line;
    rs_c_node *body; /* NULL: it is declared only */
} rs_c_function;

/* What a name may mean. */
typedef enum rs_c_meaning {
    RS_C_VARIABLE,
    RS_C_ENUMERATOR,
    RS_C_TYPEDEF,
    RS_C_FUNCTION
} rs_c_meaning;
typedef struct rs_c_symbol {
    rs_c_meaning kind;
    rs_c_name *name;
    const rs_c_type *type;
    int32_t level, slot; /* level 0: of the file */
    bool is_global, is_measured, is_tag;
    rs_c_value value;
    rs_c_function *function;
    struct rs_c_symbol *outer, *before; /* of the name; of the scope */
} rs_c_symbol;

enum { RS_C_BUCKETS = 256 };
struct rs_program {
    rs_c_name *names[RS_C_BUCKETS];
    rs_c_node *setup, **setup_end; /* what its variables are at the start */
    int32_t n_globals;
    int32_t n_lines;
    bool code[RS_MOST_WATCHED]; /* on which lines statements stand */
};

/* operate.c */
bool rs_c_same_type(const rs_c_type *a, const rs_c_type *b); /* but for const */
bool rs_c_same_function(const rs_c_function *a, const rs_c_function *b);
static inline bool rs_c_is_number(const rs_c_type *t) {
    return t->kind >= RS_C_INT && t->kind <= RS_C_DOUBLE;
}
static inline bool rs_c_is_scalar(const rs_c_type *t) {
    return t->kind >= RS_C_INT && t->kind <= RS_C_POINTER;
}
/* The type in which two numbers are computed. */
const rs_c_type *rs_c_common_type(const rs_c_type *a, const rs_c_type *b);

/* operate.c: the result of an operator on operands of one type; of a conversion. *what: why there is none. */
rs_c_value rs_c_operate(rs_c_op op, const rs_c_type *type, rs_c_value a, rs_c_value b,
                        const char **what);
rs_c_value rs_c_convert(const rs_c_type *from, const rs_c_type *to, rs_c_value value,
                        const char **what);
/* Functions of maths, by their place in the table. */
int rs_c_find_maths(const char *name, size_t n_name);
int rs_c_maths_operands(int i);
double rs_c_maths(int i, double a, double b);

/* fault.c: what is wrong with a program, or with a call of it; the first stays. */
typedef struct rs_c_fault {
    rs_status status; /* RS_UNSUPPORTED: right C, but none that is known here */
    rs_error *error;
} rs_c_fault;
/* All is well; empties the error. */
rs_c_fault rs_c_no_fault(rs_error *error);
/* Notes what is wrong in a line (0: of the whole file), printf-style; `what` is marked for translation. */
void rs_c_blame(rs_c_fault *fault, rs_status status, int32_t line, const char *what, ...);
/* This machine has no memory for the program. */
void rs_c_lacks(rs_c_fault *fault);
/* A word of the source as it can be shown, cut if it is long. */
typedef struct rs_c_word_shown {
    char text[48];
} rs_c_word_shown;
rs_c_word_shown rs_c_shown(const char *word, size_t n_word);
rs_c_word_shown rs_c_named(const rs_c_name *name); /* NULL: "" */
