/* gui_names.c: see gui_names.h. */
#include "viz/canvas/gui_names.h"

#include <string.h>

static const struct {
    const char *name; /* xdotool's */
    int32_t key;
} keys[] = {{"Right", RV_KEY_RIGHT},
            {"Left", RV_KEY_LEFT},
            {"Up", RV_KEY_UP},
            {"Down", RV_KEY_DOWN},
            {"shift+Right", RV_KEY_SHIFT_RIGHT},
            {"shift+Left", RV_KEY_SHIFT_LEFT},
            {"Next", RV_KEY_PAGE_DOWN},
            {"Prior", RV_KEY_PAGE_UP},
            {"Home", RV_KEY_HOME},
            {"End", RV_KEY_END},
            {"Return", RV_KEY_ENTER},
            {"BackSpace", RV_KEY_BACKSPACE},
            {"Tab", RV_KEY_TAB},
            {"shift+Tab", RV_KEY_SHIFT_TAB},
            {"Escape", RV_KEY_ESCAPE},
            {"question", '?'},
            {"space", ' '},
            {"bracketleft", '['},
            {"bracketright", ']'},
            {"plus", '+'},
            {"minus", '-'},
            {"less", '<'},
            {"greater", '>'},
            {"comma", ','},
            {"period", '.'},
            {"slash", '/'},
            {"F11", 'f'}};

int32_t gui_key(const char *name) {
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) == 0) return keys[i].key;
    }
    return strlen(name) == 1 ? name[0] : RV_KEY_NONE;
}

rv_target gui_target(const char *thing, int a, int b, int c) {
    static const struct {
        const char *name;
        rv_thing thing;
    } things[] = {{"button", RV_BUTTON},    {"cell", RV_CELL},     {"choice", RV_CHOICE},
                  {"gpu", RV_GPU},          {"link", RV_LINK},     {"ill", RV_FAULT},
                  {"step", RV_STEP_BAR},    {"slider", RV_SLIDER}, {"timeline", RV_TIMELINE},
                  {"transfer", RV_TRANSFER}};
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        if (strcmp(things[i].name, thing) != 0) continue;
        return (rv_target){(int32_t)things[i].thing, a, b, c};
    }
    return (rv_target){0};
}

/* Buttons are named by what they do. */
int gui_action(const char *name) {
    static const struct {
        const char *name;
        rv_action action;
    } actions[] = {{"next", RV_NEXT},     {"back", RV_BACK},        {"home", RV_HOME},
                   {"end", RV_END},       {"play", RV_PLAY},        {"faster", RV_FASTER},
                   {"slower", RV_SLOWER}, {"predict", RV_PREDICT},  {"help", RV_HELP},
                   {"theme", RV_THEME},   {"language", RV_LANGUAGE}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, name) == 0) return (int)actions[i].action;
    }
    for (int i = 0; rv_view_word(i) != NULL; i++) {
        if (strcmp(rv_view_word(i), name) == 0) return RV_SHOW_VIEW + i;
    }
    return RV_NO_ACTION;
}
