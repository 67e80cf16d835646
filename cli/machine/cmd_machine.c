/* cmd_machine.c: `ringsim machine M`: which wires a machine has, how GPUs reach each other, what bounds collectives. */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "run/show.h"
#include "machine/wires.h"

#include <string.h>

rc_exit rc_draw_machine(rc_session *session, const rs_machine *machine) {
    const rc_options *options = &session->options;
    rc_picture picture;
    rv_options look = {.at = -1};
    rc_file file = {0};
    rc_exit status = rc_choose_picture(session, &picture);
    if (status != RC_GOOD || !picture.wanted) return status;
    if (picture.in_characters) {
        return rc_fail(session->error, RC_USAGE,
                       _("--export %.200s: a machine stands still; write FILE.png, svg or pdf"),
                       options->value[RC_EXPORT].text);
    }
    status = rc_read_look(options, "", session->error, &look);
    look.sheet = false;
    if (status == RC_GOOD) {
        status = rc_file_open("export", options->value[RC_EXPORT].text, session->error, &file);
    }
    if (status == RC_GOOD) {
        const rv_subject subject = rv_machine_subject(machine);
        rc_warn_of_fonts(session, RC_VIEW_NONE, &picture);
        status = rc_draw_picture(session, &subject, &picture, &look, file.stream);
    }
    if (status == RC_GOOD) status = rc_file_deliver(&file, RC_GOOD, session->error);
    rc_file_discard(&file);
    return status;
}

static rc_exit deliver(rc_session *session, const rc_wires *shown, rc_file *file) {
    const bool to_stdout = file->stream == stdout;
    if (file->stream != NULL) rs_print_machine(shown->machine, rc_write_to_file, file->stream);
    const rc_exit status = rc_file_deliver(file, RC_GOOD, session->error);
    if (status != RC_GOOD) return status;
    if (rc_given(&session->options, RC_JSON)) {
        rc_json_machine(shown, stdout);
    } else if (!to_stdout) {
        return rc_print_wires(shown, session->error);
    }
    return RC_GOOD;
}

static rc_exit cmd_machine(rc_session *session) {
    const rc_options *options = &session->options;
    const char *save = options->value[RC_SAVE].text;
    rs_machine machine;
    rc_wires shown = {.machine = &machine, .n_bytes = options->value[RC_BYTES].number};
    rc_file file = {0};
    if (options->n_operands != 1) {
        return rc_fail(
            session->error, RC_USAGE,
            _("name one machine: ringsim machine dgx-h100:2; 'ringsim list' names them"));
    }
    const char *picture = options->value[RC_EXPORT].text;
    const bool to_stdout[] = {rc_given(options, RC_JSON), save != NULL && strcmp(save, "-") == 0,
                              picture != NULL && strcmp(picture, "-") == 0};
    if (to_stdout[0] + to_stdout[1] + to_stdout[2] > 1 || to_stdout[2]) {
        return rc_fail(session->error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = rc_machine_read(session->program, options->operands[0], session->arena,
                                     session->error, &machine);
    if (status == RC_GOOD) {
        status = rc_exit_of(rs_router_new(&machine, session->arena, session->error, &shown.router));
    }
    rs_bound bounds[RS_N_COLLECTIVES];
    if (status == RC_GOOD) {
        status = rc_exit_of(
            rs_machine_bounds(&machine, shown.n_bytes, session->arena, session->error, bounds));
        shown.bounds = bounds;
    }
    if (status == RC_GOOD && save != NULL) {
        status = rc_file_open("save", save, session->error, &file);
    }
    if (status == RC_GOOD) status = rc_draw_machine(session, &machine);
    if (status == RC_GOOD) status = deliver(session, &shown, &file);
    rc_file_discard(&file);
    return status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_BYTES, NULL, 0, NULL, N_("bytes per rank, for the bounds; 100MB"),
     RC_AMOUNT(RC_IN_BYTES, "100MB")},
    {RC_SAVE, NULL, 0, "FILE.machine", N_("write the machine as text"), NULL},
    {RC_EXPORT, NULL, 0, "FILE.png|svg|pdf", N_("write a picture of the machine"),
     RC_TYPE(rc_as_page, NULL)},
};

const rc_command rc_command_machine = {
    .name = "machine",
    .operands = "NAME[:NODES]|FILE[:NODES]|box:...",
    .summary = N_("a machine: its wires, routes, and what bounds each collective"),
    RC_TAKES(RC_BYTES, RC_SAVE, RC_EXPORT, RC_THEME, RC_SCALE, RC_SIZE, RC_LANG, RC_JSON),
    RC_OWN_OPTIONS(own_options),
    .run = cmd_machine};
