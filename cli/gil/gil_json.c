/* gil_json.c: threads against processes as one JSON object, schema ringsim.gil/1. */
#include "base/json_file.h"
#include "gil/gil.h"

static void put_ways(rs_json *json, const char *key, const int64_t times_ps[RC_GIL_N_WAYS]) {
    rs_json_object(json, key);
    rs_json_integers(json, {"alone_ps", times_ps[0]}, {"threads_ps", times_ps[1]},
                     {"processes_ps", times_ps[2]});
}

static void put_measured(rs_json *json, const rc_gil *gil, const int64_t times_ps[RC_GIL_N_WAYS]) {
    if (gil->n_runs == 0) {
        rs_json_null(json, "measured");
        return;
    }
    put_ways(json, "measured", times_ps);
    rs_json_integers(json, {"runs", gil->n_runs}, {"start_thread_ps", gil->start_thread_ps},
                     {"start_process_ps", gil->start_process_ps},
                     {"core_percent", gil->core_percent});
    rs_json_close(json);
}

void rc_json_gil(const rc_gil *gil, FILE *out) {
    enum { DIGITS = 9 };
    const double share = (double)gil->share_num / (double)gil->share_den;
    int64_t simulated[RC_GIL_N_WAYS], measured[RC_GIL_N_WAYS];
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        simulated[way] = gil->simulated[way].makespan_ps;
        measured[way] = gil->measured[way].makespan_ps;
    }
    rs_json json;
    rc_json_begin(&json, "ringsim.gil/1", out);
    rs_json_integers(&json, {"workers", gil->n_workers}, {"slices", gil->n_slices},
                     {"cores", gil->n_cores});
    rs_json_number(&json, "python_share", share, DIGITS);
    rs_json_integer(&json, "work_ps", gil->work_ps);
    rs_json_number(&json, "limit", rs_gil_limit(gil->n_workers, gil->n_cores, share), DIGITS);
    rs_json_number(&json, "amdahl", rs_gil_amdahl(gil->n_workers, gil->n_cores, share), DIGITS);
    put_ways(&json, "simulated", simulated);
    rs_json_integers(&json, {"lock_ps", gil->simulated[RC_GIL_THREADS].lock_ps},
                     {"waiting_ps", gil->simulated[RC_GIL_THREADS].waiting_ps});
    rs_json_close(&json);
    put_measured(&json, gil, measured);
    rc_json_end(&json);
}
