/* gui_table.c: the one name that the module exports: a table of the functions that the program
   calls. */
#include "config.h"
#include "window/window.h"

extern const rv_gui rv_gui_table;
__attribute__((visibility("default"))) const rv_gui rv_gui_table = {
    .abi = RV_GUI_ABI,
    .version = RINGSIM_VERSION,
    .has_display = rv_has_display,
    .has_fonts = rv_has_fonts,
    .run = rv_window_run,
    .picture = rv_gui_picture,
};
