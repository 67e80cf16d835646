/* report.h: the result, printed (report.c), and the three formats that machines read (report_machines.c). */
#pragma once

#include "grade/result.h"

enum { RC_REPORT_TEXT, RC_REPORT_GRADESCOPE, RC_REPORT_AUTOLAB, RC_REPORT_JUNIT, RC_REPORT_CSV };
/* Their names: text gradescope autolab junit csv; ends with NULL. */
extern const char *const rc_report_formats[];
/* Prints n_grades >= 1 results in that format; those of Gradescope and Autolab are of the first. */
void rc_report(int format, const rc_grade grades[], int n_grades, const char *program, FILE *out);

void rc_report_gradescope(const rc_grade *grade, FILE *out); /* results.json */
void rc_report_autolab(const rc_grade *grade, FILE *out);    /* its last line */
void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out);
/* class_print.c: a class in words: a line a student, then what it comes to. */
void rc_print_class(const rc_grade grades[], int n);
