/* rounds.h: how often a thing is drawn or how far a sweep goes: a sanitizer makes all ten times slower, and sees
 * in fewer rounds what it is there for; what the rounds are to find, the plain build finds.
 */
#pragma once

#ifdef SANITIZED
#define ROUNDS(all, sanitized) (sanitized)
#else
#define ROUNDS(all, sanitized) (all)
#endif
