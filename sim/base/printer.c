/* printer.c: collects pieces of text and writes them page by page (ringsim_print.h). */
#include "ringsim_print.h"

#include <string.h>

void rs_printer_flush(rs_printer *out) {
    if (out->used > 0) out->write(out->context, out->page, out->used);
    out->used = 0;
}

void rs_printer_put_bytes(rs_printer *out, const char *text, size_t n_bytes) {
    if (n_bytes > sizeof out->page - out->used) rs_printer_flush(out);
    if (n_bytes > sizeof out->page) {
        out->write(out->context, text, n_bytes);
        return;
    }
    memcpy(out->page + out->used, text, n_bytes);
    out->used += n_bytes;
}

void rs_printer_put(rs_printer *out, const char *text) {
    rs_printer_put_bytes(out, text, strlen(text));
}
