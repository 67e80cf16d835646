/* subject.c: what follows from a subject's functions, the same for every kind. */
#include "model/subject.h"
#include "text/say.h"

#include <assert.h>
#include <string.h>

rs_status rv_subject_walk(rv_subject *subject, rs_arena *arena, rs_error *error) {
    return subject->kind->walk == NULL ? RS_OK : subject->kind->walk(subject, arena, error);
}

void rv_subject_free(rv_subject *subject) {
    if (subject->kind->free != NULL) subject->kind->free(subject);
}

bool rv_has_frames(const rv_subject *subject) {
    return subject->kind->frame != NULL;
}

bool rv_has_model(const rv_subject *subject) {
    return !rv_has_frames(subject) && subject->machine == NULL;
}

bool rv_is_own(const rv_subject *subject) {
    const rs_source *source =
        subject->report != NULL ? subject->report->request.job.schedule->source : NULL;
    return source != NULL && source->text[0] != '\0';
}

bool rv_is_machine(const rv_subject *subject) {
    return subject->machine != NULL;
}

bool rv_has_machine(const rv_subject *subject) {
    return subject->report != NULL && subject->report->request.job.net.machine != NULL;
}

rv_action rv_meaning_of(const rv_subject *subject, rv_action action) {
    return subject->kind->meaning == NULL ? action : subject->kind->meaning(action);
}

const char *rv_help_of(const rv_subject *subject, const rv_key_row *row) {
    return subject->kind->help == NULL ? _(row->help) : subject->kind->help(row);
}

bool rv_takes(const rv_subject *subject, rv_action action) {
    return rv_meaning_of(subject, action) == action;
}

int32_t rv_phase_step(const rv_subject *subject, int32_t rank, int direction) {
    const int32_t step = subject->kind->position(subject).step;
    assert(direction == 1 || direction == -1);
    int32_t to = direction > 0 ? subject->n_steps : -1;
    rv_phase phase;
    for (int32_t i = 0; subject->kind->phase(subject, rank, i, &phase); i++) {
        const int32_t first = phase.first_step;
        if (direction > 0 && first > step && first < to) to = first;
        if (direction < 0 && first < step && first > to) to = first;
    }
    return to;
}

size_t rv_clock_text(int64_t now_ps, int64_t end_ps, char *out, size_t n_out) {
    char now[32], all[32];
    rv_format_time(now_ps, now, sizeof now);
    rv_format_time(end_ps, all, sizeof all);
    return rv_say_text(out, n_out, _("%s of %s"), now, all);
}

const char *rv_algorithm_word(const char *name) {
    static const char *const names[][2] = {{"ring", N_("Ring")},
                                           {"naive", N_("One reducer")},
                                           {"tree", N_("Tree")},
                                           {"doubling", N_("Doubling")},
                                           {"halving", N_("Halving")},
                                           {"bidirectional", N_("Bidirectional")},
                                           {"two-level", N_("Two-level")},
                                           {"rings", N_("Rings")},
                                           {"double-tree", N_("Double tree")},
                                           {"one-shot", N_("One-shot")},
                                           {"two-shot", N_("Two-shot")},
                                           {"nvls", N_("NVLS")},
                                           {"pairwise", N_("Pairwise")},
                                           {"direct", N_("Direct")},
                                           {"file", N_("File")}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i][0]) == 0) return _(names[i][1]);
    }
    return name;
}

const char *rv_algorithm_said(const char *name) {
    if (strcmp(rv_language(), "en") != 0) return rv_algorithm_word(name);
    return strcmp(name, "naive") == 0 ? "one reducer" : name;
}

const char *rv_schedule_word(const rs_schedule *schedule) {
    const rs_source *source = schedule->source;
    return source != NULL && source->file != NULL ? source->file
                                                  : rv_algorithm_word(schedule->name);
}

const char *rv_collective_word(rs_collective of) {
    static const char *const names[RS_N_COLLECTIVES] = {N_("all-reduce"), N_("reduce-scatter"),
                                                        N_("all-gather"), N_("broadcast"),
                                                        N_("reduce"),     N_("all-to-all")};
    return _(names[of]);
}

const char *rv_phase_title(rs_phase phase) {
    static const char *const titles[] = {"",
                                         N_("Scatter-reduce"),
                                         N_("All-gather"),
                                         N_("Reduce"),
                                         N_("Broadcast"),
                                         N_("Exchange"),
                                         N_("Fold in"),
                                         N_("Fold out")};
    return phase == RS_PHASE_NONE ? "" : _(titles[phase]);
}
