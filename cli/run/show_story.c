/* show_story.c: what the commands of training, sampler, MapReduce and launch share: their story is shown as
 * `run` shows a collective: in the window, on the terminal, as text, as a picture.
 *
 *     rc_story_open (before anything is computed) --> the command computes --> rc_show_story
 */
#include "cli.h"
#include "story/frame.h"

rc_exit rc_story_open(rc_session *session, rc_showing *showing) {
    static const rs_schedule any = {.name = "", .n_steps = INT32_MAX};
    *showing = (rc_showing){0};
    rc_exit status = rc_choose_view(session, &showing->note, &showing->view);
    if (status == RC_GOOD) {
        status = rc_read_view(&session->options, &any, session->error, &showing->look);
    }
    if (status == RC_GOOD) status = rc_outputs_open(session, NULL, &showing->outputs);
    if (status != RC_GOOD) return status;
    if (showing->note.text[0] != '\0') rc_complain(&showing->note);
    rc_warn_of_fonts(session, showing->view, &showing->outputs.picture);
    return RC_GOOD;
}

bool rc_wants_figures(const rc_session *session, const rc_showing *showing) {
    const char *const *value = session->options.value;
    return showing->view == RC_VIEW_TEXT && value[RC_VIEW] == NULL && value[RC_AT] == NULL &&
           value[RC_STEP] == NULL;
}

void rc_story_discard(rc_showing *showing) {
    rc_outputs_discard(&showing->outputs);
}

/* The run that the story is walked on, which must be long enough for --at. */
static rc_exit prepare(rc_session *session, const rv_story *story, rs_report *report,
                       rv_options *look) {
    const rs_status status = rv_story_report(story, session->arena, session->error, report);
    if (status != RS_OK) return rc_exit_of(status);
    look->story = story;
    return rc_read_at(&session->options, report->request.job.schedule->n_steps, session->error,
                      &look->at);
}

rc_exit rc_show_story(rc_session *session, rc_showing *showing, const rv_story *story) {
    rs_report *report = rs_alloc(session->arena, 1, sizeof *report);
    if (report == NULL) {
        rc_story_discard(showing);
        return rc_fail(session->error, RC_LACKS, _("no memory for the story"));
    }
    rc_exit status = prepare(session, story, report, &showing->look);
    if (status != RC_GOOD) {
        rc_story_discard(showing);
        return status;
    }
    status = rc_outputs_write(session, report, &showing->look, &showing->outputs);
    if (status != RC_GOOD || showing->view == RC_VIEW_NONE || showing->view == RC_VIEW_JSON) {
        return status;
    }
    return rc_show_run(session, report, showing->view, &showing->look);
}
