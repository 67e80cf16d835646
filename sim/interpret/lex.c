/* lex.c: see lex.h. Of the preprocessor it knows #include of known headers and #define of a name for tokens.
 *
 *   - ring.h comes first, whether it is included or not: so functions are what it declares. Its tokens have line 0; those of a macro have the line where it is used.
 */
#include "lex.h"

#include <stdlib.h>

enum { MOST_TOKENS = 400000, MOST_MACRO = 200, NUMBER_TEXT = 64 };

typedef struct rs_c_macro {
    rs_c_token *tokens;
    int32_t n;
    bool is_open; /* it is being put in: its own name stays as it is */
} rs_c_macro;

typedef struct lexer {
    const char *at, *end;
    int32_t line;
    bool in_header;
    rs_program *program;
    rs_arena *arena;
    rs_trouble *trouble;
    rs_c_tokens *out;
} lexer;

static const char *const keywords[] = {"const",
                                       "static",
                                       "extern",
                                       "inline",
                                       "typedef",
                                       "struct",
                                       "enum",
                                       "void",
                                       "char",
                                       "short",
                                       "int",
                                       "long",
                                       "signed",
                                       "unsigned",
                                       "float",
                                       "double",
                                       "_Bool",
                                       "if",
                                       "else",
                                       "while",
                                       "do",
                                       "for",
                                       "switch",
                                       "case",
                                       "default",
                                       "break",
                                       "continue",
                                       "return",
                                       "sizeof",
                                       "auto",
                                       "goto",
                                       "union",
                                       "volatile",
                                       "register",
                                       "restrict",
                                       "_Atomic",
                                       "_Generic",
                                       "_Static_assert",
                                       "_Alignas",
                                       "_Alignof",
                                       "_Noreturn",
                                       "_Thread_local",
                                       "_Complex",
                                       "asm",
                                       "__asm__",
                                       "typeof",
                                       "__typeof__",
                                       "__attribute__",
                                       "__extension__",
                                       "va_list",
                                       "NULL"};

static const struct {
    const char *name;
    unsigned bit;
} headers[] = {
    {"ring.h", RS_C_H_RING},       {"math.h", RS_C_H_MATH},     {"stdio.h", RS_C_H_STDIO},
    {"stdbool.h", RS_C_H_STDBOOL}, {"limits.h", RS_C_H_LIMITS}, {"stdlib.h", RS_C_H_STDLIB},
    {"stddef.h", RS_C_H_STDDEF},   {"stdint.h", RS_C_H_STDINT}, {"string.h", RS_C_H_STRING}};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Notes what is wrong, and ends the text. */
static void wrong(lexer *lex, const char *what, const char *word, size_t n_word, bool outside) {
    const bool first = lex->trouble->what == NULL;
    rs_c_blame(lex->trouble, lex->line, what, word, n_word);
    if (first) lex->trouble->outside = outside;
    lex->at = lex->end;
}

static void put(lexer *lex, const rs_c_token *token) {
    rs_c_tokens *out = lex->out;
    if (out->n == out->room) {
        const int32_t room = 2 * out->room + 1000;
        rs_c_token *list =
            room <= MOST_TOKENS ? rs_alloc(lex->arena, (size_t)room, sizeof *list) : NULL;
        if (list == NULL) {
            if (room > MOST_TOKENS)
                wrong(lex, N_("the program is too long"), "", 0, false);
            else
                wrong(lex, rs_c_no_memory, "", 0, false);
            return;
        }
        if (out->n > 0) memcpy(list, out->list, (size_t)out->n * sizeof *list);
        out->list = list;
        out->room = room;
    }
    out->list[out->n++] = *token;
}

/* Skips blanks and comments; in a line of the preprocessor not its end. */
static void skip_blanks(lexer *lex, bool in_line) {
    while (lex->at < lex->end) {
        const char *at = lex->at;
        const bool more = lex->end - at > 1;
        if (*at == '\n' && in_line) return;
        if (*at == '\n') {
            lex->line++;
            lex->at++;
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') {
            lex->at++;
        } else if (more && at[0] == '/' && at[1] == '/') {
            while (lex->at < lex->end && *lex->at != '\n') lex->at++;
        } else if (more && at[0] == '/' && at[1] == '*') {
            lex->at += 2;
            while (lex->end - lex->at > 1 && (lex->at[0] != '*' || lex->at[1] != '/')) {
                lex->line += *lex->at++ == '\n';
            }
            if (lex->end - lex->at < 2)
                return wrong(lex, N_("a comment without an end"), "", 0, false);
            lex->at += 2;
        } else {
            return;
        }
    }
}

/* ------------------------------------------------------------------ numbers, texts */

/* Gives a whole number the first type of C that holds it. */
static void type_integer(uint64_t value, bool is_decimal, bool is_unsigned, bool is_long,
                         rs_c_token *token) {
    token->value.i = (int64_t)value;
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        token->type = &rs_c_int;
    else if (!is_long && (is_unsigned || !is_decimal) && value <= UINT32_MAX)
        token->type = &rs_c_unsigned;
    else if (!is_unsigned && value <= INT64_MAX)
        token->type = &rs_c_long;
    else
        token->type = &rs_c_ulong;
}

/* Reads digits; false: there is none, or they say more than 64 bits hold. */
static bool read_digits(char **at, uint64_t base, uint64_t *value) {
    const char *from = *at;
    bool fits = true;
    for (*value = 0;; (*at)++) {
        const char c = **at | 32; /* in lower case */
        const uint64_t digit =
            c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10 : (uint64_t)(**at - '0');
        if (digit >= base) return fits && *at > from;
        fits = fits && *value <= (UINT64_MAX - digit) / base;
        *value = *value * base + digit;
    }
}

static void lex_number(lexer *lex, rs_c_token *token) {
    char text[NUMBER_TEXT];
    size_t n = 0;
    const char *from = lex->at;
    while (lex->at < lex->end) {
        const char c = *lex->at, before = lex->at > from ? lex->at[-1] : '0';
        const bool hex = n > 1 && (text[1] == 'x' || text[1] == 'X');
        const bool sign = (c == '+' || c == '-') && ((!hex && (before == 'e' || before == 'E')) ||
                                                     (hex && (before == 'p' || before == 'P')));
        if (!is_letter(c) && !is_digit(c) && c != '.' && !sign) break;
        if (n + 1 < sizeof text) text[n++] = c;
        lex->at++;
    }
    text[n] = '\0';
    token->kind = RS_C_T_NUMBER;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool real = strpbrk(text, hex ? ".pP" : ".eE") != NULL;
    char *stop;
    bool fits = (size_t)(lex->at - from) == n;
    if (real) {
        token->value.d = strtod(text, &stop);
        token->type = *stop == 'f' || *stop == 'F' ? &rs_c_float : &rs_c_double;
        if (token->type == &rs_c_float) {
            token->value.d = (float)token->value.d;
            stop++;
        }
    } else {
        uint64_t value;
        stop = text + (hex ? 2 : 0);
        fits = read_digits(&stop, hex ? 16 : text[0] == '0' ? 8 : 10, &value) && fits;
        const bool first_u = *stop == 'u' || *stop == 'U';
        stop += first_u;
        const int longs = *stop == 'l' || *stop == 'L' ? 1 + (stop[1] == *stop) : 0;
        stop += longs;
        const bool last_u = !first_u && (*stop == 'u' || *stop == 'U');
        stop += last_u;
        type_integer(value, text[0] != '0', first_u || last_u, longs > 0, token);
    }
    if (*stop != '\0' || !fits) wrong(lex, N_("'@w' is no number"), text, n, false);
}

/* A character between single quotes. */
static void lex_character(lexer *lex, rs_c_token *token) {
    static const char letters[] = "ntr0\\'\"", meant[] = "\n\t\r\0\\'\"";
    const char *at = lex->at + 1;
    const bool escaped = lex->end - at > 1 && *at == '\\';
    const char *found = escaped ? strchr(letters, at[1]) : NULL;
    at += escaped;
    if (lex->end - at < 2 || at[1] != '\'' || (escaped && (found == NULL || *found == '\0')) ||
        (unsigned char)*at < ' ' || (unsigned char)*at > '~') {
        return wrong(lex, N_("a character that is not known"), "", 0, true);
    }
    *token = (rs_c_token){.kind = RS_C_T_NUMBER, .line = token->line, .type = &rs_c_int};
    token->value.i = escaped ? meant[found - letters] : *at;
    lex->at = at + 2;
}

static void lex_text(lexer *lex, rs_c_token *token) {
    const char *from = ++lex->at;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n') {
        lex->at += *lex->at == '\\' && lex->end - lex->at > 1 ? 2 : 1;
    }
    if (lex->at >= lex->end || *lex->at != '"')
        return wrong(lex, N_("a text without a closing quote"), "", 0, false);
    const size_t n = (size_t)(lex->at - from);
    char *copy = rs_alloc(lex->arena, n + 1, 1);
    if (copy == NULL) return wrong(lex, rs_c_no_memory, "", 0, false);
    memcpy(copy, from, n);
    token->kind = RS_C_T_TEXT;
    token->text = copy;
    token->n_text = (int32_t)n;
    lex->at++;
}

/* ------------------------------------------------------------------ tokens */

static void lex_sign(lexer *lex, rs_c_token *token) {
    static const char *const signs[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
        "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "^=", "|=", "+",  "-",
        "*",   "/",   "%",   "=",  "<",  ">",  "!",  "&",  "|",  "^",  "~",  "?",
        ":",   ",",   ";",   ".",  "(",  ")",  "[",  "]",  "{",  "}"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t n = strlen(signs[i]);
        if ((size_t)(lex->end - lex->at) < n || memcmp(lex->at, signs[i], n) != 0) continue;
        token->kind = RS_C_T_SIGN;
        token->text = signs[i];
        token->n_text = (int32_t)n;
        lex->at += n;
        return;
    }
    wrong(lex, N_("'@w' does not belong here"), lex->at, 1, false);
}

/* Takes the next token, which begins here. */
static void lex_token(lexer *lex, rs_c_token *token) {
    const char *from = lex->at;
    *token = (rs_c_token){.line = lex->in_header ? 0 : lex->line};
    if (is_letter(*from)) {
        while (lex->at < lex->end && (is_letter(*lex->at) || is_digit(*lex->at))) lex->at++;
        token->kind = RS_C_T_NAME;
        token->name = rs_c_intern(lex->program, from, (size_t)(lex->at - from), lex->arena);
        if (token->name == NULL) wrong(lex, rs_c_no_memory, "", 0, false);
    } else if (is_digit(*from) || (*from == '.' && lex->end - from > 1 && is_digit(from[1]))) {
        lex_number(lex, token);
    } else if (*from == '\'') {
        lex_character(lex, token);
    } else if (*from == '"') {
        lex_text(lex, token);
    } else {
        lex_sign(lex, token);
    }
}

/* Adds a token; of a macro its tokens. */
static void put_expanded(lexer *lex, const rs_c_token *token) {
    rs_c_macro *macro =
        token->kind == RS_C_T_NAME && token->name != NULL ? token->name->macro : NULL;
    if (macro == NULL || macro->is_open) return put(lex, token);
    if (lex->out->n_expanded++ > MOST_TOKENS)
        return wrong(lex, N_("the program is too long"), "", 0, false);
    macro->is_open = true;
    for (int32_t i = 0; i < macro->n && lex->trouble->what == NULL; i++) {
        rs_c_token one = macro->tokens[i];
        one.line = token->line;
        put_expanded(lex, &one);
    }
    macro->is_open = false;
}

/* ------------------------------------------------------------------ the preprocessor's lines */

static void define(lexer *lex) {
    rs_c_token name, tokens[MOST_MACRO];
    int32_t n = 0;
    skip_blanks(lex, true);
    if (lex->at >= lex->end || !is_letter(*lex->at))
        return wrong(lex, N_("#define needs a name"), "", 0, false);
    lex_token(lex, &name);
    if (lex->at < lex->end && *lex->at == '(')
        return wrong(lex, N_("#define @w with arguments"), name.name->text,
                     (size_t)name.name->n_text, true);
    for (skip_blanks(lex, true); lex->at < lex->end && *lex->at != '\n'; skip_blanks(lex, true)) {
        if (n == MOST_MACRO) return wrong(lex, N_("a #define that is so long"), "", 0, true);
        lex_token(lex, &tokens[n++]);
    }
    rs_c_macro *macro = rs_alloc(lex->arena, 1, sizeof *macro);
    rs_c_token *kept = rs_alloc(lex->arena, (size_t)n + 1, sizeof *kept);
    if (macro == NULL || kept == NULL || name.name == NULL)
        return wrong(lex, rs_c_no_memory, "", 0, false);
    memcpy(kept, tokens, (size_t)n * sizeof *kept);
    *macro = (rs_c_macro){.tokens = kept, .n = n};
    name.name->macro = macro;
}

static void include(lexer *lex) {
    skip_blanks(lex, true);
    const char *from = lex->at;
    while (lex->at < lex->end && *lex->at != '\n' && *lex->at != '\r') lex->at++;
    const size_t n = (size_t)(lex->at - from);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const char *name = headers[i].name;
        if (n < strlen(name) + 2 || memcmp(from + 1, name, strlen(name)) != 0) continue;
        const char closing = *from == '<' ? '>' : '"';
        if ((*from != '"' && *from != '<') || from[1 + strlen(name)] != closing) continue;
        lex->out->headers |= headers[i].bit;
        return;
    }
    wrong(lex, N_("#include @w"), from, n, true);
}

/* A line that begins with #. ring.h guards itself, which it need not here. */
static void directive(lexer *lex) {
    lex->at++;
    skip_blanks(lex, true);
    const char *from = lex->at;
    while (lex->at < lex->end && is_letter(*lex->at)) lex->at++;
    const size_t n = (size_t)(lex->at - from);
    if (lex->in_header) {
        while (lex->at < lex->end && *lex->at != '\n') lex->at++;
    } else if (n == 6 && memcmp(from, "define", 6) == 0) {
        define(lex);
    } else if (n == 7 && memcmp(from, "include", 7) == 0) {
        include(lex);
    } else if (n > 0) {
        wrong(lex, N_("#@w"), from, n, true);
    }
}

static void lex_all(lexer *lex) {
    for (int32_t line = -1;;) { /* of the last token: a # begins a line */
        rs_c_token token;
        skip_blanks(lex, false);
        if (lex->at >= lex->end || lex->trouble->what != NULL) return;
        if (*lex->at == '#' && lex->line != line) {
            directive(lex);
            continue;
        }
        line = lex->line;
        lex_token(lex, &token);
        if (lex->trouble->what == NULL) put_expanded(lex, &token);
    }
}

void rs_c_lex(const char *header, size_t n_header, const char *text, size_t n_bytes,
              rs_program *program, rs_arena *arena, rs_trouble *trouble, rs_c_tokens *tokens) {
    lexer lex = {.at = header,
                 .end = header + n_header,
                 .in_header = true,
                 .program = program,
                 .arena = arena,
                 .trouble = trouble,
                 .out = tokens};
    for (int32_t i = 0; i < (int32_t)(sizeof keywords / sizeof keywords[0]); i++) {
        rs_c_name *name = rs_c_intern(program, keywords[i], strlen(keywords[i]), arena);
        if (name == NULL) return wrong(&lex, rs_c_no_memory, "", 0, false);
        name->keyword = i + 1 < RS_C_KW_UNKNOWN ? i + 1 : RS_C_KW_UNKNOWN;
    }
    lex_all(&lex);
    if (trouble->what == NULL) {
        lex.at = text;
        lex.end = text + n_bytes;
        lex.in_header = false;
        lex.line = 1;
        lex_all(&lex);
    }
    program->n_lines = lex.line;
    put(&lex, &(rs_c_token){.kind = RS_C_T_END, .line = lex.line});
}
