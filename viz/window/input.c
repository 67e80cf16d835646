/* input.c: SDL's keys as the keys of the one table. Letters and signs come as text, so that every
 * keyboard layout works; the rest comes as key presses.
 */
#include "window.h"

int32_t rv_key_of(const SDL_Event *event) {
    if (event->type == SDL_TEXTINPUT) {
        const unsigned char c = (unsigned char)event->text.text[0];
        return c >= ' ' && c < 0x7F ? c : RV_KEY_NONE;
    }
    if (event->type != SDL_KEYDOWN) return RV_KEY_NONE;
    const bool shift = (event->key.keysym.mod & KMOD_SHIFT) != 0;
    switch (event->key.keysym.sym) {
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
