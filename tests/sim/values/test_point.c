/* The decimal point: machines rarely have a locale with another one installed, so what dtype.c does
   about it is tested from inside. */
#include <criterion/criterion.h>

#include "values/dtype.c"

static void expect_point(const char *written, const char *expected) {
    char text[64];
    snprintf(text, sizeof text, "%s", written);
    put_point(text);
    cr_expect_str_eq(text, expected);
}

Test(point, whatever_stands_between_the_digits_becomes_a_point) {
    expect_point("0.5", "0.5");
    expect_point("-1234,5625", "-1234.5625");
    expect_point("1,5e-07", "1.5e-07");
    expect_point("1\xd9\xab"
                 "5e+20",
                 "1.5e+20"); /* the Arabic decimal separator, two bytes */
}

Test(point, numbers_without_one_stay_as_they_are) {
    expect_point("1e+08", "1e+08");
    expect_point("-2", "-2");
    expect_point("1234567890", "1234567890");
}
