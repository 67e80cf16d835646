/* poll.c: a quiz before a class: hands are typed in as numbers and shown as bars; a key reveals.
 *
 *     b 12  a 3  c 5     hands: a letter, then its count; space and comma part them, and never go on
 *     v                  the second vote, after people have talked; both stay to be seen
 *     r                  the answer; then a letter: what misleads to that choice
 */
#include "lesson/course.h"

#include <assert.h>
#include <stdio.h>

enum { MOST_HANDS = 9999 };

void rv_poll_begin(rv_poll *poll) {
    *poll = (rv_poll){.on = poll->on, .choice = -1};
}

int rv_poll_sum(const rv_poll *poll, int vote) {
    int sum = 0;
    for (int i = 0; i < RV_MOST_OPTIONS; i++) sum += poll->hands[vote][i];
    return sum;
}

bool rv_poll_key(rv_poll *poll, const rv_quiz *quiz, int32_t key) {
    const int letter = key >= 'A' && key <= 'E' ? key - 'A' : key - 'a';
    assert(quiz->n_options <= RV_MOST_OPTIONS && poll->choice < quiz->n_options);
    if (letter >= 0 && letter < quiz->n_options && poll->revealed) {
        poll->said = letter;
        return true;
    }
    if (letter >= 0 && letter < quiz->n_options) {
        poll->choice = letter;
        poll->hands[poll->vote][letter] = 0;
        return true;
    }
    if (key == 'r') {
        poll->revealed = !poll->revealed;
        poll->said = quiz->answer;
        return true;
    }
    if (key == 'v') {
        if (poll->vote == 0 && rv_poll_sum(poll, 0) > 0) poll->vote = 1;
        poll->choice = -1;
        return true;
    }
    if (key == ' ' || key == ',') return true;
    if (poll->choice < 0 || poll->revealed) return false;
    int *hands = &poll->hands[poll->vote][poll->choice];
    if (key == RV_KEY_BACKSPACE) *hands /= 10;
    if (key >= '0' && key <= '9' && *hands * 10 + key - '0' <= MOST_HANDS) {
        *hands = *hands * 10 + key - '0';
    }
    return key == RV_KEY_BACKSPACE || (key >= '0' && key <= '9');
}

double rv_poll_share(const rv_poll *poll, int vote, int choice, char *out, size_t n_out) {
    const int sum = rv_poll_sum(poll, vote), hands = poll->hands[vote][choice];
    out[0] = '\0';
    if (hands > 0) snprintf(out, n_out, "%d, %d %%", hands, (100 * hands + sum / 2) / sum);
    return hands > 0 ? (double)hands / sum : 0;
}

int rv_poll_stop(const rv_lesson *lesson, int stop, int direction) {
    int next = stop + direction;
    if (next == RV_STOP_ANSWER) next += direction;
    return next >= 0 && next < rv_stop_count(lesson) ? next : -1;
}
