/* interpreted.h: a learner's C file without a compiler: build.h hands it on where the site says so. */
#ifndef RC_INTERPRETED_H
#define RC_INTERPRETED_H

#include "sandbox/build.h"

/* Reads ring.h, as a text. */
rc_exit rc_read_header(const char *lessons, rs_arena *arena, rs_error *error, char **text);
/* As rc_build_text and rc_ask. RC_LACKS: it is beyond the interpreter, and not judged; *error says what and where. */
rc_exit rc_interpreted_build(const rc_site *site, const char *text, size_t n_bytes, rs_arena *arena,
                             rs_error *error, rc_build *build);
rc_exit rc_interpreted_ask(const rc_build *build, int n, const char *questions,
                           const rc_exec *limits, rs_arena *arena, rs_error *error,
                           rc_exec_result *result);

#endif
