/* write_lessons.c: a program of its own, for whoever builds a page: a lesson's Markdown as the lines that need no
 * parser of Markdown (viz/lesson/document_lines.c).
 *
 *     write_lessons en.md >lines
 */
#include "base/files.h"
#include "lesson/lesson.h"

static void write_out(void *context, const char *text, size_t n_bytes) {
    fwrite(text, 1, n_bytes, context);
}

int main(int argc, char **argv) {
    rs_arena arena;
    rs_error error;
    rv_document document;
    char *text;
    size_t n_bytes;
    rs_arena_init(&arena, NULL);
    rc_exit status = argc == 2 ? RC_GOOD : rc_fail(&error, RC_USAGE, "write_lessons FILE.md");
    if (status == RC_GOOD) {
        status = rc_read_file(argv[1], RV_DOCUMENT_LIMIT, &arena, &error, &text, &n_bytes);
    }
    if (status == RC_GOOD) {
        status = rc_exit_of(rv_parse_document(text, n_bytes, &arena, &error, &document));
    }
    if (status == RC_GOOD) rv_write_document(&document, write_out, stdout);
    if (status != RC_GOOD) rc_complain(&error);
    rs_arena_free(&arena);
    return status;
}
