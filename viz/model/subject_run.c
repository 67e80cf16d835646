/* subject_run.c: a run as a subject: its schedule says what the steps are, its model where it stands. */
#include "model/figures.h"
#include "model/model.h"
#include "model/subject.h"
#include "model/tempo.h"
#include "text/say.h"

#include <assert.h>

static rs_status walk(rv_subject *subject, rs_arena *arena, rs_error *error) {
    if (subject->model != NULL) return RS_OK;
    return rv_model_new(subject->report, arena, error, &subject->model);
}

static rv_position position(const rv_subject *subject) {
    assert(subject->model != NULL);
    return (rv_position){subject->model->step, subject->model->moment};
}

static rs_status seek(const rv_subject *subject, int32_t step, rv_moment moment, rs_error *error) {
    assert(subject->model != NULL);
    return rv_model_seek(subject->model, step, moment, error);
}

static const rs_schedule *schedule_of(const rv_subject *subject) {
    return subject->report->request.job.schedule;
}

static size_t title(const rv_subject *subject, char *out, size_t n_out) {
    const rs_schedule *schedule = schedule_of(subject);
    return rv_say_text(out, n_out, schedule->n_ranks == 1 ? _("%s, %d GPU") : _("%s, %d GPUs"),
                       schedule->name, (int)schedule->n_ranks);
}

static size_t sheet_title(const rv_subject *subject, char *out, size_t n_out) {
    const rs_job *job = &subject->report->request.job;
    char size[32];
    int mark;
    rv_say say = rv_say_to(out, n_out);
    rv_format_bytes(job->count * job->elem_bytes, size, sizeof size);
    rv_say_more(&say, _("%s %s, %d GPUs, %s each: step by step"), rv_schedule_word(job->schedule),
                rv_collective_word(job->schedule->collective), (int)job->schedule->n_ranks, size);
    const char *judgement = rv_judgement(subject->report, &mark);
    if (mark <= 0 && judgement[0] != '\0') rv_say_more(&say, " \xC2\xB7 %s", judgement);
    return say.used;
}

static const char *origin(const rv_subject *subject) {
    const rs_recording *recording = subject->report->recording;
    return recording == NULL ? NULL : recording->measured ? _("measured") : _("simulated");
}

static bool phase(const rv_subject *subject, int32_t rank, int32_t i, rv_phase *found) {
    const rs_schedule *schedule = schedule_of(subject);
    (void)rank;
    assert(i >= 0);
    if (i >= schedule->n_phases) return false;
    *found = (rv_phase){schedule->phases[i].first_step, rv_phase_title(schedule->phases[i].phase)};
    return true;
}

static size_t step_text(const rv_subject *subject, int32_t rank, int32_t step, char *out,
                        size_t n_out) {
    int32_t iteration, of;
    const rs_phase found = rs_phase_at(schedule_of(subject), step, &iteration, &of);
    const bool reached = subject->model == NULL || step < rv_still_from(subject->model) ||
                         subject->report->outcome.completed;
    (void)rank;
    if (!reached || found == RS_PHASE_NONE) {
        return rv_say_text(out, n_out, reached ? _("step %d") : _("step %d: never reached"),
                           (int)step);
    }
    return rv_say_text(out, n_out, _("step %d: %s, iteration %d of %d"), (int)step,
                       rv_phase_title(found), (int)iteration + 1, (int)of);
}

static void caption(const rv_subject *subject, rv_position at, int32_t rank, rv_sentence *out) {
    rv_model moment = *subject->model;
    const rs_report *report = moment.report;
    const bool wrong = !report->outcome.completed || (report->judged && !report->verdict.sound) ||
                       (report->computed && !report->correct);
    const bool over = at.step >= subject->n_steps;
    moment.step = at.step;
    moment.moment = at.moment;
    *out = (rv_sentence){.good = over && !wrong, .bad = over && wrong};
    rv_trouble_text(&moment, out->trouble, sizeof out->trouble);
    rv_caption(&moment, rank, out->text, sizeof out->text);
}

static void ask(const rv_subject *subject, int32_t step, int32_t rank, rv_question *question) {
    rv_ask_question(schedule_of(subject), step, rank, question);
}

static bool pauses(const rv_subject *subject) {
    rv_pause pause;
    return rv_between_phases(subject->model, &pause);
}

static int64_t now_ps(const rv_subject *subject, int32_t rank, double progress) {
    (void)rank;
    return rv_time_at(subject->model, subject->model->step, progress);
}

static size_t clock_text(const rv_subject *subject, int32_t rank, double progress, char *out,
                         size_t n_out) {
    const int64_t at_ps = now_ps(subject, rank, progress);
    out[0] = '\0';
    if (subject->model->step < 0 || at_ps < 0) return 0;
    return rv_clock_text(at_ps, subject->report->outcome.makespan_ps, out, n_out);
}

/* The GPUs divide an average after the last step: a page that asks for that step shows the end. */
static int32_t page_step(const rv_subject *subject, int32_t step) {
    const bool divides = subject->report->request.op == RS_AVG && step == subject->n_steps - 1;
    return divides ? subject->n_steps : step;
}

static const rv_subject_kind run_kind = {.undoes = true,
                                         .walk = walk,
                                         .position = position,
                                         .seek = seek,
                                         .title = title,
                                         .sheet_title = sheet_title,
                                         .origin = origin,
                                         .phase = phase,
                                         .step_text = step_text,
                                         .caption = caption,
                                         .list_figures = rv_run_figures,
                                         .figure_text = rv_run_figure_text,
                                         .ask = ask,
                                         .pauses = pauses,
                                         .now_ps = now_ps,
                                         .clock = clock_text,
                                         .page_step = page_step};

rv_subject rv_run_subject(const rs_report *report) {
    const rs_schedule *schedule = report->request.job.schedule;
    return (rv_subject){.kind = &run_kind,
                        .n_steps = schedule->n_steps,
                        .n_ranks = schedule->n_ranks,
                        .algorithm = schedule->name,
                        .report = report};
}

rv_subject rv_model_subject(rv_model *model) {
    rv_subject subject = rv_run_subject(model->report);
    subject.model = model;
    return subject;
}

rv_subject rv_pair_subject(const rs_report *report, const rs_report *beside) {
    rv_subject subject = rv_run_subject(report);
    subject.beside = beside;
    return subject;
}
