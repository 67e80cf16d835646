/* poll.c: a quiz before a class: hands are typed in as numbers and shown as bars; a key reveals.
 *
 *     b 12  a 3  c 5     hands: a letter, then its count; space and comma part them, and never go on
 *     v                  the second vote, after people have talked; both stay to be seen
 *     r                  the answer
 */
#include "lesson/course.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_HANDS = 9999, BAR = 20 };

void rv_poll_begin(rv_poll *poll) {
    *poll = (rv_poll){.on = poll->on, .choice = -1};
}

int rv_poll_sum(const rv_poll *poll, int vote) {
    int sum = 0;
    for (int i = 0; i < RV_MOST_OPTIONS; i++) sum += poll->hands[vote][i];
    return sum;
}

bool rv_poll_key(rv_poll *poll, int n_options, int32_t key) {
    const int letter = key >= 'A' && key <= 'E' ? key - 'A' : key - 'a';
    assert(n_options <= RV_MOST_OPTIONS && poll->choice < n_options);
    if (letter >= 0 && letter < n_options) {
        poll->choice = letter;
        poll->hands[poll->vote][letter] = 0;
        return true;
    }
    if (key == 'r') {
        poll->revealed = !poll->revealed;
        return true;
    }
    if (key == 'v') {
        if (poll->vote == 0 && rv_poll_sum(poll, 0) > 0) poll->vote = 1;
        poll->choice = -1;
        return true;
    }
    if (key == ' ' || key == ',') return true;
    if (poll->choice < 0) return false;
    int *hands = &poll->hands[poll->vote][poll->choice];
    if (key == RV_KEY_BACKSPACE) *hands /= 10;
    if (key >= '0' && key <= '9' && *hands * 10 + key - '0' <= MOST_HANDS) {
        *hands = *hands * 10 + key - '0';
    }
    return key == RV_KEY_BACKSPACE || (key >= '0' && key <= '9');
}

void rv_poll_bar(const rv_poll *poll, int vote, int choice, char *out, size_t n_out) {
    const int sum = rv_poll_sum(poll, vote), hands = poll->hands[vote][choice];
    const int length = sum > 0 ? (BAR * hands + sum / 2) / sum : 0;
    size_t at = 0;
    for (int i = 0; i < length && at + 4 < n_out; i++) {
        memcpy(out + at, "\xe2\x96\x88", 3); /* a full block */
        at += 3;
    }
    snprintf(out + at, n_out - at, "%s%d, %d %%", length > 0 ? "  " : "", hands,
             sum > 0 ? (100 * hands + sum / 2) / sum : 0);
}

int rv_poll_stop(const rv_lesson *lesson, int stop, int direction) {
    const int n = rv_stop_count(lesson);
    for (int s = stop + direction; s >= 0 && s < n; s += direction) {
        if (s != RV_STOP_ANSWER && rv_stop_quiz(lesson, s) != NULL) return s;
    }
    return -1;
}
