/* report.h: the ways in which a result is printed. */
#ifndef RC_REPORT_H
#define RC_REPORT_H

#include "grade/grade.h"

enum { RC_REPORT_TEXT, RC_REPORT_GRADESCOPE, RC_REPORT_AUTOLAB, RC_REPORT_JUNIT, RC_REPORT_CSV };

/* Returns why not all points were given, "" if they were. */
const char *rc_main_reason(const rc_grade *grade);
void rc_report_part(const rc_part *part, FILE *out);
void rc_report_gradescope(const rc_grade *grade, FILE *out); /* results.json */
void rc_report_autolab(const rc_grade *grade, FILE *out);    /* its last line */
void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out);

#endif
