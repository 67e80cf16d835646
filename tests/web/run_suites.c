/* run_suites.c: runs one test of the suites in WebAssembly (web/include/criterion/criterion.h): the n-th, each in a
 * process of its own, as Criterion does. Exit status 2: there are fewer.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static web_test *first;

void web_add_test(web_test *test) {
    test->next = first;
    first = test;
}

void web_want(bool holds, const char *file, int line, const char *what, const char *format, ...) {
    va_list args;
    if (holds) return;
    va_start(args, format);
    printf("    %s:%d: %s:", file, line, what);
    vprintf(format, args);
    va_end(args);
    printf("\nnot ok in WebAssembly: a suite\n");
    exit(1);
}

int main(int argc, char **argv) {
    const web_test *test = first;
    for (int n = argc > 1 ? atoi(argv[1]) : 0; n > 0 && test != NULL; n--) test = test->next;
    if (test == NULL) return 2;
    test->run();
    printf("ok in WebAssembly: %s %s\n", test->suite, test->name);
    return 0;
}
