/* fault.c: what is wrong with a program, as a message. */
#include "ringsim_print.h"
#include "tree.h"

#include <stdarg.h>
#include <string.h>

rs_c_fault rs_c_no_fault(rs_error *error) {
    *error = (rs_error){.id = NULL};
    return (rs_c_fault){RS_OK, error};
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void rs_c_blame(rs_c_fault *fault, rs_status status, int32_t line, const char *what, ...) {
    va_list values;
    if (fault->status != RS_OK) return;
    va_start(values, what);
    fault->status = rs_vfail(fault->error, status, -1, what, values);
    va_end(values);
    fault->error->line = line;
}
#pragma GCC diagnostic pop

void rs_c_lacks(rs_c_fault *fault) {
    rs_c_blame(fault, RS_NO_MEMORY, 0, N_("no memory for the program"));
}

rs_c_word_shown rs_c_shown(const char *word, size_t n_word) {
    rs_c_word_shown out = {""};
    size_t n = 0;
    for (size_t i = 0, length; i < n_word; i += length) { /* whole characters that can be shown */
        uint32_t c;
        length = rs_decode_utf8(word + i, n_word - i, &c);
        const bool shown = length > 0 && c >= ' ' && !(c >= 0x7f && c < 0xa0);
        if (length == 0) length = 1;
        const size_t put = shown ? length : 1;
        if (n + put >= sizeof out.text) break;
        memcpy(out.text + n, shown ? word + i : "?", put);
        n += put;
    }
    return out;
}

rs_c_word_shown rs_c_named(const rs_c_name *name) {
    return rs_c_shown(name != NULL ? name->text : "", name != NULL ? (size_t)name->n_text : 0);
}
