/* gil_print.c: threads against processes in figures: simulated, and measured on this machine. */
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

static void put_ways(const char *key, const int64_t times_ps[RC_GIL_N_WAYS], FILE *out) {
    fprintf(out, "\"%s\":{\"alone_ps\":%lld,\"threads_ps\":%lld,\"processes_ps\":%lld", key,
            (long long)times_ps[0], (long long)times_ps[1], (long long)times_ps[2]);
}

void rc_json_gil(const rc_gil *gil, FILE *out) {
    const double share = rc_gil_share(gil);
    int64_t simulated[RC_GIL_N_WAYS], measured[RC_GIL_N_WAYS];
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        simulated[way] = gil->simulated[way].makespan_ps;
        measured[way] = gil->measured[way].makespan_ps;
    }
    fprintf(out,
            "{\"schema\":\"ringsim.gil/1\",\"version\":\"%s\",\"workers\":%d,\"slices\":%d,"
            "\"cores\":%d,\"python_share\":%.9g,\"work_ps\":%lld,\"limit\":%.9g,\"amdahl\":%.9g,",
            RINGSIM_VERSION, (int)gil->n_workers, (int)gil->n_slices, (int)gil->n_cores, share,
            (long long)gil->work_ps, rs_gil_limit(gil->n_workers, gil->n_cores, share),
            rs_gil_amdahl(gil->n_workers, gil->n_cores, share));
    put_ways("simulated", simulated, out);
    fprintf(out, ",\"lock_ps\":%lld,\"waiting_ps\":%lld},",
            (long long)gil->simulated[RC_GIL_THREADS].lock_ps,
            (long long)gil->simulated[RC_GIL_THREADS].waiting_ps);
    if (gil->n_runs == 0) {
        fputs("\"measured\":null}\n", out);
        return;
    }
    put_ways("measured", measured, out);
    fprintf(out,
            ",\"runs\":%d,\"start_thread_ps\":%lld,\"start_process_ps\":%lld,"
            "\"core_percent\":%d}}\n",
            (int)gil->n_runs, (long long)gil->start_thread_ps, (long long)gil->start_process_ps,
            gil->core_percent);
}
