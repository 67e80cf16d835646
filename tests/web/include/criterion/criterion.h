/* criterion.h: as much of Criterion as the suites need that are run once more in WebAssembly: a failed assertion ends
 * all of them (run_suites.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct web_test {
    const char *suite, *name;
    void (*run)(void);
    const struct web_test *next;
} web_test;
/* Adds a test to those that are run. */
void web_add_test(web_test *test);
/* Fails unless `holds`; the rest says what was wanted. */
void web_want(bool holds, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define Test(suite_name, test_name)                                                                \
    static void suite_name##_##test_name(void);                                                    \
    __attribute__((constructor)) static void add_##suite_name##_##test_name(void) {                \
        static web_test test = {#suite_name, #test_name, suite_name##_##test_name, NULL};          \
        web_add_test(&test);                                                                       \
    }                                                                                              \
    static void suite_name##_##test_name(void)

#define cr_assert(holds, ...) web_want((holds), __FILE__, __LINE__, #holds, " " __VA_ARGS__)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b), __VA_ARGS__)
#define cr_assert_not_null(a, ...) cr_assert((a) != NULL, __VA_ARGS__)
#define cr_assert_fail(...) cr_assert(false, __VA_ARGS__)
#define cr_expect cr_assert
#define cr_expect_eq cr_assert_eq
#define cr_skip(...) return
