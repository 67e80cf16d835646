/* catalogue.h: the texts of another language, one catalogue at a time. */
#pragma once

#include <stdbool.h>

/* Reads the catalogue instead of the one before; false: there is none, or it is not whole, and the one before stays. */
bool rv_load_catalogue(const char *path);
void rv_drop_catalogue(void);
/* Returns the catalogue's text, which is its own; NULL: it has none. */
const char *rv_find_translation(const char *text);
