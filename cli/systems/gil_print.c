/* gil_print.c: threads against processes in figures: simulated, and measured on this machine. */
#include "base/json_file.h"
#include "base/text.h"
#include "systems/gil.h"

enum { FIRST = 16, COLUMN = 28, QUIET_PERCENT = 90 };

double rc_gil_share(const rc_gil *gil) {
    return (double)gil->share_num / (double)gil->share_den;
}

/* Writes "202 ms    1.98 x"; nothing where nothing was run. */
static const char *time_text(int64_t time_ps, int64_t alone_ps, char out[80]) {
    char time[32], ratio[32];
    out[0] = '\0';
    if (time_ps == 0) return out;
    rv_format_time(time_ps, time, sizeof time);
    rv_format_ratio(alone_ps, time_ps, ratio, sizeof ratio);
    snprintf(out, 80, "%10s  %6s x", time, ratio);
    return out;
}

static void print_ways(const rc_gil *gil) {
    const char *const names[RC_GIL_N_WAYS] = {_("one does all"), _("threads"), _("processes")};
    const bool measured = gil->n_runs > 0;
    char text[80];
    rc_print_padded("", FIRST);
    rc_print_padded(_(" simulated"), measured ? COLUMN : 0);
    puts(measured ? _(" measured here") : "");
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        const rs_gil_report *simulated = gil->simulated;
        const rc_gil_run *real = gil->measured;
        rc_print_padded(names[way], FIRST);
        rc_print_padded(
            time_text(simulated[way].makespan_ps, simulated[RC_GIL_ALONE].makespan_ps, text),
            measured ? COLUMN : 0);
        puts(time_text(real[way].makespan_ps, real[RC_GIL_ALONE].makespan_ps, text));
    }
}

static void print_limits(const rc_gil *gil) {
    const double share = rc_gil_share(gil);
    const int64_t thousand = 1000000;
    char limit[32], amdahl[32];
    rv_format_ratio((int64_t)(rs_gil_limit(gil->n_workers, gil->n_cores, share) * 1000000 + 0.5),
                    thousand, limit, sizeof limit);
    rv_format_ratio((int64_t)(rs_gil_amdahl(gil->n_workers, gil->n_cores, share) * 1000000 + 0.5),
                    thousand, amdahl, sizeof amdahl);
    printf(_("\nthreads at the most %s x: no more than workers, cores, and 1 / share of the lock\n"
             "Amdahl says %s x: if all others stand still while one has the lock\n"),
           limit, amdahl);
}

void rc_print_gil(const rc_gil *gil) {
    char work[32], percent[32];
    rv_format_time(gil->work_ps, work, sizeof work);
    rv_format_ratio((int64_t)(gil->share_num * 100), (int64_t)gil->share_den, percent,
                    sizeof percent);
    printf(_("workers %d, work %s each in %d slices; Python, under the lock: %s %%; cores %d\n\n"),
           (int)gil->n_workers, work, (int)gil->n_slices, percent, (int)gil->n_cores);
    print_ways(gil);
    print_limits(gil);
    if (gil->n_runs > 0) {
        char thread[32], process[32];
        rv_format_time(gil->start_thread_ps, thread, sizeof thread);
        rv_format_time(gil->start_process_ps, process, sizeof process);
        printf(_("starting a worker that does nothing, here: thread %s, process %s\n"), thread,
               process);
    }
    if (gil->n_runs > 0 && gil->core_percent < QUIET_PERCENT) {
        printf(
            _("this machine was busy: alone, a worker had %d %% of a core; short work, often, finds "
              "better moments:\n--work 2ms --iters 100\n"),
            gil->core_percent);
    }
}

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
    const double share = rc_gil_share(gil);
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
