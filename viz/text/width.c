/* width.c: see width.h. */
#include "text/width.h"

#include <string.h>

bool rv_is_style(char byte) {
    return ((unsigned char)byte & ~7U) == RV_STYLE_BYTE;
}

int rv_decode(const char *text, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)text;
    const int n = s[0] < 0x80       ? 1
                  : s[0] >> 5 == 6  ? 2
                  : s[0] >> 4 == 14 ? 3
                  : s[0] >> 3 == 30 ? 4
                                    : 0;
    *code = 0xfffd;
    if (n == 0) return 1;
    uint32_t value = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (s[i] & 0x3f);
    }
    *code = value;
    return n;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool within(const range ranges[], size_t n, uint32_t code) {
    for (size_t i = 0; i < n; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    }
    return false;
}

/* The tables hold Unicode's wide and fullwidth East Asian characters, and those that combine with
   the one before, as far as our texts may have them. */
int rv_code_width(uint32_t code) {
    static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                                 {0xa960, 0xa97f},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                                 {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                                 {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    static const range none[] = {
        {0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    if (code < 0x300) return (code & ~7U) != RV_STYLE_BYTE;
    if (within(none, sizeof none / sizeof *none, code)) return 0;
    return within(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

int rv_width_of(const char *text, size_t n_bytes) {
    int width = 0;
    for (const char *at = text; at < text + n_bytes;) {
        uint32_t code;
        at += rv_decode(at, &code);
        width += rv_code_width(code);
    }
    return width;
}

int rv_text_width(const char *text) {
    return rv_width_of(text, strlen(text));
}

/* No line starts with closing punctuation of Chinese. */
static bool clings(uint32_t code) {
    return code == 0x3002 || code == 0xff0c || code == 0xff1a || code == 0xff1b || code == 0x3001 ||
           code == 0xff09 || code == 0xff1f || code == 0x300b || code == 0x201d || code == 0xff01;
}

/* No line ends with opening punctuation of Chinese. */
static bool opens(uint32_t code) {
    return code == 0xff08 || code == 0x300a || code == 0x201c;
}

/* Returns where the text goes on after style bytes. */
static size_t skip_styles(const char *text, size_t at) {
    while (rv_is_style(text[at])) at++;
    return at;
}

size_t rv_wrap(const char *text, int width, size_t *next) {
    const size_t first = skip_styles(text, 0);
    size_t at = first, cut = 0, after = 0; /* the last place where the line may end */
    int column = 0;
    while (text[at] != '\0') {
        uint32_t code, following;
        const size_t n = (size_t)rv_decode(text + at, &code);
        if (code == ' ' && column > 0) cut = at, after = at + 1;
        column += rv_code_width(code);
        if (column > width) {
            if (cut == 0) cut = after = at > first ? at : at + n;
            *next = after;
            return cut;
        }
        at = skip_styles(text, at + n);
        rv_decode(text + at, &following);
        const bool between = rv_code_width(code) == 2 || rv_code_width(following) == 2;
        if (between && following != ' ' && !clings(following) && !opens(code)) cut = after = at;
    }
    *next = at;
    return at;
}
