/* test_gui_keys.c: what SDL's keys mean, on every keyboard; and the files that `s` and Shift+S write.
 */
#include "viz/window/fake_screen.h"

#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t key_of(SDL_Keycode sym, SDL_Scancode place, int mod) {
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = sym;
    event.key.keysym.scancode = place;
    event.key.keysym.mod = (Uint16)mod;
    return rv_key_of(&event);
}

static void begin(void) {
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    rs_error error;
    cr_assert(rv_has_display(&error), "%s", error.text);
    SDL_StopTextInput();
}

/* Where each sign lies on the US layout, without Shift and with it. */
static const struct {
    SDL_Scancode place;
    char plain, shifted;
} signs[] = {{SDL_SCANCODE_1, '1', '!'},
             {SDL_SCANCODE_2, '2', '@'},
             {SDL_SCANCODE_3, '3', '#'},
             {SDL_SCANCODE_4, '4', '$'},
             {SDL_SCANCODE_5, '5', '%'},
             {SDL_SCANCODE_6, '6', '^'},
             {SDL_SCANCODE_7, '7', '&'},
             {SDL_SCANCODE_8, '8', '*'},
             {SDL_SCANCODE_9, '9', '('},
             {SDL_SCANCODE_0, '0', ')'},
             {SDL_SCANCODE_MINUS, '-', '_'},
             {SDL_SCANCODE_EQUALS, '=', '+'},
             {SDL_SCANCODE_LEFTBRACKET, '[', '{'},
             {SDL_SCANCODE_RIGHTBRACKET, ']', '}'},
             {SDL_SCANCODE_COMMA, ',', '<'},
             {SDL_SCANCODE_PERIOD, '.', '>'},
             {SDL_SCANCODE_SLASH, '/', '?'},
             {SDL_SCANCODE_SPACE, ' ', ' '},
             {SDL_SCANCODE_A, 'a', 'A'},
             {SDL_SCANCODE_M, 'm', 'M'},
             {SDL_SCANCODE_Z, 'z', 'Z'}};
enum { N_SIGNS = sizeof signs / sizeof signs[0] };

Test(gui_keys, a_sign_is_its_own_and_where_there_is_no_latin_letter_its_place_counts) {
    static const int for_the_desktop[] = {KMOD_LCTRL, KMOD_RALT, KMOD_LGUI};
    begin();
    for (int i = 0; i < N_SIGNS; i++) {
        for (int cyrillic = 0; cyrillic < 2; cyrillic++) {
            const SDL_Keycode sym = cyrillic ? 0x444 : signs[i].plain;
            cr_expect_eq(key_of(sym, signs[i].place, 0), signs[i].plain, "%c", signs[i].plain);
            cr_expect_eq(key_of(sym, signs[i].place, KMOD_LSHIFT), signs[i].shifted, "%c",
                         signs[i].shifted);
            cr_expect_eq(key_of(sym, signs[i].place, KMOD_CAPS), signs[i].plain, "%c",
                         signs[i].plain);
            for (int m = 0; m < 3; m++)
                cr_expect_eq(key_of(sym, signs[i].place, for_the_desktop[m]), RV_KEY_NONE);
        }
    }
    cr_expect_eq(key_of(0x444, SDL_SCANCODE_F5, 0), RV_KEY_NONE);
    static const char pairs[] = "\\|;:'\"`~";
    for (int i = 0; pairs[i] != '\0'; i += 2) {
        cr_expect_eq(key_of(pairs[i], 0, 0), pairs[i]);
        cr_expect_eq(key_of(pairs[i], 0, KMOD_RSHIFT), pairs[i + 1]);
    }
}

/* The keys of the numeric pad, 1 to 0, are digits with NumLock, else what stands below them. */
Test(gui_keys, the_numeric_pad_has_digits_with_numlock_and_arrows_without) {
    static const int32_t arrows[] = {RV_KEY_END,     RV_KEY_DOWN,  RV_KEY_PAGE_DOWN, RV_KEY_LEFT,
                                     RV_KEY_NONE,    RV_KEY_RIGHT, RV_KEY_HOME,      RV_KEY_UP,
                                     RV_KEY_PAGE_UP, RV_KEY_NONE};
    static const SDL_Keycode syms[] = {SDLK_KP_PLUS, SDLK_KP_MINUS, SDLK_KP_DIVIDE, SDLK_KP_PERIOD};
    begin();
    for (int text = 0; text < 2; text++) { /* then characters come as text */
        if (text) SDL_StartTextInput();
        for (int i = 0; i < 10; i++) {
            const SDL_Keycode sym = SDLK_KP_1 + i;
            cr_expect_eq(key_of(sym, 0, KMOD_NUM), text ? RV_KEY_NONE : "1234567890"[i], "%d", i);
            cr_expect_eq(key_of(sym, 0, 0), arrows[i], "%d", i);
        }
        for (int i = 0; i < 4; i++) {
            cr_expect_eq(key_of(syms[i], 0, KMOD_NUM), text ? RV_KEY_NONE : "+-/."[i]);
            cr_expect_eq(key_of(syms[i], 0, 0), text || i == 3 ? RV_KEY_NONE : "+-/."[i]);
        }
    }
}

Test(gui_keys, without_a_character_have_their_names_with_shift_or_not) {
    static const struct {
        SDL_Keycode sym;
        int32_t plain, shifted;
    } named[] = {{SDLK_RIGHT, RV_KEY_RIGHT, RV_KEY_SHIFT_RIGHT},
                 {SDLK_LEFT, RV_KEY_LEFT, RV_KEY_SHIFT_LEFT},
                 {SDLK_TAB, RV_KEY_TAB, RV_KEY_SHIFT_TAB},
                 {SDLK_UP, RV_KEY_UP, RV_KEY_UP},
                 {SDLK_DOWN, RV_KEY_DOWN, RV_KEY_DOWN},
                 {SDLK_PAGEDOWN, RV_KEY_PAGE_DOWN, RV_KEY_PAGE_DOWN},
                 {SDLK_PAGEUP, RV_KEY_PAGE_UP, RV_KEY_PAGE_UP},
                 {SDLK_HOME, RV_KEY_HOME, RV_KEY_HOME},
                 {SDLK_END, RV_KEY_END, RV_KEY_END},
                 {SDLK_RETURN, RV_KEY_ENTER, RV_KEY_ENTER},
                 {SDLK_KP_ENTER, RV_KEY_ENTER, RV_KEY_ENTER},
                 {SDLK_BACKSPACE, RV_KEY_BACKSPACE, RV_KEY_BACKSPACE},
                 {SDLK_ESCAPE, RV_KEY_ESCAPE, RV_KEY_ESCAPE},
                 {SDLK_F1, '?', '?'},
                 {SDLK_F11, 'f', 'f'},
                 {SDLK_F2, RV_KEY_NONE, RV_KEY_NONE}};
    begin();
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        cr_expect_eq(key_of(named[i].sym, 0, 0), named[i].plain, "%zu", i);
        cr_expect_eq(key_of(named[i].sym, 0, KMOD_LSHIFT), named[i].shifted, "%zu", i);
    }
}

/* -------------------------------------------------------------------------------- characters as text */

static int32_t typed(const char *text) {
    SDL_Event event = {.type = SDL_TEXTINPUT};
    strcpy(event.text.text, text);
    return rv_key_of(&event);
}

Test(gui_keys, where_a_sign_lies_elsewhere_characters_come_as_text_and_once) {
    static const SDL_Scancode moved[] = {SDL_SCANCODE_LEFTBRACKET, SDL_SCANCODE_RIGHTBRACKET,
                                         SDL_SCANCODE_COMMA,       SDL_SCANCODE_PERIOD,
                                         SDL_SCANCODE_SLASH,       SDL_SCANCODE_MINUS,
                                         SDL_SCANCODE_EQUALS};
    begin();
    for (int i = 0; i < 7; i++) {
        fake.odd = moved[i];
        rv_choose_input();
        cr_expect(SDL_IsTextInputActive(), "%d", i);
        cr_expect_eq(key_of('v', SDL_SCANCODE_V, 0), RV_KEY_NONE, "it would come twice");
        fake.odd = SDL_SCANCODE_UNKNOWN;
        rv_choose_input();
        cr_expect_not(SDL_IsTextInputActive(), "%d", i);
    }
    for (int c = 1; c < 256; c++) {
        const char text[] = {(char)c, '\0'};
        cr_expect_eq(typed(text), c >= ' ' && c < 0x7F ? c : RV_KEY_NONE, "%d", c);
    }
    cr_expect_eq(typed("ab"), RV_KEY_NONE);
    cr_expect_eq(typed("\u00fc"), RV_KEY_NONE);
    SDL_SetModState(KMOD_CAPS); /* only Shift counts */
    for (int c = ' '; c < 0x7F; c++) {
        const char text[] = {(char)c, '\0'};
        const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
        cr_expect_eq(typed(text), lower ? c - 32 : upper ? c + 32 : c, "%c", c);
    }
}

/* ------------------------------------------------------------------------------------- files by key */

int link(const char *from, const char *to) {
    if (!fake.no_links) return ((int (*)(const char *, const char *))of_sdl("link"))(from, to);
    errno = EPERM;
    return -1;
}

static size_t read_file(const char *path, char *out, size_t n_out) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    const size_t n = fread(out, 1, n_out, file);
    fclose(file);
    return n;
}

/* The files of the folder, in any order. */
static int count_files(void) {
    FILE *list = popen("ls -A | wc -l", "r");
    int n = -1;
    cr_assert(list != NULL && fscanf(list, "%d", &n) == 1);
    pclose(list);
    return n;
}

/* Saves so often: each time another name, the files before are as they were, and nothing else is there. */
Test(gui_keys, a_picture_gets_a_name_of_its_own_and_nothing_is_overwritten) {
    OWN_FIXTURE s = {0};
    static char first[1 << 20], again[1 << 20];
    char folder[] = "/tmp/gui_keys-XXXXXX", message[300];
    int n_files = 0;
    struct stat facts;
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
    umask(027);
    stage_fixture_start(&s, "ring", 3, 1);
    for (int kind = 0; kind < 4; kind++) {
        const bool svg = kind % 2 == 1;
        const char *ending = svg ? "svg" : "png";
        fake.no_links = kind >= 2;
        size_t n_first = 0;
        for (int i = 1; i <= 4; i++) {
            char name[64];
            const int number = kind < 2 ? i : i + 4;
            snprintf(name, sizeof name, "ringsim-step-1-%d.%s", number, ending);
            if (number == 1) snprintf(name, sizeof name, "ringsim-step-1.%s", ending);
            s.stage->hover = rv_target_of(RV_GPU, i % 3, 0); /* it is not in the picture */
            rv_save_picture(s.stage, svg);
            snprintf(message, sizeof message, "Saved %s", name);
            cr_expect_str_eq(s.stage->playback.message, message);
            cr_expect_eq(s.stage->hover.a, i % 3, "the pointer stays where it is");
            cr_expect_eq(count_files(), ++n_files, "%s", name);
            cr_expect(stat(name, &facts) == 0 && (facts.st_mode & 0777) == 0640, "%s", name);
            const size_t n = read_file(name, i == 1 ? first : again, sizeof first);
            if (i == 1) n_first = n;
            cr_expect(n > 1000 && n == n_first && (i == 1 || memcmp(first, again, n) == 0), "%s",
                      name);
        }
    }
    s.options.picture_prefix = "none/such";
    rv_save_picture(s.stage, false);
    cr_expect_str_eq(s.stage->playback.message, "none/such-step-1.png: No such file or directory");
    cr_expect_eq(count_files(), n_files);
    cr_expect_eq(system("rm -r \"$PWD\""), 0);
}
