/* lex.c: see lex.h. Of the preprocessor it knows #include of known headers and #define of a name for tokens.
 *
 *   - ring.h comes first, whether it is included or not: so functions are what it declares. Its tokens have line 0; those of a macro have the line where it is used.
 */
#include "lex.h"
#include "base/containers.h"
#include "ringsim_print.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ the names of a program, each kept once; those that C has by itself */

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

rs_c_name *rs_c_intern(rs_program *program, const char *text, size_t n, rs_arena *arena) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    rs_c_name **bucket = &program->names[hash % RS_C_BUCKETS];
    for (rs_c_name *name = *bucket; name != NULL; name = name->next) {
        if ((size_t)name->n_text == n && memcmp(name->text, text, n) == 0) return name;
    }
    rs_c_name *name = rs_alloc(arena, 1, sizeof *name);
    char *copy = rs_alloc(arena, n + 1, 1);
    if (name == NULL || copy == NULL) return NULL;
    memcpy(copy, text, n);
    /* Such names are the compiler's own: who uses one relies on what is not known here. */
    const bool own =
        n > 1 && text[0] == '_' && (text[1] == '_' || (text[1] >= 'A' && text[1] <= 'Z'));
    *name = (rs_c_name){
        .text = copy, .n_text = (int32_t)n, .keyword = own ? RS_C_KW_UNKNOWN : 0, .next = *bucket};
    return *bucket = name;
}

/* Takes the words of C in; false: no memory. */
static bool rs_c_intern_keywords(rs_program *program, rs_arena *arena) {
    for (int32_t i = 0; i < (int32_t)(sizeof keywords / sizeof keywords[0]); i++) {
        rs_c_name *name = rs_c_intern(program, keywords[i], strlen(keywords[i]), arena);
        if (name == NULL) return false;
        name->keyword = i + 1 < RS_C_KW_UNKNOWN ? i + 1 : RS_C_KW_UNKNOWN;
    }
    return true;
}

/* ------------------------------------------------------------------ a number of C, and the type that it has */

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
static bool read_digits(const char **at, uint64_t base, uint64_t *value) {
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

/* Reads a number into the token. whole: the text is all of it. false: it is none that is known; *may_be: but C may
   know it. */
static bool rs_c_read_number(const char *text, bool whole, rs_c_token *token, bool *may_be) {
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool real = strpbrk(text, hex ? ".pP" : ".eE") != NULL;
    const char *stop;
    bool fits = whole;
    if (real) {
        char *end;
        token->value.d = strtod(text, &end);
        stop = end;
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
    /* long double, imaginary, decimal, binary; more than 64 bits */
    *may_be = strpbrk(stop, "lLiIjJdDqQwWbB") != NULL ||
              (*stop == '\0' && !fits && strlen(text) > (hex ? 2 : 0));
    return *stop == '\0' && fits;
}

enum { MOST_TOKENS = 400000, MOST_MACRO = 200, NUMBER_TEXT = 64 };

typedef struct rs_c_macro {
    rs_c_token *tokens;
    int32_t n;
    bool is_open; /* it is being put in: its own name stays as it is */
} rs_c_macro;

typedef struct lexer {
    const char *begin, *at, *end;
    int32_t line;
    bool in_header;
    rs_program *program;
    rs_arena *arena;
    rs_c_fault *fault;
    rs_c_tokens *out;
} lexer;

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
/* Returns the bytes of a letter of another alphabet, 0: there is none; of C17's list of them the two large pieces. */
static size_t other_letter(const lexer *lex) {
    uint32_t c;
    const size_t n = rs_decode_utf8(lex->at, (size_t)(lex->end - lex->at), &c);
    const bool old = c >= 0xc0 && c < 0x2000 && c != 0xd7 && c != 0xf7 && c != 0x1680 &&
                     c != 0x180e && !(c >= 0x300 && c < 0x370) && !(c >= 0x1dc0 && c < 0x1e00);
    return old || (c >= 0x3040 && c < 0xd800) ? n : 0;
}

/* Notes what is wrong, and ends the text. */
static void wrong(lexer *lex, const char *what, const char *word, size_t n_word, bool outside) {
    rs_c_blame(lex->fault, outside ? RS_UNSUPPORTED : RS_BAD_INPUT, lex->line, what,
               rs_c_shown(word, n_word).text);
    lex->at = lex->end;
}
static void lacks(lexer *lex) {
    rs_c_lacks(lex->fault);
    lex->at = lex->end;
}

static void put(lexer *lex, const rs_c_token *token) {
    rs_c_tokens *out = lex->out;
    if (out->n == MOST_TOKENS) {
        wrong(lex, N_("the program is too long"), "", 0, true);
    } else if (!rs_reserve(lex->arena, &out->list, out->n + 1, &out->room)) {
        lacks(lex);
    } else {
        out->list[out->n++] = *token;
    }
}

/* Returns the bytes of a backslash that joins its line with the next; 0: there is none. */
static size_t splice(const lexer *lex) {
    const char *at = lex->at;
    if (at >= lex->end || *at != '\\') return 0;
    for (at++; at < lex->end && (*at == ' ' || *at == '\t' || *at == '\r'); at++) continue;
    return at < lex->end && *at == '\n' ? (size_t)(at - lex->at) + 1 : 0;
}
static bool is_solid(char c) {
    return (unsigned char)c > ' ';
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
        } else if (splice(lex) > 0) {
            const size_t n = splice(lex);
            const bool first = at == lex->begin, last = (size_t)(lex->end - at) == n;
            if (!first && !last && is_solid(at[-1]) && is_solid(at[n]))
                return wrong(lex, N_("a word that goes on in the next line"), "", 0, true);
            lex->line++;
            lex->at += n;
        } else if (more && at[0] == '/' && at[1] == '/') {
            for (; lex->at < lex->end && *lex->at != '\n'; lex->at++) {
                if (splice(lex) == 0) continue;
                lex->line++;
                lex->at += splice(lex) - 1;
            }
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

static void lex_number(lexer *lex, rs_c_token *token) {
    char text[NUMBER_TEXT];
    size_t n = 0;
    const char *from = lex->at;
    while (lex->at < lex->end) {
        const char c = *lex->at, before = lex->at > from ? lex->at[-1] : '0';
        const bool hex = n > 1 && (text[1] == 'x' || text[1] == 'X');
        const bool sign = (c == '+' || c == '-') && ((!hex && (before == 'e' || before == 'E')) ||
                                                     (hex && (before == 'p' || before == 'P')));
        if (!is_letter(c) && !rs_is_digit(c) && c != '.' && !sign) break;
        if (n + 1 < sizeof text) text[n++] = c;
        lex->at++;
    }
    text[n] = '\0';
    token->kind = RS_C_T_NUMBER;
    bool may_be;
    if (rs_c_read_number(text, (size_t)(lex->at - from) == n, token, &may_be)) return;
    wrong(lex, may_be ? N_("the number '%s'") : N_("'%s' is no number"), text, n, may_be);
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
        const size_t spliced = splice(lex);
        lex->line += spliced > 0;
        lex->at += spliced > 0                                  ? (ptrdiff_t)spliced
                   : *lex->at == '\\' && lex->end - lex->at > 1 ? 2
                                                                : 1;
    }
    if (lex->at >= lex->end || *lex->at != '"')
        return wrong(lex, N_("a text without a closing quote"), "", 0, false);
    const size_t n = (size_t)(lex->at - from);
    char *copy = rs_alloc(lex->arena, n + 1, 1);
    if (copy == NULL) return lacks(lex);
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
    static const char *const others[] = {"<:", ":>", "<%", "%>", "%:", "?\?"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const size_t n = strlen(others[i]);
        if ((size_t)(lex->end - lex->at) >= n && memcmp(lex->at, others[i], n) == 0)
            return wrong(lex, N_("the sign '%s'"), others[i], n, true);
    }
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t n = strlen(signs[i]);
        if ((size_t)(lex->end - lex->at) < n || memcmp(lex->at, signs[i], n) != 0) continue;
        token->kind = RS_C_T_SIGN;
        token->text = signs[i];
        token->n_text = (int32_t)n;
        lex->at += n;
        return;
    }
    uint32_t c;
    const size_t n = rs_decode_utf8(lex->at, (size_t)(lex->end - lex->at), &c);
    if (strchr("@`#", *lex->at) != NULL && *lex->at != '\0')
        wrong(lex, N_("'%s' does not belong here"), lex->at, 1, false);
    else
        wrong(lex, N_("the character '%s'"), lex->at, n > 0 ? n : 1, true);
}

/* Skips a name; false: none begins here. */
static bool skip_name(lexer *lex) {
    const char *from = lex->at;
    while (lex->at < lex->end) {
        const bool plain = is_letter(*lex->at) || (lex->at > from && rs_is_digit(*lex->at));
        const size_t n = plain ? 1 : other_letter(lex);
        if (n == 0) break;
        lex->at += n;
    }
    return lex->at > from;
}

/* Takes the next token, which begins here. */
static void lex_token(lexer *lex, rs_c_token *token) {
    const char *from = lex->at;
    *token = (rs_c_token){.line = lex->in_header ? 0 : lex->line};
    if (skip_name(lex)) {
        if (lex->at < lex->end && (*lex->at == '"' || *lex->at == '\'') && lex->at - from <= 2 &&
            strchr("LuU", *from) != NULL)
            return wrong(lex, N_("a text or a character with letters before it"), "", 0, true);
        token->kind = RS_C_T_NAME;
        token->name = rs_c_intern(lex->program, from, (size_t)(lex->at - from), lex->arena);
        if (token->name == NULL) lacks(lex);
    } else if (rs_is_digit(*from) ||
               (*from == '.' && lex->end - from > 1 && rs_is_digit(from[1]))) {
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
        return wrong(lex, N_("the program is too long"), "", 0, true);
    macro->is_open = true;
    for (int32_t i = 0; i < macro->n && lex->fault->status == RS_OK; i++) {
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
    if (lex->at >= lex->end || (!is_letter(*lex->at) && other_letter(lex) == 0))
        return wrong(lex, N_("#define needs a name"), "", 0, (unsigned char)*lex->at >= 0x80);
    lex_token(lex, &name);
    if (lex->fault->status != RS_OK) return;
    if (lex->at < lex->end && *lex->at == '(')
        return wrong(lex, N_("#define %s with arguments"), name.name->text,
                     (size_t)name.name->n_text, true);
    for (skip_blanks(lex, true); lex->at < lex->end && *lex->at != '\n'; skip_blanks(lex, true)) {
        if (n == MOST_MACRO) return wrong(lex, N_("a #define that is so long"), "", 0, true);
        lex_token(lex, &tokens[n++]);
    }
    rs_c_macro *macro = rs_alloc(lex->arena, 1, sizeof *macro);
    rs_c_token *kept = rs_alloc(lex->arena, (size_t)n + 1, sizeof *kept);
    if (macro == NULL || kept == NULL || name.name == NULL) return lacks(lex);
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
    wrong(lex, N_("#include %s"), from, n, true);
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
    } else if (n > 0 || (lex->at < lex->end && *lex->at != '\n' && *lex->at != '\r')) {
        wrong(lex, N_("#%s"), from, n, true);
    }
}

static void lex_all(lexer *lex) {
    for (int32_t line = -1;;) { /* of the last token: a # begins a line */
        rs_c_token token;
        skip_blanks(lex, false);
        if (lex->at >= lex->end || lex->fault->status != RS_OK) return;
        if (*lex->at == '#' && lex->line != line) {
            directive(lex);
            continue;
        }
        line = lex->line;
        lex_token(lex, &token);
        if (lex->fault->status == RS_OK) put_expanded(lex, &token);
    }
}

void rs_c_lex(const char *header, size_t n_header, const char *text, size_t n_bytes,
              rs_program *program, rs_arena *arena, rs_c_fault *fault, rs_c_tokens *tokens) {
    lexer lex = {.begin = header,
                 .at = header,
                 .end = header + n_header,
                 .in_header = true,
                 .program = program,
                 .arena = arena,
                 .fault = fault,
                 .out = tokens};
    if (!rs_c_intern_keywords(program, arena)) return lacks(&lex);
    lex_all(&lex);
    if (fault->status == RS_OK) {
        lex.begin = lex.at = text;
        lex.end = text + n_bytes;
        /* an editor's mark */
        if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lex.at += 3;
        lex.in_header = false;
        lex.line = 1;
        lex_all(&lex);
    }
    program->n_lines = lex.line;
    put(&lex, &(rs_c_token){.kind = RS_C_T_END, .line = lex.line});
}
