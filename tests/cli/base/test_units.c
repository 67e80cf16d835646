/* test_units.c: sizes, rates, times, factors and lists of them, as people type them. */
#include "base/units.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct good {
    const char *text;
    int64_t value;
} good;

static int64_t size_of(const char *text) {
    int64_t value = -1;
    rs_error error = {.text = ""};
    cr_assert_eq(rc_parse_amount(RC_IN_BYTES, text, &error, &value), RC_GOOD, "%s: %s", text,
                 error.text);
    return value;
}

static int64_t time_of(const char *text) {
    int64_t value = -1;
    rs_error error = {.text = ""};
    cr_assert_eq(rc_parse_amount(RC_IN_PS, text, &error, &value), RC_GOOD, "%s: %s", text,
                 error.text);
    return value;
}

static uint64_t rate_of(const char *text) {
    int64_t value = 0;
    rs_error error = {.text = ""};
    cr_assert_eq(rc_parse_amount(RC_IN_BYTES_PER_S, text, &error, &value), RC_GOOD, "%s: %s", text,
                 error.text);
    return (uint64_t)value;
}

Test(units, reads_sizes_in_powers_of_1024_and_of_1000) {
    static const good sizes[] = {
        {"0", 0},
        {"1", 1},
        {"7B", 7},
        {"1K", 1024},
        {"1M", 1048576},
        {"1G", 1073741824},
        {"1KiB", 1024},
        {"1MiB", 1048576},
        {"1GiB", 1073741824},
        {"1TiB", 1099511627776},
        {"1kB", 1000},
        {"100MB", 100000000},
        {"1GB", 1000000000},
        {"2TB", 2000000000000},
        {"1.5K", 1536},
        {"0.5KiB", 512},
        {"1.25GB", 1250000000},
        {".5kB", 500},
        {"5.kB", 5000},
        {"1e3", 1000},
        {"1.5e3B", 1500},
        {"1E+3", 1000},
        {"25e-1kB", 2500},
        {"100 MB", 100000000},
        {"000100", 100},
        {"1.000000000000000000000000000000", 1},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775.807kB", INT64_MAX},
        {"0e999999999999", 0},
        {"0.000000000000000000000000000000000000000000001e45", 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        cr_expect_eq(size_of(sizes[i].text), sizes[i].value, "%s is %lld", sizes[i].text,
                     (long long)size_of(sizes[i].text));
    }
}

Test(units, reads_rates_in_bytes_and_bits_and_powers_of_1000) {
    static const good rates[] = {
        {"1", 1},
        {"20GB/s", 20000000000},
        {"1.5GB/s", 1500000000},
        {"1kB/s", 1000},
        {"3MB/s", 3000000},
        {"2TB/s", 2000000000000},
        {"8b/s", 1},
        {"100Gb/s", 12500000000},
        {"2.5Gb/s", 312500000},
        {"1Mb/s", 125000},
        {"1kb/s", 125},
        {"1Tb/s", 125000000000},
        {"12b/s", 2}, /* 1.5 to the nearest, halves up */
        {"11b/s", 1}, /* 1.375 */
        {"33.33333333333333B/s", 33},
        {"2e10", 20000000000},
    };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        cr_expect_eq(rate_of(rates[i].text), (uint64_t)rates[i].value, "%s", rates[i].text);
    }
}

Test(units, reads_times_to_the_nearest_picosecond) {
    static const good times[] = {
        {"0", 0},
        {"1", 1000000000000},
        {"1s", 1000000000000},
        {"5us", 5000000},
        {"5\xc2\xb5s", 5000000},
        {"5\xce\xbcs", 5000000},
        {"1.5ms", 1500000000},
        {"3ns", 3000},
        {"7ps", 7},
        {"1e-6", 1000000},
        {"0.005ns", 5},
        {"9223372.036854775807s", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        cr_expect_eq(time_of(times[i].text), times[i].value, "%s is %lld", times[i].text,
                     (long long)time_of(times[i].text));
    }
}

Test(units, a_time_finer_than_a_picosecond_is_refused) {
    static const char *const times[] = {"0.4ps",    "2.5ps", "0.0005ns",     "0.3333333333333333us",
                                        "0.0004ns", "1e-13", "1e-9999999999"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        int64_t value = -1;
        rs_error error = {.text = ""};
        cr_expect_eq(rc_parse_amount(RC_IN_PS, times[i], &error, &value), RC_USAGE, "%s", times[i]);
        cr_expect_eq(value, -1);
    }
    cr_expect_eq(time_of("0"), 0);
    cr_expect_eq(time_of("0.000us"), 0);
}

Test(units, refuses_garbage_in_every_measure) {
    static const char *const bad[] = {
        "",     " ",   "B",     "abc",  "-1",    "+1",   "1..2",  "1.2.3", "nan", "inf",
        "0x10", "1 ",  "1  MB", "1MB ", "1 M B", "1MBB", "1QB",   "e5",    ".",   ".e1",
        "1e",   "1e+", "1,5",   "\xff", "\xc2",  "5\n",  "1\tMB", "--1",   "1-",  "1e5e5",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t value = 77, rate = 77;
        uint64_t seed = 77, num = 77, den = 77;
        rs_error error;
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES, bad[i], &error, &value), RC_USAGE, "size '%s'",
                     bad[i]);
        cr_expect_eq(rc_parse_amount(RC_IN_PS, bad[i], &error, &value), RC_USAGE, "time '%s'",
                     bad[i]);
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES_PER_S, bad[i], &error, &rate), RC_USAGE,
                     "rate '%s'", bad[i]);
        cr_expect_eq(rc_parse_seed(bad[i], &error, &seed), RC_USAGE, "seed '%s'", bad[i]);
        cr_expect_eq(rc_parse_integer(bad[i], 0, 100, &error, &value), RC_USAGE, "'%s'", bad[i]);
        cr_expect_eq(rc_parse_factor(bad[i], &error, &num, &den), RC_USAGE, "factor '%s'", bad[i]);
        cr_expect(value == 77 && rate == 77 && num == 77 && seed == 77, "'%s' touched its result",
                  bad[i]);
        cr_expect(strchr(error.text, '\n') == NULL || strchr(bad[i], '\n') != NULL);
    }
}

Test(units, refuses_units_of_another_measure) {
    int64_t value, rate;
    rs_error error;
    static const char *const no_sizes[] = {"1s", "1GB/s", "1us", "1KB", "1k", "1Gb", "1mB", "1gb"};
    static const char *const no_rates[] = {"1GB", "1KiB/s", "1s", "1K", "1Gbps", "1GiB/s"};
    static const char *const no_times[] = {"1B", "1m", "1h", "1US", "1MS", "1GB/s"};
    for (size_t i = 0; i < 8; i++) {
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES, no_sizes[i], &error, &value), RC_USAGE, "%s",
                     no_sizes[i]);
        cr_expect(strstr(error.text, "unit") != NULL, "%s", error.text);
    }
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES_PER_S, no_rates[i], &error, &rate), RC_USAGE, "%s",
                     no_rates[i]);
        cr_expect_eq(rc_parse_amount(RC_IN_PS, no_times[i], &error, &value), RC_USAGE, "%s",
                     no_times[i]);
    }
}

Test(units, refuses_what_does_not_fit_64_bits) {
    static const char *const large[] = {
        "9223372036854775808",
        "9223372036854775.808kB",
        "1e19",
        "8388608TiB",
        "99999999999999999999999999",
        "1e9999",
        "1e99999999999999999999",
        "123456789012345678901234567890",
    };
    int64_t value, rate;
    rs_error error;
    for (size_t i = 0; i < 8; i++) {
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES, large[i], &error, &value), RC_USAGE, "%s",
                     large[i]);
        if (strchr(large[i], 'B') != NULL) continue;
        cr_expect_eq(rc_parse_amount(RC_IN_PS, large[i], &error, &value), RC_USAGE, "%s", large[i]);
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES_PER_S, large[i], &error, &rate), RC_USAGE, "%s",
                     large[i]);
    }
    cr_expect_eq(rc_parse_amount(RC_IN_PS, "9223372.036854775808s", &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_amount(RC_IN_BYTES_PER_S, "0", &error, &rate), RC_USAGE,
                 "no link has no bandwidth");
    cr_expect_eq(rc_parse_amount(RC_IN_BYTES_PER_S, "3b/s", &error, &rate), RC_USAGE,
                 "rounds to none");
}

Test(units, refuses_a_size_that_is_no_whole_number) {
    static const char *const broken[] = {"1.5", "0.1K", "1.0001kB", "0.3333GiB", "1e-1", "1e-9999"};
    int64_t value;
    rs_error error;
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(rc_parse_amount(RC_IN_BYTES, broken[i], &error, &value), RC_USAGE, "%s",
                     broken[i]);
        cr_expect(strstr(error.text, "whole") != NULL, "%s", error.text);
    }
}

Test(units, keeps_the_limits_of_integers_and_seeds) {
    int64_t value = 0;
    uint64_t seed = 0;
    rs_error error;
    cr_expect_eq(rc_parse_integer("0", 0, 5, &error, &value), RC_GOOD);
    cr_expect_eq(rc_parse_integer("5", 0, 5, &error, &value), RC_GOOD);
    cr_expect_eq(value, 5);
    cr_expect_eq(rc_parse_integer("6", 0, 5, &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_integer("0", 1, 5, &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_integer("1e3", 1, 5000, &error, &value), RC_GOOD);
    cr_expect_eq(value, 1000);
    cr_expect_eq(rc_parse_integer("1.5", 1, 5, &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_integer("5B", 1, 5, &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_integer("9223372036854775807", 0, INT64_MAX, &error, &value), RC_GOOD);
    cr_expect_eq(rc_parse_integer("9223372036854775808", 0, INT64_MAX, &error, &value), RC_USAGE);
    cr_expect_eq(rc_parse_seed("18446744073709551615", &error, &seed), RC_GOOD);
    cr_expect_eq(seed, UINT64_MAX);
    cr_expect_eq(rc_parse_seed("18446744073709551616", &error, &seed), RC_USAGE);
}

Test(units, reads_factors_as_fractions_in_lowest_terms) {
    static const struct {
        const char *text;
        uint64_t num, den;
    } factors[] = {
        {"1", 1, 1},       {"4", 4, 1},
        {"1.5", 3, 2},     {"0.5", 1, 2},
        {"10", 10, 1},     {"1000000000", 1000000000, 1},
        {"0.125", 1, 8},   {"0.000000001", 1, 1000000000},
        {"2.50", 5, 2},    {"1e3", 1000, 1},
        {"1e-3", 1, 1000},
    };
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        uint64_t num = 0, den = 0;
        rs_error error;
        cr_assert_eq(rc_parse_factor(factors[i].text, &error, &num, &den), RC_GOOD);
        cr_expect(num == factors[i].num && den == factors[i].den, "%s is %llu / %llu",
                  factors[i].text, (unsigned long long)num, (unsigned long long)den);
    }
    static const char *const bad[] = {"0",     "0.0", "1000000001", "0.0000000001", "1e10",
                                      "1e-10", "4x",  "1024e-20",   "1.00000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t num, den;
        rs_error error;
        cr_expect_eq(rc_parse_factor(bad[i], &error, &num, &den), RC_USAGE, "%s", bad[i]);
    }
}

Test(units, prints_sizes_that_parse_back) {
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)(state >> 1 >> (state & 63));
        char text[RC_UNIT_TEXT];
        cr_assert_eq(size_of(rc_exact_size(value, text)), value, "%s", text);
    }
    char text[RC_UNIT_TEXT];
    cr_expect_str_eq(rc_exact_size(0, text), "0B");
    cr_expect_str_eq(rc_exact_size(1024, text), "1KiB");
    cr_expect_str_eq(rc_exact_size(100000000, text), "100MB");
    cr_expect_str_eq(rc_exact_size(1073741824, text), "1GiB");
    cr_expect_str_eq(rc_exact_size(4000000000, text), "4GB"); /* 1024 divides it, too */
    cr_expect_str_eq(rc_exact_size(1024000, text), "1000KiB");
    cr_expect_str_eq(rc_exact_size(INT64_MAX, text), "9223372036854775807B");
}

Test(units, every_picosecond_and_byte_a_second_survives_the_way_through_text) {
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)(state >> 1 >> (state & 63));
        char text[64];
        snprintf(text, sizeof text, "%lld.%012llds", (long long)(value / 1000000000000),
                 (long long)(value % 1000000000000));
        cr_assert_eq(time_of(text), value, "%s", text);
        snprintf(text, sizeof text, "%lld.%03lldus", (long long)(value / 1000000 % 1000000000),
                 (long long)(value % 1000));
        cr_assert_eq(time_of(text), value / 1000000 % 1000000000 * 1000000 + value % 1000 * 1000,
                     "%s", text);
        snprintf(text, sizeof text, "%lld.%09lldGB/s", (long long)(value / 1000000000),
                 (long long)(value % 1000000000));
        if (value > 0) cr_assert_eq(rate_of(text), (uint64_t)value, "%s", text);
    }
}

/* ------------------------------------------------------------------ lists */

static int64_t list_of(const char *text, bool sweep, bool sizes, int64_t out[], int64_t most) {
    rs_arena arena;
    rs_error error = {.text = ""};
    int64_t *numbers, n = -1;
    rs_arena_init(&arena, NULL);
    const rc_exit status = sweep ? rc_parse_sweep(text, sizes, &arena, &error, &numbers, &n)
                                 : rc_parse_numbers(text, 1, 100, &arena, &error, &numbers, &n);
    for (int64_t i = 0; status == RC_GOOD && i < n && i < most; i++) out[i] = numbers[i];
    rs_arena_free(&arena);
    return status == RC_GOOD ? n : -1;
}

Test(lists, reads_numbers_ranges_and_both) {
    int64_t got[16];
    cr_assert_eq(list_of("2,4,8", false, false, got, 16), 3);
    cr_expect(got[0] == 2 && got[1] == 4 && got[2] == 8);
    cr_assert_eq(list_of("2..5", false, false, got, 16), 4);
    cr_expect(got[0] == 2 && got[3] == 5);
    cr_assert_eq(list_of("1,3..4,100", false, false, got, 16), 4);
    cr_expect(got[1] == 3 && got[2] == 4 && got[3] == 100);
    cr_assert_eq(list_of("7..7", false, false, got, 16), 1);
}

Test(lists, sweeps_sizes_by_factors_of_four_with_both_ends) {
    int64_t got[16];
    cr_assert_eq(list_of("1KiB..1GiB", true, true, got, 16), 11);
    cr_expect(got[0] == 1024 && got[1] == 4096 && got[10] == 1073741824);
    cr_assert_eq(list_of("100..1000", true, false, got, 16), 3);
    cr_expect(got[0] == 100 && got[1] == 400 && got[2] == 1000);
    cr_assert_eq(list_of("1MB,3MB", true, true, got, 16), 2);
    cr_assert_eq(list_of("1..9223372036854775807", true, false, got, 16), 33);
    cr_assert_eq(list_of("0", true, false, got, 16), 1);
}

Test(lists, refuses_what_is_no_list) {
    int64_t got[4];
    static const char *const bad[] = {"",
                                      ",",
                                      "1,",
                                      ",1",
                                      "1,,2",
                                      "5..2",
                                      "..",
                                      "1..",
                                      "..3",
                                      "1...3",
                                      "0..3",
                                      "1..1000",
                                      "1-3",
                                      "101",
                                      "2..x",
                                      "1..2..3",
                                      "111111111111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(list_of(bad[i], false, false, got, 4), -1, "'%s'", bad[i]);
    }
    cr_expect_eq(list_of("0..10", true, false, got, 4), -1, "a sweep from 0 never ends");
}

/* ------------------------------------------------------------------ names */

/* A name of any length up to what is looked at, among others, is found by one letter added, dropped, changed or swapped. */
Test(suggest, finds_a_name_of_any_length_by_one_slip) {
    enum { LEAST = 4, MOST = 31 };
    char kept[MOST][MOST + 1], typed[MOST + 2];
    const char *names[MOST + 1] = {NULL};
    uint64_t state = 11;
    for (int n = 0; n < MOST - LEAST + 1; n++) {
        for (int i = 0; i < LEAST + n; i++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            kept[n][i] = (char)('a' + (state >> 33) % 24);
        }
        kept[n][LEAST + n] = '\0';
        names[n] = kept[n];
    }
    for (int n = 0; names[n] != NULL; n++) {
        const size_t length = strlen(names[n]);
        for (size_t i = 0; i < length; i++) {
            strcpy(typed, names[n]); /* another letter */
            typed[i] = 'z';
            cr_expect_eq(rc_nearest(typed, names), names[n], "%s", typed);
            memmove(typed + i, names[n] + i + 1, length - i); /* a letter less */
            cr_expect_eq(rc_nearest(typed, names), names[n], "%s", typed);
            strcpy(typed, names[n]); /* two in the other order */
            if (i + 1 < length) typed[i] = names[n][i + 1], typed[i + 1] = names[n][i];
            cr_expect_eq(rc_nearest(typed, names), names[n], "%s", typed);
            if (length == MOST) continue;
            memmove(typed + i + 1, names[n] + i, length - i + 1); /* one more */
            memcpy(typed, names[n], i);
            typed[i] = 'z';
            cr_expect_eq(rc_nearest(typed, names), names[n], "%s", typed);
        }
        typed[0] = 'z'; /* all letters a place on */
        for (size_t i = 1; i < length; i++) typed[i] = names[n][i - 1];
        typed[length] = '\0';
        if (length >= 6) cr_expect_eq(rc_nearest(typed, names), names[n], "%s", typed);
        strcpy(typed, "zyzyzyzyzyzyzyzyzyzyzyzyzyzyzyz");
        typed[length] = '\0';
        cr_expect_null(rc_nearest(typed, names), "%s", typed);
    }
}
