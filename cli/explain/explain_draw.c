/* explain_draw.c: what a log, a graph, a topology show, drawn: as a schedule that is run, or as a machine.
 *
 *     rings, trees --found_schedule.c--> .sched text --> run (--step, --export), page (FILE.html), file (--save)
 *     machine      --export--> its picture           --step--> the ring on it
 */
#include "explain/explain_draw.h"
#include "explain/found_schedule.h"
#include "run/request.h"
#include "run/show.h"
#include "machine/wires.h"

#include <stdlib.h>
#include <string.h>

static const char page_file[] = "nccl.sched";

/* ------------------------------------------------------------------ what there is */

/* own: of a topology's, too, which are ringsim's. */
static const rn_nccl_ring *rings_of(const rc_explained *e, bool own, int32_t *n) {
    const bool log = e->kind == RC_KIND_LOG;
    *n = log ? e->log.n_rings : own || e->kind == RC_KIND_GRAPH ? e->graph.n_rings : 0;
    return log ? e->log.rings : e->graph.rings;
}

static bool same_ring(const rn_nccl_ring *a, const rn_nccl_ring *b) {
    return memcmp(a->ranks, b->ranks, (size_t)a->n * sizeof *a->ranks) == 0;
}

/* How many may be in one schedule: its lines grow with the square of the ranks. */
static int most_lanes(int32_t n_ranks) {
    const int32_t most = (1 << 18) / (n_ranks * n_ranks);
    return most < 1 ? 1 : most < RC_MOST_LANES ? most : RC_MOST_LANES;
}

/* The whole rings of one file that differ; returns how many. */
static int find_rings(const rc_explained files[], int n_files, bool own,
                      const rn_nccl_ring *found[RC_MOST_LANES]) {
    int n_found = 0;
    for (int f = 0; f < n_files && n_found == 0; f++) {
        int32_t n;
        const rn_nccl_ring *rings = rings_of(&files[f], own, &n);
        for (int32_t i = 0; i < n; i++) {
            const rn_nccl_ring *ring = &rings[i];
            if (!ring->whole || ring->n < 2 || ring->n > RC_MOST_RING) continue;
            bool known = n_found > 0 && (n_found == most_lanes(ring->n) || ring->n != found[0]->n);
            for (int k = 0; k < n_found && !known; k++) known = same_ring(ring, found[k]);
            if (!known) found[n_found++] = ring;
        }
    }
    return n_found;
}

/* The same of trees; *n_ranks: what each has. */
static int find_trees(const rc_explained files[], int n_files,
                      const rn_nccl_tree *found[RC_MOST_LANES], int32_t *n_ranks) {
    int n_found = 0;
    for (int f = 0; f < n_files && n_found == 0; f++) {
        const rn_nccl_log *log = &files[f].log;
        *n_ranks = log->n_ranks;
        for (int32_t i = 0; i < log->n_trees; i++) {
            const rn_nccl_tree *tree = &log->trees[i];
            bool known =
                !tree->whole || *n_ranks < 2 || *n_ranks > RC_MOST_RING || n_found == RC_MOST_LANES;
            for (int k = 0; k < n_found && !known; k++) {
                known = memcmp(tree->up, found[k]->up, (size_t)*n_ranks * sizeof *tree->up) == 0;
            }
            if (!known) found[n_found++] = tree;
        }
    }
    return n_found;
}

static const rc_explained *find_box(const rc_explained files[], int n_files) {
    for (int i = 0; i < n_files; i++) {
        const bool box = files[i].kind == RC_KIND_TOPOLOGY || files[i].kind == RC_KIND_MATRIX;
        if (box && files[i].findings.n[RN_ERROR] == 0 && files[i].machine.n_gpus > 0) {
            return &files[i];
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------ as a schedule */

static rc_exit make_schedule(rc_session *session, const rc_explained files[], int n_files,
                             rc_drawing *d) {
    const rn_nccl_ring *rings[RC_MOST_LANES];
    const rn_nccl_tree *trees[RC_MOST_LANES];
    int32_t n_ranks = 0;
    size_t n_bytes;
    char *text = NULL;
    rc_exit status = RC_GOOD;
    int n_rings = d->what != RC_DRAW_TREES ? find_rings(files, n_files, false, rings) : 0;
    if (n_rings == 0 && d->what == RC_DRAW_RINGS) {
        n_rings = find_rings(files, n_files, true, rings);
        d->own_rings = n_rings > 0;
        d->box = n_rings > 0 ? find_box(files, n_files) : NULL;
    }
    const int n_trees =
        d->what == RC_DRAW_RINGS || n_rings > 0 ? 0 : find_trees(files, n_files, trees, &n_ranks);
    if (n_rings + n_trees == 0) return RC_GOOD;
    FILE *out = open_memstream(&text, &n_bytes);
    if (out == NULL) return rc_no_memory(session->error);
    if (n_rings > 0) {
        rc_write_rings(rings, n_rings, d->own_rings, out);
    } else {
        status = rc_write_trees(trees, n_trees, n_ranks, session->arena, session->error, out);
    }
    if (fclose(out) != 0 && status == RC_GOOD) {
        status = rc_no_memory(session->error);
    }
    if (status == RC_GOOD) {
        status = rc_exit_of(
            rs_parse_schedule(text, n_bytes, session->arena, session->error, &d->schedule));
    }
    d->has_schedule = status == RC_GOOD;
    if (d->has_schedule) {
        d->text = rs_alloc(session->arena, n_bytes + 1, 1);
        if (d->text != NULL) memcpy(d->text, text, n_bytes);
        d->n_bytes = d->text != NULL ? n_bytes : 0;
    }
    free(text);
    return status;
}

rc_exit rc_find_drawing(rc_session *session, const rc_explained files[], int n_files,
                        rc_drawing *d) {
    static const char *const reasons[] = {
        [RC_DRAW_ANY] = N_("nothing here can be drawn: it takes rings that the lines close, trees "
                           "that they name whole, or a topology; of at most 1024 ranks"),
        [RC_DRAW_RINGS] = N_("no ring can be drawn: it takes one that the lines close, of at most "
                             "1024 ranks"),
        [RC_DRAW_TREES] = N_("no tree can be drawn: it takes one whose ranks all have a line, of "
                             "at most 1024 ranks"),
        [RC_DRAW_MACHINE] = N_("no machine can be drawn: it takes a topology's XML or the matrix "
                               "of nvidia-smi topo -m"),
    };
    rc_exit status = RC_GOOD;
    d->own_rings = false;
    d->box = d->what == RC_DRAW_ANY || d->what == RC_DRAW_MACHINE ? find_box(files, n_files) : NULL;
    if (d->what != RC_DRAW_MACHINE) status = make_schedule(session, files, n_files, d);
    if (d->own_rings) {
        fprintf(stderr, "ringsim: %s\n", _("rings by ringsim's own search, not by NCCL's"));
    }
    if (status != RC_GOOD || d->has_schedule || d->box != NULL) return status;
    return rc_fail(session->error, RC_USAGE, "%s", _(reasons[d->what]));
}

/* ------------------------------------------------------------------ drawn */

static rc_exit write_page(rc_session *session, const rc_drawing *d) {
    char algo[] = "--algo", machine[] = "--machine", file[sizeof page_file];
    char *words[5] = {algo, file};
    if (!d->has_schedule) {
        return rc_fail(session->error, RC_USAGE,
                       _("--export %.200s: a machine stands still; write FILE.png, svg or pdf"),
                       session->options.value[RC_EXPORT].text);
    }
    memcpy(file, page_file, sizeof page_file);
    if (rc_given(&session->options, RC_MACHINE)) {
        rc_options *options = &session->options;
        words[2] = machine;
        words[3] = rs_alloc(session->arena, strlen(options->value[RC_MACHINE].text) + 1, 1);
        if (words[3] == NULL) return rc_no_memory(session->error);
        strcpy(words[3], options->value[RC_MACHINE].text);
    }
    return rc_export_page(session, words, &(rc_page_file){.path = page_file, d->text, d->n_bytes},
                          NULL);
}

/* Lays what is drawn on the box among the files. */
static void lay_on_box(rc_options *options, const rc_drawing *d) {
    const rc_explained *box = d->box;
    const bool fits = box != NULL && d->has_schedule && !rc_given(options, RC_MACHINE) &&
                      box->machine.n_gpus == d->schedule.n_ranks;
    if (fits || (box != NULL && !d->has_schedule)) options->value[RC_MACHINE].text = box->path;
}

rc_exit rc_drawing_subject(rc_session *session, const rc_drawing *d, rv_subject *subject) {
    lay_on_box(&session->options, d);
    return rc_run_subject_of(session, d->has_schedule ? &d->schedule : NULL, subject);
}

rc_exit rc_show_drawing(rc_session *session, const rc_drawing *d, bool walks) {
    rc_options *options = &session->options;
    if (rc_wants_page(options)) return write_page(session, d);
    if (!d->has_schedule && !walks) return rc_draw_machine(session, &d->box->machine);
    lay_on_box(options, d);
    if (!walks) options->value[RC_VIEW].number = RC_VIEW_NONE;
    return rc_run_shown(session, d->has_schedule ? &d->schedule : NULL);
}
