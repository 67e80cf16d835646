/* subject_machine.c: a machine as a subject: it has no steps, nothing happens. Only its picture is drawn. */
#include "model/subject.h"
#include "text/say.h"

static rv_position position(const rv_subject *subject) {
    (void)subject;
    return (rv_position){-1, RV_DONE};
}

static rs_status seek(const rv_subject *subject, int32_t step, rv_moment moment, rs_error *error) {
    (void)subject, (void)step, (void)moment, (void)error;
    return RS_OK;
}

static size_t title(const rv_subject *subject, char *out, size_t n_out) {
    return rv_say_text(out, n_out, _("Machine: %s"), subject->machine->name);
}

static bool phase(const rv_subject *subject, int32_t rank, int32_t i, rv_phase *found) {
    (void)subject, (void)rank, (void)i, (void)found;
    return false;
}

static size_t say_nothing(const rv_subject *subject, int32_t rank, int32_t step, char *out,
                          size_t n_out) {
    (void)subject, (void)rank, (void)step, (void)n_out;
    out[0] = '\0';
    return 0;
}

static void caption(const rv_subject *subject, rv_position at, int32_t rank, rv_sentence *out) {
    (void)subject, (void)at, (void)rank;
    *out = (rv_sentence){0};
}

static int64_t now_ps(const rv_subject *subject, int32_t rank, double progress) {
    (void)subject, (void)rank, (void)progress;
    return -1;
}

static size_t no_clock(const rv_subject *subject, int32_t rank, double progress, char *out,
                       size_t n_out) {
    (void)subject, (void)rank, (void)progress, (void)n_out;
    out[0] = '\0';
    return 0;
}

static int32_t page_step(const rv_subject *subject, int32_t step) {
    (void)subject;
    return step;
}

static const rv_subject_kind machine_kind = {.position = position,
                                             .seek = seek,
                                             .title = title,
                                             .sheet_title = title,
                                             .phase = phase,
                                             .step_text = say_nothing,
                                             .caption = caption,
                                             .now_ps = now_ps,
                                             .clock = no_clock,
                                             .page_step = page_step};

rv_subject rv_machine_subject(const rs_machine *machine) {
    return (rv_subject){.kind = &machine_kind, .algorithm = "", .machine = machine};
}
