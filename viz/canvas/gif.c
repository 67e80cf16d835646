/* gif.c: a film as a GIF of 256 colours. */
#include "canvas/format.h"

#include <unistd.h>

static const char *const arguments[] = {
    "-lavfi", "paletteuse=dither=none:diff_mode=rectangle", "-loop", "0", "-f", "gif", NULL};

static bool is_whole(int file, off_t n_bytes) {
    unsigned char last = 0;
    return pread(file, &last, 1, n_bytes - 1) == 1 && last == ';';
}

const rv_format rv_format_gif = {.per_second = 20,
                                 .most_width = 960,
                                 .arguments = arguments,
                                 .has_palette = true,
                                 .is_whole = is_whole};
