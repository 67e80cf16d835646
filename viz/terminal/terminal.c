/* terminal.c: paints the screen with ncurses and hands keys to the stage, which is the window's, too.
 *
 *     poll(keys, signals) --> rv_stage_key / rv_stage_tick --> rv_compose_stage --> paint
 *
 *   - However the run ends (q, Ctrl-C, SIGTERM, SIGHUP, a crash), the terminal is as it was before.
 *     The handler of a signal that ends the run notes it and wakes poll through a pipe; the program
 *     raises it again when the terminal is restored. The handler of a crash restores the terminal
 *     itself, with write() and tcsetattr() alone.
 *   - Ctrl-Z and fg work: ncurses' own handler does that.
 *   - Texts are UTF-8, so LC_CTYPE becomes C.UTF-8 if the reader's locale has another encoding. The
 *     other categories of the locale stay as they are.
 */
#include "config.h"
#include "stage/stage.h"
#include "terminal/compose.h"
#include "text/words.h"

#ifndef HAVE_CURSES

rs_status rv_terminal_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                          rs_error *error) {
    (void)subject, (void)options, (void)host;
    return rs_fail(error, RS_UNSUPPORTED, "%s",
                   _("this build has no terminal view; install ncurses (libncurses-dev) and make "
                     "again, or use --view text"));
}

#else

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

/* ---------------------------------------------------------------------------- signals, ways out */

enum { N_ENDING = 4, N_CRASHES = 5, RESTORE_BYTES = 256, CRASH_STACK = 64 * 1024 };
static const int ending[N_ENDING] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crashes[N_CRASHES] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* The handlers use only these; a process has one terminal. */
static volatile sig_atomic_t ended_by;
static int wake_pipe[2] = {-1, -1};
static struct termios tty_before;
static char restore[RESTORE_BYTES]; /* leaves the alternate screen, resets cursor and colours */
static size_t restore_bytes;
static void (*curses_winch)(int);

typedef struct handlers {
    struct sigaction ending[N_ENDING], crashes[N_CRASHES], winch;
    stack_t stack;
    void *stack_memory;
} handlers;

static void wake(void) {
    const int saved = errno;
    if (write(wake_pipe[1], "", 1) < 0) errno = saved; /* a full pipe wakes poll as well */
    errno = saved;
}

static void on_ending(int number) {
    ended_by = number;
    wake();
}

static void on_winch(int number) {
    if (curses_winch != NULL) curses_winch(number);
    wake();
}

static void on_crash(int number) {
    if (write(STDOUT_FILENO, restore, restore_bytes) < 0) { /* nothing more can be done */
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &tty_before);
    signal(number, SIG_DFL);
    raise(number);
}

static void prepare_restore(void) {
    static const char *const names[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    restore_bytes = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *sequence = tigetstr(names[i]);
        if (sequence == NULL || sequence == (char *)-1) continue;
        const size_t n = strlen(sequence);
        if (restore_bytes + n > RESTORE_BYTES) break;
        memcpy(restore + restore_bytes, sequence, n);
        restore_bytes += n;
    }
}

static void catch_ending(handlers *old) {
    struct sigaction action = {.sa_handler = on_ending};
    sigemptyset(&action.sa_mask);
    ended_by = 0;
    for (int i = 0; i < N_ENDING; i++) {
        sigaction(ending[i], NULL, &old->ending[i]);
        if (old->ending[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, NULL);
    }
}

/* Sets the handlers for crashes and resizing, after ncurses has set its own. */
static void catch_others(handlers *old) {
    old->stack_memory = malloc(CRASH_STACK);
    const stack_t stack = {.ss_sp = old->stack_memory, .ss_size = CRASH_STACK};
    if (old->stack_memory != NULL) sigaltstack(&stack, &old->stack);
    struct sigaction action = {.sa_handler = on_crash};
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)((unsigned)SA_RESETHAND | SA_ONSTACK);
    for (int i = 0; i < N_CRASHES; i++) sigaction(crashes[i], &action, &old->crashes[i]);
    struct sigaction winch = {.sa_handler = on_winch};
    sigemptyset(&winch.sa_mask);
    sigaction(SIGWINCH, &winch, &old->winch);
    curses_winch = old->winch.sa_handler;
    if (curses_winch == SIG_DFL || curses_winch == SIG_IGN) curses_winch = NULL;
}

static void release(const handlers *old) {
    for (int i = 0; i < N_CRASHES; i++) sigaction(crashes[i], &old->crashes[i], NULL);
    for (int i = 0; i < N_ENDING; i++) sigaction(ending[i], &old->ending[i], NULL);
    struct sigaction quiet = {.sa_handler = SIG_DFL};
    sigaction(SIGWINCH, &quiet, NULL);
    if (old->stack_memory != NULL) {
        stack_t none = old->stack;
        if (none.ss_sp == NULL) none.ss_flags = SS_DISABLE;
        sigaltstack(&none, NULL);
        free(old->stack_memory);
    }
}

/* ------------------------------------------------------------------------------------- keys, paint */

static int32_t key_of(int key) {
    static const struct {
        int curses;
        int32_t ours;
    } table[] = {
        {KEY_RIGHT, RV_KEY_RIGHT},
        {KEY_LEFT, RV_KEY_LEFT},
        {KEY_UP, RV_KEY_UP},
        {KEY_DOWN, RV_KEY_DOWN},
        {KEY_SRIGHT, RV_KEY_SHIFT_RIGHT},
        {KEY_SLEFT, RV_KEY_SHIFT_LEFT},
        {KEY_SF, RV_KEY_SHIFT_DOWN},
        {KEY_SR, RV_KEY_SHIFT_UP},
        {KEY_NPAGE, RV_KEY_PAGE_DOWN},
        {KEY_PPAGE, RV_KEY_PAGE_UP},
        {KEY_HOME, RV_KEY_HOME},
        {KEY_END, RV_KEY_END},
        {KEY_ENTER, RV_KEY_ENTER},
        {'\n', RV_KEY_ENTER},
        {'\r', RV_KEY_ENTER},
        {KEY_BACKSPACE, RV_KEY_BACKSPACE},
        {127, RV_KEY_BACKSPACE},
        {8, RV_KEY_BACKSPACE},
        {'\t', RV_KEY_TAB},
        {KEY_BTAB, RV_KEY_SHIFT_TAB},
        {27, RV_KEY_ESCAPE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].curses == key) return table[i].ours;
    }
    return key >= ' ' && key < 127 ? key : RV_KEY_NONE;
}

/* Sequences that terminals send although their terminfo entry does not say so. */
static void define_keys(void) {
    static const struct {
        const char *sequence;
        int key;
    } extra[] = {{"\033[1;2C", KEY_SRIGHT}, {"\033[1;2D", KEY_SLEFT}, {"\033[1;2B", KEY_SF},
                 {"\033[1;2A", KEY_SR},     {"\033[H", KEY_HOME},     {"\033[F", KEY_END},
                 {"\033OH", KEY_HOME},      {"\033OF", KEY_END},      {"\033[1~", KEY_HOME},
                 {"\033[4~", KEY_END},      {"\033[Z", KEY_BTAB},     {"\033[C", KEY_RIGHT},
                 {"\033[D", KEY_LEFT},      {"\033[A", KEY_UP},       {"\033[B", KEY_DOWN},
                 {"\033OM", KEY_ENTER}};
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
        define_key(extra[i].sequence, extra[i].key);
    }
}

/* Makes a colour pair for each style, on the terminal's own ground. */
static bool start_colours(bool wanted) {
    if (!wanted || !has_colors() || start_color() == ERR) return false;
    use_default_colors();
    for (int style = 0; style < RV_N_STYLES; style++) {
        const rv_style_look *look = &rv_looks[style];
        int colour = look->ansi8 == 9 ? -1 : COLORS >= 256 ? look->ansi256 : look->ansi8;
        if (colour >= COLORS) colour = -1;
        init_pair((short)(style + 1), (short)colour, -1);
    }
    return true;
}

static void set_style(rv_style style, bool colours) {
    const rv_style_look *look = &rv_looks[style];
    attr_t attributes = A_NORMAL;
    if (look->bold) attributes |= A_BOLD;
    if (look->dim) attributes |= A_DIM;
    if (look->reverse) attributes |= A_REVERSE;
    attr_set(attributes, (short)(colours ? style + 1 : 0), NULL);
}

static void paint(const rv_screen *screen, bool colours) {
    erase();
    for (int y = 0; y < screen->height; y++) {
        move(y, 0);
        for (int x = 0; x < screen->width; x++) {
            const rv_cell *cell = rv_cell_at(screen, x, y);
            if (cell->width == 0) continue;
            set_style((rv_style)cell->style, colours);
            addstr(cell->text);
        }
    }
    refresh();
}

/* -------------------------------------------------------------------------------------- the picture */

static void write_file(void *context, const char *text, size_t n_bytes) {
    fwrite(text, 1, n_bytes, context);
}

static void save_picture(rv_stage *stage, const rv_screen *screen) {
    char stem[500], path[512];
    rv_name_picture(&stage->playback, stage->options, stem, sizeof stem);
    snprintf(path, sizeof path, "%s.svg", stem);
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    if (good) rv_screen_svg(screen, stage->options->colour, write_file, file);
    good = good && !ferror(file);
    if (file != NULL && fclose(file) != 0) good = false;
    rv_say_saved(&stage->playback, path, good ? NULL : _(strerror(errno)));
}

/* Does what the stage asks of whoever shows it. */
static void serve(rv_stage *stage, const rv_screen *screen) {
    if (stage->wish == RV_WISH_LANGUAGE) {
        stage->playback.message[0] = '\0';
        rv_stage_swap_language(stage);
    } else {
        save_picture(stage, screen);
    }
    stage->wish = RV_NO_WISH;
}

/* ---------------------------------------------------------------------------------------- the loop */

static bool draw(rv_stage *stage, bool colours) {
    rv_screen screen;
    if (!rv_screen_new(COLS, LINES, &screen)) return false;
    rv_compose_stage(stage, &screen);
    if (stage->wish != RV_NO_WISH) {
        serve(stage, &screen);
        rv_screen_free(&screen);
        return draw(stage, colours);
    }
    paint(&screen, colours);
    stage->playback.first = screen.first;
    stage->playback.n_below = screen.n_below;
    stage->playback.wants_row = false;
    rv_screen_free(&screen);
    return true;
}

static rs_status take_keys(rv_stage *stage, rs_error *error) {
    rs_status status = RS_OK;
    for (int key = getch(); key != ERR && status == RS_OK && !stage->playback.quit; key = getch()) {
        if (key == KEY_RESIZE) continue; /* the loop draws anew in any case */
        status = rv_stage_key(stage, key_of(key), error);
    }
    return status;
}

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

static rs_status loop(rv_stage *stage, bool colours, rs_error *error) {
    rs_status status = RS_OK;
    struct pollfd inputs[] = {{STDIN_FILENO, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}};
    double before_ms = clock_ms();
    while (status == RS_OK && !stage->playback.quit && ended_by == 0) {
        if (!draw(stage, colours)) return rs_no_memory(error);
        const int ready = poll(inputs, 2, rv_stage_still_ms(stage));
        const double now_ms = clock_ms();
        if (ready < 0 && errno != EINTR) break;
        if (ready > 0 && inputs[1].revents != 0) {
            char bytes[64];
            while (read(wake_pipe[0], bytes, sizeof bytes) > 0) continue;
        }
        if (ready > 0 && (inputs[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) break;
        status = rv_stage_tick(stage, now_ms - before_ms, error);
        before_ms = now_ms;
        if (ready > 0 && status == RS_OK) status = take_keys(stage, error);
    }
    return status;
}

/* Makes the C library read and write UTF-8; *declared: the reader's locale has it already. */
static void use_utf8(bool *declared) {
    *declared = setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (*declared) return;
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL && setlocale(LC_CTYPE, "C.utf8") == NULL) {
        setlocale(LC_CTYPE, "en_US.UTF-8");
    }
}

static bool open_pipe(void) {
    if (pipe(wake_pipe) != 0) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static void close_pipe(void) {
    close(wake_pipe[0]);
    close(wake_pipe[1]);
}

static rs_status no_terminal(rs_error *error) {
    return rs_fail(error, RS_UNSUPPORTED, "%s",
                   _("this terminal cannot show a picture that stands still (TERM); use --view "
                     "text"));
}

/* Starts ncurses; NULL: stdin or stdout is no terminal, or the terminal cannot move its cursor. */
static SCREEN *open_screen(void) {
    int code;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return NULL;
    if (tcgetattr(STDIN_FILENO, &tty_before) != 0) return NULL;
    if (setupterm(NULL, STDOUT_FILENO, &code) != OK || cursor_address == NULL) return NULL;
    prepare_restore();
    return newterm(NULL, stdout, stdin);
}

rs_status rv_terminal_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                          rs_error *error) {
    rv_stage *stage = NULL;
    rv_options wanted = *options;
    handlers old = {0};
    bool declared_utf8;
    use_utf8(&declared_utf8);
    if (!declared_utf8 && strcmp(rv_language(), "en") == 0) wanted.ascii = true;
    wanted.in_characters = true;
    if (!open_pipe()) return no_terminal(error);
    catch_ending(&old);
    SCREEN *terminal = open_screen();
    if (terminal == NULL) {
        for (int i = 0; i < N_ENDING; i++) sigaction(ending[i], &old.ending[i], NULL);
        close_pipe();
        return no_terminal(error);
    }
    rs_status status = rv_stage_new(subject, &wanted, host, error, &stage);
    catch_others(&old);
    set_escdelay(50);
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    define_keys();
    curs_set(0);
    if (status == RS_OK) status = loop(stage, start_colours(wanted.colour), error);
    endwin();
    tcsetattr(STDIN_FILENO, TCSADRAIN, &tty_before);
    release(&old);
    delscreen(terminal);
    close_pipe();
    rv_stage_free(stage);
    if (ended_by != 0) raise(ended_by);
    return status;
}

#endif
