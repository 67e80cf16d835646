/* printer.c: pieces of text, handed on in pages (printer.h). */
#include "base/printer.h"

#include <assert.h>
#include <string.h>

void rs_printer_flush(rs_printer *out) {
    if (out->used > 0) out->write(out->context, out->buffer, out->used);
    out->used = 0;
}

void rs_printer_put(rs_printer *out, const char *piece) {
    const size_t n = strlen(piece);
    assert(n <= sizeof out->buffer);
    if (out->used + n > sizeof out->buffer) rs_printer_flush(out);
    memcpy(out->buffer + out->used, piece, n);
    out->used += n;
}
