/* landlock.h: which files a sandboxed program may open. */
#ifndef RC_LANDLOCK_H
#define RC_LANDLOCK_H

#include <stdbool.h>

/* Allows from now on to open only what lies in `shown` (ends with NULL) and, for reading, or all that a
   compiler does, in `box`. Returns false where the kernel has no Landlock. */
bool rc_landlock(const char *const shown[], const char *box, bool writing);

#endif
