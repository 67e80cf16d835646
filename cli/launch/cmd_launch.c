/* cmd_launch.c: `ringsim launch`: which processes a job has, what each is told, and how they find each other.
 *
 * Exit status 0: it works; 1: it does not, because of the mistake that was asked for; 2: numbers that do
 * not go into each other. Nothing is started.
 */
#include "base/json_file.h"
#include "run/show.h"
#include "story/story_launch.h"

/* Options of its own. */
enum { NODES = RC_OWN, GPUS_PER_NODE, GPUS_PER_PROC, WITH, PLACE, MISTAKE };

enum { MOST = 100000 };

static const char *starter_at(int i) {
    return i < RS_N_STARTERS ? rs_starter_name((rs_starter)i) : NULL;
}
static const char *place_at(int i) {
    return i < RS_N_INIT_METHODS ? rs_init_method_name((rs_init_method)i) : NULL;
}
static const char *mistake_at(int i) {
    return i < RS_N_MISTAKES ? rs_mistake_name((rs_mistake)i) : NULL;
}

static void read_launch(const rc_options *options, rs_launch *launch) {
    const rc_value *value = options->value;
    launch->n_nodes = (int32_t)value[NODES].number;
    launch->gpus_per_node = (int32_t)value[GPUS_PER_NODE].number;
    launch->gpus_per_process = (int32_t)value[GPUS_PER_PROC].number;
    const bool odd = launch->gpus_per_node % launch->gpus_per_process != 0;
    if (!rc_given(options, GPUS_PER_PROC) && odd) launch->gpus_per_process = 1;
    launch->starter = (rs_starter)value[WITH].number;
    launch->mistake = (rs_mistake)value[MISTAKE].number;
    launch->init = (rs_init_method)value[PLACE].number;
    const bool stale = launch->mistake == RS_STALE_FILE;
    if (!rc_given(options, PLACE) && stale) launch->init = RS_INIT_FILE;
}

static rc_exit work_out(rc_session *session, rs_bootstrap **made, rv_story *story) {
    rs_launch launch;
    rs_launched launched;
    rs_bootstrap *bootstrap = rs_alloc(session->arena, 1, sizeof *bootstrap);
    if (bootstrap == NULL) return rc_no_memory(session->error);
    read_launch(&session->options, &launch);
    rs_status good = rs_launch_plan(&launch, session->error, &launched);
    if (good == RS_OK) {
        good = rs_bootstrap_simulate(&launched, session->arena, session->error, bootstrap);
    }
    if (good == RS_OK) rv_story_launch(bootstrap, story);
    *made = bootstrap;
    return rc_exit_of(good);
}

/* ------------------------------------------------------------------ JSON */

static const char *const kinds[] = {
    "started", "refused", "listens",   "hello",      "welcomed",   "first-slot",
    "slot",    "slots",   "exchanged", "ready",      "fault",      "alone",
    "stalled", "saved",   "truncated", "read-short", "half-saved", "all-saved"};

static void put_variables(rs_json *json, const char *key, const rs_variable variables[], int n,
                          bool arguments) {
    rs_json_object(json, key);
    for (int i = 0; i < n; i++) {
        if (variables[i].argument != arguments) continue;
        rs_json_text(json, variables[i].name, variables[i].value);
    }
    rs_json_close(json);
}

static void put_process(rs_json *json, const rs_launched *l, int32_t index) {
    rs_variable variables[RS_MOST_VARIABLES];
    const int n = rs_launch_variables(l, index, variables);
    const rs_process p = rs_launch_process(l, index);
    rs_json_object(json, NULL);
    rs_json_integers(json, {"rank", p.rank}, {"world_size", p.world_size}, {"node", p.node},
                     {"local_rank", p.local_rank}, {"local_world_size", p.local_world_size});
    rs_json_array(json, "gpus");
    for (int32_t g = 0; g < p.n_gpus; g++) rs_json_integer(json, NULL, p.first_gpu + g);
    rs_json_close(json);
    put_variables(json, "environment", variables, n, false);
    put_variables(json, "arguments", variables, n, true);
    rs_json_close(json);
}

static void put_moments(rs_json *json, const rs_bootstrap *r) {
    rs_json_array(json, "moments");
    for (int32_t m = 0; m < r->n_moments; m++) {
        const rs_moment *moment = &r->moments[m];
        rs_json_object(json, NULL);
        rs_json_text(json, "kind", kinds[moment->kind]);
        rs_json_known(json, "process", moment->process);
        rs_json_integers(json, {"number", moment->number}, {"messages", moment->messages});
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_job(rs_json *json, const rs_launched *l) {
    char where[RS_VARIABLE_TEXT];
    rs_launch_where(l, where);
    rs_json_integers(json, {"nodes", l->of.n_nodes}, {"gpus_per_node", l->of.gpus_per_node},
                     {"gpus_per_proc", l->of.gpus_per_process});
    rs_json_text(json, "with", rs_starter_name(l->of.starter));
    rs_json_text(json, "init", rs_init_method_name(l->of.init));
    rs_json_text(json, "place", where);
    const bool mistaken = l->of.mistake != RS_NO_MISTAKE;
    rs_json_text(json, "mistake", mistaken ? rs_mistake_name(l->of.mistake) : NULL);
    rs_json_integers(json, {"world_size", l->n_processes}, {"idle_gpus", l->idle_gpus});
}

static void write_json(const rs_bootstrap *r, FILE *out) {
    const rs_launched *l = &r->of;
    char command[RS_COMMAND_TEXT];
    rs_json json;
    rc_json_begin(&json, "ringsim.launch/1", out);
    put_job(&json, l);
    rs_json_array(&json, "commands");
    for (int32_t node = 0; node < l->of.n_nodes; node++) {
        rs_launch_command(l, node, command);
        if (command[0] != '\0') rs_json_text(&json, NULL, command);
    }
    rs_json_close(&json);
    rs_json_array(&json, "processes");
    for (int32_t i = 0; i < l->n_processes; i++) put_process(&json, l, i);
    rs_json_close(&json);
    put_moments(&json, r);
    rs_json_bool(&json, "completes", r->completes);
    rs_json_text(&json, "text", r->why.text);
    rc_json_end(&json);
}

/* ------------------------------------------------------------------ the command */

static rc_exit launch_subject(rc_session *session, rv_subject *subject) {
    rs_bootstrap *bootstrap;
    rv_story story;
    const rc_exit status = work_out(session, &bootstrap, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

static rc_exit cmd_launch(rc_session *session) {
    rc_showing showing;
    rs_bootstrap *bootstrap;
    rv_story story;
    rc_exit status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = work_out(session, &bootstrap, &story);
    status = rc_show_story(session, &showing, status, &story);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) write_json(bootstrap, stdout);
    if (status == RC_GOOD) status = rc_print_figures(session, &showing, &story);
    return status == RC_GOOD && !bootstrap->completes ? RC_NO : status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {NODES, "nodes", 0, "N", N_("machines, 2"), RC_INTEGER(1, MOST, "2")},
    {GPUS_PER_NODE, "gpus-per-node", 0, "G", N_("GPUs of each, 4"), RC_INTEGER(1, MOST, "4")},
    {GPUS_PER_PROC, "gpus-per-proc", 0, "P", N_("GPUs that a process drives, 2"),
     RC_INTEGER(1, MOST, "2")},
    {WITH, "with", 0, "torchrun|launch|spawn|srun", N_("what starts the processes, torchrun"),
     RC_NAMED(starter_at, "torchrun")},
    {PLACE, "init", 0, "env|tcp|file", N_("how they know where to meet, env"),
     RC_NAMED(place_at, "env")},
    {MISTAKE, "mistake", 0, "NAME",
     N_("world-size rank-twice stale-file rank0-collective everybody-saves "
        "no-set-device missing-nproc"),
     RC_NAMED(mistake_at, NULL)},
};

const rc_command rc_command_launch = {.name = "launch",
                                      .operands = "",
                                      .summary = N_("how the processes find each other"),
                                      RC_TAKES(RC_TAKE_WALK, NODES, GPUS_PER_NODE, GPUS_PER_PROC,
                                               WITH, PLACE, MISTAKE, RC_TAKE_STORY),
                                      RC_OWN_OPTIONS(own_options),
                                      RC_OFTEN(NODES, GPUS_PER_NODE, GPUS_PER_PROC, WITH, PLACE,
                                               MISTAKE, RC_STEP, RC_VIEW, RC_LANG, RC_JSON,
                                               RC_EXPORT),
                                      .run = cmd_launch,
                                      .subject = launch_subject};
