/* figures.h: a run as a row of figures, for a sheet: which moments, and what is said under each. Pure.
 *
 *     the start,  every step with its chunks on their way,  how things stand where a phase ends
 *
 * A ring of five: partition into chunks; four iterations of scatter-reduce, its end; four of
 * all-gather, the end: eleven figures. Of a story each moment is shown as it is told.
 */
#ifndef RV_FIGURES_H
#define RV_FIGURES_H

#include "model/subject.h"

typedef struct rv_figure {
    int32_t step;
    double progress; /* in that step, as tempo.h counts it */
    bool ends;       /* it shows the end of `phase` */
    rs_phase phase;
} rv_figure;

/* Returns how many there are; writes the first n_out of them. */
int32_t rv_list_figures(const rv_subject *subject, rv_figure out[], int32_t n_out);
/* Says what a figure shows; the subject stands at it already. */
size_t rv_figure_text(const rv_subject *subject, const rv_figure *figure, int32_t rank, char *out,
                      size_t n_out);

#endif
