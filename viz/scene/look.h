/* look.h: the colours, sizes and letters that every part of the picture shares. Pure.
 *
 *   - Data of GPU r have one colour, one hatching and one letter, everywhere: A is GPU 0's data.
 *     Up to eight GPUs have the colours of Okabe and Ito (Color Universal Design, 2008), which
 *     colour-blind people can tell apart. More go once round a circle of hues of one lightness
 *     (OKLCH), so no two have the same. Each fill has a dark outline, and hatching or letter always
 *     say the same.
 *   - What happens has the accent colour, what the reader follows that of the ink: neither is a GPU's.
 *   - Sizes grow with the window and with --scale: `unit` is the height of ordinary type, in pixels.
 */
#pragma once

#include "scene/scene.h"

typedef struct rv_look {
    bool dark;
    double unit;       /* ordinary type; 16 at 1280 x 720 */
    double plain_unit; /* the same without --scale: what is legible at all */
    /* as people count them: 1, more on a dense screen; what can be read is counted in these */
    double pixel;
    double hair;                           /* a thin line; 1 at 1280 x 720 */
    rv_colour ground, panel, raised, edge; /* behind all; panels; buttons; thin lines */
    rv_colour ink, quiet, faint;           /* text; less important text; signs in the background */
    rv_colour accent, accent_ink;          /* what happens now, and text upon it */
    rv_colour focus, focus_ink;            /* the GPU that is followed, and text upon it */
    /* right; wrong or dead; late or slow. Never without a word or sign */
    rv_colour good, bad, warn;
    rv_colour outline; /* round coloured fills */
    rv_colour link;    /* wires */
    int32_t n_dyes;    /* among so many GPUs each has a colour of its own; <= 8: the eight */
} rv_look;

/* Makes the look of a picture of width x height, with n_dyes 0; scale multiplies all type. */
rv_look rv_look_of(bool dark, double width, double height, double scale);

/* How the data of a rank are drawn. */
typedef struct rv_dye {
    rv_colour fill, hatch, ink; /* ink: readable upon the fill */
    rv_pattern pattern;
    char letter[8]; /* A .. Z, then A1 .. */
} rv_dye;
rv_dye rv_dye_of(const rv_look *look, int32_t rank);

/* Returns a heat map's colour: its lightness changes evenly from share 0 to nearly 1; 1 has a
   colour of its own, and less than 0 that of what is wrong. */
rv_colour rv_heat_of(const rv_look *look, double share);

/* Mixes two colours: 0 gives a, 1 gives b. */
rv_colour rv_mix(rv_colour a, rv_colour b, double share);
/* Returns the colour with its opacity multiplied by `share`. */
rv_colour rv_fade(rv_colour colour, double share);
