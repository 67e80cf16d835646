/* c_types.c: the types that C has by itself, and which two are the same. */
#include "tree.h"

#define INTEGER(n_bits, with_sign, size)                                                           \
    {                                                                                              \
        .kind = RS_C_INT, .bits = (n_bits), .is_signed = (with_sign), .n_cells = 1,                \
        .n_bytes = (size)                                                                          \
    }
const rs_c_type rs_c_void = {.kind = RS_C_VOID};
const rs_c_type rs_c_bool = INTEGER(1, false, 1);
const rs_c_type rs_c_int = INTEGER(32, true, 4);
const rs_c_type rs_c_unsigned = INTEGER(32, false, 4);
const rs_c_type rs_c_long = INTEGER(64, true, 8);
const rs_c_type rs_c_ulong = INTEGER(64, false, 8);
const rs_c_type rs_c_float = {.kind = RS_C_FLOAT, .n_cells = 1, .n_bytes = 4};
const rs_c_type rs_c_double = {.kind = RS_C_DOUBLE, .n_cells = 1, .n_bytes = 8};

bool rs_c_same_type(const rs_c_type *a, const rs_c_type *b) {
    for (; a->kind == b->kind; a = a->of, b = b->of) {
        switch (a->kind) {
        case RS_C_INT: return a->bits == b->bits && a->is_signed == b->is_signed;
        case RS_C_STRUCT: return a->fields == b->fields;
        case RS_C_ARRAY:
            if (a->n_cells != b->n_cells) return false;
            break;
        case RS_C_POINTER: break;
        default: return true;
        }
    }
    return false;
}

const rs_c_type *rs_c_common_type(const rs_c_type *a, const rs_c_type *b) {
    if (a->kind == RS_C_DOUBLE || b->kind == RS_C_DOUBLE) return &rs_c_double;
    if (a->kind == RS_C_FLOAT || b->kind == RS_C_FLOAT) return &rs_c_float;
    const bool is_long = a->bits == 64 || b->bits == 64;
    const int bits = is_long ? 64 : 32;
    const bool is_signed = (a->bits < bits || a->is_signed) && (b->bits < bits || b->is_signed);
    if (is_long) return is_signed ? &rs_c_long : &rs_c_ulong;
    return is_signed ? &rs_c_int : &rs_c_unsigned;
}

bool rs_c_same_function(const rs_c_function *a, const rs_c_function *b) {
    if (a->n_parameters != b->n_parameters || !rs_c_same_type(a->type, b->type)) return false;
    for (int32_t i = 0; i < a->n_parameters; i++) {
        const rs_c_type *one = a->parameters[i], *other = b->parameters[i];
        if (!rs_c_same_type(one, other)) return false;
        if (one->kind == RS_C_POINTER && one->of->is_const != other->of->is_const) return false;
    }
    return true;
}
