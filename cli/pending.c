/* pending.c: stands in for the views until viz/ has them; to be deleted then. */
#include "cli.h"

rs_status rv_terminal_run(rv_model *model, const rv_options *options, rs_error *error) {
    (void)model, (void)options;
    return rs_fail(error, RS_UNSUPPORTED, "this build has no terminal view yet");
}

rs_status rv_write_story(rv_model *model, const rv_options *options, rs_write write, void *context,
                         rs_error *error) {
    (void)model, (void)options, (void)write, (void)context;
    return rs_fail(error, RS_UNSUPPORTED, "this build has no text view yet; use --json");
}

rs_status rv_write_svg(rv_model *model, const rv_options *options, rs_write write, void *context,
                       rs_error *error) {
    return rv_write_story(model, options, write, context, error);
}
