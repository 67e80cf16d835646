/* window_loader.c: loads the window and its pictures, which are a module of their own.
 *
 *     rv_gui_load(dirs) --> dlopen DIR/ringsim-window.so --> rv_gui_table --> abi and version agree
 *
 *   - To link SDL2 and pango would make every start 11 ms slower; so the program loads the module
 *     only when it needs it, and keeps it.
 *   - The module finds the rs_ and rv_ names that it needs in the program. In another build these
 *     may be different: so the program refuses a module of another build.
 */
#include "config.h"
#include "text/words.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#endif

#ifdef HAVE_SDL

enum { LONGEST_PATH = 4200 };

static rs_status check_table(const rv_gui *table, const char *path, rs_error *error) {
    if (table == NULL) {
        return rs_fail(error, RS_UNSUPPORTED, _("%.200s is no window of ringsim; run make again"),
                       path);
    }
    /* With another abi even `version` may lie elsewhere in the table. */
    const char *version = table->abi == RV_GUI_ABI ? table->version : "?";
    if (strcmp(version, RINGSIM_VERSION) == 0) return RS_OK;
    return rs_fail(error, RS_UNSUPPORTED,
                   _("%.200s is of another build (%.20s, the program is %s); run make again"), path,
                   version, RINGSIM_VERSION);
}

/* Tells whether the file ends before its table of sections, which lies last. To load a file that
   was cut off, or that is still being written, would end the program with a bus error. */
static bool is_cut_off(const char *path) {
#ifdef __linux__
    Elf64_Ehdr head = {.e_shoff = 0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool read_it = pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head;
    const off_t end = lseek(file, 0, SEEK_END);
    close(file);
    const bool known = memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[4] == ELFCLASS64;
    if (!read_it || !known) return false; /* dlopen reports these itself */
    const uint64_t table = (uint64_t)head.e_shnum * head.e_shentsize;
    return head.e_shoff > (uint64_t)end || table > (uint64_t)end - head.e_shoff;
#else
    (void)path;
    return false;
#endif
}

static rs_status load(const char *path, rs_error *error, const rv_gui **gui) {
    if (is_cut_off(path)) {
        return rs_fail(error, RS_UNSUPPORTED, _("%.200s is no window of ringsim; run make again"),
                       path);
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        const char *reason = dlerror();
        return rs_fail(error, RS_UNSUPPORTED,
                       _("the window cannot be loaded: %.300s; see ringsim doctor"),
                       reason != NULL ? reason : path);
    }
    const rv_gui *table = dlsym(module, RV_GUI_SYMBOL);
    const rs_status status = check_table(table, path, error);
    if (status == RS_OK) {
        *gui = table;
    } else {
        dlclose(module);
    }
    return status;
}

rs_status rv_gui_load(const char *const dirs[], rs_error *error, const rv_gui **gui) {
    for (int i = 0; dirs[i] != NULL; i++) {
        char path[LONGEST_PATH];
        const int n = snprintf(path, sizeof path, "%s/%s", dirs[i], RV_GUI_FILE);
        if (n < LONGEST_PATH && access(path, F_OK) == 0) return load(path, error, gui);
    }
    return rs_fail(error, RS_UNSUPPORTED,
                   _("the window's file %s lies neither beside the program nor where it is "
                     "installed; run make, or make install"),
                   RV_GUI_FILE);
}

#else

rs_status rv_gui_load(const char *const dirs[], rs_error *error, const rv_gui **gui) {
    (void)dirs;
    (void)gui;
    return rs_fail(error, RS_UNSUPPORTED,
                   _("this build has no window and draws no pictures; see ringsim doctor"));
}

#endif
