/* say.c: see say.h. */
#include "text/say.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

rv_say rv_say_to(char *out, size_t n_out) {
    assert(n_out > 0);
    out[0] = '\0';
    return (rv_say){.out = out, .n_out = n_out};
}

RS_PRINTF(2, 0)
static void say_list(rv_say *say, const char *format, va_list arguments) {
    const size_t room = say->n_out - say->used;
    assert(say->used < say->n_out);
    const int length = vsnprintf(say->out + say->used, room, format, arguments);
    assert(length >= 0);
    if ((size_t)length < room) {
        say->used += (size_t)length;
        return;
    }
    size_t end = say->n_out - 1; /* cut: take back the part of a character */
    while (end > say->used && ((unsigned char)say->out[end - 1] & 0xc0) == 0x80) end--;
    if (end > say->used && (unsigned char)say->out[end - 1] >= 0xc0) end--;
    say->out[end] = '\0';
    say->used = end;
}

void rv_say_more(rv_say *say, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_list(say, format, arguments);
    va_end(arguments);
}

size_t rv_say_text(char *out, size_t n_out, const char *format, ...) {
    va_list arguments;
    rv_say say = rv_say_to(out, n_out);
    va_start(arguments, format);
    say_list(&say, format, arguments);
    va_end(arguments);
    return say.used;
}
