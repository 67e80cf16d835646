/* save.c: `s` and Shift+S: the picture on the screen as a file; it never overwrites another file.
 *
 *     ringsim-step-3.png, ringsim-step-3-2.png, ringsim-step-3-3.png ...
 *
 *   - A file is whole or not there: we write it under a temporary name, then link it to its own.
 */
#include "window/window.h"
#include "canvas/paper.h"
#include "text/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OF_A_NAME = 999 };

static void write_file(void *context, const char *bytes, size_t n_bytes) {
    fwrite(bytes, 1, n_bytes, context);
}

/* Paints the picture into an open file, without what the pointer lights up and without the
   message. */
static bool paint_file(rv_stage *stage, bool svg, FILE *file) {
    const rv_target hover = stage->hover;
    rv_paper paper = {0};
    rs_error error;
    char title[256];
    stage->hover = (rv_target){0};
    stage->playback.message[0] = '\0';
    rv_stage_title(stage, title, sizeof title);
    bool good = rv_paper_open(&paper, svg ? RV_SVG : RV_PNG, stage->width, stage->height, title,
                              &error) == RS_OK;
    if (good) rv_paper_draw(&paper, stage);
    good = good && rv_paper_write(&paper, write_file, file, &error) == RS_OK && !ferror(file);
    stage->hover = hover;
    rv_paper_free(&paper);
    return good;
}

/* Gives the file its own name, the first that is free. */
static bool give_name(const char *passing, const char *stem, const char *ending, char *out,
                      size_t n_out) {
    for (int i = 1; i <= MOST_OF_A_NAME; i++) {
        if (i == 1) {
            snprintf(out, n_out, "%s.%s", stem, ending);
        } else {
            snprintf(out, n_out, "%s-%d.%s", stem, i, ending);
        }
        if (link(passing, out) == 0) return true;
        if (errno == EEXIST) continue;
        if (access(out, F_OK) == 0) continue; /* the file system has no links: rename */
        return rename(passing, out) == 0;
    }
    errno = EEXIST;
    return false;
}

static bool save(rv_stage *stage, bool svg, const char *stem, char *out, size_t n_out) {
    char passing[600];
    snprintf(passing, sizeof passing, "%s-XXXXXX", stem);
    const int fd = mkstemp(passing);
    if (fd < 0) return false;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    FILE *file = fdopen(fd, "wb");
    if (file == NULL) close(fd);
    errno = 0;
    bool good = file != NULL && paint_file(stage, svg, file);
    if (file != NULL && fclose(file) != 0) good = false;
    good = good && give_name(passing, stem, svg ? "svg" : "png", out, n_out);
    const int reason = errno;
    unlink(passing); /* the file has its own name now, or it failed */
    errno = reason;
    return good;
}

void rv_save_picture(rv_stage *stage, bool svg) {
    char stem[512], path[600];
    rv_name_picture(&stage->playback, stage->options, stem, sizeof stem);
    if (save(stage, svg, stem, path, sizeof path)) {
        rv_say_saved(&stage->playback, path, NULL);
    } else {
        const int reason = errno;
        snprintf(path, sizeof path, "%s.%s", stem, svg ? "svg" : "png");
        rv_say_saved(&stage->playback, path,
                     reason != 0 ? _(strerror(reason)) : _("it could not be written"));
    }
}
