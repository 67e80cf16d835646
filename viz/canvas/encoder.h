/* encoder.h: frames in, a film out: ffmpeg at the other end of a socket. No shell is involved.
 *
 *     start --> frame, frame, ... --> finish, which hands the bytes over --> free
 *
 *     we --- raw frames ---> ffmpeg ---> a file without a name ---> we
 *
 *   - ffmpeg writes into a file whose name is removed already: whatever happens, no file stays
 *     behind.
 *   - Ctrl-C in the terminal reaches us, not ffmpeg; rv_encoder_free ends an ffmpeg that still
 *     runs.
 *   - The same frames give the same bytes, on one machine.
 */
#pragma once

#include "canvas/paper.h"

enum { RV_PALETTE_BYTES = 16 * 16 * 4 };

/* The encoder asks it now and then while it waits for ffmpeg: false gives up, with RS_CANCELLED. */
typedef struct rv_patience {
    bool (*lasts)(void *context);
    void *context;
} rv_patience;

typedef struct rv_encoder rv_encoder;
/* Starts ffmpeg for frames of width x height (both even) ARGB32 pixels without gaps. A format that
   has a palette needs two runs: the first, with palette NULL, makes the RV_PALETTE_BYTES of the
   palette; the second takes them. RS_UNSUPPORTED: there is no ffmpeg. */
rs_status rv_encoder_start(const rv_format *format, int width, int height, int per_second,
                           const unsigned char palette[RV_PALETTE_BYTES],
                           const rv_patience *patience, rs_error *error, rv_encoder **encoder);
rs_status rv_encoder_frame(rv_encoder *encoder, const unsigned char *pixels, rs_error *error);
rs_status rv_encoder_finish(rv_encoder *encoder, rs_write write, void *context, rs_error *error);
void rv_encoder_free(rv_encoder *encoder); /* NULL is fine */
