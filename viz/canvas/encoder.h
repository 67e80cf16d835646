/* encoder.h: frames in, a film out: ffmpeg at the other end of a socket. No shell is involved.
 *
 *     start --> frame, frame, ... --> finish, which hands the bytes over --> free
 *
 *     we --- raw frames ---> ffmpeg ---> a file without a name ---> we
 *
 *   - ffmpeg writes into a file that is already removed: whatever happens, nothing is left lying.
 *   - Ctrl-C in the terminal reaches us alone; freed before it is finished, ffmpeg is ended.
 *   - The same frames give the same bytes, on one machine.
 */
#ifndef RV_ENCODER_H
#define RV_ENCODER_H

#include "canvas/format.h"

enum { RV_PALETTE_BYTES = 16 * 16 * 4 };

/* Asked now and then while ffmpeg keeps us waiting: false gives up, with RS_CANCELLED. */
typedef struct rv_patience {
    bool (*lasts)(void *context);
    void *context;
} rv_patience;

typedef struct rv_encoder rv_encoder;
/* Starts ffmpeg for frames of width x height (even) ARGB32 pixels without gaps. A format that has a palette
   is started twice: without one it is the RV_PALETTE_BYTES of the palette that are made. RS_UNSUPPORTED:
   there is no ffmpeg. */
rs_status rv_encoder_start(const rv_format *format, int width, int height, int per_second,
                           const unsigned char palette[RV_PALETTE_BYTES],
                           const rv_patience *patience, rs_error *error, rv_encoder **encoder);
rs_status rv_encoder_frame(rv_encoder *encoder, const unsigned char *pixels, rs_error *error);
rs_status rv_encoder_finish(rv_encoder *encoder, rs_write write, void *context, rs_error *error);
void rv_encoder_free(rv_encoder *encoder); /* NULL is fine */

#endif
