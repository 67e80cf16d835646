/* class.c: a lesson before a class: its pages, and its quizzes: the question on the screen, votes typed in as counts.
 *
 *     > a 3 b 12 c 5          a vote: how many hands for which choice
 *       a   3  15 %  ###
 *       b  12  60 %  ############
 *       c   5  25 %  #####
 *     > a 1 b 17 c 2          the second vote, after they have talked: both stand side by side
 *     > r                     the answer
 *     > c                     what misleads to that choice
 *     >                       the next page, or question
 */
#include "lesson/course.h"
#include "lesson/shelf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VOTES = 2, MOST_HANDS = 10000, BAR = 24, LINE_BYTES = 256 };

typedef struct vote {
    int hands[RV_MOST_OPTIONS], sum;
} vote;

/* Reads "a 3 b 12", also "a3,b12"; false: it is none. */
static bool read_vote(const char *line, int n_options, vote *read) {
    *read = (vote){.sum = 0};
    while (*line != '\0') {
        line += strspn(line, " \t,;:=\n");
        if (*line == '\0') break;
        const int choice = tolower((unsigned char)*line++) - 'a';
        line += strspn(line, " \t:=");
        char *end;
        const long hands = strtol(line, &end, 10);
        if (choice < 0 || choice >= n_options || end == line || hands < 0 || hands > MOST_HANDS) {
            return false;
        }
        read->hands[choice] = (int)hands;
        line = end;
    }
    for (int i = 0; i < n_options; i++) read->sum += read->hands[i];
    return read->sum > 0;
}

static void show_bar(const vote *v, int choice, FILE *out) {
    const int percent = (100 * v->hands[choice] + v->sum / 2) / v->sum;
    const int nearest = (BAR * v->hands[choice] + v->sum / 2) / v->sum;
    const int length = nearest == 0 && v->hands[choice] > 0 ? 1 : nearest; /* one is seen, too */
    fprintf(out, "%5d %3d %%  ", v->hands[choice], percent);
    for (int i = 0; i < BAR + 2; i++) fputc(i < length ? '#' : ' ', out);
}

static void show_votes(const vote votes[], int n_votes, const rv_quiz *quiz, bool revealed,
                       FILE *out) {
    fputs("\n", out);
    for (int i = 0; i < quiz->n_options; i++) {
        fprintf(out, " %c%c", revealed && i == quiz->answer ? '*' : ' ', 'a' + i);
        for (int v = 0; v < n_votes; v++) show_bar(&votes[v], i, out);
        fputs("\n", out);
    }
    fputs("\n", out);
}

/* Reads "c", a choice alone; -1: it is none. */
static int read_choice(const char *line, int n_options) {
    const int choice = tolower((unsigned char)line[0]) - 'a';
    return choice >= 0 && choice < n_options && line[1 + strspn(line + 1, " \t\n")] == '\0' ? choice
                                                                                            : -1;
}

/* Shows a stop, and asks its quiz; false: nobody answers any more. */
static bool ask(rc_printer *to, int stop, FILE *in) {
    const rv_quiz *quiz = rv_stop_quiz(to->lesson, stop);
    FILE *out = to->out;
    vote votes[MOST_VOTES];
    int n = 0;
    bool revealed = false;
    char line[LINE_BYTES];
    if (to->type.attributes) fputs("\033[H\033[2J", out);
    rc_write_stop(to, stop);
    for (;;) {
        fprintf(out, "\n%s\n> ",
                quiz == NULL ? _("Enter next, q quit")
                : revealed   ? _("a letter: what misleads to that choice, Enter next, q quit")
                             : _("counts (a 3 b 12 c 5), r reveal, Enter next, q quit"));
        fflush(out);
        if (fgets(line, sizeof line, in) == NULL) return false;
        const char *typed = line + strspn(line, " \t");
        vote read;
        if (*typed == 'q') return false;
        if (*typed == '\n' || *typed == '\0') return true;
        if (quiz == NULL) continue;
        const int choice = read_choice(typed, quiz->n_options);
        if (revealed && choice >= 0) {
            rc_write_answer(to, quiz, choice);
        } else if (*typed == 'r') {
            revealed = true;
            if (n > 0) show_votes(votes, n, quiz, true, out);
            fprintf(out, n > 0 ? "" : "\n");
            rc_write_answer(to, quiz, -1);
        } else if (read_vote(typed, quiz->n_options, &read)) {
            if (n == MOST_VOTES) n--; /* typed again: the last one counts */
            votes[n++] = read;
            show_votes(votes, n, quiz, revealed, out);
            if (n == 1 && !revealed) {
                fprintf(out, "%s\n", _("Now talk to your neighbour, then vote again."));
            }
        } else {
            fprintf(out, _("not understood; letters a to %c, each with its count\n"),
                    'a' + quiz->n_options - 1);
        }
    }
}

void rc_ask_class(rc_printer *to, FILE *in) {
    for (int stop = RV_STOP_PREDICTION; stop >= 0 && ask(to, stop, in);) {
        stop = rv_poll_stop(to->lesson, stop, 1);
        if (!to->type.attributes && stop >= 0) fputs("\n", to->out);
    }
    fputs("\n", to->out);
}
