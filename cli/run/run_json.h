/* run_json.h: a run as JSON (run_json.c) and as a Chrome trace (chrome.c), streamed. */
#pragma once

#include "base/json_file.h"

/* Prints ringsim.run/1 and a newline. sandbox: what holds the learner's program; "": there is none. */
rc_exit rc_json_run(const rs_report *report, bool transfers, const char *sandbox, FILE *out,
                    rs_error *error);
/* Prints ringsim.view/1: several runs. */
rc_exit rc_json_runs(const rs_report reports[], int n, bool transfers, FILE *out, rs_error *error);
/* Prints ringsim.check/1. */
void rc_json_check(const char *path, const rs_schedule *schedule, const rs_verdict *verdict,
                   const char *sandbox, FILE *out);
/* Prints the trace in Chrome's format, which Perfetto opens. */
void rc_chrome_trace(const rs_report *report, FILE *out);
