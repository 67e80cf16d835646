/* launch_json.c: a job's start as one JSON object, schema ringsim.launch/1: processes with what each is
 * told, and the moments of their bootstrap.
 */
#include "base/json_file.h"
#include "launch/launch.h"

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

void rc_json_launch(const rs_bootstrap *r, FILE *out) {
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
    rs_json_text(&json, "text", r->text);
    rc_json_end(&json);
}
