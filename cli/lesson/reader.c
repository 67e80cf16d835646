/* reader.c: a lesson on the terminal, stop after stop, a screen at a time.
 *
 *   - Where one may go is told by viz/lesson/reading.h, as for the window.
 *   - The place is kept after every move; who comes back goes on there.
 *   - The terminal reads single keys without an echo only while the reader waits for one; on every way
 *     out, signals too, it is put back.
 *   - ncurses, which paints the walk, would take the text away at the end, and knows fewer terminals
 *     (tests/cmd/lesson.sh shows both); and the course is read in builds without it.
 */
#include "lesson/shelf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { WIDEST = 84, LEAST_WIDTH = 24, FOOT = 3 };

typedef struct reader {
    rc_session *session;
    rv_reading way;
    const char *folder; /* of the lesson */
    const rc_shelf *shelf;
    rc_progress *progress;
    rc_place_in *place;
    rv_type type;
    int height;
    bool clears;      /* the terminal can be cleared */
    char *text;       /* of the stop */
    size_t at, next;  /* the screen begins, ends there */
    char notice[160]; /* shown once, above the keys */
    bool over;
} reader;

/* ------------------------------------------------------------------ the terminal */

static struct termios before;
static volatile sig_atomic_t is_known; /* what was before */

static void cook(void) {
    if (is_known) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void on_ending(int number) {
    cook();
    signal(number, SIG_DFL);
    raise(number);
}

static void handle_ending(void (*handler)(int)) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) signal(ending[i], handler);
}

/* Keys that are no letters: no answer to a quiz can be meant by them. */
enum { KEY_BACK = 256, KEY_STEP };

/* Reads a key; 0: the terminal has gone. The rest of an arrow key's sequence is swallowed. */
static int read_key(void) {
    unsigned char key = 0, rest[8];
    if (tcgetattr(STDIN_FILENO, &before) != 0) return 0;
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    is_known = 1;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    ssize_t n;
    while ((n = read(STDIN_FILENO, &key, 1)) < 0 && errno == EINTR) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw); /* stopped, and here again */
    }
    int code = n == 1 ? key : 0;
    if (code == 27) {
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 1;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
        const ssize_t more = read(STDIN_FILENO, rest, sizeof rest);
        code = 27;
        if (more >= 2 && rest[1] == 'C') code = KEY_STEP; /* the arrow to the right */
        if (more >= 2 && rest[1] == 'B') code = ' ';
        if (more >= 2 && rest[1] == 'A') code = KEY_BACK;
        if (more >= 3 && rest[1] == '6') code = ' '; /* page down, page up */
        if (more >= 3 && rest[1] == '5') code = KEY_BACK;
    }
    cook();
    return code;
}

static void measure(reader *r) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = (struct winsize){0};
    const int width = size.ws_col > 0 ? size.ws_col : 80;
    r->type.width = width > WIDEST ? WIDEST : width < LEAST_WIDTH ? LEAST_WIDTH : width;
    r->height = size.ws_row > 2 * FOOT ? size.ws_row : size.ws_row > 0 ? 2 * FOOT : 24;
}

/* ------------------------------------------------------------------ a screen */

/* Returns where the screen that begins at `from` ends: between blocks (an empty line; code has a space there), if it
   is more than half full or the block that is cut fits on the next; else between two pieces of code. */
static size_t end_of_screen(const reader *r, size_t from) {
    const int room = r->height - FOOT - 1;
    size_t at = from, gap = 0, code_gap = 0, cut = 0;
    int rows = 0, gap_rows = 0;
    bool ends = false;
    while (r->text[at] != '\0' && (cut == 0 || (!ends && rows - gap_rows <= room))) {
        const size_t n = strcspn(r->text + at, "\n"), next = at + n + (r->text[at + n] == '\n');
        rows++; /* all is wrapped to the width */
        ends = n == 0;
        if (ends && rows <= room + 1 && (from > 0 || rows > 2)) { /* not below a title */
            gap = next;
            gap_rows = rows;
        }
        if (n == 1 && r->text[at] == ' ' && rows <= room + 1 && rows > room / 2) code_gap = next;
        if (rows > room && cut == 0 && at > from) cut = at;
        at = next;
    }
    if (cut == 0) return at;
    if (gap > from && (gap_rows > room / 2 || rows - gap_rows - ends <= room)) return gap;
    return code_gap > from ? code_gap : cut;
}

/* Writes what the stop shows into r->text. */
static rc_exit compose(reader *r) {
    size_t n;
    free(r->text);
    r->text = NULL;
    const rv_lesson *lesson = r->way.lesson;
    const int stop = r->way.at, choice = rv_choice_of(&r->way, stop);
    rc_printer to = {.lesson = lesson, .type = r->type, .out = open_memstream(&r->text, &n)};
    if (to.out != NULL) {
        rc_write_stop(&to, stop);
        if (stop == RV_STOP_ANSWER) rc_write_answer(&to, &lesson->prediction, choice);
        if (rv_stop_question(lesson, stop) >= 0 && choice >= 0) {
            fputs("\n", to.out);
            rc_write_answer(&to, rv_stop_quiz(lesson, stop), choice);
        }
        if (fclose(to.out) != 0) to.lacks = true;
    }
    if (!to.lacks && r->text != NULL) return RC_GOOD;
    return rc_no_memory(r->session->error);
}

static void set_notice(reader *r, const char *notice) {
    snprintf(r->notice, sizeof r->notice, "%s", notice);
}

static void show_foot(const reader *r) {
    char name[64];
    const rv_lesson *lesson = r->way.lesson;
    const int stop = r->way.at, page = rv_stop_page(lesson, stop);
    const char *dim = r->type.attributes ? "\033[2m" : "",
               *plain = r->type.attributes ? "\033[0m" : "";
    rv_name_stop(lesson, stop, name, sizeof name);
    const bool ends = stop == rv_stop_count(lesson) - 1 && r->text[r->next] == '\0';
    puts("");
    const rc_onward on = rc_find_onward(r->shelf, r->progress, lesson->number);
    if (r->notice[0] == '\0' && ends && on.next > 0) {
        char command[PATH_MAX + 128];
        const rc_place_in *own = rc_find_place(r->progress, lesson->number); /* its lab, too */
        const bool graded = own != NULL && own->n_points > 0 && own->points == own->n_points;
        if (on.hour_done && graded) printf("%s ", _("The ring in an hour: done."));
        printf(_("The next lesson: %s"), rc_onward_text(r->session, on, command, sizeof command));
    }
    puts(r->notice);
    printf("%s%d. %s | %s%s", dim, lesson->number, lesson->title, name, plain);
    puts("");
    const bool asks = rv_is_open(&r->way, stop) && r->text[r->next] == '\0';
    const int question = rv_stop_question(lesson, stop);
    const bool shows = page >= 0 && lesson->pages[page].scene != NULL;
    fputs(asks && question < lesson->n_story_questions
              ? _("a letter, then Enter commits it   PgUp back   q quit")
          : asks  ? _("a letter, then Enter commits it   Enter alone: next   PgUp back   q quit")
          : shows ? _("Enter next   PgUp back   s step through it   q quit")
          : ends  ? _("Enter, q quit   PgUp back")
                  : _("Enter next   PgUp back   q quit"),
          stdout);
    fflush(stdout);
}

static void show(reader *r) {
    if (r->clears) fputs("\033[H\033[2J", stdout);
    r->next = end_of_screen(r, r->at);
    assert(r->next > r->at || r->text[r->at] == '\0'); /* a screen shows something */
    size_t n = r->next - r->at;
    while (n > 0 && strchr("\n ", r->text[r->at + n - 1]) != NULL) n--;
    fwrite(r->text + r->at, 1, n, stdout);
    puts("");
    show_foot(r);
    r->notice[0] = '\0';
}

/* ------------------------------------------------------------------ the scene */

/* Recordings lie in the lesson's folder. What the learner saves from the view goes into his own. */
static void name_recordings(const char *folder, char *words[]) {
    static char paths[RC_SCENE_WORDS + 8][PATH_MAX];
    for (int i = 1; words[i] != NULL; i++) {
        const int n = snprintf(paths[i], PATH_MAX, "%s/%s", folder, words[i]);
        const bool is_name = n < PATH_MAX && strchr(words[i], '/') == NULL;
        if (is_name && strchr(words[i], '.') != NULL && access(paths[i], R_OK) == 0) {
            words[i] = paths[i];
        }
    }
}

static int run_child(reader *r, char *words[]) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        name_recordings(r->folder, words);
        execv("/proc/self/exe", words);
        execvp(r->session->program, words);
        _exit(127);
    }
    if (child < 0) return -1;
    void (*old)(int) = signal(SIGINT, SIG_IGN); /* Ctrl-C ends the scene, not the lesson */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    signal(SIGINT, old);
    return status;
}

/* Whether what a command shows can be stepped through here; two recorded runs are compared. */
static bool is_walked(const reader *r, const char *command) {
    rs_arena arena;
    rs_error reason;
    rv_subject subject;
    rs_arena_init(&arena, r->session->arena->host);
    rc_session session = *r->session;
    session.arena = &arena;
    rc_scene *read = rs_alloc(&arena, 1, sizeof *read);
    const bool walked = read != NULL && rc_read_scene(&session, command, &reason, read) &&
                        rc_run_scene(read, r->folder, &subject) && subject.beside == NULL;
    rs_arena_free(&arena);
    return walked;
}

static void play_scene(reader *r) {
    const rv_lesson *lesson = r->way.lesson;
    const int page = rv_stop_page(lesson, r->way.at);
    const char *scene = page >= 0 ? lesson->pages[page].scene : NULL;
    if (scene == NULL) {
        set_notice(r, _("this page has nothing to step through; Enter: the next page"));
        return;
    }
    static char step[] = "--step", view[] = "--view", terminal[] = "terminal", lang[] = "--lang";
    char *language = (char *)(uintptr_t)r->session->options.value[RC_LANG].text;
    char *const walk[] = {step, view, terminal}, *const speak[] = {lang, language};
    char text[RC_SCENE_BYTES],
        *words[RC_SCENE_WORDS + 8] = {(char *)(uintptr_t)r->session->program};
    snprintf(text, sizeof text, "%s", scene);
    int n = 1 + rc_scene_words(text, words + 1, RC_SCENE_WORDS);
    const bool walked = is_walked(r, scene);
    for (int i = 0; walked && i < 3; i++) words[n++] = walk[i];
    for (int i = 0; language != NULL && i < 2; i++) words[n++] = speak[i]; /* as the lesson's */
    words[n] = NULL;
    if (r->clears) fputs("\033[H\033[2J", stdout);
    fflush(stdout);
    const int status = run_child(r, words);
    if (walked && WIFEXITED(status) && WEXITSTATUS(status) <= RC_NO) return;
    fputs(_("\nany key: back to the lesson"), stdout);
    fflush(stdout);
    read_key();
}

/* ------------------------------------------------------------------ keys */

/* Shows the stop from its beginning, and keeps the place. */
static rc_exit arrive(reader *r) {
    r->at = 0;
    rc_keep(r->place, &r->way);
    const rc_exit status = compose(r);
    rs_error reason;
    if (status == RC_GOOD && rc_keep_progress(r->progress, &reason) != RC_GOOD) {
        set_notice(r, rc_said(&reason));
        r->progress->path[0] = '\0'; /* said once */
    }
    return status;
}

static rc_exit forward(reader *r) {
    if (r->text[r->next] != '\0') {
        r->at = r->next;
        return RC_GOOD;
    }
    const bool passed =
        rv_stop_question(r->way.lesson, r->way.at) >= 0 && rv_is_open(&r->way, r->way.at);
    switch (rv_read_on(&r->way)) {
    case RV_MOVED:
        if (passed)
            set_notice(r, _("You passed a question without an answer: PgUp goes back to it."));
        return arrive(r);
    case RV_ANSWERED: return arrive(r);
    case RV_READ_WHOLE: r->over = true; break;
    case RV_GATED: set_notice(r, _("First your prediction: type a letter, then Enter.")); break;
    case RV_STAYED: break;
    }
    return RC_GOOD;
}

static rc_exit back(reader *r) {
    if (r->at == 0) return rv_read_back(&r->way) == RV_MOVED ? arrive(r) : RC_GOOD;
    size_t at = 0;
    for (size_t next = end_of_screen(r, 0); next < r->at; next = end_of_screen(r, next)) at = next;
    r->at = at;
    return RC_GOOD;
}

/* A letter, or the number of a choice, where a quiz is open; false: the key means something else. */
static bool answer(reader *r, int key) {
    const bool digit = key >= '0' && key <= '9';
    const int choice = digit ? rv_choice_with(&r->way, key - '0') : (key | 32) - 'a';
    if (!rv_choose(&r->way, choice)) return false;
    snprintf(r->notice, sizeof r->notice,
             _("You say %c. Enter commits it; another letter changes it."), 'a' + choice);
    return true;
}

static rc_exit obey(reader *r, int key) {
    if (answer(r, key)) return RC_GOOD;
    switch (key) {
    case '\n':
    case '\r':
    case ' ':
    case 'n': return forward(r);
    case KEY_BACK:
    case '<':
    case 8:
    case 127: return back(r);
    case KEY_STEP:
    case 's': play_scene(r); return RC_GOOD;
    case 0:
    case 4: /* Ctrl-D */
    case 'q': r->over = true; return RC_GOOD;
    default: return RC_GOOD;
    }
}

/* ------------------------------------------------------------------ the whole */

rc_exit rc_read_lesson(rc_session *session, const rc_shelf *shelf, const rv_lesson *lesson,
                       const char *folder, rc_progress *progress) {
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    reader r = {.session = session, .folder = folder, .shelf = shelf, .progress = progress};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return RC_LACKS;
    r.clears = term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
    r.type.attributes = r.clears && (no_color == NULL || *no_color == '\0');
    r.place = rc_place_of(progress, lesson->number);
    r.way = rc_resume(r.place, lesson);
    rc_exit status = rc_go_to_stop(session, &r.way);
    if (status != RC_GOOD) return status;
    rv_mend_reading(&r.way);
    handle_ending(on_ending);
    measure(&r);
    status = arrive(&r);
    while (status == RC_GOOD && !r.over) {
        show(&r);
        const int key = read_key();
        const int width = r.type.width;
        measure(&r);
        if (r.type.width != width) {
            status = compose(&r);
            r.at = 0;
        }
        if (status == RC_GOOD) status = obey(&r, key);
    }
    handle_ending(SIG_DFL);
    free(r.text);
    puts("");
    char command[PATH_MAX + 128];
    if (status == RC_GOOD && r.way.at < rv_stop_count(lesson) - 1) {
        printf(_("What is next: %s"),
               rc_lesson_command(session, lesson->number, command, sizeof command));
        puts("");
    }
    return status;
}
