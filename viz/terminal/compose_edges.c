/* compose_edges.c: what every screen has at its edges: the step, the message or question, and the
 * keys that work now.
 */
#include "terminal/compose.h"
#include "text/say.h"
#include "text/words.h"

enum { TEXT = 512 };

void rv_step_text(const rv_playback *playback, char *out, size_t n_out) {
    const rv_position at = rv_position_of(playback);
    const int32_t n_steps = playback->subject.n_steps;
    rv_say say = rv_say_to(out, n_out);
    if (at.step < 0) {
        rv_say_more(&say, _("start (%d steps)"), (int)n_steps);
    } else if (at.step >= n_steps) {
        rv_say_more(&say, _("end (%d steps)"), (int)n_steps);
    } else {
        static const char *const moments[] = {N_(": send"), N_(": arrive"), ""};
        rv_say_more(&say, _("step %d of 0..%d"), (int)at.step, (int)n_steps - 1);
        if (at.moment != RV_DONE && !rv_is_hidden(playback)) {
            rv_say_more(&say, "%s", _(moments[at.moment]));
        }
    }
}

/* Lists the choices: "a) chunk 0   b) chunk 2", or if that is too wide "a)0 b)2". */
static void say_choices(rv_say *say, const rv_question *q, int width) {
    for (int32_t i = 0; i < q->n_choices; i++) {
        rv_say_more(say, q->ask == RV_ASK_CHUNK ? _("   %c) chunk %d") : _("   %c) GPU %d"),
                    'a' + (int)i, (int)q->choices[i]);
    }
    if (rv_text_width(say->out) <= width - 2) return;
    *say = rv_say_to(say->out, say->n_out);
    for (int32_t i = 0; i < q->n_choices; i++) {
        rv_say_more(say, "%s%c)%d", i > 0 ? " " : "", 'a' + (int)i, (int)q->choices[i]);
    }
}

void rv_compose_message(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    if (playback->mode == RV_TYPING) {
        rv_say_more(&say, _("Go to step (0..%d, Enter): %s_"), (int)playback->subject.n_steps - 1,
                    playback->typed);
    } else if (playback->message[0] != '\0') {
        rv_say_more(&say, "%s", playback->message);
    } else if (rv_is_hidden(playback)) {
        say_choices(&say, &playback->question, screen->width);
    } else if (playback->playing) {
        rv_say_more(&say, "%s", _("Playing; Space pauses"));
    }
    rv_name_ranks(playback->subject.model, text, sizeof text);
    if (n_lines > 0 && rv_text_width(text) > n_lines * (screen->width - 2) && y > 3) {
        y--; /* above it is only the legend */
        n_lines++;
    }
    for (int i = 0; i < n_lines && text[0] != '\0';
         i++) { /* what a story says of its lines gives way */
        rv_fill_row(screen, 0, y + i, screen->width, RV_PLAIN);
    }
    if (n_lines > 0) {
        rv_put_wrapped(screen, 1, y, n_lines, RV_CHOSEN, text);
    } else if (text[0] != '\0') { /* no line of its own: write over the keys */
        rv_fill_row(screen, 0, screen->height - 1, screen->width, RV_PLAIN);
        rv_put_words(screen, 1, screen->height - 1, screen->width - 1, RV_CHOSEN, text);
    }
}

void rv_compose_hint(const rv_playback *playback, rv_screen *screen, int y, bool cramped) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    if (cramped) {
        rv_say_more(&say, _("%dx%d is small; 80x24 shows all. "), screen->width, screen->height);
    }
    int x = rv_put_words(screen, 1, y, screen->width - 1, RV_DIM, text);
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        const char *hint = row.hint != NULL ? rv_gettext(row.hint) : "";
        if (!rv_takes(&playback->subject, row.action)) continue;
        if (*hint == '\0' || x + rv_text_width(hint) > screen->width) continue;
        x = rv_put(screen, x, y, screen->width, RV_DIM, hint) + 2;
    }
}
