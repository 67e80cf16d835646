/* golden.h: texts as they were when somebody last looked at them: tests/golden/NAME.txt.
 *
 * RINGSIM_UPDATE=1 writes them anew; look at the difference then.
 */
#pragma once

/* Wants `got` to be the text of that name; where it is not, the first line that differs is told. */
void golden_compare(const char *name, const char *got);
