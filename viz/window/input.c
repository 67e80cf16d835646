/* input.c: SDL's key presses as the keys of the one table, on every keyboard and under every input
 * method.
 *
 *   - A Chinese input method takes letters for itself while text input is on. So text input is off
 *     on layouts with the signs of the US layout, which such readers use, and we find the character
 *     from the key and Shift.
 *   - On other layouts (German, French, ...) only the system knows where ? < > [ ] are: there text
 *     input is on, and characters come as text.
 *   - If a key has no Latin letter (Russian, Greek, ...), its place on the keyboard counts, not its
 *     sign.
 */
#include "window/window.h"

/* Returns what Shift makes of a sign on the US layout. */
static int32_t shifted(int32_t c) {
    static const char plain[] = "1234567890-=[]\\;'`,./", with_shift[] = "!@#$%^&*()_+{}|:\"~<>?";
    if (c >= 'a' && c <= 'z') return c - 'a' + 'A';
    for (int i = 0; plain[i] != '\0'; i++) {
        if (plain[i] == c) return with_shift[i];
    }
    return c;
}

/* Returns the sign without Shift of the key at a place of the US layout; 0: none. */
static int32_t us_sign(SDL_Scancode place) {
    if (place >= SDL_SCANCODE_A && place <= SDL_SCANCODE_Z) {
        return 'a' + (int32_t)(place - SDL_SCANCODE_A);
    }
    if (place >= SDL_SCANCODE_1 && place <= SDL_SCANCODE_9) {
        return '1' + (int32_t)(place - SDL_SCANCODE_1);
    }
    switch (place) {
    case SDL_SCANCODE_0: return '0';
    case SDL_SCANCODE_SPACE: return ' ';
    case SDL_SCANCODE_MINUS: return '-';
    case SDL_SCANCODE_EQUALS: return '=';
    case SDL_SCANCODE_LEFTBRACKET: return '[';
    case SDL_SCANCODE_RIGHTBRACKET: return ']';
    case SDL_SCANCODE_COMMA: return ',';
    case SDL_SCANCODE_PERIOD: return '.';
    case SDL_SCANCODE_SLASH: return '/';
    default: return 0;
    }
}

void rv_choose_input(void) {
    static const SDL_Scancode signs[] = {SDL_SCANCODE_LEFTBRACKET, SDL_SCANCODE_RIGHTBRACKET,
                                         SDL_SCANCODE_COMMA,       SDL_SCANCODE_PERIOD,
                                         SDL_SCANCODE_SLASH,       SDL_SCANCODE_MINUS,
                                         SDL_SCANCODE_EQUALS};
    bool like_us = true;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (SDL_GetKeyFromScancode(signs[i]) != us_sign(signs[i])) like_us = false;
    }
    if (like_us) {
        SDL_StopTextInput();
    } else {
        SDL_StartTextInput();
    }
}

/* Returns the key of the numeric pad: digits and signs, or arrows, depending on NumLock. */
static int32_t pad_key(SDL_Keycode sym, bool figures) {
    static const char signs[] = "1234567890";
    static const int32_t arrows[] = {RV_KEY_END,     RV_KEY_DOWN,  RV_KEY_PAGE_DOWN, RV_KEY_LEFT,
                                     RV_KEY_NONE,    RV_KEY_RIGHT, RV_KEY_HOME,      RV_KEY_UP,
                                     RV_KEY_PAGE_UP, RV_KEY_NONE};
    if (sym >= SDLK_KP_1 && sym <= SDLK_KP_0) {
        const int at = (int)(sym - SDLK_KP_1);
        return figures ? signs[at] : arrows[at];
    }
    switch (sym) {
    case SDLK_KP_PLUS: return '+';
    case SDLK_KP_MINUS: return '-';
    case SDLK_KP_DIVIDE: return '/';
    case SDLK_KP_PERIOD: return figures ? '.' : RV_KEY_NONE;
    default: return RV_KEY_NONE;
    }
}

/* Returns a key without a character. */
static int32_t named_key(SDL_Keycode sym, bool shift) {
    switch (sym) {
    case SDLK_RIGHT: return shift ? RV_KEY_SHIFT_RIGHT : RV_KEY_RIGHT;
    case SDLK_LEFT: return shift ? RV_KEY_SHIFT_LEFT : RV_KEY_LEFT;
    case SDLK_UP: return RV_KEY_UP;
    case SDLK_DOWN: return RV_KEY_DOWN;
    case SDLK_PAGEDOWN: return RV_KEY_PAGE_DOWN;
    case SDLK_PAGEUP: return RV_KEY_PAGE_UP;
    case SDLK_HOME: return RV_KEY_HOME;
    case SDLK_END: return RV_KEY_END;
    case SDLK_RETURN:
    case SDLK_KP_ENTER: return RV_KEY_ENTER;
    case SDLK_BACKSPACE: return RV_KEY_BACKSPACE;
    case SDLK_TAB: return shift ? RV_KEY_SHIFT_TAB : RV_KEY_TAB;
    case SDLK_ESCAPE: return RV_KEY_ESCAPE;
    case SDLK_F1: return '?';
    case SDLK_F11: return 'f';
    default: return RV_KEY_NONE;
    }
}

static int32_t find_pressed(const SDL_Keysym *key) {
    const bool shift = (key->mod & KMOD_SHIFT) != 0, as_text = SDL_IsTextInputActive();
    /* for the desktop */
    if ((key->mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) != 0) return RV_KEY_NONE;
    const int32_t named = named_key(key->sym, shift);
    if (named != RV_KEY_NONE) return named;
    const int32_t pad = pad_key(key->sym, (key->mod & KMOD_NUM) != 0);
    if (pad != RV_KEY_NONE) return as_text && pad < RV_KEY_RIGHT ? RV_KEY_NONE : pad;
    const bool latin = key->sym >= ' ' && key->sym < 0x7F;
    if (latin && as_text) return RV_KEY_NONE; /* it comes as text */
    const int32_t sign = latin ? key->sym : us_sign(key->scancode);
    return shift ? shifted(sign) : sign;
}

int32_t rv_key_of(const SDL_Event *event) {
    if (event->type == SDL_KEYDOWN) return find_pressed(&event->key.keysym);
    if (event->type != SDL_TEXTINPUT) return RV_KEY_NONE;
    int32_t c = (unsigned char)event->text.text[0];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && (SDL_GetModState() & KMOD_CAPS) != 0) c ^= 0x20; /* only Shift counts */
    return c >= ' ' && c < 0x7F && event->text.text[1] == '\0' ? c : RV_KEY_NONE;
}
