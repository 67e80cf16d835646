/* mp4.c: a film as an MP4. */
#include "canvas/format.h"

#include <string.h>
#include <unistd.h>

/* The film has the colours of HD television (bt709) and says so; its pictures are drawn, not
   filmed, hence x264's tuning. */
static const char *const arguments[] = {"-vf",
                                        "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                                        "-colorspace",
                                        "bt709",
                                        "-color_primaries",
                                        "bt709",
                                        "-color_trc",
                                        "bt709",
                                        "-c:v",
                                        "libx264",
                                        "-preset",
                                        "veryfast",
                                        "-tune",
                                        "animation",
                                        "-crf",
                                        "18",
                                        "-movflags",
                                        "+faststart",
                                        "-f",
                                        "mp4",
                                        NULL};

static uint64_t big_endian(const unsigned char *bytes, int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[i];
    return value;
}

/* Tells whether an MP4 is whole. It is a row of boxes: 4 bytes of length, 4 letters; length 1: 8
   bytes of length follow. The last must end where the file does, and one must be `moov`, the index:
   without it no player can play the film. */
static bool are_whole_boxes(int film, off_t n_bytes) {
    const uint64_t end = (uint64_t)n_bytes;
    bool has_index = false;
    uint64_t at = 0;
    while (at < end) {
        unsigned char head[16] = {0};
        if (pread(film, head, sizeof head, (off_t)at) < 8) return false;
        uint64_t length = big_endian(head, 4);
        if (length == 1) length = big_endian(head + 8, 8);
        if (length < 8 || length > end - at) return false;
        has_index |= memcmp(head + 4, "moov", 4) == 0;
        at += length;
    }
    return has_index;
}

const rv_format rv_format_mp4 = {
    .per_second = 30, .arguments = arguments, .is_whole = are_whole_boxes};
