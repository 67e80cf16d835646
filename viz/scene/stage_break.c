/* stage_break.c: breaking it: faults, the fork, the race, and the sliders. */
#include "stage.h"

bool rv_stage_break(rv_stage *stage, rv_action action, rs_error *error, rs_status *status) {
    (void)stage, (void)action, (void)error, (void)status;
    return false;
}

rs_status rv_stage_turn(rv_stage *stage, rv_knob knob, double place, rs_error *error) {
    (void)stage, (void)knob, (void)place, (void)error;
    return RS_OK;
}
