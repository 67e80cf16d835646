/* cmd_launch.c: `ringsim launch`: which processes a job has, what each is told, and how they meet.
 *
 * Exit status 0: it works; 1: it does not, because of the mistake that was asked for; 2: numbers that do
 * not go into each other. Nothing is started.
 */
#include "systems/launch.h"
#include "story/story_launch.h"

enum { DEFAULT_NODES = 2, DEFAULT_GPUS_PER_NODE = 4, DEFAULT_GPUS_PER_PROCESS = 2, MOST = 100000 };

static rc_exit read_number(rc_session *session, rc_option_id id, int32_t by_default,
                           int32_t *number) {
    rs_error reason;
    int64_t value = by_default;
    const char *text = session->options.value[id];
    rc_exit status = RC_GOOD;
    if (text != NULL) status = rc_parse_integer(text, 1, MOST, &reason, &value);
    if (status != RC_GOOD) return rc_blame(id, &reason, status, session->error);
    *number = (int32_t)value;
    return RC_GOOD;
}

typedef const char *(*name_of)(int i);
static const char *starter_at(int i) {
    return rs_starter_name((rs_starter)i);
}
static const char *place_at(int i) {
    return rs_place_name((rs_place)i);
}
static const char *mistake_at(int i) {
    return rs_mistake_name((rs_mistake)i);
}

/* Reads one of the library's names. */
static rc_exit read_name(rc_session *session, rc_option_id id, name_of name, int n, int *index) {
    enum { MOST_NAMES = 16 };
    const char *names[MOST_NAMES + 1] = {NULL};
    for (int i = 0; i < n && i < MOST_NAMES; i++) names[i] = name(i);
    return rc_read_choice(&session->options, id, names, *index, session->error, index);
}

static rc_exit read_launch(rc_session *session, rs_launch *launch) {
    int starter = RS_TORCHRUN, place = RS_MEET_ENV, mistake = RS_NO_MISTAKE;
    rc_exit status = read_number(session, RC_NODES, DEFAULT_NODES, &launch->n_nodes);
    if (status == RC_GOOD) {
        status =
            read_number(session, RC_GPUS_PER_NODE, DEFAULT_GPUS_PER_NODE, &launch->gpus_per_node);
    }
    if (status == RC_GOOD) {
        status = read_number(
            session, RC_GPUS_PER_PROC,
            launch->gpus_per_node % DEFAULT_GPUS_PER_PROCESS == 0 ? DEFAULT_GPUS_PER_PROCESS : 1,
            &launch->gpus_per_process);
    }
    if (status == RC_GOOD)
        status = read_name(session, RC_WITH, starter_at, RS_N_STARTERS, &starter);
    if (status == RC_GOOD) {
        status = read_name(session, RC_MISTAKE, mistake_at, RS_N_MISTAKES, &mistake);
    }
    if (mistake == RS_STALE_FILE) place = RS_MEET_FILE;
    if (status == RC_GOOD) status = read_name(session, RC_PLACE, place_at, RS_N_PLACES, &place);
    launch->starter = (rs_starter)starter;
    launch->place = (rs_place)place;
    launch->mistake = (rs_mistake)mistake;
    return status;
}

static rc_exit work_out(rc_session *session, rs_bootstrap **made, rv_story *story) {
    rs_launch launch;
    rs_launched launched;
    rs_bootstrap *bootstrap = rs_alloc(session->arena, 1, sizeof *bootstrap);
    if (bootstrap == NULL) return rc_fail(session->error, RC_LACKS, _("no memory to start with"));
    const rc_exit status = read_launch(session, &launch);
    if (status != RC_GOOD) return status;
    rs_status good = rs_launch_plan(&launch, session->error, &launched);
    if (good == RS_OK) {
        good = rs_bootstrap_tell(&launched, session->arena, session->error, bootstrap);
    }
    if (good == RS_OK) rv_story_launch(bootstrap, story);
    *made = bootstrap;
    return rc_exit_of(good);
}

static rc_exit tell_launch(rc_session *session, rv_story *story) {
    rs_bootstrap *bootstrap;
    return work_out(session, &bootstrap, story);
}

/* The table of all, or the story from where the reader wants it. */
static rc_exit show(rc_session *session, rc_showing *showing, const rs_bootstrap *bootstrap,
                    const rv_story *story) {
    const bool whole = rc_wants_figures(session, showing);
    if (whole) showing->view = RC_VIEW_NONE; /* a picture may be asked for all the same */
    const rc_exit status = rc_show_story(session, showing, story);
    if (status != RC_GOOD) return status;
    if (showing->view == RC_VIEW_JSON) rc_json_launch(bootstrap, stdout);
    return whole ? rc_print_launch(bootstrap, story, session->error) : RC_GOOD;
}

static rc_exit cmd_launch(rc_session *session) {
    rc_showing showing;
    rs_bootstrap *bootstrap;
    rv_story story;
    rc_exit status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = work_out(session, &bootstrap, &story);
    if (status != RC_GOOD) {
        rc_story_discard(&showing);
        return status;
    }
    status = show(session, &showing, bootstrap, &story);
    return status == RC_GOOD && !bootstrap->completes ? RC_NO : status;
}

/* ------------------------------------------------------------------ its row */

static const rc_taken takes[] = {
    RC_TAKE_WALK,
    {.id = RC_NODES},
    {.id = RC_GPUS_PER_NODE},
    {.id = RC_GPUS_PER_PROC},
    {.id = RC_WITH},
    {.id = RC_PLACE},
    {.id = RC_MISTAKE},
    {.id = RC_LANG},
    {.id = RC_JSON},
    {.id = RC_EXPORT},
    RC_TAKE_HELP,
};

const rc_command rc_command_launch = {.name = "launch",
                                      .operands = "",
                                      .summary = N_("how the processes find each other"),
                                      RC_TAKES(takes),
                                      .run = cmd_launch,
                                      .frame = tell_launch};
