/* test_silence.c: whatever could keep the compiler's warnings to itself is seen, however it is spelt; plain programs
 * are not suspected; of a text only directives are taken away.
 */
#include "sandbox/silence.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static bool may(const char *text) {
    return rc_may_silence_warnings(text, strlen(text));
}

Test(silence, plain_programs_are_not_suspected) {
    static const char *const words[] = {
        "include <stdio.h>", "define N 4", "undef N",  "if N",      "elif N", "else", "endif",
        "ifdef N",           "ifndef N",   "error no", "warning no"};
    static const char *const blanks[] = {"", " ", "\t", "  \t "};
    char text[200];
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        for (int b = 0; b < 16; b++) {
            snprintf(text, sizeof text, "int a;\n%s#%s%s\nint b = 7 %% 3 ? 1 : 2;\n", blanks[b / 4],
                     blanks[b % 4], words[w]);
            cr_expect_not(may(text), "%s", text);
        }
    }
    cr_expect_not(may("int f(int n) {\n    return n > 0 ? n % 3 : '\\\\';\n}\n"));
    cr_expect_not(may(""));
    cr_expect_not(may("#define LONG \\\n    4 + \\  \n    5\n"));
}

Test(silence, every_spelling_is_seen) {
    static const char *const spellings[] = {
        "#pragma GCC diagnostic ignored \"-Wall\"",
        "#  pragma once",
        "_Pragma(\"GCC diagnostic ignored\")",
        "#/**/pragma",
        "# 1 \"stdio.h\" 3",
        "#1",
        "#line 3 \"x.h\"",
        "#ident",
        "#",
        "%:pragma",
        "%: 1 \"x.h\" 3",
        "\?\?=pragma",
        "\?\?= 1",
        "#import <x>",
        "# /* */ include <x>",
    };
    char text[300];
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        cr_expect(may(spellings[i]), "%s", spellings[i]);
        snprintf(text, sizeof text, "#include <stdio.h>\nint a = 1; /* # */\n%s\nint b;\n",
                 spellings[i]);
        cr_expect(may(text), "%s", text);
    }
    cr_expect(rc_may_silence_warnings("int a;\0#pragma", 14), "behind a zero byte");
}

/* Lines are joined where only blanks stand between \ and the line's end: in the middle of the word. */
Test(silence, joined_lines_are_read_as_one) {
    static const char directive[] = "_Pragma(\"GCC x\")", blanks[] = " \t\r\v\f";
    char text[100];
    for (size_t cut = 3; cut < strlen("_Pragma"); cut++) {
        for (int b = 0; b < 36; b++) {
            char gap[3] = "";
            if (b % 6 < 5) strncat(gap, &blanks[b % 6], 1);
            if (b / 6 < 5) strncat(gap, &blanks[b / 6], 1);
            snprintf(text, sizeof text, "%.*s\\%s\n%s\n", (int)cut, directive, gap,
                     directive + cut);
            cr_expect(may(text), "%s", text);
        }
    }
    cr_expect_not(may("int a; \\ b\n"));
    cr_expect_not(may("int a; \\"));
}

Test(silence, directives_are_taken_away_and_nothing_else) {
    static const char *const lines[] = {"int a;\n", "  # pragma x\n", "\n",          "#1\n",
                                        "a # b\n",  "\t\v\f#if\n",    "%: pragma\n", "x"};
    static const bool kept[] = {true, false, true, false, true, false, true, true};
    for (unsigned which = 0; which < 1u << 8; which++) {
        char text[200] = "", want[200] = "";
        for (int i = 0; i < 8; i++) {
            if ((which >> i & 1) == 0) continue;
            strcat(text, lines[i]);
            if (kept[i]) strcat(want, lines[i]);
        }
        const size_t n = rc_remove_directives(text, strlen(text));
        cr_expect_eq(n, strlen(want));
        cr_expect_eq(memcmp(text, want, n), 0, "%u", which);
    }
}

/* ------------------------------------------------------------------ every short text */

enum { SHORT = 64 };

/* Our own account: what the compiler may read as a directive, once lines are joined. */
static bool plain_may(const char *text) {
    static const char *const harmless[] = {"include", "if", "undef"};
    char whole[SHORT];
    size_t n = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        size_t blanks = 0;
        while (text[i] == '\\' && text[i + 1 + blanks] == ' ') blanks++;
        if (text[i] == '\\' && text[i + 1 + blanks] == '\n') {
            i += 1 + blanks;
        } else {
            whole[n++] = text[i];
        }
    }
    whole[n] = '\0';
    if (strstr(whole, "ragma") != NULL || strstr(whole, "?\?=") != NULL) return true;
    for (size_t i = 0; i < n; i++) {
        const bool other = whole[i] == '%' && whole[i + 1] == ':';
        if (whole[i] != '#' && !other) continue;
        size_t after = i + 1 + other;
        while (whole[after] == ' ') after++;
        bool good = false;
        for (int k = 0; k < 3; k++)
            good = good || strncmp(whole + after, harmless[k], strlen(harmless[k])) == 0;
        if (!good) return true;
    }
    return false;
}

/* Of all texts of up to five of these, each in a longer one whose rest does not count. */
Test(silence, every_short_text_is_judged_as_it_is_read) {
    static const char *const pieces[] = {"#",  "%",    ":",       "?",  "?\?=", "\\", " ",  "a",
                                         "\n", "\\\n", "include", "if", "r",    "ra", "gma"};
    enum { N = sizeof pieces / sizeof *pieces };
    int n_seen = 0;
    for (int length = 0; length <= 5; length++) {
        int n_texts = 1;
        for (int i = 0; i < length; i++) n_texts *= N;
        for (int which = 0; which < n_texts; which++) {
            char text[SHORT + 16] = "";
            for (int i = 0, rest = which; i < length; i++, rest /= N)
                strcat(text, pieces[rest % N]);
            const size_t n = strlen(text);
            const bool want = plain_may(text);
            strcpy(text + n, "\n#pragma");
            cr_assert_eq(rc_may_silence_warnings(text, n), want, "%.*s", (int)n, text);
            n_seen += want;
        }
    }
    cr_expect_gt(n_seen, 1000);
}

/* What stands behind the text's end is none of it; a zero byte is no blank. */
Test(silence, directives_are_taken_away_up_to_the_texts_end) {
    static const char whole[] = "int a;\n#if\n\0#else\nint b;\n  # x\nint c;\n";
    for (size_t n = 0; n < sizeof whole; n++) {
        char text[SHORT], want[SHORT];
        size_t n_want = 0;
        memcpy(text, whole, sizeof whole);
        for (size_t i = 0; i < n;) {
            size_t end = i, first = i;
            while (end < n && whole[end] != '\n') end++;
            end += end < n;
            while (first < end && whole[first] == ' ') first++;
            const bool kept = first < end && whole[first] != '#';
            for (; i < end; i++)
                if (kept) want[n_want++] = whole[i];
        }
        cr_expect_eq(rc_remove_directives(text, n), n_want, "%d bytes", (int)n);
        cr_expect_eq(memcmp(text, want, n_want), 0, "%d bytes", (int)n);
    }
}
