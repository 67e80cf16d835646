/* lesson_export.c: the course for programs: a table of contents, JSON, Moodle's GIFT.
 *
 *     ::05 prediction:: [plain]What does GPU 2 send? {
 *     =chunk 1#What has just arrived ...
 *     ~chunk 2#Chunk 2 is on its way already ...
 *     }
 */
#include "base/json_file.h"
#include "base/text.h"
#include "lesson/shelf.h"

#include <stdlib.h>
#include <string.h>

static const rv_type one_line = {.width = 1 << 20};

/* Returns a part as one text; free() it. A quiz's texts come without their letters and numbers. */
static char *text_of(const rv_lesson *lesson, rv_part part, bool lettered) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL) return NULL;
    const bool whole = rv_write_part(lesson, part, &one_line, rc_write_to_file, out);
    if (fclose(out) != 0 || !whole) {
        free(text);
        return NULL;
    }
    while (n > 0 && text[n - 1] == '\n') text[--n] = '\0';
    if (!lettered || text == NULL) return text;
    char *from = text + (strncmp(text, "- ", 2) == 0 ? 2 : 0);
    from += strspn(from, "0123456789abcde");
    if (*from != ')' && *from != '.') return text;
    from += 1 + strspn(from + 1, " ");
    return memmove(text, from, strlen(from) + 1);
}

/* ------------------------------------------------------------------ the table of contents */

static int count_right(const rc_place_in *place, const rv_lesson *lesson) {
    int right = 0;
    for (int i = 0; i < lesson->n_questions; i++) {
        right += place->answers[i] == 'a' + lesson->questions[i].answer;
    }
    return right;
}

static bool is_between_pages(const rv_lesson *lesson, int stop) {
    const int question = rv_stop_question(lesson, stop);
    return question >= 0 && question < lesson->n_story_questions;
}

/* Prints where the learner stands in a lesson, in the columns of the heading: the place, the questions answered
   right, the points of the lab; of what is not begun nothing. */
static void print_standing(const rc_place_in *place, const rv_lesson *lesson) {
    char cells[3][64] = {"", "", ""};
    int n = 0;
    if (place != NULL && place->most >= rv_stop_count(lesson) - 1) {
        snprintf(cells[0], sizeof cells[0], "%s", _("read"));
    } else if (place != NULL && place->most > 0) {
        int at = place->at < rv_stop_count(lesson) ? place->at : 0;
        /* "before page 7 of 7" is too long for the column */
        while (is_between_pages(lesson, at)) at--;
        rv_name_stop(lesson, at, cells[0], sizeof cells[0]);
    }
    if (place != NULL && strspn(place->answers, "-") < strlen(place->answers)) {
        snprintf(cells[1], sizeof cells[1], "%d/%d", count_right(place, lesson),
                 lesson->n_questions);
    }
    if (place != NULL && place->n_points + place->n_ranks_points > 0) { /* of both that a lab has */
        snprintf(cells[2], sizeof cells[2], "%d/%d", place->points + place->ranks_points,
                 place->n_points + place->n_ranks_points);
    }
    for (int i = 0; i < 3; i++) n = cells[i][0] != '\0' ? i + 1 : n;
    if (n > 0) printf("  ");
    for (int i = 0; i + 1 < n; i++) rc_print_padded(cells[i], i == 0 ? 16 : 7);
    if (n > 0) fputs(cells[n - 1], stdout);
}

rc_exit rc_print_contents(rc_session *session, const rc_shelf *shelf) {
    rc_progress progress;
    rs_error note;
    int begun = 0; /* the first that is begun, and not done */
    rc_read_progress(&progress, &note);
    if (progress.n > 0) {
        printf("%*s", 43 + rv_text_width(_("%3d min")), "");
        rc_print_padded(_("you are at"), 16);
        rc_print_padded(_("right"), 7);
        puts(_("lab"));
    }
    for (int i = 0; i < shelf->n; i++) {
        rv_lesson lesson;
        bool translated;
        rs_error reason;
        const rc_exit status =
            rc_read_text(shelf, i, session->arena, &reason, &lesson, &translated);
        if (status == RC_LACKS) return rc_fail(session->error, status, "%.400s", rc_said(&reason));
        if (status != RC_GOOD) {
            printf("%4d  %.200s\n", rc_lesson_number(shelf, i), rc_said(&reason));
            continue;
        }
        const rc_place_in *place = rc_find_place(&progress, lesson.number);
        if (begun == 0 && place != NULL && !rc_is_done(place)) begun = lesson.number;
        printf("%4d  ", lesson.number);
        rc_print_padded(lesson.title, 36);
        printf(_("%3d min"), lesson.minutes);
        if (!translated) printf("  %s", _("(in English)"));
        print_standing(place, &lesson);
        puts("");
    }
    if (progress.n == 0) /* else the head of the columns has its line */
        puts(_("The ring in an hour: lessons 1, 5, 6. PyTorch's side: 1, 2, 4, 10, 11, 12, 21."));
    char command[PATH_MAX + 128];
    rc_onward on = rc_find_onward(shelf, &progress, 0);
    if (on.hour_done) printf("%s ", _("The ring in an hour: done."));
    if (begun > 0) on = (rc_onward){.next = begun};
    if (on.next > 0) {
        printf(progress.n == 0 ? _("To begin with: %s") : _("What is next: %s"),
               rc_onward_text(session, on, command, sizeof command));
    }
    puts("");
    if (progress.n == 0) /* once; a terminal has 24 lines, and the shell writes on the last */
        puts(_("q leaves a lesson at any time; the same command goes on where you were."));
    if (note.text[0] != '\0') rc_complain(&note);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ JSON */

/* A lesson on its way out. */
typedef struct lesson_json {
    rs_json to;
    const rv_lesson *lesson;
    bool lacks; /* there was no memory for one of its parts */
} lesson_json;

static void json_part(lesson_json *json, const char *key, rv_part part, bool lettered) {
    char *text = text_of(json->lesson, part, lettered);
    json->lacks = json->lacks || text == NULL;
    rs_json_text(&json->to, key, text == NULL ? "" : text);
    free(text);
}

static void json_key(lesson_json *json, const rv_quiz *quiz) {
    const char letter[] = {(char)('a' + quiz->answer), '\0'};
    rs_json_text(&json->to, "answer", letter);
    json_part(json, "because", quiz->because, true);
    rs_json_array(&json->to, "reasons");
    for (int i = 0; i < quiz->n_options; i++) {
        if (i == quiz->answer) {
            rs_json_null(&json->to, NULL);
        } else {
            json_part(json, NULL, quiz->reasons[i], true);
        }
    }
    rs_json_close(&json->to);
}

static void json_quiz(lesson_json *json, const char *key, const rv_quiz *quiz, bool with_answers) {
    rs_json_object(&json->to, key);
    if (quiz->page > 0) rs_json_integer(&json->to, "before_page", quiz->page);
    json_part(json, "text", quiz->text, true);
    rs_json_array(&json->to, "choices");
    for (int i = 0; i < quiz->n_options; i++) json_part(json, NULL, quiz->options[i], true);
    rs_json_close(&json->to);
    if (with_answers) json_key(json, quiz);
    rs_json_close(&json->to);
}

static void json_head(rs_json *json, const char *name, const rv_lesson *lesson, bool translated) {
    rs_json_integer(json, "number", lesson->number);
    rs_json_text(json, "name", name);
    rs_json_text(json, "title", lesson->title);
    rs_json_text(json, "language", translated ? rv_language() : "en");
    rs_json_integer(json, "minutes", lesson->minutes);
}

static void json_begin(rs_json *json, const char *schema, FILE *out) {
    rs_json_begin(json, rc_write_to_file, out);
    rs_json_object(json, NULL);
    rs_json_text(json, "schema", schema);
}

bool rc_json_lesson(const char *name, const rv_lesson *lesson, bool translated, bool key,
                    FILE *out) {
    lesson_json json = {.lesson = lesson};
    json_begin(&json.to, "ringsim.lesson/1", out);
    json_head(&json.to, name, lesson, translated);
    json_part(&json, "question", lesson->question, false);
    json_part(&json, "goal", lesson->sections[RV_GOAL], false);
    json_quiz(&json, "prediction", &lesson->prediction, key);
    rs_json_array(&json.to, "pages");
    for (int i = 0; i < lesson->n_pages; i++) {
        const rv_page *page = &lesson->pages[i];
        rs_json_object(&json.to, NULL);
        rs_json_text(&json.to, "title", page->title == NULL ? "" : page->title);
        rs_json_text(&json.to, "scene", page->scene);
        json_part(&json, "text", page->text, false);
        rs_json_close(&json.to);
    }
    rs_json_close(&json.to);
    rs_json_array(&json.to, "questions");
    for (int i = 0; i < lesson->n_questions; i++) {
        json_quiz(&json, NULL, &lesson->questions[i], key);
    }
    rs_json_close(&json.to);
    json_part(&json, "exercise", lesson->sections[RV_EXERCISE], false);
    rc_json_end(&json.to);
    return !json.lacks;
}

rc_exit rc_json_contents(rc_session *session, const rc_shelf *shelf) {
    rc_progress progress;
    rs_error note;
    rs_json json;
    rc_read_progress(&progress, &note);
    json_begin(&json, "ringsim.lessons/1", stdout);
    rs_json_array(&json, "lessons");
    for (int i = 0; i < shelf->n; i++) {
        rv_lesson lesson;
        bool translated;
        const rc_exit status =
            rc_read_text(shelf, i, session->arena, session->error, &lesson, &translated);
        if (status != RC_GOOD) return status;
        const rc_place_in *known = rc_find_place(&progress, lesson.number);
        const rc_place_in place = known != NULL ? *known : (rc_place_in){0};
        rs_json_object(&json, NULL);
        json_head(&json, shelf->names[i], &lesson, translated);
        rs_json_integers(&json, {"stops", rv_stop_count(&lesson)}, {"at", place.at},
                         {"furthest", place.most}, {"right", count_right(&place, &lesson)},
                         {"questions", lesson.n_questions},
                         {"points", place.points + place.ranks_points},
                         {"of_points", place.n_points + place.n_ranks_points});
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rc_json_end(&json);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ GIFT */

/* Its own signs are escaped; a line's end is written as \n. */
static bool gift_part(FILE *out, const rv_lesson *lesson, rv_part part) {
    char *text = text_of(lesson, part, true);
    if (text == NULL) return false;
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("~=#{}:\\\n", *c) != NULL) fputc('\\', out);
        fputc(*c == '\n' ? 'n' : *c, out);
    }
    free(text);
    return true;
}

static bool gift_quiz(FILE *out, const rv_lesson *lesson, const rv_quiz *quiz, const char *name,
                      int number) {
    fprintf(out, "::%02d %s", lesson->number, name);
    if (number > 0) fprintf(out, " %d", number);
    fputs("::[plain]", out);
    bool good = gift_part(out, lesson, quiz->text);
    fputs(" {\n", out);
    for (int i = 0; i < quiz->n_options; i++) {
        fputc(i == quiz->answer ? '=' : '~', out);
        good = good && gift_part(out, lesson, quiz->options[i]);
        fputc('#', out);
        good = good && gift_part(out, lesson, i == quiz->answer ? quiz->because : quiz->reasons[i]);
        fputc('\n', out);
    }
    fputs("}\n\n", out);
    return good;
}

bool rc_write_gift(const rv_lesson *lesson, FILE *out) {
    fprintf(out, "// %d. %s\n\n", lesson->number, lesson->title);
    bool good = gift_quiz(out, lesson, &lesson->prediction, lesson->headings[RV_PREDICTION], 0);
    for (int i = 0; i < lesson->n_questions; i++) {
        const rv_quiz *quiz = &lesson->questions[i];
        const int number = quiz->title != NULL ? 0 : i + 1 - lesson->n_story_questions;
        good =
            good && gift_quiz(out, lesson, quiz,
                              number == 0 ? quiz->title : lesson->headings[RV_QUESTIONS], number);
    }
    return good;
}
