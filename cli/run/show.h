/* show.h: how a run is shown (view.c, appearance.c, show_story.c): in the window (gui.c), as a picture
 * (export.c), in files (outputs.c).
 */
#pragma once

#include "base/files.h"
#include "ringsim_hang.h"
#include "run/command.h"

/* Tells whether this build has a window and its pictures. */
bool rc_gui_built(void);
/* Tells whether the environment names a display. */
bool rc_display_named(void);
/* Loads the module into session->gui; RC_LACKS: it cannot be. */
rc_exit rc_gui(rc_session *session, rs_error *error);
/* Loads it and looks for a display. */
rc_exit rc_window_ready(rc_session *session, rs_error *error);
/* Shows it in the window, which is ready, until the reader leaves it. */
rc_exit rc_show_window(rc_session *session, const rv_subject *subject, const rv_options *options);
/* Like rc_exit_of, but what is unsupported is missing here. */
rc_exit rc_gui_exit(rs_status status);

/* ------------------------------------------------------------------ export.c: --export */

/* The picture that --export asks for. */
typedef struct rc_picture {
    bool wanted;
    bool in_characters; /* the terminal's picture */
    rv_picture kind;
} rc_picture;
/* Reads --export and --sheet; loads the module if the picture needs it. */
rc_exit rc_choose_picture(rc_session *session, rc_picture *picture);
/* Draws it into the file. */
rc_exit rc_draw_picture(rc_session *session, const rv_subject *subject, const rc_picture *picture,
                        const rv_options *view, FILE *out);

/* Tells whether it names a page, FILE.html. */
bool rc_wants_page(const rc_options *options);
/* Makes a file's bytes, of which a page can take `limit`, such that a page can read them: they stay, or are in *own then,
   the caller's to free. More than the limit: *n_bytes is limit + 1. */
typedef rc_exit rc_ready_for_page(const char *path, size_t limit, rs_error *error,
                                  const char **bytes, size_t *n_bytes, char **own);
/* A file that lies in a page and nowhere else. */
typedef struct rc_page_file {
    const char *path, *bytes;
    size_t n_bytes;
} rc_page_file;
/* export_page.c: writes the page of these words, which end with NULL, with `own` (NULL: none) and the files that they name, as
   they are; with `ready` also those of folders, each made ready. The other, before that, computes what the command shows, so
   that nothing is written that cannot be shown. */
rc_exit rc_export_page(rc_session *session, char *const words[], const rc_page_file *own,
                       rc_ready_for_page *ready);
rc_exit rc_export_subject(rc_session *session, const rc_command *command);

/* ------------------------------------------------------------------ outputs.c: a run's files */

enum { RC_OUT_TRACE, RC_OUT_SAVE, RC_OUT_EXPORT, RC_OUT_VALUES, RC_N_OUTPUTS };
/* The files that a run writes. */
typedef struct rc_outputs {
    rc_file files[RC_N_OUTPUTS];
    rc_picture picture;
} rc_outputs;
/* Tells whether a file to write, or (text != NULL) one that was read, is a .trace. */
bool rc_is_trace(const char *path, const char *text, size_t n_bytes);
/* Tells whether one of the files is "-". */
bool rc_outputs_take_stdout(const rc_options *options);
/* Opens all that were asked for; schedule NULL: a story, which has none to save. */
rc_exit rc_outputs_open(rc_session *session, const rs_schedule *schedule, rc_outputs *outputs);
/* Writes and publishes them; view: how the picture is taken. */
rc_exit rc_outputs_write(rc_session *session, const rv_subject *subject, const rv_options *view,
                         rc_outputs *outputs);
/* Removes what was begun. */
void rc_outputs_discard(rc_outputs *outputs);

/* ------------------------------------------------------------------ dump.c: --dump */

/* Makes the folder, unless it is there, and sees that files can be written into it. */
rc_exit rc_dump_open(const char *folder, rs_error *error);
/* Removes the dumps of an earlier run. */
void rc_dump_clear(const char *folder);
/* Writes a dump, of which n_lost calls before those in it were lost, as the file of its rank. */
rc_exit rc_dump_write(rc_session *session, const char *folder, const rn_dump *dump, int64_t n_lost);
/* Writes what the recorder of a rank that stands there would hold. */
rc_exit rc_dump_rank(rc_session *session, const char *folder, const rn_standing *at, int32_t rank);
/* Writes the dumps of a simulated run's ranks that live, from its sorted trace. */
rc_exit rc_dump_run(rc_session *session, const char *folder, const rs_report *report);
/* Prints `before`, and what can be done with them. */
void rc_dump_say(const char *folder, const char *before);

/* ------------------------------------------------------------------ view.c: how a run is shown */

/* What a run is shown in. */
typedef enum rc_view {
    RC_VIEW_AUTO,
    RC_VIEW_WINDOW,
    RC_VIEW_TERMINAL,
    RC_VIEW_TEXT,
    RC_VIEW_NONE,
    RC_VIEW_JSON
} rc_view;
/* Decides: --json and --view first, then what standard output is, then whether there is a display.
   *note: why there is no window, if there might have been one; otherwise empty. */
rc_exit rc_choose_view(rc_session *session, rs_error *note, rc_view *chosen);
/* What takes the window's place where it cannot be opened. */
rc_view rc_view_without_window(void);
/* Reads --at and --follow; at -1: it was not given. The end is a step, too. */
rc_exit rc_read_place(const rc_options *options, int32_t n_steps, int32_t n_ranks, rs_error *error,
                      rv_options *view);
/* Reads --at, --follow, --speed and the look, once, and refuses what is not there in so many steps and ranks of an
   algorithm. */
rc_exit rc_read_view(const rc_options *options, int32_t n_steps, int32_t n_ranks,
                     const char *algorithm, rs_error *error, rv_options *view);
/* cmd_run.c: shows a subject to people, not as JSON. */
rc_exit rc_show_subject(rc_session *session, const rv_subject *subject, rc_view view,
                        const rv_options *options);
/* Ends a report with what held the learner's program, if one was asked: `before`, "sandbox: bubblewrap: ...". */
void rc_print_sandbox(const rc_session *session, const char *before);
/* Tells whether the run ends with exit status 1. */
bool rc_answer_is_no(const rs_report *report);
/* cmd_run.c: runs what the options say, or along a schedule that is there already (not NULL); writes the files that they
   name, shows it as they say. */
rc_exit rc_run_shown(rc_session *session, const rs_schedule *known);
/* The same, as a subject. */
rc_exit rc_run_subject_of(rc_session *session, const rs_schedule *known, rv_subject *subject);
/* cmd_run.c: runs a schedule that is there already, as the options say, and shows it paused at a step. */
rc_exit rc_show_schedule(rc_session *session, const rs_schedule *schedule, int32_t step);
/* Missing fonts are worth a line, no more: the shapes can be seen all the same. */
void rc_warn_of_fonts(rc_session *session, rc_view view, const rc_picture *picture);

struct rv_story;
/* show_story.c: shows what a command that is no collective has computed (viz/story/frame.h). */
typedef struct rc_showing {
    rc_view view; /* chosen: RC_VIEW_JSON is the command's own matter */
    /* the end will do, in figures: nobody asked for a view, a step or a walk, and there is neither a
       terminal nor a window to walk in */
    bool figures;
    rs_error note;
    rc_outputs outputs;
    rv_options look; /* of --at it is not known yet whether the story is so long */
} rc_showing;
/* Chooses the view and opens --export's file: before anything is computed, so that what cannot be done
   is known at once. After RC_GOOD rc_show_story must follow. */
rc_exit rc_story_open(rc_session *session, rc_showing *showing);
/* After a story was told well (told), writes the picture that was asked for, and shows the story unless
   the view is none or JSON; else removes what was begun. The story must outlive the call only. */
rc_exit rc_show_story(rc_session *session, rc_showing *showing, rc_exit told,
                      const struct rv_story *story);
/* Prints a story's figures if they will do. */
rc_exit rc_print_figures(rc_session *session, const rc_showing *showing,
                         const struct rv_story *story);
/* Makes a copy of a story, and the telling in which it is walked, a command's subject. */
rc_exit rc_story_subject(rc_session *session, const struct rv_story *story, rv_subject *subject);

/* view_print.c: two recorded runs in numbers, side by side. */
void rc_print_beside(const char *const names[2], const rs_report reports[2]);

/* ------------------------------------------------------------------ appearance.c */

/* Reads how the window and its pictures look into *view. */
rc_exit rc_read_look(const rc_options *options, const char *algorithm, rs_error *error,
                     rv_options *view);
