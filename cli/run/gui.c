/* gui.c: the module with the window and its pictures: where it lies, and whether there is a display.
 *
 *     rc_gui --> folders --> rv_gui_load --> session->gui      at the most once, and never without need:
 *                                                              loading it takes some 10 ms
 */
#include "config.h"
#include "run/show.h"

#include <stdlib.h>

bool rc_gui_built(void) {
#ifdef HAVE_SDL
    return true;
#else
    return false;
#endif
}

bool rc_display_named(void) {
    static const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY"};
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') return true;
    }
    return false;
}

rc_exit rc_gui(rc_session *session, rs_error *error) {
    if (session->gui != NULL) return RC_GOOD;
    rc_folders folders;
    rc_find_folders(session->program, RC_MODULES, &folders);
    const rs_status status = rv_gui_load(folders.list, error, &session->gui);
    return status == RS_OK ? RC_GOOD : RC_LACKS;
}

/* Whoever asks for a driver by name may have none of the two. */
static bool display_possible(void) {
#ifdef __APPLE__
    return true;
#else
    return rc_display_named() || getenv("SDL_VIDEODRIVER") != NULL;
#endif
}

rc_exit rc_window_ready(rc_session *session, rs_error *error) {
    if (rc_gui_built() && !display_possible()) {
        return rc_fail(error, RC_LACKS,
                       _("no display: neither DISPLAY nor WAYLAND_DISPLAY is set; use --view "
                         "terminal or text"));
    }
    const rc_exit status = rc_gui(session, error);
    if (status != RC_GOOD) return status;
    return session->gui->has_display(error) ? RC_GOOD : RC_LACKS;
}

/* ------------------------------------------------------------------ showing, drawing */

rc_exit rc_gui_exit(rs_status status) {
    return status == RS_UNSUPPORTED ? RC_LACKS : rc_exit_of(status);
}

rc_exit rc_show_window(rc_session *session, const rv_subject *subject, const rv_options *options) {
    rv_options here = *options;
    rc_folders catalogues;
    rc_find_folders(session->program, RC_CATALOGUES, &catalogues);
    here.locale_dirs = catalogues.list; /* `l` switches between languages */
    rc_host_hush(session->host);
    return rc_gui_exit(
        session->gui->run(subject, &here, rc_host_face(session->host), session->error));
}
