/* intern.c: the names of a program, each kept once; those that C has by itself. */
#include "lex.h"

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

bool rs_c_intern_keywords(rs_program *program, rs_arena *arena) {
    for (int32_t i = 0; i < (int32_t)(sizeof keywords / sizeof keywords[0]); i++) {
        rs_c_name *name = rs_c_intern(program, keywords[i], strlen(keywords[i]), arena);
        if (name == NULL) return false;
        name->keyword = i + 1 < RS_C_KW_UNKNOWN ? i + 1 : RS_C_KW_UNKNOWN;
    }
    return true;
}
