/* json_string.c: a text as a JSON string, whatever is in it. */
#include "cli.h"

#include <string.h>

void rc_json_string(const char *text, FILE *out) {
    char safe[4096];
    fputc('"', out);
    for (const char *at = rc_plain(text, false, safe, sizeof safe); *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') fputc('\\', out);
        if ((unsigned char)*at < ' ') {
            fprintf(out, "\\u%04x", *at);
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}
