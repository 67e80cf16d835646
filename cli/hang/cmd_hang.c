/* cmd_hang.c: `ringsim hang FILE...|FOLDER`: a job stands still: which rank, at which call, and who waits for whom?
 *
 * It prints what it found, unless a view is asked for: --step, --view, --export show how the job came to stand.
 * Exit status 0: nothing hangs, or it is only slow; 1: a hang, decided or not; 2: nothing that can be read; 3: no memory
 * for a file. What cannot be read beside the rest is named on stderr.
 */
#include "hang/hang.h"
#include "run/show.h"

#include <string.h>

static rc_exit judge(rc_session *session, rc_dumps *dumps, rn_hang *hang) {
    rc_exit status =
        rc_read_dumps(session, false, dumps); /* a signal ends this at once: nothing is written */
    rc_host_watch(session->host, true);
    if (status == RC_GOOD) status = rc_judge_dumps(session, dumps, hang);
    return rc_host_end(session->host, status, session->error);
}

bool rc_hangs(const rn_hang *hang) {
    return hang->verdict != RN_HANG_NONE && hang->verdict != RN_HANG_SLOW;
}

static rc_exit answer(const rn_hang *hang) {
    return rc_hangs(hang) ? RC_NO : RC_GOOD;
}

/* A page has no zlib: what is in a gzip goes into it unpacked. */
static rc_exit unpack_for_page(const char *path, size_t limit, rs_error *error, const char **bytes,
                               size_t *n_bytes, char **own) {
    rc_exit status = RC_GOOD;
    if (rn_is_gzip(*bytes, *n_bytes)) {
        status = rc_exit_of(rn_gunzip(path, *bytes, *n_bytes, limit, error, own, n_bytes));
        *bytes = *own;
    }
    if (status != RC_GOOD || *n_bytes > limit || !rn_is_tar(*bytes, *n_bytes)) return status;
    rn_tar_member member = {.name = ""};
    size_t at = 0;
    while (rn_tar_next(*bytes, *n_bytes, &at, &member)) {
        if (!rn_is_gzip(member.bytes, member.n_bytes)) continue;
        return rc_fail(
            error, RC_USAGE,
            _("--export FILE.html: %.200s: files in the archive are compressed; unpack it first"),
            path);
    }
    return RC_GOOD;
}

/* A page walks through the story; what cannot be read or judged is refused before anything is written. */
static rc_exit export_page(rc_session *session) {
    static char step[] = "--step";
    rc_dumps dumps = {0};
    rn_hang hang;
    size_t n = 0;
    while (session->arguments[n + 1] != NULL) n++;
    char **words = rs_alloc(session->arena, n + 2, sizeof *words);
    if (words == NULL) return rc_no_memory(session->error);
    memcpy(words, session->arguments + 1, n * sizeof *words);
    words[n] = step;
    rc_exit status = judge(session, &dumps, &hang);
    if (status == RC_GOOD) status = rc_export_page(session, words, NULL, unpack_for_page);
    if (status == RC_GOOD) rc_print_hang(&hang);
    rc_free_dumps(&dumps);
    return status == RC_GOOD ? answer(&hang) : status;
}

/* One picture is that of the standstill, unless a step is asked for. */
static void choose_step(rc_options *options, const rc_showing *showing, const rv_story *story) {
    const rc_picture *picture = &showing->outputs.picture;
    const bool one = picture->wanted && (picture->kind == RV_PNG || picture->kind == RV_SVG);
    if (!one || showing->view != RC_VIEW_NONE || rc_given(options, RC_AT)) return;
    options->value[RC_AT].text = "end";
    options->value[RC_AT].number = story->n_steps;
}

static rc_exit cmd_hang(rc_session *session) {
    rc_showing showing;
    rc_dumps dumps = {0};
    rn_hang hang;
    rv_story story;
    rc_options *options = &session->options;
    if (options->n_operands == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("hang reads the ranks' dumps: ringsim hang FOLDER"));
    }
    if (rc_wants_page(options)) return export_page(session);
    const bool plain = !rc_given(options, RC_STEP) && !rc_given(options, RC_AT) &&
                       !rc_given(options, RC_VIEW) && !rc_given(options, RC_JSON);
    if (plain) {
        options->value[RC_VIEW].number = rc_given(options, RC_EXPORT) ? RC_VIEW_NONE : RC_VIEW_TEXT;
    }
    rc_exit status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = judge(session, &dumps, &hang);
    if (status == RC_GOOD)
        status = rc_exit_of(
            rv_story_hang(&hang, rc_hang_sentence, session->arena, session->error, &story));
    if (status == RC_GOOD) choose_step(options, &showing, &story);
    status = rc_show_story(session, &showing, status, &story);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) rc_json_hang(&hang, stdout);
    if (status == RC_GOOD && plain) rc_print_hang(&hang);
    rc_free_dumps(&dumps);
    if (status != RC_GOOD) return status;
    return answer(&hang);
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_EXPORT, NULL, 0, "FILE.png|svg|pdf|mp4|gif|html",
     N_("write a picture of the standstill, or of step --at; pdf: all steps; mp4, gif: a film; html: a page"),
     NULL},
};

const rc_command rc_command_hang = {
    .name = "hang",
    .operands = "FILE...|FOLDER",
    .summary = N_("which rank hangs, at which call, and who waits for whom"),
    RC_TAKES(RC_TAKE_WALK, RC_TAKE_STORY),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_STEP, RC_AT, RC_VIEW, RC_LANG, RC_JSON, RC_EXPORT),
    .run = cmd_hang};
