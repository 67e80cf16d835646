/* lex.h: a program's text as a list of tokens, comments gone, #define put in. Private to sim/interpret/. */
#pragma once

#include "tree.h"

#include <string.h>

/* The words of C that are known here, 1 + their places among rs_c_keywords; those from `auto` on are not known. */
typedef enum rs_c_keyword {
    RS_C_NO_KEYWORD,
    RS_C_KW_CONST,
    RS_C_KW_STATIC,
    RS_C_KW_EXTERN,
    RS_C_KW_INLINE,
    RS_C_KW_TYPEDEF,
    RS_C_KW_STRUCT,
    RS_C_KW_ENUM,
    RS_C_KW_VOID,
    RS_C_KW_CHAR,
    RS_C_KW_SHORT,
    RS_C_KW_INT,
    RS_C_KW_LONG,
    RS_C_KW_SIGNED,
    RS_C_KW_UNSIGNED,
    RS_C_KW_FLOAT,
    RS_C_KW_DOUBLE,
    RS_C_KW_BOOL,
    RS_C_KW_IF,
    RS_C_KW_ELSE,
    RS_C_KW_WHILE,
    RS_C_KW_DO,
    RS_C_KW_FOR,
    RS_C_KW_SWITCH,
    RS_C_KW_CASE,
    RS_C_KW_DEFAULT,
    RS_C_KW_BREAK,
    RS_C_KW_CONTINUE,
    RS_C_KW_RETURN,
    RS_C_KW_SIZEOF,
    RS_C_KW_UNKNOWN
} rs_c_keyword;

/* The headers that may be included. */
enum {
    RS_C_H_RING = 1,
    RS_C_H_MATH = 2,
    RS_C_H_STDIO = 4,
    RS_C_H_STDBOOL = 8,
    RS_C_H_LIMITS = 16,
    RS_C_H_STDLIB = 32,
    RS_C_H_STDDEF = 64,
    RS_C_H_STDINT = 128,
    RS_C_H_STRING = 256
};

typedef struct rs_c_token {
    enum { RS_C_T_END, RS_C_T_NAME, RS_C_T_NUMBER, RS_C_T_TEXT, RS_C_T_SIGN } kind;
    int32_t line;
    rs_c_name *name;
    const rs_c_type *type; /* of a number */
    rs_c_value value;
    const char *text; /* of a sign, a text between its quotes */
    int32_t n_text;
} rs_c_token;

typedef struct rs_c_tokens {
    rs_c_token *list; /* END stands last */
    int32_t n, room, n_expanded;
    unsigned headers; /* that were included */
} rs_c_tokens;

/* Splits a program into tokens. */
void rs_c_lex(const char *header, size_t n_header, const char *text, size_t n_bytes,
              rs_program *program, rs_arena *arena, rs_c_fault *fault, rs_c_tokens *tokens);
/* Finds a name, or takes it in; NULL: no memory. */
rs_c_name *rs_c_intern(rs_program *program, const char *text, size_t n, rs_arena *arena);

static inline bool rs_c_token_is(const rs_c_token *t, const char *sign) {
    return t->kind == RS_C_T_SIGN && strlen(sign) == (size_t)t->n_text &&
           memcmp(t->text, sign, (size_t)t->n_text) == 0;
}
