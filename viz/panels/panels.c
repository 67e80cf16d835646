/* panels.c: the list of panels: a word for each. Views come first, in the order of their keys and
 * buttons.
 *
 * To add one: a file draw_NAME.c that ends with its row, rv_panel_NAME (panel.h), and one word here; a view
 * goes behind the other views.
 */
#include "stage/panel.h"

#define VIEWS(row)                                                                                 \
    row(ring) row(path) row(matrix) row(diagram) row(cost) row(rule) row(numbers) row(machine)
#define FRAME(row)                                                                                 \
    row(story) row(plan) row(lesson) row(title) row(heading) row(caption) row(controls) row(menu)  \
        row(typing) row(help) row(hint)

#define DECLARE(name) extern const rv_panel rv_panel_##name;
VIEWS(DECLARE)
FRAME(DECLARE)

#define POINT_TO(name) &rv_panel_##name,
const rv_panel *const rv_panels[] = {VIEWS(POINT_TO) FRAME(POINT_TO) NULL};
