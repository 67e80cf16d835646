/* exit.c: from a status to the program's exit status, and how errors are written. */
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

/* What the system says of files (strerror), for the catalogue. */
__attribute__((unused)) static const char *const system_words[] = {
    N_("No such file or directory"),
    N_("Permission denied"),
    N_("Is a directory"),
    N_("Not a directory"),
    N_("File exists"),
    N_("File name too long"),
    N_("No space left on device"),
    N_("Read-only file system"),
    N_("Too many open files"),
    N_("Cannot allocate memory"),
    N_("Resource temporarily unavailable"),
    N_("Connection refused")};

rc_exit rc_fail(rs_error *error, rc_exit code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->id = NULL; /* it is in the reader's language already */
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return code;
}

rc_exit rc_prefix(rs_error *error, rc_exit status, const char *format, ...) {
    char what[RS_ERROR_TEXT];
    rs_error reason = *error;
    if (status == RC_GOOD) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return rc_fail(error, status, _("%s: %s"), what, rc_said(&reason));
}

rc_exit rc_no_memory(rs_error *error) {
    return rc_exit_of(rs_no_memory(error));
}

const char *rc_said(rs_error *error) {
    char text[RS_ERROR_TEXT];
    rs_error_said(error, rv_gettext, text, sizeof text);
    memcpy(error->text, text, sizeof text);
    error->id = NULL;
    return error->text;
}

void rc_complain(const rs_error *error) {
    char text[RS_ERROR_TEXT], plain[RS_ERROR_TEXT];
    rs_error_said(error, rv_gettext, text, sizeof text);
    fprintf(stderr, "ringsim: %s\n", rc_plain(text, true, plain, sizeof plain));
}

rc_exit rc_exit_of(rs_status status) {
    switch (status) {
    case RS_OK: return RC_GOOD;
    case RS_NO_MEMORY: return RC_LACKS;
    case RS_CANCELLED: return RC_CANCELLED;
    default: return RC_USAGE; /* what was asked for is wrong, too large, or not for this engine */
    }
}

rc_exit rc_exit_of_reader(rs_status status) {
    return status == RS_UNSUPPORTED ? RC_LACKS : rc_exit_of(status);
}
