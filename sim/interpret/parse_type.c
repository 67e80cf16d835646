/* parse_type.c: what stands before and round a name that is declared: types, brackets, parameters. */
#include "parse.h"

bool rs_c_at_type(const rs_c_parser *p) {
    const rs_c_keyword word = rs_c_word(p);
    if (word >= RS_C_KW_CONST && word <= RS_C_KW_BOOL) return true;
    return p->at->kind == RS_C_T_NAME && p->at->name->symbol != NULL &&
           p->at->name->symbol->kind == RS_C_TYPEDEF;
}

const rs_c_type *rs_c_array_of(rs_c_parser *p, const rs_c_type *type, int64_t n) {
    rs_c_type *array = rs_c_new(p, sizeof *array);
    if (type->kind == RS_C_POINTER) rs_c_outside(p, N_("an array of pointers"));
    if (type->n_cells < 1) rs_c_wrong(p, N_("only the first length of an array may be left out"));
    if (n == 0) rs_c_outside(p, N_("an array without elements"));
    if (n < -1) rs_c_wrong(p, N_("an array without elements"));
    if (type->n_cells < 1 || n > RS_C_MOST_CELLS / type->n_cells) {
        rs_c_outside(p, N_("an array that is too large"));
        n = 1;
    }
    *array = (rs_c_type){.kind = RS_C_ARRAY,
                         .of = type,
                         .n_cells = n < 0 ? -1 : (int32_t)n * type->n_cells,
                         .n_bytes = n < 0 ? 0 : (int32_t)n * type->n_bytes};
    return array;
}

static const rs_c_type *as_const(rs_c_parser *p, const rs_c_type *type) {
    if (type->is_const || type->kind == RS_C_ARRAY) return type;
    rs_c_type *copy = rs_c_new(p, sizeof *copy);
    *copy = *type;
    copy->is_const = true;
    return copy;
}

/* ------------------------------------------------------------------ struct, enum */

static int32_t alignment(const rs_c_type *type) {
    int32_t most = 1;
    while (type->kind == RS_C_ARRAY) type = type->of;
    if (type->kind != RS_C_STRUCT) return type->n_bytes;
    for (int32_t i = 0; i < type->n_fields; i++) {
        const int32_t one = alignment(type->fields[i].type);
        if (one > most) most = one;
    }
    return most;
}

/* Where the next value of that type may begin. */
static int32_t aligned(int32_t n_bytes, const rs_c_type *type) {
    const int32_t to = alignment(type);
    return (n_bytes + to - 1) / to * to;
}

static void read_fields(rs_c_parser *p, rs_c_type *type) {
    enum { MOST_FIELDS = 32 };
    rs_c_field *fields = rs_alloc(p->arena, MOST_FIELDS, sizeof *fields);
    if (fields == NULL) return rs_c_lacks(p->fault);
    while (!rs_c_take(p, "}") && p->fault->status == RS_OK) {
        if (rs_c_take(p, ";")) continue;
        const rs_c_type *base = rs_c_specifiers(p, NULL);
        if (rs_c_here(p, ";")) rs_c_outside(p, N_("a field without a name"));
        do {
            rs_c_declared one;
            if (rs_c_here(p, ":")) rs_c_outside(p, N_("a bit-field"));
            rs_c_declarator(p, base, &one);
            if (rs_c_here(p, ":")) rs_c_outside(p, N_("a bit-field"));
            if (one.name == NULL) rs_c_wrong(p, N_("a name is needed, not '%s'"));
            if (one.type->kind == RS_C_POINTER) rs_c_outside(p, N_("a pointer in a struct"));
            if (one.type->n_cells < 1 || one.function != NULL || one.length != NULL ||
                type->n_fields == MOST_FIELDS) {
                rs_c_outside(p, N_("such a field in a struct"));
            }
            if (p->fault->status != RS_OK) return;
            fields[type->n_fields++] = (rs_c_field){one.name, one.type, type->n_cells};
            if (type->n_cells > RS_C_MOST_CELLS - one.type->n_cells)
                return rs_c_outside(p, N_("an array that is too large"));
            type->n_cells += one.type->n_cells;
            type->n_bytes = aligned(type->n_bytes, one.type) + one.type->n_bytes;
        } while (rs_c_take(p, ","));
        if (rs_c_here(p, "}")) rs_c_outside(p, N_("a struct whose last field has no ';'"));
        rs_c_expect(p, ";");
    }
    type->fields = fields;
    type->n_bytes = aligned(type->n_bytes, type);
    if (type->n_fields == 0) rs_c_outside(p, N_("a struct without fields"));
}

/* Lets a tag, if there is one, stand for the type. Returns the type. */
static const rs_c_type *keep_tag(rs_c_parser *p, rs_c_name *tag, const rs_c_type *type) {
    if (tag == NULL) return type;
    rs_c_symbol *symbol = rs_c_new(p, sizeof *symbol);
    *symbol = (rs_c_symbol){.name = tag,
                            .type = type,
                            .level = p->level,
                            .is_tag = true,
                            .outer = tag->tag,
                            .before = p->scope};
    tag->tag = p->scope = symbol;
    return type;
}

static const rs_c_type *read_struct(rs_c_parser *p) {
    rs_c_name *tag = p->at->kind == RS_C_T_NAME && rs_c_word(p) == 0 ? p->at->name : NULL;
    if (tag != NULL) rs_c_next(p);
    if (!rs_c_take(p, "{")) {
        if (tag != NULL && tag->tag != NULL) return tag->tag->type;
        rs_c_outside(p, N_("a struct that is not described before"));
        return &rs_c_int;
    }
    rs_c_type *type = rs_c_new(p, sizeof *type);
    *type = (rs_c_type){.kind = RS_C_STRUCT};
    if (rs_c_enter(p)) read_fields(p, type);
    p->deep--;
    return keep_tag(p, tag, type);
}

/* An enum's constants are ints; its variables, as compilers have them, unsigned where none of those is below 0. */
static const rs_c_type *read_enum(rs_c_parser *p) {
    int64_t value = 0;
    bool below = false;
    rs_c_name *tag = p->at->kind == RS_C_T_NAME && rs_c_word(p) == 0 ? p->at->name : NULL;
    if (tag != NULL) rs_c_next(p);
    if (!rs_c_take(p, "{"))
        return tag != NULL && tag->tag != NULL ? tag->tag->type : &rs_c_unsigned;
    while (!rs_c_take(p, "}") && p->fault->status == RS_OK) {
        const rs_c_token *name = p->at;
        if (name->kind != RS_C_T_NAME || name->name->keyword != 0) {
            rs_c_wrong(p, N_("a name is needed, not '%s'"));
            break;
        }
        rs_c_next(p);
        if (rs_c_take(p, "=")) {
            const rs_c_node *node = p->assignment(p);
            rs_c_check_constant(p, node, name, N_("'%s' needs a constant"));
            value = node->value.i;
        }
        if (value < INT32_MIN || value > INT32_MAX)
            rs_c_outside_name(p, name->line, N_("'%s' does not fit into an int"), name->name);
        if (p->fault->status != RS_OK) break;
        below = below || value < 0;
        rs_c_declare(p, name->name, RS_C_ENUMERATOR, &rs_c_int, name->line)->value.i = value++;
        if (!rs_c_take(p, ",") && !rs_c_here(p, "}")) rs_c_expect(p, "}");
    }
    return keep_tag(p, tag, below ? &rs_c_int : &rs_c_unsigned);
}

/* ------------------------------------------------------------------ before the names */

typedef struct basics {
    int n_long, n_short, n_char, n_int, n_signed, n_unsigned, n_words;
} basics;

static bool take_basic(rs_c_parser *p, basics *b) {
    int *count[] = {&b->n_char, &b->n_short, &b->n_int, &b->n_long, &b->n_signed, &b->n_unsigned};
    const rs_c_keyword word = rs_c_word(p);
    if (word < RS_C_KW_CHAR || word > RS_C_KW_UNSIGNED) return false;
    ++*count[word - RS_C_KW_CHAR];
    b->n_words++;
    rs_c_next(p);
    return true;
}

static const rs_c_type *basic_type(rs_c_parser *p, const basics *b) {
    static const rs_c_type small[2][2] = {
        {{.kind = RS_C_INT, .bits = 8, .is_signed = true, .n_cells = 1, .n_bytes = 1},
         {.kind = RS_C_INT, .bits = 8, .n_cells = 1, .n_bytes = 1}},
        {{.kind = RS_C_INT, .bits = 16, .is_signed = true, .n_cells = 1, .n_bytes = 2},
         {.kind = RS_C_INT, .bits = 16, .n_cells = 1, .n_bytes = 2}}};
    if (b->n_char + b->n_short + (b->n_long > 0) > 1 || b->n_long > 2 || b->n_int > 1 ||
        b->n_signed + b->n_unsigned > 1 || (b->n_char > 0 && b->n_int > 0)) {
        rs_c_wrong(p, N_("words that make no type together"));
    }
    const bool is_unsigned = b->n_unsigned > 0;
    if (b->n_char > 0) return &small[0][is_unsigned];
    if (b->n_short > 0) return &small[1][is_unsigned];
    if (b->n_long > 0) return is_unsigned ? &rs_c_ulong : &rs_c_long;
    return is_unsigned ? &rs_c_unsigned : &rs_c_int;
}

/* Takes a type that is one word, or a struct, an enum; NULL: there is none. */
static const rs_c_type *take_whole(rs_c_parser *p) {
    if (rs_c_take_word(p, RS_C_KW_VOID)) return &rs_c_void;
    if (rs_c_take_word(p, RS_C_KW_FLOAT)) return &rs_c_float;
    if (rs_c_take_word(p, RS_C_KW_DOUBLE)) return &rs_c_double;
    if (rs_c_take_word(p, RS_C_KW_BOOL)) return &rs_c_bool;
    if (rs_c_take_word(p, RS_C_KW_STRUCT)) return read_struct(p);
    if (rs_c_take_word(p, RS_C_KW_ENUM)) return read_enum(p);
    if (!rs_c_at_type(p) || rs_c_word(p) != 0) return NULL;
    const rs_c_type *type = p->at->name->symbol->type;
    rs_c_next(p);
    return type;
}

const rs_c_type *rs_c_specifiers(rs_c_parser *p, rs_c_storage *storage) {
    const rs_c_type *type = NULL;
    basics basic = {0};
    rs_c_storage said = {0};
    bool is_const = false;
    for (;;) {
        const rs_c_keyword word = rs_c_word(p);
        if (word == RS_C_KW_CONST || word == RS_C_KW_INLINE || word == RS_C_KW_STATIC ||
            word == RS_C_KW_EXTERN || word == RS_C_KW_TYPEDEF) {
            is_const = is_const || word == RS_C_KW_CONST;
            said.is_static = said.is_static || word == RS_C_KW_STATIC;
            said.is_extern = said.is_extern || word == RS_C_KW_EXTERN;
            said.is_typedef = said.is_typedef || word == RS_C_KW_TYPEDEF;
            rs_c_next(p);
        } else if (word == RS_C_KW_UNKNOWN) {
            rs_c_outside(p, N_("'%s'"));
        } else if (!take_basic(p, &basic)) {
            if (type != NULL || basic.n_words > 0) break;
            type = take_whole(p);
            if (type == NULL) break;
        }
    }
    if (basic.n_long == 1 && (type == &rs_c_double || rs_c_word(p) == RS_C_KW_DOUBLE))
        rs_c_outside(p, N_("long double"));
    /* f(x) { ... }: what has no type is an int, as in old C; compilers warn */
    if (type == NULL && basic.n_words == 0 && p->at->kind == RS_C_T_NAME && rs_c_word(p) == 0 &&
        p->at[1].kind == RS_C_T_SIGN && !rs_c_token_is(p->at + 1, "*"))
        rs_c_outside(p, N_("'%s' without a type"));
    if (type == NULL && basic.n_words == 0) rs_c_wrong(p, N_("a type is needed, not '%s'"));
    if (type != NULL && basic.n_words > 0) rs_c_wrong(p, N_("words that make no type together"));
    if (storage != NULL)
        *storage = said;
    else if (said.is_static || said.is_typedef || said.is_extern)
        rs_c_wrong(p, N_("static does not belong here"));
    if (type == NULL) type = basic_type(p, &basic);
    return is_const ? as_const(p, type) : type;
}

/* ------------------------------------------------------------------ round the names */

/* Skips what stands in the brackets of a parameter: C does not look at it. */
static void skip_length(rs_c_parser *p) {
    for (int deep = 0; deep > 0 || !rs_c_here(p, "]"); rs_c_next(p)) {
        deep += rs_c_here(p, "[");
        deep -= rs_c_here(p, "]");
        if (p->at == p->last) return;
    }
}

static void read_lengths(rs_c_parser *p, const rs_c_type *type, bool is_parameter,
                         rs_c_declared *out) {
    enum { MOST_LENGTHS = 4 };
    int64_t lengths[MOST_LENGTHS];
    int n = 0;
    out->type = type;
    for (; rs_c_take(p, "["); n++) {
        if (n == MOST_LENGTHS) return rs_c_outside(p, N_("an array with so many lengths"));
        lengths[n] = -1;
        if (n == 0 && is_parameter) {
            skip_length(p);
        } else if (!rs_c_here(p, "]")) {
            if (is_parameter && p->at->kind == RS_C_T_NAME && p->at->name->symbol == NULL)
                return rs_c_outside(p, N_("an array of arrays with a length that is computed"));
            rs_c_node *length = p->assignment(p);
            if (length->type->kind != RS_C_INT)
                rs_c_wrong(p, N_("an array's length is a whole number"));
            if (length->op == RS_C_CONSTANT)
                lengths[n] = length->value.i < 0 ? -2 : length->value.i;
            else if (n == 0)
                out->length = length;
            else
                rs_c_outside(p, N_("an array of arrays with a length that is computed"));
        }
        rs_c_expect(p, "]");
    }
    if (n > 1 && out->length != NULL)
        rs_c_outside(p, N_("an array of arrays with a length that is computed"));
    for (int i = n - 1; i >= 0 && p->fault->status == RS_OK; i--) {
        out->type = i == 0 && is_parameter ? rs_c_pointer_to(p, out->type)
                                           : rs_c_array_of(p, out->type, lengths[i]);
    }
}

static void read_parameters(rs_c_parser *p, const rs_c_type *type, rs_c_declared *out);

/* is_parameter: an array is a pointer. */
static void declarator(rs_c_parser *p, const rs_c_type *type, bool is_parameter,
                       rs_c_declared *out) {
    *out = (rs_c_declared){.line = p->at->line, .type = type};
    while (rs_c_take(p, "*")) {
        type = rs_c_pointer_to(p, type);
        while (rs_c_take_word(p, RS_C_KW_CONST)) type = as_const(p, type);
    }
    if (rs_c_here(p, "(")) rs_c_outside(p, N_("a pointer to a function, or brackets round a name"));
    if (p->at->kind == RS_C_T_NAME && rs_c_word(p) == 0) {
        out->name = p->at->name;
        rs_c_next(p);
    } else if (rs_c_word(p) != 0) {
        rs_c_wrong(p, N_("a name is needed, not '%s'"));
    }
    if (out->name != NULL && rs_c_take(p, "(")) {
        if (is_parameter) rs_c_outside(p, N_("a pointer to a function, or brackets round a name"));
        if (type->kind == RS_C_POINTER) rs_c_outside(p, N_("a function that returns a pointer"));
        if (rs_c_enter(p)) read_parameters(p, type, out);
        p->deep--;
    } else {
        read_lengths(p, type, is_parameter, out);
    }
    if (p->fault->status != RS_OK) out->type = &rs_c_int;
}

static void read_parameters(rs_c_parser *p, const rs_c_type *type, rs_c_declared *out) {
    rs_c_function *f = rs_c_new(p, sizeof *f);
    *f = (rs_c_function){.name = out->name, .type = type};
    out->function = f;
    if (rs_c_take(p, ")")) return;
    if (rs_c_word(p) == RS_C_KW_VOID && rs_c_token_is(p->at + 1, ")")) {
        rs_c_next(p);
        return rs_c_expect(p, ")");
    }
    do {
        rs_c_declared one;
        if (rs_c_here(p, "...")) rs_c_outside(p, N_("a function of any number of arguments"));
        declarator(p, rs_c_specifiers(p, NULL), true, &one);
        if (f->n_parameters == RS_C_PARAMETERS)
            rs_c_outside(p, N_("a function of so many parameters"));
        if (one.type->kind == RS_C_VOID) rs_c_wrong(p, N_("a parameter of no type"));
        if (p->fault->status != RS_OK) return;
        out->parameters[f->n_parameters] = one.name;
        f->parameters[f->n_parameters++] = one.type;
    } while (rs_c_take(p, ","));
    rs_c_expect(p, ")");
}

void rs_c_declarator(rs_c_parser *p, const rs_c_type *type, rs_c_declared *out) {
    declarator(p, type, false, out);
}

/* ------------------------------------------------------------------ headers */

void rs_c_declare_known(rs_c_parser *p) {
    enum { ANY_SIZE = RS_C_H_STDDEF | RS_C_H_STDIO | RS_C_H_STDLIB | RS_C_H_STRING };
    const struct {
        const char *name;
        unsigned headers;
        rs_c_meaning kind;
        const rs_c_type *type;
        rs_c_value value;
    } known[] = {
        {"bool", RS_C_H_STDBOOL, RS_C_TYPEDEF, &rs_c_bool, {{0}}},
        {"true", RS_C_H_STDBOOL, RS_C_ENUMERATOR, &rs_c_int, {.i = 1}},
        {"false", RS_C_H_STDBOOL, RS_C_ENUMERATOR, &rs_c_int, {.i = 0}},
        {"size_t", ANY_SIZE, RS_C_TYPEDEF, &rs_c_ulong, {{0}}},
        {"ptrdiff_t", RS_C_H_STDDEF, RS_C_TYPEDEF, &rs_c_long, {{0}}},
        {"int32_t", RS_C_H_STDINT, RS_C_TYPEDEF, &rs_c_int, {{0}}},
        {"uint32_t", RS_C_H_STDINT, RS_C_TYPEDEF, &rs_c_unsigned, {{0}}},
        {"int64_t", RS_C_H_STDINT, RS_C_TYPEDEF, &rs_c_long, {{0}}},
        {"uint64_t", RS_C_H_STDINT, RS_C_TYPEDEF, &rs_c_ulong, {{0}}},
        {"INT_MAX", RS_C_H_LIMITS, RS_C_ENUMERATOR, &rs_c_int, {.i = INT32_MAX}},
        {"INT_MIN", RS_C_H_LIMITS, RS_C_ENUMERATOR, &rs_c_int, {.i = INT32_MIN}},
        {"INFINITY", RS_C_H_MATH, RS_C_ENUMERATOR, &rs_c_float, {.d = (double)__builtin_inff()}},
        {"M_PI", RS_C_H_MATH, RS_C_ENUMERATOR, &rs_c_double, {.d = 3.14159265358979323846}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if ((p->headers & known[i].headers) == 0) continue;
        rs_c_name *name = rs_c_intern(p->program, known[i].name, strlen(known[i].name), p->arena);
        if (name != NULL)
            rs_c_declare(p, name, known[i].kind, known[i].type, 0)->value = known[i].value;
    }
}
