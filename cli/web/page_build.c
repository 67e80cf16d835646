/* page_build.c: what build.c is elsewhere: a page compiles nothing, the interpreter reads a learner's C. */
#include "sandbox/build.h"

#include <stdlib.h>
#include <string.h>

rc_exit rc_read_submission(const char *path, size_t n_root, int64_t limit, rs_arena *arena,
                           rs_error *error, char **text, size_t *n_bytes) {
    (void)n_root;
    return rc_read_file(path, limit, arena, error, text, n_bytes);
}

rc_exit rc_build_text(const rc_site *site, const char *name, const char *text, size_t n_bytes,
                      rs_arena *arena, rs_error *error, rc_build *build) {
    const char *slash = strrchr(name, '/');
    *build = (rc_build){.crowd = 1};
    snprintf(build->name, sizeof build->name, "%s", slash != NULL ? slash + 1 : name);
    return rc_interpreted_build(site, text, n_bytes, arena, error, build);
}

rc_exit rc_ask(const rc_build *build, int n, const char *questions, rc_exec *limits,
               rs_arena *arena, rs_error *error, rc_exec_result *result) {
    return rc_interpreted_ask(build, n, questions, limits, arena, error, result);
}

void rc_build_free(rc_build *build) {
    free(build->said.data);
    build->said = (rc_stream){0};
}
