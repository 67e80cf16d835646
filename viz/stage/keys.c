/* keys.c: the one table of keys. Terminal and window, and both their help texts, read it. The keys of views
 * come from the table of panels. A group begins with the row that names it.
 *
 * A presenter's two buttons (PgDn, PgUp) walk the whole ring; in a lesson they turn its pages.
 */
#include "stage/panel.h"
#include "text/words.h"

static const rv_key_row rows[] = {
    {RV_LESSON_NEXT,
     {RV_KEY_PAGE_DOWN, RV_KEY_ENTER},
     N_("PgDn, Enter"),
     N_("in a lesson: read on"),
     .lesson_only = true,
     .group = N_("Read")},
    {RV_LESSON_BACK,
     {RV_KEY_PAGE_UP, RV_KEY_BACKSPACE},
     N_("PgUp, Backspace"),
     N_("in a lesson: read back"),
     .lesson_only = true},
    {RV_LESSON_SWAP,
     {'o'},
     "o",
     N_("in a lesson: the text, the animation, or both"),
     .lesson_only = true},
    {RV_LESSON_COPY, {'y'}, "y", N_("in a lesson: copy the page's code"), .lesson_only = true},
    {RV_NEXT,
     {RV_KEY_RIGHT, RV_KEY_PAGE_DOWN, RV_KEY_ENTER},
     N_("Right, PgDn, Enter"),
     N_("one step on"),
     .hint = N_("Right: next"),
     .lesson_names = N_("Right"),
     .group = N_("Walk")},
    {RV_BACK,
     {RV_KEY_LEFT, RV_KEY_PAGE_UP, RV_KEY_BACKSPACE},
     N_("Left, PgUp, Backspace"),
     N_("one step back"),
     .hint = N_("Left: back"),
     .lesson_names = N_("Left")},
    {RV_MICRO_NEXT,
     {RV_KEY_SHIFT_RIGHT, '>'},
     N_("Shift+Right, >"),
     .help = N_("a third of a step on: send, arrive, add")},
    {RV_MICRO_BACK,
     {RV_KEY_SHIFT_LEFT, '<'},
     N_("Shift+Left, <"),
     .help = N_("a third of a step back")},
    {RV_PLAY, {' '}, N_("Space"), N_("play, pause"), .hint = N_("Space: play")},
    {RV_FASTER, {'+', '='}, "+", .help = N_("play faster; pointer on diagram or matrix: zoom in")},
    {RV_SLOWER, {'-'}, "-", .help = N_("play slower; pointer on diagram or matrix: zoom out")},
    {RV_PHASE_NEXT, {']'}, "]", .help = N_("next phase")},
    {RV_PHASE_BACK, {'['}, "[", .help = N_("previous phase")},
    {RV_HOME, {RV_KEY_HOME}, N_("Home"), .help = N_("to the start")},
    {RV_END, {RV_KEY_END}, N_("End"), .help = N_("to the end")},
    {RV_GO_TO, {'g'}, N_("g and a number"), .help = N_("go to a step")},
    {RV_ROW_DOWN,
     {RV_KEY_DOWN, RV_KEY_TAB},
     N_("Down, Tab"),
     N_("follow the next GPU"),
     .hint = N_("Down: GPU"),
     .page_names = N_("Down")},
    {RV_ROW_UP,
     {RV_KEY_UP, RV_KEY_SHIFT_TAB},
     N_("Up, Shift+Tab"),
     .help = N_("follow the GPU before"),
     .page_names = N_("Up")},
    {RV_PREDICT,
     {'p'},
     "p",
     N_("predict before each step: a number, then Enter"),
     .hint = N_("p: predict"),
     .group = N_("Ask")},
    {RV_HELP, {'?'}, "?", N_("these keys"), .hint = N_("?: keys")},
    {RV_BREAK_MENU,
     {'B'},
     N_("Shift+B"),
     .help = N_("break it: the menu of the followed GPU"),
     .not_here = N_("a terminal has no menu; w, e, b and k break at once"),
     .group = N_("Break")},
    {RV_SLOW_THE_LINK,
     {'w'},
     "w",
     .help = N_("make the followed GPU's link slow, and quick again")},
    {RV_DELAY_GPU, {'e'}, "e", .help = N_("make it late, and punctual again")},
    {RV_BURDEN_GPU,
     {'b'},
     "b",
     .help = N_("burden it with more time for each step, and free it again")},
    {RV_KILL_GPU, {'k'}, "k", .help = N_("let it die from now on, and live again")},
    {RV_HEAL_GPU, {'h'}, "h", .help = N_("heal it: it is well again")},
    {RV_MEND, {'u'}, "u", .help = N_("mend everything")},
    {RV_KNOB_NEXT, {'/'}, "/", .help = N_("the next slider")},
    {RV_KNOB_LESS, {','}, ",", .help = N_("move the slider down")},
    {RV_KNOB_MORE, {'.'}, ".", .help = N_("move the slider up")},
    {RV_FORK,
     {'F'},
     N_("Shift+F"),
     .help = N_("fork: keep this run beside what you change"),
     .group = N_("Compare")},
    {RV_RACE, {'x'}, "x", .help = N_("race against another algorithm")},
    {RV_CLOSE, {RV_KEY_ESCAPE}, "Esc", .help = N_("close what is open; end a race or a fork")},
    {.action = RV_SHOW_VIEW, .group = N_("Look")}, /* stands for the views, one key each */
    {RV_SHOW_ALL, {'v'}, "v", .help = N_("show all views, or the ring alone")},
    {RV_ZOOM_OFF,
     {'0'},
     "0",
     .help = N_("diagram and matrix show all again"),
     .not_here = N_("characters are too wide to zoom; --export draws finer")},
    {RV_SCROLL_DOWN,
     {RV_KEY_SHIFT_DOWN, '}'},
     N_("Shift+Down, }"),
     .help = N_("in the terminal: the lines below those seen"),
     .not_there = N_("the window shows all of it")},
    {RV_SCROLL_UP,
     {RV_KEY_SHIFT_UP, '{'},
     N_("Shift+Up, {"),
     .help = N_("in the terminal: the lines above"),
     .not_there = N_("the window shows all of it")},
    {RV_FULL_SCREEN,
     {'f'},
     "f",
     N_("full screen"),
     .not_here = N_("a terminal has the size that you give it")},
    {RV_THEME,
     {'t'},
     "t",
     .help = N_("light or dark"),
     .not_here = N_("a terminal has its own ground, light or dark")},
    {RV_LANGUAGE, {'l'}, "l", .help = N_("English or Chinese")},
    {RV_PICTURE, {'s'}, "s", .help = N_("save a picture")},
    {RV_PICTURE_SVG, {'S'}, N_("Shift+S"), .help = N_("save a picture as SVG")},
    {RV_QUIT, {'q'}, "q", N_("quit"), .hint = N_("q: quit")},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* Makes the row of the n-th view that has a key; RV_NO_ACTION: there are fewer. */
static rv_key_row view_row(int n) {
    for (int i = 0; rv_view(i) != NULL; i++) {
        const rv_panel *panel = rv_panels[i];
        if (panel->key == NULL || n-- > 0) continue;
        return (rv_key_row){.action = (rv_action)(RV_SHOW_VIEW + i),
                            .keys = {panel->key[0]},
                            .names = panel->key,
                            .help = panel->help,
                            .not_here = panel->compose == NULL
                                            ? N_("only in the window and in pictures (--export)")
                                            : NULL};
    }
    return (rv_key_row){0};
}

rv_key_row rv_key_row_at(int index) {
    const char *group = "";
    for (int i = 0; i < N_ROWS; i++) {
        const bool views = rows[i].action == RV_SHOW_VIEW;
        if (rows[i].group != NULL) group = rows[i].group;
        for (int n = 0; n == 0 || views; n++) {
            rv_key_row row = views ? view_row(n) : rows[i];
            if (row.action == RV_NO_ACTION) break;
            row.group = group;
            if (index-- == 0) return row;
        }
    }
    return (rv_key_row){0};
}

static rv_action find(int32_t key, bool in_lesson) {
    rv_key_row row;
    for (int i = 0; key != 0 && (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (row.lesson_only != in_lesson) continue;
        for (int k = 0; k < RV_MAX_KEYS && row.keys[k] != 0; k++) {
            if (row.keys[k] == key) return row.action;
        }
    }
    return RV_NO_ACTION;
}

rv_action rv_action_of(int32_t key) {
    return find(key, false);
}

rv_action rv_lesson_action_of(int32_t key) {
    const rv_action action = find(key, true);
    return action != RV_NO_ACTION ? action : find(key, false);
}

rv_key_row rv_key_row_of(rv_action action) {
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (row.action == action) return row;
    }
    return row;
}
