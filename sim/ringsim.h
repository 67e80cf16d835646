/* ringsim.h: the whole face of libringsim, in the order in which data flows.
 *
 *     algorithm ---> SCHEDULE --+--> check ------> verdict
 *                               +--> simulate ---> TRACE
 *                               +--> apply ------> values
 *
 *     ringsim_host.h      status, errors, memory          ringsim_time.h      links, faults, simulate, trace
 *     ringsim_schedule.h  schedules and algorithms        ringsim_run.h       a whole run, and its report
 *     ringsim_check.h     verdicts, contents of cells     ringsim_measure.h   bounds, rates, recordings, fit
 *     ringsim_values.h    types, data, apply, compare
 *
 *   - Programs include this header alone; its parts are whole in themselves.
 *   - Pure C17: no files, no clock, no environment, no threads, no globals but const tables.
 *     What the outside world offers (memory, cores, a progress bar) comes in through rs_host.
 *   - Every function that can fail returns an rs_status; its result is the last argument and is
 *     untouched on failure; the reason is in *error, in one line: what, where, what to do next.
 *   - Memory comes from the rs_arena that the caller passes, and dies with it.
 *   - Times are int64 picoseconds, sizes are bytes unless a name says elements, ranks, chunks and
 *     steps count from 0.
 */
#pragma once

#include "ringsim_host.h"
#include "ringsim_schedule.h"
#include "ringsim_check.h"
#include "ringsim_values.h"
#include "ringsim_bits.h"
#include "ringsim_time.h"
#include "ringsim_run.h"
#include "ringsim_measure.h"
