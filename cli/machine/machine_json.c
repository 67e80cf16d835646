/* machine_json.c: what `machine` tells, as JSON: ringsim.machine/1.
 *
 *   - Routes are those of channel 0, of all pairs while there are at most 64 GPUs, else from GPU 0 to some;
 *     a pair without a way is left out.
 */
#include "base/json_file.h"
#include "machine/wires.h"

static void put_links(const rs_machine *machine, rs_json *json) {
    rs_json_lines(json, "links");
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        rs_json_object(json, NULL);
        rs_json_integer(json, "link", i);
        rs_json_text(json, "from", machine->names[link->a]);
        rs_json_text(json, "to", machine->names[link->b]);
        rs_json_unsigned(json, "bandwidth_Bps", link->bandwidth_Bps);
        rs_json_unsigned(json, "raw_Bps", link->raw_Bps);
        rs_json_integer(json, "alpha_ps", link->alpha_ps);
        rs_json_text(json, "kind", rs_link_kind_name((rs_link_kind)link->kind));
        rs_json_bool(json, "shared", link->shared);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_route(const rc_wires *shown, rs_json *json, int32_t src, int32_t dst) {
    rs_error ignored;
    rs_route route;
    if (src == dst || rs_router_find(shown->router, src, dst, 0, &ignored, &route) != RS_OK) return;
    rs_json_object(json, NULL);
    rs_json_integers(json, {"src", src}, {"dst", dst});
    rs_json_array(json, "links");
    for (int32_t i = 0; i < route.n_wires; i++) rs_json_integer(json, NULL, route.wires[i] / 2);
    rs_json_close(json);
    rs_json_close(json);
}

static void put_routes(const rc_wires *shown, rs_json *json) {
    const int32_t n = shown->machine->n_gpus;
    int32_t looked[RC_MOST_LOOKED];
    const int32_t n_looked = rc_looked_at(shown->machine, looked);
    rs_json_lines(json, "routes");
    for (int32_t src = 0; src < (n <= RC_ALL_PAIRS ? n : 1); src++) {
        for (int32_t i = 0; i < n_looked; i++) put_route(shown, json, src, looked[i]);
    }
    rs_json_close(json);
}

static void put_bounds(const rc_wires *shown, rs_json *json) {
    const rs_machine *machine = shown->machine;
    rs_json_object(json, "bounds");
    for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_bound *bound = &shown->bounds[of];
        const int64_t busbw_Bps = rc_busbw_Bps(of, machine->n_gpus, shown->n_bytes, bound->time_ps);
        rs_json_object(json, rs_collective_name(of));
        rs_json_known(json, "time_ps", bound->time_ps);
        if (busbw_Bps > 0) {
            rs_json_number(json, "busbw_GBps", (double)busbw_Bps / 1e9, 9);
        } else {
            rs_json_null(json, "busbw_GBps");
        }
        rc_json_blocks(json, "blocks", bound, machine->n_gpus);
        rs_json_known(json, "in_switch_time_ps", bound->in_switch_ps);
        rs_json_close(json);
    }
    rs_json_close(json);
}

void rc_json_machine(const rc_wires *shown, FILE *out) {
    const rs_machine *machine = shown->machine;
    rs_json json;
    rc_json_begin(&json, "ringsim.machine/1", out);
    rs_json_text(&json, "name", machine->name);
    rs_json_integers(&json, {"gpus", machine->n_gpus}, {"nodes", machine->n_nodes},
                     {"bytes", shown->n_bytes});
    rs_json_array(&json, "switches");
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        rs_json_text(&json, NULL, machine->names[d]);
    }
    rs_json_close(&json);
    put_links(machine, &json);
    put_routes(shown, &json);
    put_bounds(shown, &json);
    rc_json_end(&json);
}
