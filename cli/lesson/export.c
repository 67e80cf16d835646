/* export.c: the course for programs: a table of contents, JSON, Moodle's GIFT.
 *
 *     ::05 prediction:: [plain]What does GPU 2 send? {
 *     =chunk 1#What has just arrived ...
 *     ~chunk 2#Chunk 2 is on its way already ...
 *     }
 */
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
    rv_write_part(lesson, part, &one_line, rc_write_to_file, out);
    fclose(out);
    while (n > 0 && text[n - 1] == '\n') text[--n] = '\0';
    if (lettered && text != NULL) {
        char *from = text + (strncmp(text, "- ", 2) == 0 ? 2 : 0);
        from += strspn(from, "0123456789abcde");
        if (*from == ')' || *from == '.') {
            from++;
            memmove(text, from + strspn(from, " "), strlen(from + strspn(from, " ")) + 1);
        }
    }
    return text;
}

/* ------------------------------------------------------------------ the table of contents */

static void standing(const rc_progress *progress, const rv_lesson *lesson, char *out, size_t n) {
    const rc_place_in *place = rc_find_place(progress, lesson->number);
    const int n_stops = rv_stop_count(lesson);
    char where[64];
    if (place == NULL || place->most == 0) {
        out[0] = '\0';
    } else if (place->most >= n_stops - 1) {
        snprintf(out, n, "%s", _("read"));
    } else {
        rv_name_stop(lesson, place->at < n_stops ? place->at : 0, where, sizeof where);
        snprintf(out, n, _("you are at: %s"), where);
    }
}

const char *rc_lesson_command(const rc_session *session, int number, char *out, size_t n_out) {
    const char *language = session->options.value[RC_LANG];
    const char *lang = language == NULL              ? ""
                       : strcmp(language, "en") == 0 ? " --lang en"
                                                     : " --lang zh_CN";
    snprintf(out, n_out, "%s lesson %d%s", session->program, number, lang);
    return out;
}

rc_exit rc_print_contents(rc_session *session, const rc_shelf *shelf) {
    rc_progress progress;
    rs_error note;
    rc_read_progress(&progress, &note);
    for (int i = 0; i < shelf->n; i++) {
        rv_lesson lesson;
        bool translated;
        rs_error reason;
        const rc_exit status =
            rc_read_text(shelf, i, session->arena, &reason, &lesson, &translated);
        if (status == RC_LACKS) return rc_fail(session->error, status, "%.400s", reason.text);
        if (status != RC_GOOD) {
            printf("%4d  %.200s\n", rc_lesson_number(shelf, i), reason.text);
            continue;
        }
        char where[128];
        standing(&progress, &lesson, where, sizeof where);
        printf("%4d  ", lesson.number);
        rc_print_padded(lesson.title, 36);
        printf(_("%3d min"), lesson.minutes);
        if (!translated) printf("  %s", _("(in English)"));
        if (where[0] != '\0') printf("  %s", where);
        puts("");
    }
    puts("");
    char command[PATH_MAX + 64];
    printf(_("To begin with: %s"), rc_lesson_command(session, 1, command, sizeof command));
    puts("");
    puts(_("q leaves a lesson at any time; the same command goes on where you were."));
    if (note.text[0] != '\0') rc_complain(&note);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ JSON */

static void json_text(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *c = text == NULL ? "" : text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte == '\n') {
            fputs("\\n", out);
        } else if (byte < 0x20) {
            fprintf(out, "\\u%04x", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

static void json_part(FILE *out, const rv_lesson *lesson, rv_part part, bool lettered) {
    char *text = text_of(lesson, part, lettered);
    json_text(out, text);
    free(text);
}

static void json_quiz(FILE *out, const rv_lesson *lesson, const rv_quiz *quiz, bool key) {
    fputs("{\"text\":", out);
    json_part(out, lesson, quiz->text, true);
    fputs(",\"choices\":[", out);
    for (int i = 0; i < quiz->n_options; i++) {
        if (i > 0) fputc(',', out);
        json_part(out, lesson, quiz->options[i], true);
    }
    fputc(']', out);
    if (key) {
        fprintf(out, ",\"answer\":\"%c\",\"because\":", 'a' + quiz->answer);
        json_part(out, lesson, quiz->because, true);
        fputs(",\"reasons\":[", out);
        for (int i = 0; i < quiz->n_options; i++) {
            if (i > 0) fputc(',', out);
            if (i == quiz->answer) {
                fputs("null", out);
            } else {
                json_part(out, lesson, quiz->reasons[i], true);
            }
        }
        fputc(']', out);
    }
    fputc('}', out);
}

static void json_head(FILE *out, const char *name, const rv_lesson *lesson, bool translated) {
    fprintf(out, "\"number\":%d,\"name\":", lesson->number);
    json_text(out, name);
    fputs(",\"title\":", out);
    json_text(out, lesson->title);
    fprintf(out, ",\"language\":\"%s\",\"minutes\":%d", translated ? rv_language() : "en",
            lesson->minutes);
}

void rc_json_lesson(const char *name, const rv_lesson *lesson, bool translated, bool key,
                    FILE *out) {
    fputs("{\"schema\":\"ringsim.lesson/1\",", out);
    json_head(out, name, lesson, translated);
    fputs(",\"question\":", out);
    json_part(out, lesson, lesson->question, false);
    fputs(",\"goal\":", out);
    json_part(out, lesson, lesson->sections[RV_GOAL], false);
    fputs(",\"prediction\":", out);
    json_quiz(out, lesson, &lesson->prediction, key);
    fputs(",\"pages\":[", out);
    for (int i = 0; i < lesson->n_pages; i++) {
        const rv_page *page = &lesson->pages[i];
        fprintf(out, "%s{\"title\":", i > 0 ? "," : "");
        json_text(out, page->title);
        fputs(",\"scene\":", out);
        if (page->scene == NULL) {
            fputs("null", out);
        } else {
            json_text(out, page->scene);
        }
        fputs(",\"text\":", out);
        json_part(out, lesson, page->text, false);
        fputc('}', out);
    }
    fputs("],\"questions\":[", out);
    for (int i = 0; i < lesson->n_questions; i++) {
        if (i > 0) fputc(',', out);
        json_quiz(out, lesson, &lesson->questions[i], key);
    }
    fputs("],\"exercise\":", out);
    json_part(out, lesson, lesson->sections[RV_EXERCISE], false);
    fputs("}\n", out);
}

rc_exit rc_json_contents(rc_session *session, const rc_shelf *shelf) {
    rc_progress progress;
    rs_error note;
    rc_read_progress(&progress, &note);
    for (int i = 0; i < shelf->n; i++) {
        rv_lesson lesson;
        bool translated;
        const rc_exit status =
            rc_read_text(shelf, i, session->arena, session->error, &lesson, &translated);
        if (status != RC_GOOD) return status;
        const rc_place_in *place = rc_find_place(&progress, lesson.number);
        fputs(i == 0 ? "{\"schema\":\"ringsim.lessons/1\",\"lessons\":[{" : ",{", stdout);
        json_head(stdout, shelf->names[i], &lesson, translated);
        printf(",\"stops\":%d,\"at\":%d,\"furthest\":%d}", rv_stop_count(&lesson),
               place == NULL ? 0 : place->at, place == NULL ? 0 : place->most);
    }
    puts(shelf->n == 0 ? "{\"schema\":\"ringsim.lessons/1\",\"lessons\":[]}" : "]}");
    return RC_GOOD;
}

/* ------------------------------------------------------------------ GIFT */

/* Its own signs are escaped; a line's end is written as \n. */
static void gift_part(FILE *out, const rv_lesson *lesson, rv_part part) {
    char *text = text_of(lesson, part, true);
    for (const char *c = text == NULL ? "" : text; *c != '\0'; c++) {
        if (strchr("~=#{}:\\", *c) != NULL) fputc('\\', out);
        if (*c == '\n') {
            fputs("\\n", out);
        } else {
            fputc(*c, out);
        }
    }
    free(text);
}

static void gift_quiz(FILE *out, const rv_lesson *lesson, const rv_quiz *quiz, const char *name,
                      int number) {
    fprintf(out, "::%02d %s", lesson->number, name);
    if (number > 0) fprintf(out, " %d", number);
    fputs("::[plain]", out);
    gift_part(out, lesson, quiz->text);
    fputs(" {\n", out);
    for (int i = 0; i < quiz->n_options; i++) {
        fputc(i == quiz->answer ? '=' : '~', out);
        gift_part(out, lesson, quiz->options[i]);
        fputc('#', out);
        gift_part(out, lesson, i == quiz->answer ? quiz->because : quiz->reasons[i]);
        fputc('\n', out);
    }
    fputs("}\n\n", out);
}

void rc_write_gift(const rv_lesson *lesson, FILE *out) {
    fprintf(out, "// %d. %s\n\n", lesson->number, lesson->title);
    gift_quiz(out, lesson, &lesson->prediction, lesson->headings[RV_PREDICTION], 0);
    for (int i = 0; i < lesson->n_questions; i++) {
        gift_quiz(out, lesson, &lesson->questions[i], lesson->headings[RV_QUESTIONS], i + 1);
    }
}
