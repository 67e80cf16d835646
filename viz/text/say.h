/* say.h: a text that grows in a caller's buffer: always terminated, cut at a whole character. */
#ifndef RV_SAY_H
#define RV_SAY_H

#include "text/words.h"

typedef struct rv_say {
    char *out;
    size_t n_out, used;
} rv_say;

rv_say rv_say_to(char *out, size_t n_out);
void rv_say_more(rv_say *say, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Says a fault that was asked for, as it will strike: "GPU 3's links are 10 times slower". */
void rv_say_fault(rv_say *say, const rs_fault *fault);
/* Says, after a semicolon, who holds `rank` up in the model's step, and what it does so by. */
void rv_say_wait(rv_say *say, const rv_model *model, int32_t rank);

#endif
