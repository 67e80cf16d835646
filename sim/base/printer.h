/* printer.h: gathers pieces of text and hands them on in pages. Private to sim/. */
#ifndef RS_PRINTER_H
#define RS_PRINTER_H

#include "ringsim.h"

typedef struct rs_printer {
    rs_write write;
    void *context;
    size_t used;
    char buffer[4096];
} rs_printer;

void rs_printer_put(rs_printer *out, const char *piece); /* shorter than a page */
void rs_printer_flush(rs_printer *out);                  /* at the end */

#endif
