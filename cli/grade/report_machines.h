/* report_machines.h: results for machines. */
#pragma once

#include "grade/result.h"

void rc_report_gradescope(const rc_grade *grade, FILE *out); /* results.json */
void rc_report_autolab(const rc_grade *grade, FILE *out);    /* its last line */
void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out);
