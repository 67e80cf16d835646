/* cmd_explain.c: `ringsim explain FILE...|FOLDER|-`: what anything that is pasted says and means: NCCL's logs and files,
 * nccl-tests' tables; and of what tells of a hang, dumps and logs, first of all whose it is.
 *
 * Exit status 0: nothing wrong; 1: a hang, or an error among the findings; 2: a file that is none of these.
 */
#include "explain/explain.h"
#include "base/units.h"
#include "explain/explain_draw.h"
#include "hang/hang.h"

#include <string.h>

/* Options of its own. */
enum { EXPLAIN_WHY = RC_BEHIND_ESTIMATE, EXPLAIN_TUNER, EXPLAIN_ENV, EXPLAIN_DRAW };

/* All that was asked for. */
typedef struct explaining {
    rc_explained *files;
    int n;
    rc_drawing drawing;
    rc_file tuner, env, save;
    rc_dumps dumps;
    rn_hang hang;
    bool hangs; /* that is said first */
} explaining;

static const rn_nccl_fit *find_fit(const explaining *x) {
    for (int i = 0; i < x->n; i++) {
        if (x->files[i].has_fit) return &x->files[i].fit;
    }
    return NULL;
}

/* Is it to be walked through? */
static bool walks(const rc_options *options) {
    return rc_given(options, RC_STEP) || rc_given(options, RC_AT) || rc_given(options, RC_VIEW);
}

/* Does the verdict rest on a call that is open, or on a line that names somebody? A log of a healthy start has neither, and of calls
   that were launched none says which are over; of a process that ended, nobody knows whose, its error tells more. */
static bool tells(const rc_dumps *dumps, const rn_hang *h) {
    bool launched = true;
    for (int32_t i = 0; i < dumps->n; i++) launched = launched && dumps->list[i].launched;
    const rn_proof proof = h->witness != NULL ? h->witness->proof : RN_PROOF_TROUBLE;
    if (proof == RN_PROOF_LAUNCHED) return h->verdict == RN_HANG_MISMATCH;
    const bool whose = proof != RN_PROOF_DIED || h->witness->n_ranks > 0;
    if ((proof > RN_PROOF_LEFT && whose) || (h->witness != NULL && h->n_waiters > 0)) return true;
    if (launched && (h->n_evidence == 0 || h->verdict == RN_HANG_UNDECIDED)) return false;
    return h->verdict == RN_HANG_UNDECIDED ? h->n_waits > 0 || h->n_culprits > 0 : rc_hangs(h);
}

/* Judges what the operands tell of a hang; alone: there is nothing else to tell of. */
static rc_exit judge_hang(rc_session *session, bool alone, explaining *x) {
    rc_exit status = rc_read_dumps(session, true, &x->dumps);
    if (status != RC_GOOD || (x->dumps.n == 0 && x->dumps.n_evidence == 0)) return status;
    status = rc_judge_dumps(session, &x->dumps, &x->hang);
    x->hangs = status == RC_GOOD && (alone || tells(&x->dumps, &x->hang));
    return status;
}

/* Does the verdict name anybody? Where it is undecided, those who only wait for an exception do not count. */
static bool names_somebody(const rn_hang *h, bool raised) {
    return h->verdict != RN_HANG_UNDECIDED || (!raised && (h->n_culprits > 0 || h->n_waits > 0));
}

/* Does what the file says begin with a cause? */
static bool has_cause(const rc_explained *file) {
    return file->findings.n_kept > 0 && file->findings.list[0].first;
}

static void forget_unknown(explaining *x) {
    int n = 0;
    for (int i = 0; i < x->n; i++) {
        const bool names = names_somebody(&x->hang, x->files[i].raised.what != NULL);
        if (x->files[i].kind != RC_KIND_UNKNOWN || (has_cause(&x->files[i]) && !names))
            x->files[n++] = x->files[i];
    }
    x->n = n;
}

/* Where neither a hang's verdict nor a row names a cause, an exception is quoted. */
static void say_raised(explaining *x) {
    if (x->hangs && x->hang.verdict != RN_HANG_UNDECIDED) return;
    for (int i = 0; i < x->n; i++) {
        rc_explained *file = &x->files[i];
        if (file->raised.what != NULL && !has_cause(file))
            rc_say_foreign(file, &file->raised, true);
    }
}

/* Reads each operand as a file of NCCL's, and all of them together as what tells of a hang; one that is neither is refused. */
static rc_exit read_files(rc_session *session, explaining *x) {
    const rc_options *options = &session->options;
    const int n = options->n_operands;
    rc_exit status = RC_GOOD;
    int n_known = 0;
    if (n == 0) {
        return rc_fail(
            session->error, RC_USAGE,
            _("explain reads logs, dumps, tables and NCCL's files: ringsim explain FILE..."));
    }
    x->files = rs_alloc(session->arena, (size_t)n, sizeof *x->files);
    rs_error *refused = rs_alloc(session->arena, (size_t)n, sizeof *refused);
    bool *is_refused = rs_alloc(session->arena, (size_t)n, sizeof *is_refused);
    if (x->files == NULL || refused == NULL || is_refused == NULL) {
        return rc_no_memory(session->error);
    }
    for (int i = 0; i < n; i++) {
        rc_explained *file = &x->files[x->n];
        status = rc_explain_file(session, options->operands[i], file);
        if (status == RC_GOOD && file->has_table)
            status = rc_name_file(session, file->path, rc_judge_table(session, file));
        x->n += status == RC_GOOD;
        n_known += status == RC_GOOD && file->kind != RC_KIND_UNKNOWN;
        if (status != RC_GOOD && status != RC_USAGE) return status;
        is_refused[i] = status == RC_USAGE;
        refused[i] = *session->error;
    }
    status = judge_hang(session, n_known == 0, x);
    if (x->hangs) forget_unknown(x); /* it is known by its calls */
    say_raised(x);
    for (int i = 0; i < n && status == RC_GOOD; i++) {
        if (!is_refused[i] || (x->dumps.n_of != NULL && x->dumps.n_of[i] > 0)) continue;
        *session->error = refused[i];
        return RC_USAGE;
    }
    if (status == RC_GOOD) session->error->text[0] = '\0';
    return status;
}

/* What says nothing without another option is refused. */
static rc_exit check_company(rc_session *session) {
    const rc_options *options = &session->options;
    for (int id = RC_NCCL; id <= RC_FABRIC && !rc_given(options, RC_MACHINE); id++) {
        if (!rc_given(options, id)) continue;
        return rc_fail(session->error, RC_USAGE,
                       _("--nccl, --launch, --nccl-algo, --nccl-proto, --like, --fabric are of the "
                         "machine that judges a table: add --machine"));
    }
    if (rc_given(options, RC_COLLECTIVE) && !rc_given(options, EXPLAIN_WHY)) {
        return rc_fail(session->error, RC_USAGE, _("--collective is of --why: add --why SIZE"));
    }
    return RC_GOOD;
}

static rc_exit check_wishes(rc_session *session, explaining *x) {
    const rc_options *options = &session->options;
    const bool drawn = walks(options) || rc_given(options, RC_EXPORT);
    const bool asks = rc_given(options, EXPLAIN_WHY) || rc_given(options, EXPLAIN_TUNER) ||
                      rc_given(options, EXPLAIN_ENV);
    if (asks && find_fit(x) == NULL) {
        const char *why = x->n > 0 ? x->files[0].no_fit.text : "";
        return rc_fail(session->error, RC_USAGE,
                       _("--why, --tuner and --env need a log with its tuning table: %s"),
                       why[0] != '\0' ? _(why)
                                      : _("NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING"));
    }
    if (rc_given(options, EXPLAIN_ENV) && rc_given(options, EXPLAIN_TUNER) &&
        !rc_shell_quotes(options->value[EXPLAIN_TUNER].text)) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--env names --tuner's file: a path without quotes, of less than 192 bytes"));
    }
    if (drawn && rc_given(options, RC_JSON)) {
        return rc_fail(session->error, RC_USAGE, _("--json and a picture or a walk: choose one"));
    }
    if (!drawn && !rc_given(options, RC_SAVE)) return RC_GOOD;
    x->drawing.what = (rc_draw)options->value[EXPLAIN_DRAW].number;
    const rc_exit status = rc_find_drawing(session, x->files, x->n, &x->drawing);
    if (status != RC_GOOD || x->drawing.has_schedule || !rc_given(options, RC_SAVE)) return status;
    return rc_fail(session->error, RC_USAGE,
                   _("--save needs rings or trees; ringsim machine FILE --save writes a machine"));
}

/* Opens what is to be written: who cannot write it is told before anything is shown. */
static rc_exit open_files(rc_session *session, explaining *x) {
    const rc_options *options = &session->options;
    const bool runs = walks(options) || rc_given(options, RC_EXPORT); /* a run saves it itself */
    const struct {
        int id;
        const char *name;
        rc_file *file;
    } files[] = {{EXPLAIN_TUNER, "tuner", &x->tuner},
                 {EXPLAIN_ENV, "env", &x->env},
                 {RC_SAVE, "save", &x->save}};
    rc_exit status = RC_GOOD;
    for (int i = 0; i < 3 && status == RC_GOOD; i++) {
        if (!rc_given(options, files[i].id) || (files[i].id == RC_SAVE && runs)) continue;
        status = rc_file_open(files[i].name, options->value[files[i].id].text, session->error,
                              files[i].file);
    }
    return status;
}

/* Writes them when all else has come to a good end. */
static rc_exit write_files(rc_session *session, explaining *x) {
    const char *tuner = session->options.value[EXPLAIN_TUNER].text;
    const bool named = tuner != NULL && strcmp(tuner, "-") != 0;
    if (x->tuner.stream != NULL) rc_write_tuner(find_fit(x), x->tuner.stream);
    if (x->env.stream != NULL) {
        rc_write_environment(find_fit(x), named ? tuner : NULL, x->env.stream);
    }
    if (x->save.stream != NULL) fwrite(x->drawing.text, 1, x->drawing.n_bytes, x->save.stream);
    rc_exit status = rc_file_deliver(&x->tuner, RC_GOOD, session->error);
    status = rc_file_deliver(&x->env, status, session->error);
    return rc_file_deliver(&x->save, status, session->error);
}

static void print_hang(const rn_hang *hang) {
    rc_print_hang(hang);
    puts("");
    puts(_("ringsim hang --step walks through it"));
}

/* Does the hang come behind what files say: wrong results, or a cause where its own verdict finds none and no line names anybody? */
static bool gives_way(const explaining *x) {
    const rn_hang *h = &x->hang;
    const bool decides = h->verdict != RN_HANG_UNDECIDED ||
                         (h->witness != NULL && h->witness->proof > RN_PROOF_UNNAMED);
    for (int i = 0; i < x->n; i++) {
        const rc_explained *file = &x->files[i];
        if (has_cause(file) && (!decides || file->findings.list[0].level == RN_ERROR)) return true;
    }
    return false;
}

static void print_all(const rc_session *session, const explaining *x) {
    const rc_options *options = &session->options;
    if (rc_given(options, EXPLAIN_WHY)) {
        rc_print_why(find_fit(x), (rs_collective)options->value[RC_COLLECTIVE].number,
                     options->value[EXPLAIN_WHY].number);
        return;
    }
    const bool later = x->hangs && gives_way(x);
    if (x->hangs && !later) print_hang(&x->hang);
    for (int i = 0; i < x->n; i++) {
        if (i > 0 || (x->hangs && !later)) puts("");
        rc_print_explained(&x->files[i]);
    }
    if (!later) return;
    puts("");
    print_hang(&x->hang);
}

static rc_exit explain(rc_session *session, explaining *all) {
    const rc_options *options = &session->options;
    static const int outputs[] = {EXPLAIN_TUNER, EXPLAIN_ENV, RC_SAVE, RC_EXPORT};
    int n_out = 0; /* that go to standard output */
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = options->value[outputs[i]].text;
        n_out += rc_given(options, outputs[i]) && path != NULL && strcmp(path, "-") == 0;
    }
    if (n_out + rc_given(options, RC_JSON) > 1) {
        return rc_fail(session->error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = check_company(session);
    if (status == RC_GOOD) status = read_files(session, all);
    if (status == RC_GOOD) status = check_wishes(session, all);
    if (status == RC_GOOD) status = open_files(session, all);
    rc_exit shown = RC_GOOD;
    if (status == RC_GOOD && (walks(options) || rc_given(options, RC_EXPORT))) {
        shown = rc_show_drawing(session, &all->drawing, walks(options));
    }
    if (status == RC_GOOD && (shown == RC_GOOD || shown == RC_NO))
        status = write_files(session, all);
    if (status == RC_GOOD) status = shown;
    rc_file_discard(&all->tuner);
    rc_file_discard(&all->env);
    rc_file_discard(&all->save);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        rc_json_explain(all->files, all->n, all->hangs ? &all->hang : NULL, stdout);
    } else if (n_out == 0 && !walks(options)) {
        print_all(session, all);
    }
    bool wrong = all->hangs && rc_hangs(&all->hang);
    for (int i = 0; i < all->n; i++) wrong = wrong || all->files[i].findings.n[RN_ERROR] > 0;
    return wrong ? RC_NO : RC_GOOD;
}

static rc_exit cmd_explain(rc_session *session) {
    explaining x = {.n = 0};
    const rc_exit status = explain(session, &x);
    rc_free_dumps(&x.dumps);
    return status;
}

/* What a lesson's page shows beside it: the rings of a log, or the machine by which a table is judged. */
static rc_exit explain_subject(rc_session *session, rv_subject *subject) {
    explaining *x = rs_alloc(session->arena, 1, sizeof *x); /* the run points into it */
    if (x == NULL) return rc_no_memory(session->error);
    *x = (explaining){.n = 0};
    rc_exit status = read_files(session, x);
    rc_free_dumps(&x->dumps); /* it shows no hang */
    x->drawing.what = (rc_draw)session->options.value[EXPLAIN_DRAW].number;
    if (status == RC_GOOD) status = rc_find_drawing(session, x->files, x->n, &x->drawing);
    if (status != RC_GOOD && !rc_given(&session->options, RC_MACHINE)) return status;
    return rc_drawing_subject(session, &x->drawing, subject);
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {EXPLAIN_WHY, "why", 0, "SIZE",
     N_("why NCCL takes this algorithm and protocol for so many bytes, and not another"),
     RC_AMOUNT(RC_IN_BYTES, NULL)},
    {.id = RC_COLLECTIVE, .help = N_("of --why; all-reduce")},
    {.id = RC_MACHINE,
     .help = N_("judge a table of nccl-tests by this machine; draw rings and trees on it")},
    {EXPLAIN_TUNER, "tuner", 0, "FILE", N_("write what is chosen by size as a tuner's CSV"), NULL},
    {EXPLAIN_ENV, "env", 0, "FILE",
     N_("write what is chosen as lines for a shell: export NCCL_ALGO=..."), NULL},
    {RC_SAVE, NULL, 0, "FILE.sched",
     N_("write what is drawn as a schedule; ringsim --algo FILE.sched --step walks through it"),
     NULL},
    {EXPLAIN_DRAW, "draw", 0, "rings|trees|machine",
     N_("what --step and --export draw; the first of these that there is"),
     RC_ONE_OF("any", "any", "rings", "trees", "machine")},
};

const rc_command rc_command_explain = {
    .name = "explain",
    .operands = "FILE...|FOLDER|-",
    .summary = N_("what a log, a dump, a table or a file of NCCL's says and means"),
    RC_TAKES(EXPLAIN_WHY, RC_COLLECTIVE, RC_MACHINE, RC_TAKE_NCCL, EXPLAIN_TUNER, EXPLAIN_ENV,
             RC_SAVE, EXPLAIN_DRAW, RC_STEP, RC_AT, RC_FOLLOW, RC_VIEW, RC_EXPORT, RC_THEME,
             RC_SCALE, RC_SIZE, RC_REDUCED_MOTION, RC_LANG, RC_JSON),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(EXPLAIN_WHY, RC_COLLECTIVE, RC_MACHINE, EXPLAIN_TUNER, EXPLAIN_ENV, RC_SAVE,
             EXPLAIN_DRAW, RC_STEP, RC_VIEW, RC_EXPORT, RC_LANG, RC_JSON),
    .run = cmd_explain,
    .subject = explain_subject,
    .own_page = true};
