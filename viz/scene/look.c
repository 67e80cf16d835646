/* look.c: see look.h. */
#include "scene/look.h"

#include <math.h>
#include <stdio.h>

rv_look rv_look_of(bool dark, double width, double height, double scale) {
    rv_look look = dark ? (rv_look){.dark = true,
                                    .ground = 0x14161BFF,
                                    .panel = 0x1D2027FF,
                                    .raised = 0x2A2E38FF,
                                    .edge = 0x3C424FFF,
                                    .ink = 0xF3F1ECFF,
                                    .quiet = 0xB9BDC6FF,
                                    .faint = 0x626A78FF,
                                    .accent = 0xCDB4FFFF,
                                    .accent_ink = 0x1A1030FF,
                                    .focus = 0xF3F1ECFF,
                                    .focus_ink = 0x14161BFF,
                                    .good = 0x55C791FF,
                                    .bad = 0xFF8070FF,
                                    .warn = 0xFF9F43FF,
                                    .outline = 0x0B0C10FF,
                                    .link = 0x78818FFF}
                        : (rv_look){.dark = false,
                                    .ground = 0xF7F5F0FF,
                                    .panel = 0xFFFEFCFF,
                                    .raised = 0xEDEAE3FF,
                                    .edge = 0xD6D1C7FF,
                                    .ink = 0x1B1A18FF,
                                    .quiet = 0x57534CFF,
                                    .faint = 0xA9A398FF,
                                    .accent = 0x6D28C9FF,
                                    .accent_ink = 0xFFFFFFFF,
                                    .focus = 0x1B1A18FF,
                                    .focus_ink = 0xFFFEFCFF,
                                    .good = 0x12744AFF,
                                    .bad = 0xB3261EFF,
                                    .warn = 0x96500AFF,
                                    .outline = 0x1F1D1AFF,
                                    .link = 0x8A857BFF};
    const double fit = fmin(width / 1280, height / 720);
    look.plain_unit = 16 * fmax(0.8, fit);
    look.unit = look.plain_unit * scale;
    look.hair = look.unit / 16;
    return look;
}

/* Returns the share 0..1 of a display's light, as the byte that gives it (IEC 61966-2-1). */
static rv_colour byte_of(double light) {
    const double shown = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (rv_colour)lround(255 * fmin(1, fmax(0, shown)));
}

static double cube(double x) {
    return x * x * x;
}

/* Returns the colour at a share of the circle of hues, all as light and as strong. The matrices are
   those of OKLab (B. Ottosson, "A perceptual color space for image processing", 2020). */
static rv_colour hue_at(double share) {
    const double lightness = 0.76, chroma = 0.125, turn = 2 * acos(-1);
    const double a = chroma * cos(turn * share), b = chroma * sin(turn * share);
    const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    return byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 24 |
           byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 16 |
           byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) << 8 | 0xFF;
}

rv_dye rv_dye_of(const rv_look *look, int32_t rank) {
    /* Both themes have the same: they stand out on either ground. */
    static const rv_colour fills[8] = {0xE69F00FF, 0x56B4E9FF, 0x009E73FF, 0xF0E442FF,
                                       0x0072B2FF, 0xD55E00FF, 0xCC79A7FF, 0x999999FF};
    const bool few = look->n_dyes <= 8;
    const int32_t hue = rank % 8;
    const bool deep = few && hue == 4;
    rv_dye dye = {.fill = few ? fills[hue] : hue_at(0.17 + (double)rank / look->n_dyes),
                  .hatch = deep ? 0xFFFFFF55 : 0x00000038,
                  .ink = deep ? 0xFFFFFFFF : 0x000000FF,
                  .pattern = (rv_pattern)((rank + rank / 8) % RV_N_PATTERNS)};
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

rv_colour rv_heat_of(const rv_look *look, double share) {
    static const rv_colour light[3] = {0xEFEBE2FF, 0x7FB0D8FF, 0x1B4585FF};
    static const rv_colour dark[3] = {0x262B35FF, 0x3A75B5FF, 0xB5DCFBFF};
    const rv_colour *ramp = look->dark ? dark : light;
    if (share < 0) return look->bad;
    if (share >= 1) return look->good;
    const double place = 2 * pow(fmax(0, share), 0.6); /* the first few already stand out */
    const int i = place >= 1 ? 1 : 0;
    return rv_mix(ramp[i], ramp[i + 1], place - i);
}
