/* look.c: see look.h. */
#include "look.h"

#include <math.h>
#include <stdio.h>

rv_look rv_look_of(bool dark, double width, double height, double scale) {
    rv_look look = dark ? (rv_look){.dark = true,
                                    .ground = 0x101318FF,
                                    .panel = 0x191D24FF,
                                    .raised = 0x272D37FF,
                                    .edge = 0x39414EFF,
                                    .ink = 0xF1F3F6FF,
                                    .quiet = 0xB3BBC7FF,
                                    .faint = 0x5C6675FF,
                                    .accent = 0xFFC857FF,
                                    .accent_ink = 0x14171CFF,
                                    .good = 0x4CC38AFF,
                                    .bad = 0xFF7A66FF,
                                    .warn = 0xFFB020FF,
                                    .outline = 0x0A0C0FFF,
                                    .link = 0x4A5362FF}
                        : (rv_look){.dark = false,
                                    .ground = 0xF6F6F3FF,
                                    .panel = 0xFFFFFFFF,
                                    .raised = 0xECECE7FF,
                                    .edge = 0xCFCFC8FF,
                                    .ink = 0x17191CFF,
                                    .quiet = 0x53585FFF,
                                    .faint = 0xA2A6ABFF,
                                    .accent = 0x0B57A4FF,
                                    .accent_ink = 0xFFFFFFFF,
                                    .good = 0x137A4BFF,
                                    .bad = 0xB3261EFF,
                                    .warn = 0x9A5B00FF,
                                    .outline = 0x1B1D20FF,
                                    .link = 0xB9BCC0FF};
    const double fit = fmin(width / 1280, height / 720);
    look.unit = 16 * fmax(0.8, fit) * scale;
    look.hair = look.unit / 16;
    return look;
}

rv_dye rv_dye_of(const rv_look *look, int32_t rank) {
    static const rv_colour fills[8] = {0xE69F00FF, 0x56B4E9FF, 0x009E73FF, 0xF0E442FF,
                                       0x0072B2FF, 0xD55E00FF, 0xCC79A7FF, 0x999999FF};
    (void)look; /* the same in both themes: they are told apart on either ground */
    const int32_t hue = rank % 8;
    rv_dye dye = {.fill = fills[hue],
                  .hatch = hue == 4 ? 0xFFFFFF55 : 0x00000038,
                  .ink = hue == 4 ? 0xFFFFFFFF : 0x000000FF,
                  .pattern = (rv_pattern)(rank % RV_N_PATTERNS)};
    if (rank < 26) {
        snprintf(dye.letter, sizeof dye.letter, "%c", 'A' + (int)rank);
    } else {
        snprintf(dye.letter, sizeof dye.letter, "%c%d", 'A' + (int)(rank % 26),
                 (int)(rank / 26 % 10000));
    }
    return dye;
}

rv_colour rv_mix(rv_colour a, rv_colour b, double share) {
    rv_colour mixed = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const double from = (a >> shift) & 0xFF, to = (b >> shift) & 0xFF;
        mixed |= (rv_colour)lround(from + (to - from) * share) << shift;
    }
    return mixed;
}

rv_colour rv_fade(rv_colour colour, double share) {
    const double opacity = (double)(colour & 0xFF) * share;
    return (colour & 0xFFFFFF00U) | (rv_colour)lround(fmin(255, fmax(0, opacity)));
}
