/* operate.c: what operators and conversions make of values, and where C leaves that undefined. Used both while a
 * program is read, for constants, and while it runs. */
#include "tree.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the types that C has by itself, and which two are the same */

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

static const char too_large[] = N_("the result does not fit into its type");

/* Cuts a number to a type's bits, as conversions and unsigned types do. */
static int64_t wrap(const rs_c_type *type, int64_t i) {
    if (type->bits == 64) return i;
    const uint64_t mask = (UINT64_C(1) << type->bits) - 1, low = (uint64_t)i & mask;
    const bool negative = type->is_signed && (low >> (type->bits - 1)) != 0;
    return (int64_t)(negative ? low | ~mask : low);
}

static bool fits(const rs_c_type *type, int64_t i) {
    return wrap(type, i) == i;
}

static int64_t divide(rs_c_op op, const rs_c_type *type, int64_t a, int64_t b, const char **what) {
    if (b == 0) {
        *what = op == RS_C_DIVIDE ? N_("a division by zero")
                                  : N_("the remainder of a division by zero");
        return 0;
    }
    if (!type->is_signed) {
        return (int64_t)(op == RS_C_DIVIDE ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
    }
    if (b == -1) {
        if (a == INT64_MIN || !fits(type, -a)) *what = too_large;
        return *what != NULL || op == RS_C_REMAINDER ? 0 : -a;
    }
    return op == RS_C_DIVIDE ? a / b : a % b;
}

static int64_t shift(rs_c_op op, const rs_c_type *type, int64_t a, int64_t b, const char **what) {
    if (b < 0 || b >= type->bits) {
        *what = N_("a shift by fewer than 0 bits, or by as many as the number has, or more");
        return 0;
    }
    if (op == RS_C_SHIFT_RIGHT) return type->is_signed ? a >> b : (int64_t)((uint64_t)a >> b);
    const int64_t result = wrap(type, (int64_t)((uint64_t)a << b));
    if (type->is_signed && a < 0)
        *what = N_("a negative number shifted to the left");
    else if (type->is_signed && (result < 0 || result >> b != a))
        *what = too_large;
    return result;
}

static int64_t compare(rs_c_op op, int order) {
    switch (op) {
    case RS_C_LESS: return order < 0;
    case RS_C_GREATER: return order > 0;
    case RS_C_AT_MOST: return order <= 0;
    case RS_C_AT_LEAST: return order >= 0;
    case RS_C_EQUAL: return order == 0;
    default: return order != 0;
    }
}

static int64_t on_integers(rs_c_op op, const rs_c_type *type, int64_t a, int64_t b,
                           const char **what) {
    int64_t result = 0;
    bool over = false;
    switch (op) {
    case RS_C_MULTIPLY: over = __builtin_mul_overflow(a, b, &result); break;
    case RS_C_ADD: over = __builtin_add_overflow(a, b, &result); break;
    case RS_C_NEGATE: over = __builtin_sub_overflow((int64_t)0, a, &result); break;
    case RS_C_SUBTRACT: over = __builtin_sub_overflow(a, b, &result); break;
    case RS_C_DIVIDE:
    case RS_C_REMAINDER: return divide(op, type, a, b, what);
    case RS_C_SHIFT_LEFT:
    case RS_C_SHIFT_RIGHT: return shift(op, type, a, b, what);
    case RS_C_BIT_AND: return a & b;
    case RS_C_BIT_XOR: return a ^ b;
    case RS_C_BIT_OR: return a | b;
    case RS_C_BIT_NOT: return wrap(type, ~a);
    case RS_C_NOT: return a == 0;
    default:
        if (type->is_signed) return compare(op, (a > b) - (a < b));
        return compare(op, ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b));
    }
    if (!type->is_signed) return wrap(type, result); /* the 64 bits are right, whatever went over */
    if (over || !fits(type, result)) *what = too_large;
    return result;
}

static rs_c_value on_reals(rs_c_op op, const rs_c_type *type, double a, double b) {
    double d = 0;
    switch (op) {
    case RS_C_MULTIPLY: d = a * b; break;
    case RS_C_DIVIDE: d = a / b; break;
    case RS_C_ADD: d = a + b; break;
    case RS_C_SUBTRACT: d = a - b; break;
    case RS_C_NEGATE: d = -a; break;
    case RS_C_NOT: return (rs_c_value){.i = a == 0};
    default:
        if (isnan(a) || isnan(b)) return (rs_c_value){.i = op == RS_C_UNEQUAL};
        return (rs_c_value){.i = compare(op, (a > b) - (a < b))};
    }
    return (rs_c_value){.d = type->kind == RS_C_FLOAT ? (float)d : d};
}

/* Of pointers: b is a number in sums. A pointer stays in its object, or leads right behind it. */
static rs_c_value on_pointers(rs_c_op op, const rs_c_type *type, rs_c_value a, rs_c_value b,
                              const char **what) {
    const int32_t size = type->of->n_cells;
    if (op == RS_C_ADD || op == RS_C_SUBTRACT) {
        const int64_t moves = op == RS_C_ADD ? b.i : b.i == INT64_MIN ? INT64_MAX : -b.i;
        const int64_t room = a.p.n / size, at = a.p.at / size;
        if (moves < -at || moves > room - at) {
            *what = N_("a pointer that leaves its array");
            return a;
        }
        a.p.at += (int32_t)moves * size;
        return a;
    }
    const bool same = a.p.base == b.p.base;
    if (!same && op != RS_C_EQUAL && op != RS_C_UNEQUAL) *what = N_("pointers into two arrays");
    const int64_t one = a.p.base + a.p.at, other = b.p.base + b.p.at;
    if (op == RS_C_DIVIDE) return (rs_c_value){.i = (one - other) / size}; /* their distance */
    return (rs_c_value){.i = compare(op, (one > other) - (one < other))};
}

rs_c_value rs_c_operate(rs_c_op op, const rs_c_type *type, rs_c_value a, rs_c_value b,
                        const char **what) {
    *what = NULL;
    if (type->kind == RS_C_POINTER) return on_pointers(op, type, a, b, what);
    if (type->kind != RS_C_INT) return on_reals(op, type, a.d, b.d);
    return (rs_c_value){.i = on_integers(op, type, a.i, b.i, what)};
}

rs_c_value rs_c_convert(const rs_c_type *from, const rs_c_type *to, rs_c_value value,
                        const char **what) {
    *what = NULL;
    if (to->kind == RS_C_POINTER || to->kind == RS_C_VOID || to->kind == RS_C_STRUCT) return value;
    if (from->kind == RS_C_INT && to->kind == RS_C_INT) {
        return (rs_c_value){.i = to->bits == 1 ? value.i != 0 : wrap(to, value.i)};
    }
    if (from->kind == RS_C_INT) {
        const double d = from->is_signed ? (double)value.i : (double)(uint64_t)value.i;
        if (to->kind == RS_C_DOUBLE) return (rs_c_value){.d = d};
        return (rs_c_value){.d = from->is_signed ? (float)value.i : (float)(uint64_t)value.i};
    }
    if (to->kind == RS_C_FLOAT) return (rs_c_value){.d = (float)value.d};
    if (to->kind == RS_C_DOUBLE) return value;
    if (to->bits == 1) return (rs_c_value){.i = value.d != 0};
    const double low = to->is_signed ? -ldexp(1, to->bits - 1) : 0;
    const double high = ldexp(1, to->is_signed ? to->bits - 1 : to->bits);
    if (!(value.d > low - 1 || value.d == low) || !(value.d < high)) {
        *what = N_("a number with a point that does not fit into a whole one");
        return (rs_c_value){.i = 0};
    }
    return (rs_c_value){.i = to->is_signed ? (int64_t)value.d : (int64_t)(uint64_t)value.d};
}

/* ------------------------------------------------------------------ maths */

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} maths[] = {{"sqrt", sqrt, NULL}, {"fabs", fabs, NULL},   {"floor", floor, NULL},
             {"ceil", ceil, NULL}, {"round", round, NULL}, {"trunc", trunc, NULL},
             {"exp", exp, NULL},   {"exp2", exp2, NULL},   {"log", log, NULL},
             {"log2", log2, NULL}, {"log10", log10, NULL}, {"pow", NULL, pow},
             {"fmin", NULL, fmin}, {"fmax", NULL, fmax},   {"fmod", NULL, fmod}};

int rs_c_find_maths(const char *name, size_t n_name) {
    for (int i = 0; i < (int)(sizeof maths / sizeof maths[0]); i++) {
        if (strlen(maths[i].name) == n_name && memcmp(maths[i].name, name, n_name) == 0) return i;
    }
    return -1;
}

int rs_c_maths_operands(int i) {
    return maths[i].one != NULL ? 1 : 2;
}

double rs_c_maths(int i, double a, double b) {
    return maths[i].one != NULL ? maths[i].one(a) : maths[i].two(a, b);
}
