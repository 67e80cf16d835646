/* parsons.h: lines to put in order. */
#pragma once

#include "grade/lab.h"

bool rc_is_parsons(const char *path); /* its name ends in .parsons */
bool rc_is_lines(const char *path);   /* it is called as the lines are that are handed out */
/* Puts the lab's lines together in the order that the letters in `letters` name. *trouble: what is wrong
   with them, "" if nothing. */
rc_exit rc_assemble(const rc_lab *lab, const char *letters, rs_arena *arena, rs_error *error,
                    char **text, char trouble[240]);
