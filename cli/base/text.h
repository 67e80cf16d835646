/* text.h: what is printed (text.c): odd names made harmless, columns that hold in Chinese too, the language. */
#pragma once

#include "base/files.h"
#include "ringsim_findings.h"

/* Copies a text from outside so that it is safe to print: what a terminal would obey, what turns the
   reading direction, what XML forbids and what is no UTF-8 becomes a question mark each. Not one_line:
   ends of lines and tabs stay. Returns out. */
char *rc_plain(const char *text, bool one_line, char *out, size_t n_out);

/* Tells whether the text has that end, and something before it. */
bool rc_ends_with(const char *text, const char *end);
/* Copies a form, and puts values in place of its marks: @ and a letter, the i-th of which stands for values[i]. Returns the
   length. */
size_t rc_fill_in(const char *form, const char *letters, const char *const values[], char *out,
                  size_t n_out);

/* Prints the text, and spaces up to the width; below 0: spaces first. */
void rc_print_padded(const char *text, int width);
/* Prints a table of n_rows x n_columns cells of n_cell bytes each, its columns as wide as they must be. */
void rc_print_columns(const char *const heads[], int n_columns, const char *cells, size_t n_cell,
                      int n_rows);
/* Prints a number in a field, two spaces before it, with as many digits as there is room for, as nccl-tests does. */
void rc_print_fitting(double value, int width);
/* Prints the text in lines of that width at the most. */
void rc_print_wrapped(const char *text, int width);
/* The same with the lines after the first moved to the right. */
void rc_print_indented(const char *text, int indent, int width);

/* Prints warnings and notes on stderr, one line each. */
void rc_print_findings(const rn_findings *findings, const char *file);

/* Sets the language that was asked for (NULL: the environment's); false: its catalogue is missing. */
bool rc_choose_language(const char *program, const char *wanted);
