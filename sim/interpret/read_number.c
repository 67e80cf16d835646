/* read_number.c: a number of C, and the type that it has. */
#include "lex.h"

#include <stdlib.h>

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

bool rs_c_read_number(const char *text, bool whole, rs_c_token *token, bool *may_be) {
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
