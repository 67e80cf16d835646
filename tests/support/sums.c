/* sums.c: see sums.h. A parser by descent: sum = product +- product, product = factor x factor / factor. */
#include "support/sums.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *at;
    bool bare, good;
} parser;

static void skip_spaces(parser *p) {
    while (*p->at == ' ') p->at++;
}

static const struct unit {
    const char *name;
    double factor;
} units[] = {{"GB/s", 1e9},    {"MB/s", 1e6},    {"GB", 1e9},   {"MB", 1e6},  {"kB", 1e3},
             {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1024}, {"ms", 1e-3}, {"us", 1e-6},
             {"ns", 1e-9},     {"B/s", 1},       {"B", 1},      {"s", 1}};

/* Returns the unit that stands at `text`, after an optional space; *end: behind it. NULL: none. */
static const struct unit *unit_at(const char *text, const char **end) {
    if (*text == ' ') text++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t n = strlen(units[i].name);
        if (strncmp(text, units[i].name, n) != 0) continue;
        if (isalnum((unsigned char)text[n]) || strncmp(text + n, "/s", 2) == 0) continue;
        *end = text + n;
        return &units[i];
    }
    return NULL;
}

static double sum(parser *p);

static double function(parser *p, const char *name) {
    p->at += strlen(name) + 1;
    const double x = sum(p);
    skip_spaces(p);
    p->good = p->good && *p->at == ')';
    if (p->good) p->at++;
    return strcmp(name, "log2") == 0 ? log2(x) : ceil(x - 1e-9);
}

static double factor(parser *p) {
    skip_spaces(p);
    if (*p->at == '-') {
        p->at++;
        return -factor(p);
    }
    if (*p->at == '(') {
        p->at++;
        const double inner = sum(p);
        skip_spaces(p);
        p->good = p->good && *p->at == ')';
        if (p->good) p->at++;
        return inner;
    }
    if (strncmp(p->at, "log2(", 5) == 0) return function(p, "log2");
    if (strncmp(p->at, "ceil(", 5) == 0) return function(p, "ceil");
    char *end;
    if (!isdigit((unsigned char)*p->at)) {
        p->good = false;
        return 0;
    }
    double x = strtod(p->at, &end);
    p->at = end;
    const char *behind;
    const struct unit *unit = unit_at(p->at, &behind);
    if (unit != NULL) {
        p->at = behind;
        if (!p->bare) x *= unit->factor;
    }
    if (*p->at == '(') x *= factor(p); /* 2(5-1) */
    return x;
}

static double product(parser *p) {
    double x = factor(p);
    for (;;) {
        skip_spaces(p);
        const char c = *p->at;
        if (!p->good || (c != 'x' && c != '*' && c != '/')) return x;
        p->at++;
        const double y = factor(p);
        x = c == '/' ? x / y : x * y;
    }
}

static double sum(parser *p) {
    double x = product(p);
    for (;;) {
        skip_spaces(p);
        const char c = *p->at;
        if (!p->good || (c != '+' && c != '-')) return x;
        p->at++;
        const double y = product(p);
        x = c == '-' ? x - y : x + y;
    }
}

bool work_out(const char *text, bool bare, double *value) {
    parser p = {text, bare, true};
    *value = sum(&p);
    skip_spaces(&p);
    return p.good && *p.at == '\0';
}

/* ------------------------------------------------------------------ in a text */

/* How far the last digit that a number shows lets it be off. */
static double slack(const char *number) {
    char *end;
    const char *dot = strchr(number, '.');
    double half = 0.5;
    for (const char *c = dot; c != NULL && isdigit((unsigned char)c[1]); c++) half /= 10;
    strtod(number, &end);
    const char *e = strpbrk(number, "eE");
    if (e != NULL && e < end) half *= pow(10, atof(e + 1));
    return half;
}

static bool equal(const char *left, const char *right, bool bare) {
    double a, b;
    const char *behind;
    if (!work_out(left, bare, &a) || !work_out(right, bare, &b)) return false;
    double most = strpbrk(right + 1, "+-x*/") == NULL || strstr(right, "B/s") ? slack(right) : 0;
    const char *letter = strpbrk(right, " BGKMkmnus");
    const struct unit *unit = letter != NULL ? unit_at(letter, &behind) : NULL;
    if (unit != NULL && !bare) most *= unit->factor;
    return fabs(a - b) <= most * (1 + 1e-9) + 1e-9 * fabs(b);
}

/* Is that character one of a sum? Letters are, where they are part of a unit; then parsing decides. */
static bool belongs(char c) {
    return isdigit((unsigned char)c) || (c != '\0' && strchr(" .+-/()xeGMKkBimnus", c) != NULL);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

/* Finds the longest sum that ends at text[end]; returns its length, 0: there is none. */
static int sum_before(const char *text, int end, char out[160]) {
    int best = 0;
    double value;
    for (int n = 1; n < 159 && n <= end && belongs(text[end - n]); n++) {
        const char first = text[end - n];
        const char before = n < end ? text[end - n - 1] : ' ';
        if (!isdigit((unsigned char)first) && first != '(' && first != '-') continue;
        if (isalnum((unsigned char)before) || before == '.' || before == ')' || before == '_')
            continue;
        char part[160];
        snprintf(part, sizeof part, "%.*s", n, text + end - n);
        if (!work_out(part, false, &value)) continue;
        best = n;
        strcpy(out, part);
    }
    /* What stands before it must not be a part of the same sum, such as the N of N - 1. */
    int at = end - best - 1;
    while (at >= 0 && text[at] == ' ') at--;
    const char sign = at >= 0 ? text[at] : '\0';
    const bool cut = sign == '+' || sign == '-' || sign == '/' || sign == '^' ||
                     (sign == 'x' && at > 0 && text[at - 1] == ' ');
    if (best > 0 && (cut || (out[0] == '-' && at >= 0 && is_word(sign)))) return 0;
    return best;
}

/* Finds the longest sum that begins at text; returns its length. */
static int sum_after(const char *text, char out[64]) {
    int best = 0;
    double value;
    for (int n = 1; n < 63 && belongs(text[n - 1]); n++) {
        const char next = text[n];
        char part[64];
        if (isalnum((unsigned char)next) && belongs(text[n - 1]) && text[n - 1] != ' ') continue;
        if (next == '.' && isdigit((unsigned char)text[n + 1])) continue;
        if (text[n - 1] == ' ' || text[n - 1] == '.') continue;
        snprintf(part, sizeof part, "%.*s", n, text);
        if (!work_out(part, false, &value)) continue;
        best = n;
        strcpy(out, part);
    }
    /* "= 2 (N - 1)" and "= 5 N" go on with what is no number. */
    const char *rest = text + best + strspn(text + best, " ");
    if (best > 0 && (strchr("+*/^(!", *rest) != NULL && *rest != '\0')) {
        if (*rest != '(' || rest == text + best) return 0;
    }
    return best;
}

static bool both_ways(const char *left, const char *right) {
    return equal(left, right, false) || equal(left, right, true);
}

/* Copies the text without its ``` blocks and indented lines, lines joined; comments stay. */
static char *prose_of(const char *text) {
    char *out = malloc(strlen(text) + 2), *to = out;
    bool fence = false;
    if (out == NULL) return NULL;
    for (const char *line = text; *line != '\0';) {
        const size_t n = strcspn(line, "\n");
        const char *mark = line + strspn(line, " >");
        if (strncmp(mark, "```", 3) == 0) {
            fence = !fence;
        } else if (!fence && strncmp(line, "    ", 4) != 0) {
            memcpy(to, line, n);
            to += n;
            /* Where a line ends in prose a space stands; an empty line parts what is around it. */
            const char next = line[n] == '\n' ? line[n + 1] : '\0';
            *to++ = n == 0 || next == '\n' || next == '-' ? '\n' : ' ';
        }
        line += n + (line[n] == '\n');
    }
    *to = '\0';
    return out;
}

/* The sum in a comment, and the number that stands before it. */
static bool take_comment(const char *prose, const char *comment, found_sum *found) {
    char number[160];
    const char *end = strstr(comment, "-->");
    if (end == NULL || sum_before(prose, (int)(comment - prose), number) == 0) return false;
    snprintf(found->left, sizeof found->left, "%.*s", (int)(end - comment) - 6, comment + 6);
    snprintf(found->right, sizeof found->right, "%.63s", number);
    size_t n = strlen(found->left);
    while (n > 0 && found->left[n - 1] == ' ') found->left[--n] = '\0';
    found->comment = true;
    found->holds = both_ways(found->left, found->right);
    return true;
}

int find_sums(const char *text, found_sum found[], int most) {
    char *prose = prose_of(text);
    int n = 0;
    if (prose == NULL) return 0;
    for (const char *at = prose; (at = strchr(at, '=')) != NULL && n < most; at++) {
        if (at >= prose + 5 && strncmp(at - 5, "<!-- =", 6) == 0) {
            found_sum *one = &found[n];
            *one = (found_sum){.holds = false};
            if (!take_comment(prose, at - 5, one)) {
                snprintf(one->left, sizeof one->left, "%.40s", at);
                strcpy(one->right, "no number before it");
            }
            n++;
            continue;
        }
        if (at == prose || at[-1] != ' ' || at[1] != ' ') continue;
        found_sum one = {.comment = false};
        int end = (int)(at - prose);
        while (end > 0 && prose[end - 1] == ' ') end--;
        if (sum_before(prose, end, one.left) == 0) continue;
        if (sum_after(at + 2, one.right) == 0) continue;
        if (strpbrk(one.left + 1, "+-x*/(") == NULL && strpbrk(one.right + 1, "+-x*/(") == NULL) {
            continue; /* "64 = 64" tells nothing; it is a table or a name */
        }
        one.holds = both_ways(one.left, one.right);
        found[n++] = one;
    }
    free(prose);
    return n;
}
