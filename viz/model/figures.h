/* figures.h: a run as a row of figures, for a sheet: which moments, and what is said under each. Pure.
 *
 *     the start,  every step with its chunks on their way,  how things stand where a phase ends
 *
 * A ring of five: partition into chunks; four iterations of scatter-reduce, its end; four of
 * all-gather, the end: eleven figures. A subject that lists no figures of its own has one a moment.
 */
#pragma once

#include "model/subject.h"

/* Returns how many there are; writes the first n_out of them. */
int32_t rv_list_figures(const rv_subject *subject, rv_figure out[], int32_t n_out);
/* Says what a figure shows; the subject stands at it already. */
size_t rv_figure_text(const rv_subject *subject, const rv_figure *figure, int32_t rank, char *out,
                      size_t n_out);

/* The same two for a run: subject_run.c puts them into its table of functions. */
int32_t rv_run_figures(const rv_subject *subject, rv_figure out[], int32_t n_out);
size_t rv_run_figure_text(const rv_subject *subject, const rv_figure *figure, int32_t rank,
                          char *out, size_t n_out);
