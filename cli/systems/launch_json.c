/* launch_json.c: a job's start as one JSON object, schema ringsim.launch/1: processes with what each is
 * told, and the moments of their meeting.
 */
#include "systems/launch.h"

static const char *const kinds[] = {
    "started", "refused", "listens",   "hello",      "welcomed",   "first-slot",
    "slot",    "slots",   "exchanged", "ready",      "fault",      "alone",
    "stalled", "saved",   "truncated", "read-short", "half-saved", "all-saved"};

static void put_process(const rs_launched *l, int32_t index, FILE *out) {
    rs_variable variables[RS_MOST_VARIABLES];
    const int n = rs_launch_variables(l, index, variables);
    const rs_process p = rs_launch_process(l, index);
    fprintf(out,
            "{\"rank\":%d,\"world_size\":%d,\"node\":%d,\"local_rank\":%d,\"local_world_size\":%d,"
            "\"gpus\":[",
            (int)p.rank, (int)p.world_size, (int)p.node, (int)p.local_rank,
            (int)p.local_world_size);
    for (int32_t g = 0; g < p.n_gpus; g++) {
        fprintf(out, g > 0 ? ",%d" : "%d", (int)(p.first_gpu + g));
    }
    for (int arguments = 0; arguments < 2; arguments++) {
        int n_put = 0;
        fputs(arguments ? "},\"arguments\":{" : "],\"environment\":{", out);
        for (int i = 0; i < n; i++) {
            if (variables[i].argument != (arguments == 1)) continue;
            if (n_put++ > 0) fputc(',', out);
            rc_json_string(variables[i].name, out);
            fputc(':', out);
            rc_json_string(variables[i].value, out);
        }
    }
    fputs("}}", out);
}

static void put_moments(const rs_rendezvous *r, FILE *out) {
    fputs("],\"moments\":[", out);
    for (int32_t m = 0; m < r->n_moments; m++) {
        const rs_moment *moment = &r->moments[m];
        fprintf(out, "%s{\"kind\":\"%s\",\"process\":", m > 0 ? "," : "", kinds[moment->kind]);
        if (moment->process < 0) {
            fputs("null", out);
        } else {
            fprintf(out, "%d", (int)moment->process);
        }
        fprintf(out, ",\"number\":%d,\"messages\":%d}", (int)moment->number, (int)moment->messages);
    }
    fputc(']', out);
}

void rc_json_launch(const rs_rendezvous *r, FILE *out) {
    const rs_launched *l = &r->of;
    char where[RS_VARIABLE_TEXT], command[RS_COMMAND_TEXT];
    rs_launch_where(l, where);
    fprintf(out,
            "{\"schema\":\"ringsim.launch/1\",\"version\":\"%s\",\"nodes\":%d,\"gpus_per_node\":%d,"
            "\"gpus_per_proc\":%d,\"with\":\"%s\",\"init\":\"%s\",\"place\":\"%s\",\"mistake\":",
            RINGSIM_VERSION, (int)l->of.n_nodes, (int)l->of.gpus_per_node,
            (int)l->of.gpus_per_process, rs_starter_name(l->of.starter), rs_place_name(l->of.place),
            where);
    if (l->of.mistake == RS_NO_MISTAKE) {
        fputs("null", out);
    } else {
        rc_json_string(rs_mistake_name(l->of.mistake), out);
    }
    fprintf(out, ",\"world_size\":%d,\"idle_gpus\":%d,\"commands\":[", (int)l->n_processes,
            (int)l->idle_gpus);
    for (int32_t node = 0; node < l->of.n_nodes; node++) {
        rs_launch_command(l, node, command);
        if (command[0] == '\0') continue;
        if (node > 0) fputc(',', out);
        rc_json_string(command, out);
    }
    fputs("],\"processes\":[", out);
    for (int32_t i = 0; i < l->n_processes; i++) {
        if (i > 0) fputc(',', out);
        put_process(l, i, out);
    }
    put_moments(r, out);
    fprintf(out, ",\"completes\":%s,\"text\":", r->completes ? "true" : "false");
    rc_json_string(r->text, out);
    fputs("}\n", out);
}
