/* stage_break.c: how the reader breaks a run: faults, the GPU's menu, and the sliders. After each
 * change the stage computes the run again at once, and the message says what it costs: "8.04 ms →
 * 80.4 ms".
 */
#include "stage/stage.h"
#include "stage/panel.h"
#include "text/say.h"

#include <string.h>

/* The links that a reader sees as one wire: those between two devices, or, where nodes are drawn as
 * tiles, all that join two of those.
 */

/* Returns the number of the node that a device is part of, or behind all nodes one of its own. */
static int32_t place_of(const rs_machine *machine, int32_t device) {
    return machine->node[device] >= 0 ? machine->node[device] : machine->n_nodes + device;
}

static bool joins_places(const rs_machine *machine, const rs_machine_link *link,
                         const rs_machine_link *like) {
    const int32_t a = place_of(machine, link->a), b = place_of(machine, link->b);
    const int32_t x = place_of(machine, like->a), y = place_of(machine, like->b);
    return (a == x && b == y) || (a == y && b == x);
}

/* Finds the pairs of devices whose links are drawn as one with a wire, n_links in all, its own first;
   returns how many there are, at least 1. */
static int32_t find_bundle(const rs_machine *machine, int32_t wire, int32_t n_links,
                           rv_link_fault pairs[RV_MAX_FAULTS]) {
    const rs_machine_link *first = &machine->links[wire / 2];
    int32_t n_between = 0, n = 1;
    pairs[0] = (rv_link_fault){.a = first->a, .b = first->b};
    for (int32_t i = 0; i < machine->n_links; i++) {
        n_between += rv_is_fault_between(&pairs[0], machine->links[i].a, machine->links[i].b);
    }
    if (n_links <= n_between) return n; /* a fault is all links' between two devices */
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        bool known = !joins_places(machine, link, first);
        for (int32_t k = 0; k < n && !known; k++)
            known = rv_is_fault_between(&pairs[k], link->a, link->b);
        if (known) continue;
        if (n == RV_MAX_FAULTS) return n;
        pairs[n++] = (rv_link_fault){.a = link->a, .b = link->b};
    }
    return n;
}

/* ------------------------------------------------------------------------------------ changing */

/* --------------------------------------------------------------------------------------- changing */

/* Runs with other settings. Where that cannot be, the old run stays, and the message says why. */
static rs_status run_with(rv_stage *stage, const rv_setup *setup, rs_error *error, bool *changed) {
    const rs_report *before = stage->what_if->report;
    rs_error reason = {.text = ""};
    const rs_status status = rv_stage_change(stage, setup, &reason);
    *changed = stage->what_if->report != before;
    if (status == RS_OK) return RS_OK;
    if (*changed) return *error = reason, status;
    rs_error_said(&reason, rv_gettext, stage->playback.message, sizeof stage->playback.message);
    return RS_OK;
}

/* Tells whether the run cannot be changed, and then tells the reader why. */
static bool is_fixed(rv_stage *stage) {
    if (!stage->what_if->setup.fixed) return false;
    rv_stage_tell(stage, "%s", _("A recorded run stays as it was; to change one, simulate it"));
    return true;
}

/* Returns the GPU to report on: the followed one if it waits, else the first that does. */
static int32_t who_waits(const rv_stage *stage) {
    const rs_outcome *outcome = &stage->what_if->report->outcome;
    if (rv_stalled_step(outcome, stage->playback.rank) >= 0 || outcome->n_stalled == 0) {
        return stage->playback.rank;
    }
    return outcome->stalled[0].rank;
}

/* Says what was changed and what it costs. */
static void say_cost(rv_stage *stage, const char *what, bool ended, int64_t before_ps) {
    const rs_outcome *outcome = &stage->what_if->report->outcome;
    const char *collective = rv_collective_word(stage->what_if->model->schedule->collective);
    char before[32], now[32];
    rv_format_time(before_ps, before, sizeof before);
    rv_format_time(outcome->makespan_ps, now, sizeof now);
    if (outcome->completed) {
        if (ended) {
            rv_stage_tell(stage, _("%s: %s → %s"), what, before, now);
        } else {
            rv_stage_tell(stage, _("%s: the %s ends again, after %s"), what, collective, now);
        }
        return;
    }
    char why[256];
    rv_stall_text(outcome, who_waits(stage), why, sizeof why);
    rv_stage_tell(stage, _("%s: the %s never ends. %s"), what, collective, why);
}

/* ----------------------------------------------------------------------------------------- faults */

/* Rounds to one digit: the menu should offer short numbers. */
static int64_t one_digit(int64_t value) {
    int64_t power = 1;
    while (value / power >= 10) power *= 10;
    return value < 1 ? 1 : (value + power / 2) / power * power;
}

static bool has_fault(const rs_fault *fault, rv_gpu_fault kind, int32_t rank) {
    static const rs_fault_kind kinds[] = {RS_SLOW_LINK, RS_LATE, RS_STRAGGLER, RS_KILL};
    return fault->rank == rank && (kind >= RV_FAULT_NONE || fault->kind == kinds[kind]);
}

/* Makes the fault that the menu offers. Late: by half of the time of the run without faults; slow:
   a step takes twice as long. */
static rs_fault offered_fault(const rv_stage *stage, rv_gpu_fault kind, int32_t rank) {
    const rv_model *model = stage->what_if->model;
    const int32_t n = model->n_steps > 0 ? model->n_steps : 1;
    int64_t healthy_ps = model->report->lower_bound_ps;
    rs_job well = model->report->request.job;
    well.n_faults = 0;
    const int64_t known_ps = rs_closed_form_ps(&well);
    if (known_ps > 0) healthy_ps = known_ps;
    rs_fault fault = {.rank = rank, .factor_num = RV_TIMES_SLOWER, .factor_den = 1};
    switch (kind) {
    case RV_FAULT_LATE:
        fault.kind = RS_LATE;
        fault.time_ps = one_digit(healthy_ps / 2);
        break;
    case RV_FAULT_SLOW:
        fault.kind = RS_STRAGGLER;
        fault.time_ps = one_digit(healthy_ps / n);
        break;
    case RV_FAULT_DEAD:
        fault.kind = RS_KILL;
        fault.step = rv_steps_executed(model) < n ? rv_steps_executed(model) : n - 1;
        break;
    case RV_FAULT_LINK:
    case RV_FAULT_NONE:
    case RV_N_FAULTS: fault.kind = RS_SLOW_LINK; break;
    }
    return fault;
}

rs_fault rv_fault_of(const rv_stage *stage, rv_gpu_fault kind, int32_t rank, bool *has) {
    const rv_setup *setup = &stage->what_if->setup;
    for (int32_t i = 0; i < setup->n_faults; i++) {
        *has = has_fault(&setup->faults[i], kind, rank);
        if (*has) return setup->faults[i];
    }
    *has = false;
    return offered_fault(stage, kind, rank);
}

/* Removes a rank's faults of one kind (rank -1: all faults); returns how many there were. */
static int32_t remove_faults(rv_setup *setup, rv_gpu_fault kind, int32_t rank) {
    int32_t kept = 0;
    const int32_t n = setup->n_faults;
    for (int32_t i = 0; i < n; i++) {
        if (rank >= 0 && !has_fault(&setup->faults[i], kind, rank)) {
            setup->faults[kept++] = setup->faults[i];
        }
    }
    setup->n_faults = kept;
    return n - kept;
}

static rs_status run_anew(rv_stage *stage, const rv_setup *setup, const char *what,
                          rs_error *error) {
    const rs_outcome *outcome = &stage->what_if->report->outcome;
    const bool ended = outcome->completed;
    const int64_t before_ps = outcome->makespan_ps;
    bool changed;
    stage->playback.message[0] = '\0';
    const rs_status status = run_with(stage, setup, error, &changed);
    const bool said = stage->playback.message[0] != '\0'; /* why a race has ended */
    if (status == RS_OK && changed && !said) say_cost(stage, what, ended, before_ps);
    return status;
}

/* Gives a rank a fault, or takes it away. */
static rs_status toggle_fault(rv_stage *stage, rv_gpu_fault kind, int32_t rank, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    bool has;
    if (is_fixed(stage)) return RS_OK;
    const rs_fault fault = rv_fault_of(stage, kind, rank, &has);
    char what[160], planned[128];
    rv_say say = rv_say_to(what, sizeof what), plan = rv_say_to(planned, sizeof planned);
    rv_say_fault(&plan, &fault);
    if (has) {
        remove_faults(&setup, kind, rank);
        rv_say_more(&say, _("No longer: %s"), planned);
    } else if (setup.n_faults == RV_MAX_FAULTS) {
        rv_stage_tell(stage, _("No more than %d faults at once; u mends them all"), RV_MAX_FAULTS);
        return RS_OK;
    } else {
        setup.faults[setup.n_faults++] = fault;
        rv_say_more(&say, "%s", planned);
    }
    return run_anew(stage, &setup, what, error);
}

/* ------------------------------------------------------------------------------ a machine's links */

static int32_t bundle_of(const rv_stage *stage, int32_t wire, rv_link_fault pairs[RV_MAX_FAULTS]) {
    const rs_machine *machine = stage->what_if->report->request.job.net.machine;
    const int32_t n_links =
        stage->menu.thing == RV_WIRE && stage->menu.a == wire ? stage->menu.b : 1;
    return find_bundle(machine, wire, n_links, pairs);
}

static const rv_link_fault *fault_between(const rv_setup *setup, rv_wire_fault kind,
                                          const rv_link_fault *pair) {
    for (int32_t i = 0; i < setup->n_link_faults; i++) {
        const rv_link_fault *at = &setup->link_faults[i];
        if (!rv_is_fault_between(at, pair->a, pair->b)) continue;
        if (kind == RV_WIRE_WELL || at->cut == (kind == RV_WIRE_CUT)) return at;
    }
    return NULL;
}

const rv_link_fault *rv_fault_of_wire(const rv_stage *stage, rv_wire_fault kind, int32_t wire) {
    rv_link_fault pairs[RV_MAX_FAULTS];
    const rv_link_fault *found = NULL;
    const int32_t n = bundle_of(stage, wire, pairs);
    for (int32_t i = 0; i < n; i++) { /* all of them have it, or any can be mended */
        found = fault_between(&stage->what_if->setup, kind, &pairs[i]);
        if ((found == NULL) != (kind == RV_WIRE_WELL)) break;
    }
    return found;
}

static void say_hurt(const rv_stage *stage, const rv_link_fault pairs[], int32_t n, bool had,
                     rv_wire_fault kind, rv_say *say) {
    const rs_machine *machine = stage->what_if->report->request.job.net.machine;
    const char *a = machine->names[pairs->a], *b = machine->names[pairs->b];
    if (n == 1) {
        rv_say_more(say,
                    had                   ? _("%s – %s is well again")
                    : kind == RV_WIRE_CUT ? _("%s – %s is cut")
                                          : _("%s – %s is slow"),
                    a, b);
        return;
    }
    rv_say_more(say,
                had                   ? _("%s – %s and %d beside it are well again")
                : kind == RV_WIRE_CUT ? _("%s – %s and %d beside it are cut")
                                      : _("%s – %s and %d beside it are slow"),
                a, b, (int)n - 1);
}

/* Makes the links of a wire slow, or cuts them; what they have already is mended. */
static rs_status hurt_wire(rv_stage *stage, rv_wire_fault kind, int32_t wire, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    rv_link_fault pairs[RV_MAX_FAULTS];
    const int32_t n = bundle_of(stage, wire, pairs);
    const bool had = rv_fault_of_wire(stage, kind, wire) != NULL;
    if (is_fixed(stage) || (kind == RV_WIRE_WELL && !had)) return RS_OK;
    int32_t kept = 0;
    for (int32_t i = 0; i < setup.n_link_faults; i++) {
        bool of_it = false;
        for (int32_t k = 0; k < n; k++) {
            of_it = of_it || rv_is_fault_between(&setup.link_faults[i], pairs[k].a, pairs[k].b);
        }
        if (!of_it) setup.link_faults[kept++] = setup.link_faults[i];
    }
    setup.n_link_faults = kept;
    if (!had && kept + n > RV_MAX_FAULTS) {
        rv_stage_tell(stage, _("No more than %d faults at once; u mends them all"), RV_MAX_FAULTS);
        return RS_OK;
    }
    for (int32_t i = 0; i < n && !had; i++) {
        setup.link_faults[setup.n_link_faults++] =
            (rv_link_fault){pairs[i].a, pairs[i].b, kind == RV_WIRE_CUT, RV_TIMES_SLOWER, 1};
    }
    char what[160];
    rv_say say = rv_say_to(what, sizeof what);
    say_hurt(stage, pairs, n, had, kind, &say);
    return run_anew(stage, &setup, what, error);
}

static rs_status heal(rv_stage *stage, int32_t rank, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    char what[64];
    if (is_fixed(stage)) return RS_OK;
    rv_say say = rv_say_to(what, sizeof what);
    if (rank < 0) {
        rv_say_more(&say, "%s", _("All is well again"));
    } else {
        rv_say_more(&say, _("GPU %d is well again"), (int)rank);
    }
    const int32_t n_link_faults = rank < 0 ? setup.n_link_faults : 0;
    if (rank < 0) setup.n_link_faults = 0;
    if (remove_faults(&setup, RV_FAULT_NONE, rank) + n_link_faults > 0)
        return run_anew(stage, &setup, what, error);
    rv_stage_tell(stage, "%s", _("Nothing is broken"));
    return RS_OK;
}

/* --------------------------------------------------------------------------------------- sliders */

static rs_status turn_to(rv_stage *stage, const rv_setup *setup, rs_error *error) {
    const rv_setup *now = &stage->what_if->setup;
    bool changed;
    if (setup->n_ranks == now->n_ranks && setup->count == now->count &&
        setup->link.alpha_ps == now->link.alpha_ps &&
        setup->link.bandwidth_Bps == now->link.bandwidth_Bps) {
        return RS_OK;
    }
    stage->playback.playing = false;
    stage->what_if->quick = stage->held.thing == RV_SLIDER && stage->other == NULL;
    const rs_status status = run_with(stage, setup, error, &changed);
    stage->what_if->quick = false;
    return status;
}

rs_status rv_stage_let_go(rv_stage *stage, rs_error *error) {
    const rv_setup setup = stage->what_if->setup;
    bool changed;
    return stage->what_if->skimped ? run_with(stage, &setup, error, &changed) : RS_OK;
}

/* Tells whether the reader may move this slider, and else says why: a schedule from a file has its
   own number of ranks. */
static bool may_turn(rv_stage *stage, rv_knob knob) {
    if (is_fixed(stage)) return false;
    if (rv_knob_turns(&stage->what_if->setup, knob)) return true;
    rv_stage_tell(stage, "%s", _("A schedule from a file has the GPUs that it names"));
    return false;
}

rs_status rv_stage_turn(rv_stage *stage, rv_knob knob, double place, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    stage->knob = knob;
    stage->playback.message[0] = '\0';
    if (!may_turn(stage, knob)) return RS_OK;
    rv_knob_set(&setup, knob, place);
    return turn_to(stage, &setup, error);
}

/* Opens the sliders, as the latest view if there is little room; false: they were shown already. */
static bool show_knobs(rv_stage *stage) {
    const unsigned numbers = rv_view_bit("numbers");
    if (stage->layout.shown & numbers) return false;
    stage->views &= ~numbers;
    rv_stage_switch(stage, rv_view_action(numbers));
    return true;
}

static rs_status move_knob(rv_stage *stage, int direction, rs_error *error) {
    rv_setup setup = stage->what_if->setup;
    show_knobs(stage);
    if (!may_turn(stage, stage->knob)) return RS_OK;
    rv_knob_move(&setup, stage->knob, direction);
    return turn_to(stage, &setup, error);
}

/* ------------------------------------------------------------------------------- keys and pointer */

/* Opens the menu of what was pressed, or closes it if it is open. */
static void toggle_menu(rv_stage *stage, rv_target at) {
    const bool open = stage->menu.thing == at.thing && stage->menu.a == at.a;
    stage->menu = open ? (rv_target){0} : at;
}

bool rv_stage_break(rv_stage *stage, rv_action action, rs_error *error, rs_status *status) {
    const int32_t rank = stage->playback.rank;
    char before[sizeof stage->playback.message];
    memcpy(before, stage->playback.message, sizeof before);
    stage->playback.message[0] = '\0';
    switch (action) {
    case RV_SLOW_THE_LINK: *status = toggle_fault(stage, RV_FAULT_LINK, rank, error); break;
    case RV_DELAY_GPU: *status = toggle_fault(stage, RV_FAULT_LATE, rank, error); break;
    case RV_BURDEN_GPU: *status = toggle_fault(stage, RV_FAULT_SLOW, rank, error); break;
    case RV_KILL_GPU: *status = toggle_fault(stage, RV_FAULT_DEAD, rank, error); break;
    case RV_HEAL_GPU: *status = heal(stage, rank, error); break;
    case RV_BREAK_MENU:
        if (!is_fixed(stage)) toggle_menu(stage, rv_target_of(RV_GPU, rank, 0));
        break;
    case RV_MEND: *status = heal(stage, -1, error); break;
    case RV_FORK:
        if (!is_fixed(stage)) *status = rv_race_fork(stage, error);
        break;
    case RV_RACE:
        if (!is_fixed(stage)) *status = rv_race_next(stage, error);
        break;
    case RV_KNOB_NEXT: /* the first time the key opens the panel, then it goes on to the next slider */
        if (!show_knobs(stage)) stage->knob = (rv_knob)((stage->knob + 1) % RV_N_KNOBS);
        break;
    case RV_KNOB_LESS: *status = move_knob(stage, -1, error); break;
    case RV_KNOB_MORE: *status = move_knob(stage, 1, error); break;
    default: memcpy(stage->playback.message, before, sizeof before); return false;
    }
    return true;
}

bool rv_break_press(rv_stage *stage, rv_target at, rs_error *error, rs_status *status) {
    const bool open = stage->menu.thing != RV_NOTHING;
    switch ((rv_thing)at.thing) {
    case RV_WIRE_FAULT: *status = hurt_wire(stage, (rv_wire_fault)at.a, at.b, error); return true;
    case RV_FAULT:
        *status = at.a == RV_FAULT_NONE ? heal(stage, at.b, error)
                                        : toggle_fault(stage, (rv_gpu_fault)at.a, at.b, error);
        return true;
    case RV_AREA:
        if (open) return true; /* the menu's ground */
        break;
    case RV_BUTTON:
        if (at.a == RV_BREAK_MENU) return false; /* it closes the menu itself */
        break;
    case RV_WIRE:
        if (is_fixed(stage)) break;
        toggle_menu(stage, at);
        return true;
    case RV_GPU:
        if (stage->what_if->setup.fixed) break; /* no menu: the click follows the GPU */
        stage->playback.rank = at.a;
        toggle_menu(stage, at);
        return true;
    default: break;
    }
    stage->menu = (rv_target){0};
    if (at.thing == RV_LINK) *status = toggle_fault(stage, RV_FAULT_LINK, at.a, error);
    /* a click beside it closes it */
    return at.thing == RV_LINK || at.thing == RV_WIRE || (open && at.thing == RV_NOTHING);
}
