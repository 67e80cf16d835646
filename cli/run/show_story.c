/* show_story.c: what the commands of training, sampler, MapReduce and launch share: their story is shown as
 * `run` shows a collective: in the window, on the terminal, as text, as a picture.
 *
 *     rc_story_open (before anything is computed) --> the command computes --> rc_show_story
 */
#include "run/show.h"
#include "story/telling.h"

rc_exit rc_story_open(rc_session *session, rc_showing *showing) {
    *showing = (rc_showing){0};
    rc_exit status = rc_choose_view(session, &showing->note, &showing->view);
    if (status == RC_GOOD) {
        status = rc_read_view(&session->options, INT32_MAX, INT32_MAX, "", session->error,
                              &showing->look);
    }
    if (status == RC_GOOD) status = rc_outputs_open(session, NULL, &showing->outputs);
    if (status != RC_GOOD) return status;
    const rc_options *options = &session->options;
    showing->figures = showing->view == RC_VIEW_TEXT && !rc_given(options, RC_VIEW) &&
                       !rc_given(options, RC_AT) && !rc_given(options, RC_STEP);
    /* a picture may be asked for all the same */
    if (showing->figures) showing->view = RC_VIEW_NONE;
    if (showing->note.text[0] != '\0') rc_complain(&showing->note);
    rc_warn_of_fonts(session, showing->view, &showing->outputs.picture);
    return RC_GOOD;
}

static rc_exit show(rc_session *session, rc_showing *showing, const rv_subject *subject) {
    rc_exit status = rc_read_place(&session->options, subject->n_steps, subject->n_ranks,
                                   session->error, &showing->look);
    if (status != RC_GOOD) return status;
    status = rc_outputs_write(session, subject, &showing->look, &showing->outputs);
    if (status != RC_GOOD || showing->view == RC_VIEW_NONE || showing->view == RC_VIEW_JSON) {
        return status;
    }
    return rc_show_subject(session, subject, showing->view, &showing->look);
}

rc_exit rc_story_subject(rc_session *session, const rv_story *story, rv_subject *subject) {
    rv_story *kept = rs_alloc(session->arena, 1, sizeof *kept);
    rv_telling *telling = rs_alloc(session->arena, 1, sizeof *telling);
    if (kept == NULL || telling == NULL) return rc_no_memory(session->error);
    *kept = *story;
    rv_telling_start(telling, kept);
    *subject = rv_story_subject(telling);
    return RC_GOOD;
}

rc_exit rc_show_story(rc_session *session, rc_showing *showing, rc_exit told,
                      const rv_story *story) {
    rc_exit status = told;
    if (status == RC_GOOD) {
        rv_telling telling;
        rv_telling_start(&telling, story);
        rv_subject subject = rv_story_subject(&telling);
        status = show(session, showing, &subject);
        rv_subject_free(&subject);
    }
    rc_outputs_discard(&showing->outputs);
    return status;
}

rc_exit rc_print_figures(rc_session *session, const rc_showing *showing, const rv_story *story) {
    if (!showing->figures) return RC_GOOD;
    rv_telling telling;
    rv_telling_start(&telling, story);
    rv_subject subject = rv_story_subject(&telling);
    rv_options look = showing->look;
    look.figures = true;
    const rc_exit status = rc_show_subject(session, &subject, RC_VIEW_TEXT, &look);
    rv_subject_free(&subject);
    return status;
}
