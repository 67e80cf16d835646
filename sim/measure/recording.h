/* recording.h: what the files about recorded runs share. Private to sim/. */
#pragma once

#include "ringsim.h"

/* Finds the algorithm that makes just this schedule, and takes that one's in its place: it knows its
   phases and its name. */
void rs_recording_name(rs_recording *recording);
/* run.c: tells whether judging the request's schedule was asked for, or costs little. */
bool rs_wants_verdict(const rs_request *request);
