/* progress.c: where the learner stands, in a small file of his own.
 *
 *     ringsim progress 1
 *     05 7 9 17 b a-c        lesson, stop, furthest stop, how many, prediction, answers
 *     06 0 0 1 - --- 18/20   and the best grade of its lab
 *     11 0 0 1 - --- 0/0 4/5 and of its my.ranks; 0/0: nothing yet
 *
 *   - It lies in XDG_DATA_HOME, else ~/.local/share, and is written whole or not at all.
 *   - Whatever is not exactly like this is somebody else's: it is never written over.
 */
#include "base/files.h"
#include "lesson/shelf.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char heading[] = "ringsim progress 1";
enum { MOST_BYTES = 16384, MOST_STOPS = 3 + RV_MOST_PAGES + RV_MOST_QUIZZES + 1 };

static bool find_path(char out[PATH_MAX]) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n = -1;
    if (data != NULL && data[0] == '/') {
        n = snprintf(out, PATH_MAX, "%s/ringsim/progress", data);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(out, PATH_MAX, "%s/.local/share/ringsim/progress", home);
    }
    const bool found = n > 0 && n < PATH_MAX;
    if (!found) out[0] = '\0';
    return found;
}

static bool is_choice(char c) {
    return c == '-' || (c >= 'a' && c < 'a' + RV_MOST_OPTIONS);
}

/* Reads one line; false: it is none of ours. */
static bool read_line(const char *line, rc_place_in *place) {
    char prediction[3], answers[RV_MOST_QUIZZES + 2];
    int end = 0;
    *place = (rc_place_in){0};
    if (sscanf(line, "%2d %3d %3d %3d %2s %13s%n", &place->number, &place->at, &place->most,
               &place->n_stops, prediction, answers, &end) != 6) {
        return false;
    }
    line += end;
    if (sscanf(line, " %4d/%4d%n", &place->points, &place->n_points, &end) == 2) line += end;
    if (sscanf(line, " %4d/%4d%n", &place->ranks_points, &place->n_ranks_points, &end) == 2) {
        line += end;
    }
    if (*line != '\0') return false;
    bool good = place->number > 0 && place->at >= 0 && place->at <= place->most &&
                place->most < place->n_stops && place->n_stops <= MOST_STOPS &&
                place->points >= 0 && place->points <= place->n_points &&
                place->ranks_points >= 0 && place->ranks_points <= place->n_ranks_points &&
                is_choice(prediction[0]) && prediction[1] == '\0' &&
                strlen(answers) <= RV_MOST_QUIZZES;
    for (const char *c = answers; good && *c != '\0'; c++) good = is_choice(*c);
    if (!good) return false;
    place->prediction = prediction[0];
    memset(place->answers, '-', RV_MOST_QUIZZES);
    memcpy(place->answers, answers, strlen(answers));
    return true;
}

/* Tells whether the text is ours, and reads it. */
static bool read_all(char *text, rc_progress *progress) {
    char *line = text;
    for (int number = 0; *line != '\0'; number++) {
        char *end = strchr(line, '\n');
        if (end == NULL) return false;
        *end = '\0';
        if (number == 0) {
            if (strcmp(line, heading) != 0) return false;
        } else {
            rc_place_in place;
            if (!read_line(line, &place) || rc_find_place(progress, place.number) != NULL) {
                return false;
            }
            if (progress->n < RC_MOST_LESSONS) progress->places[progress->n++] = place;
        }
        line = end + 1;
    }
    return line != text;
}

void rc_read_progress(rc_progress *progress, rs_error *note) {
    char text[MOST_BYTES + 1];
    *progress = (rc_progress){.n = 0};
    note->text[0] = '\0';
    if (!find_path(progress->path)) return;
    FILE *file = fopen(progress->path, "rb");
    if (file == NULL && errno == ENOENT) return;
    const size_t n = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    const bool good = file != NULL && !ferror(file) && n < sizeof text && strnlen(text, n) == n;
    if (file != NULL) fclose(file);
    text[n < sizeof text ? n : 0] = '\0';
    if (good && read_all(text, progress)) return;
    rc_fail(note, RC_USAGE,
            _("%.300s is no progress of ringsim's: it is left alone, and nothing is kept"),
            progress->path);
    *progress = (rc_progress){.n = 0};
}

const rc_place_in *rc_find_place(const rc_progress *progress, int number) {
    for (int i = 0; i < progress->n; i++) {
        if (progress->places[i].number == number) return &progress->places[i];
    }
    return NULL;
}

bool rc_is_done(const rc_place_in *place) {
    if (place == NULL) return false;
    const bool graded = place->n_points > 0 && place->points == place->n_points;
    return graded || (place->n_stops > 1 && place->most >= place->n_stops - 1);
}

rc_place_in *rc_place_of(rc_progress *progress, int number) {
    const rc_place_in *known = rc_find_place(progress, number);
    if (known != NULL) return &progress->places[known - progress->places];
    assert(progress->n <= RC_MOST_LESSONS);
    if (progress->n == RC_MOST_LESSONS) progress->n--;
    rc_place_in *place = &progress->places[progress->n++];
    *place = (rc_place_in){.number = number, .n_stops = 1, .prediction = '-'};
    memset(place->answers, '-', RV_MOST_QUIZZES);
    return place;
}

static int choice_of(char c) {
    return c >= 'a' ? c - 'a' : -1;
}

static char letter_of(int choice) {
    return choice >= 0 ? (char)('a' + choice) : '-';
}

rv_reading rc_resume(const rc_place_in *place, const rv_lesson *lesson) {
    rv_reading reading = rv_open_reading(lesson);
    reading.at = place->at;
    reading.most = place->most;
    reading.prediction = choice_of(place->prediction);
    for (int i = 0; i < RV_MOST_QUIZZES; i++) reading.answers[i] = choice_of(place->answers[i]);
    rv_mend_reading(&reading);
    return reading;
}

rc_exit rc_go_to_stop(rc_session *session, rv_reading *reading) {
    const int last = rv_stop_count(reading->lesson) - 1;
    const rc_value *stop = &session->options.value[RC_AT];
    if (stop->text == NULL) return RC_GOOD;
    if (stop->number > last) {
        return rc_fail(session->error, RC_USAGE, _("--at %.60s: the lesson's stops are 0..%d"),
                       stop->text, last);
    }
    reading->at = (int)stop->number;
    if (reading->most < reading->at) reading->most = reading->at;
    return RC_GOOD;
}

void rc_keep(rc_place_in *place, const rv_reading *reading) {
    place->at = reading->at;
    place->most = reading->most;
    place->n_stops = rv_stop_count(reading->lesson);
    place->prediction = letter_of(reading->prediction);
    for (int i = 0; i < RV_MOST_QUIZZES; i++) place->answers[i] = letter_of(reading->answers[i]);
}

/* Makes the folders above the file; what fails shows when the file is opened. */
static void make_folders(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
}

rc_exit rc_write_progress(const rc_progress *progress, rs_error *error) {
    rc_file file;
    rs_error reason;
    if (progress->path[0] == '\0') return RC_GOOD;
    make_folders(progress->path);
    rc_exit status = rc_file_open("progress", progress->path, &reason, &file);
    if (status == RC_GOOD) {
        fprintf(file.stream, "%s\n", heading);
        for (int i = 0; i < progress->n; i++) {
            const rc_place_in *p = &progress->places[i];
            fprintf(file.stream, "%02d %d %d %d %c %.*s", p->number, p->at, p->most, p->n_stops,
                    p->prediction, (int)RV_MOST_QUIZZES, p->answers);
            if (p->n_points > 0 || p->n_ranks_points > 0) {
                fprintf(file.stream, " %d/%d", p->points, p->n_points);
            }
            if (p->n_ranks_points > 0) {
                fprintf(file.stream, " %d/%d", p->ranks_points, p->n_ranks_points);
            }
            fputs("\n", file.stream);
        }
        status = rc_file_deliver(&file, status, &reason);
    }
    if (status == RC_GOOD) return status;
    return rc_fail(error, status, _("your progress is not kept: %.300s"),
                   reason.text + (strncmp(reason.text, "--progress: ", 12) == 0 ? 12 : 0));
}

rc_exit rc_keep_progress(const rc_progress *progress, rs_error *error) {
    static rc_progress now; /* grade may have given points meanwhile */
    rs_error note;
    if (progress->path[0] == '\0') return RC_GOOD;
    rc_read_progress(&now, &note);
    for (int i = 0; i < progress->n; i++) {
        rc_place_in *place = rc_place_of(&now, progress->places[i].number);
        const rc_place_in graded = *place;
        *place = progress->places[i];
        place->points = graded.points;
        place->n_points = graded.n_points;
        place->ranks_points = graded.ranks_points;
        place->n_ranks_points = graded.n_ranks_points;
        if (graded.n_stops == place->n_stops && graded.most > place->most)
            place->most = graded.most;
    }
    return rc_write_progress(&now, error);
}

void rc_keep_points(int number, bool ranks, int points, int n_points) {
    static rc_progress progress;
    rs_error error;
    rc_read_progress(&progress, &error);
    rc_place_in *place = rc_place_of(&progress, number);
    int *best = ranks ? &place->ranks_points : &place->points;
    int *most = ranks ? &place->n_ranks_points : &place->n_points;
    if (*most == n_points && *best >= points) return;
    *best = points;
    *most = n_points;
    if (rc_write_progress(&progress, &error) != RC_GOOD) rc_complain(&error);
}
