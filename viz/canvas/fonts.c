/* fonts.c: whether the machine's fonts can write our texts. Without the right font pango draws
 * boxes and reports no error.
 */
#include "canvas/canvas.h"
#include "text/words.h"

bool rv_has_fonts(rs_error *error) {
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return true; /* no memory: the caller's next step reports that */
    const bool latin = rv_canvas_can_write(canvas, "GPU 0");
    const bool words = rv_canvas_can_write(canvas, _("Scatter-reduce"));
    rv_canvas_free(canvas);
    if (!latin) {
        rs_fail(error, RS_UNSUPPORTED,
                _("this machine has no fonts: install fonts-noto-cjk, or any other"));
    } else if (!words) {
        rs_fail(error, RS_UNSUPPORTED,
                _("no font can write this language: install fonts-noto-cjk, or take --lang en"));
    }
    return latin && words;
}
