/* dump.c: --dump FOLDER: what a flight recorder of each rank would hold, a file a rank, for `ringsim hang FOLDER`.
 *
 *   - A rank that died, or that says nothing, leaves none.
 *   - Files of an earlier run there, of the same names, go first: a dead rank's old dump would speak for it.
 */
#include "base/json_file.h"
#include "base/text.h"
#include "run/show.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_name[] = "ringsim_trace_rank_";

static rc_exit cannot(const char *folder, rs_error *error) {
    return rc_fail(error, RC_USAGE, _("--dump: cannot write into %.200s: %s"), folder,
                   _(strerror(errno)));
}

rc_exit rc_dump_open(const char *folder, rs_error *error) {
    struct stat found;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return cannot(folder, error);
    if (stat(folder, &found) != 0) return cannot(folder, error);
    errno = ENOTDIR;
    if (!S_ISDIR(found.st_mode)) return cannot(folder, error);
    return access(folder, W_OK | X_OK) == 0 ? RC_GOOD : cannot(folder, error);
}

void rc_dump_clear(const char *folder) {
    DIR *all = opendir(folder);
    if (all == NULL) return;
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        const char *number = entry->d_name + sizeof file_name - 1;
        if (strncmp(entry->d_name, file_name, sizeof file_name - 1) != 0) continue;
        if (number[0] == '\0' || number[strspn(number, "0123456789")] != '\0') continue;
        unlinkat(dirfd(all), entry->d_name, 0);
    }
    closedir(all);
}

rc_exit rc_dump_write(rc_session *session, const char *folder, const rn_dump *dump,
                      int64_t n_lost) {
    char path[PATH_MAX];
    rs_arena arena;
    rc_file file;
    const int n = snprintf(path, sizeof path, "%s/%s%d", folder, file_name, (int)dump->rank);
    errno = ENAMETOOLONG;
    if (n < 0 || (size_t)n >= sizeof path) return cannot(folder, session->error);
    rs_arena_init(&arena, session->arena->host);
    rc_exit status = rc_file_open("dump", path, session->error, &file);
    if (status == RC_GOOD) {
        const rs_status made =
            rn_write_recorder(dump, n_lost, &arena, session->error, rc_write_to_file, file.stream);
        status = rc_file_deliver(&file, rc_exit_of(made), session->error);
    }
    rs_arena_free(&arena);
    return status;
}

rc_exit rc_dump_rank(rc_session *session, const char *folder, const rn_standing *at, int32_t rank) {
    rs_arena arena;
    rn_dump dump;
    int64_t n_lost;
    rs_arena_init(&arena, session->arena->host);
    rc_exit status =
        rc_exit_of(rn_schedule_calls(at, rank, &arena, session->error, &dump, &n_lost));
    if (status == RC_GOOD) status = rc_dump_write(session, folder, &dump, n_lost);
    rs_arena_free(&arena);
    return status;
}

/* ------------------------------------------------------------------ a simulated run */

/* Is this message in the sorted trace? */
static bool is_over(void *context, int32_t step, const rs_transfer *transfer, bool sends,
                    int64_t *end_ns) {
    const rs_trace *trace = context;
    int64_t low = 0, high = trace->n_items;
    (void)sends;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const rs_timed *t = &trace->items[middle];
        if (t->step < step || (t->step == step && t->transfer.order < transfer->order)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const rs_timed *t = &trace->items[low];
    if (low == trace->n_items || t->step != step || t->transfer.order != transfer->order) {
        return false;
    }
    *end_ns = t->end_ps / 1000;
    return true;
}

rc_exit rc_dump_run(rc_session *session, const char *folder, const rs_report *report) {
    const rs_job *job = &report->request.job;
    const rs_outcome *outcome = &report->outcome;
    if (report->trace == NULL) {
        return rc_fail(session->error, RC_LACKS, _("--dump: no memory for the trace of the run"));
    }
    const rn_standing at = {.schedule = job->schedule,
                            .count = job->count,
                            .dtype = rn_torch_dtype(report->request.dtype),
                            .n_runs = -1,
                            .channels_apart = job->net.machine != NULL,
                            .over = is_over,
                            .context = report->trace};
    rc_dump_clear(folder);
    rc_exit status = RC_GOOD;
    for (int32_t r = 0, k = 0; r < job->schedule->n_ranks && status == RC_GOOD; r++) {
        if (k < outcome->n_killed && outcome->killed[k] == r) {
            k++;
        } else {
            status = rc_dump_rank(session, folder, &at, r);
        }
    }
    return status;
}

void rc_dump_say(const char *folder, const char *before) {
    char name[512];
    printf(_("%sdumps, a file a rank: ringsim hang %s\n"), before,
           rc_plain(folder, true, name, sizeof name));
}
