/* keep_source.c: which file a schedule is out of. */
#include "sandbox/learner.h"

#include <string.h>

rc_exit rc_keep_source(const char *path, const char *text, const char *header, rs_arena *arena,
                       rs_error *error, rs_schedule *schedule) {
    rs_source *source = rs_alloc(arena, 1, sizeof *source);
    if (source == NULL) return rc_fail(error, RC_LACKS, _("no memory for the schedule"));
    const char *slash = strrchr(path, '/');
    *source = (rs_source){.file = slash != NULL ? slash + 1 : path,
                          .text = text,
                          .header = header,
                          .n_steps = schedule->n_steps,
                          .wrong_step = -1,
                          .wrong_rank = -1};
    schedule->source = source;
    return RC_GOOD;
}
