/* intern.c: the names of a program, each kept once. */
#include "lex.h"

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
    *name = (rs_c_name){.text = copy, .n_text = (int32_t)n, .next = *bucket};
    return *bucket = name;
}
