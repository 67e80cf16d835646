/* test_watch.c: a call that is watched: in how many cells it runs, and what is noted of it.
 */
#include "program_text.h"
#include "support/own.h"

/* ------------------------------------------------------------------ memory */

/* What comes of the program with so many cells: 1 it runs, 0 there are too few. */
static int runs_with(int n_cells) {
    OWN_ARENA arena = {0};
    rs_error fault;
    const rs_program *read;
    rs_runner *runner;
    rs_watched w;
    const rs_run_limits limits = {.n_cells = n_cells};
    cr_assert_eq(rs_program_read("", 0, program, n_program, &arena, &fault, &read), RS_OK, "%s",
                 fault.text);
    rs_status status = rs_runner_make(read, &limits, NULL, NULL, &arena, &fault, &runner);
    if (status == RS_OK) status = rs_runner_watch(runner, 1, 2, 3, &w, &fault);
    cr_assert(status == RS_OK || status == RS_BAD_INPUT || status == RS_UNSUPPORTED);
    cr_assert(status == RS_OK || strstr(fault.text, "more memory than there is") != NULL ||
                  strstr(fault.text, "would have") != NULL,
              "%s", fault.text);
    return status == RS_OK;
}

/* A watched call has 256 cells for messages; the call itself its parameters and variables, and nothing beyond: what is static
   may take half of all. */
Test(watch, a_program_runs_in_the_cells_that_it_needs) {
    static const struct {
        const char *form; /* with n elements */
        int more;         /* cells than n; with 256 and three parameters */
    } forms[] = {{"", 0},
                 {"int t[%d]; ", 0},
                 {"double x; int t[%d], y; ", 2},
                 {"int m = %d; int t[m]; ", 2},
                 {"{ int t[%d]; } { int u[3]; } ", 3},
                 {"help(); int t[%d]; ", 0}};
    for (int form = 0; form < 6; form++) {
        for (int n = 1; n < 700; n += 1 + n / 3) {
            begin_program("static int g;\nvoid help(void) { }\n");
            add("int send_chunk(int step, int rank, int n) { ");
            const char *at = strstr(forms[form].form, "%d");
            if (at != NULL)
                add("%.*s%d%s", (int)(at - forms[form].form), forms[form].form, n, at + 2);
            add("return g; }\n");
            int fine = 2000, bad = 1;
            while (fine - bad > 1) {
                const int middle = (fine + bad) / 2;
                if (runs_with(middle)) {
                    fine = middle;
                } else {
                    bad = middle;
                }
            }
            const int wanted = 1 + 256 + 3 + (form > 0 ? n : 0) + forms[form].more;
            cr_expect_eq(fine, wanted, "%s: %d, not %d", program, fine, wanted);
        }
    }
    for (int n = 1000; n < 1010; n++) {
        begin_program("");
        add("static int g[%d];\nint send_chunk(int step, int rank, int n) { return 0; }\n", n);
        cr_expect(runs_with(2 * n) && !runs_with(2 * n - 1), "%d", n);
    }
}

/* What sends() finds in its messages is zeros, in every call anew, and there are 64 of them. */
Test(watch, messages_are_empty_before_each_call) {
    static const char text[] =
        "int chunks(int n) { return 500; }\nint steps(int n) { return 1; }\n"
        "int sends(int step, int rank, int n, rs_send out[]) {\nint sum = 0;\n"
        "for (int i = 0; i < 64; i++) {\n"
        "sum += out[i].to + out[i].chunk + out[i].chunks + out[i].copy;\n"
        "out[i] = (rs_send){1 - rank, sum, 1, 0};\n}\nreturn 64 + 100 * sum; }\n";
    int n_messages = 0;
    ask_program(text, "schedule 2 0 0");
    for (const char *at = asked_answer; (at = strstr(at, " 0 1 0\n")) != NULL; at++) n_messages++;
    cr_expect(n_messages == 2 * 64 && strstr(asked_answer, "count") == NULL, "%s", asked_answer);
    OWN_ARENA arena = {0};
    rs_error fault;
    const rs_program *read;
    rs_runner *runner;
    rs_watched w;
    cr_assert_eq(rs_program_read(asked_header, strlen(asked_header), text, strlen(text), &arena,
                                 &fault, &read),
                 RS_OK);
    cr_assert_eq(rs_runner_make(read, NULL, NULL, NULL, &arena, &fault, &runner), RS_OK);
    for (int turn = 0; turn < 3; turn++) {
        cr_assert_eq(rs_runner_watch(runner, turn, 1, 2, &w, &fault), RS_OK, "%s", fault.text);
        cr_expect_eq(w.returned, 64);
    }
}

static void keep_nothing(void *context, const char *said, size_t n) {
    *(size_t *)context += n + (said == NULL);
}

/* chunk_range writes into two cells, beside its five parameters; without them it is not asked. */
Test(watch, a_question_without_room_is_none) {
    begin_program("void chunk_range(int a, int b, int c, int *f, int *l) { *f = a; *l = c; }\n");
    for (int n_cells = 1; n_cells < 12; n_cells++) {
        OWN_ARENA arena = {0};
        rs_error fault;
        const rs_program *read;
        rs_runner *runner;
        size_t n_said = 0;
        const rs_run_limits limits = {.n_cells = n_cells};
        cr_assert_eq(rs_program_read("", 0, program, n_program, &arena, &fault, &read), RS_OK);
        cr_assert_eq(rs_runner_make(read, &limits, NULL, NULL, &arena, &fault, &runner), RS_OK);
        const rs_status status =
            rs_runner_ask(runner, "chunk_range 9 2", keep_nothing, &n_said, &fault);
        cr_expect_eq(status, n_cells < 7 ? RS_UNSUPPORTED : RS_OK, "%d", n_cells);
        cr_expect_eq(fault.id != NULL, n_cells >= 2 && n_cells < 7, "%d", n_cells);
        if (n_cells < 2) cr_expect_eq(n_said, 0);
        if (n_cells > 6) cr_expect_eq(n_said, 5 * sizeof(rs_answer_row));
    }
}

/* ------------------------------------------------------------------ what is noted */

typedef struct noted {
    int line;
    char name[40];
    double value;
} noted;

static noted notes[400];
static int n_notes, line;

static void note(const char *name, double value) {
    int at = 0;
    if (strlen(name) > 23) return;
    while (at < n_notes && !(notes[at].line == line && strcmp(notes[at].name, name) == 0)) at++;
    if (at == n_notes) {
        if (n_notes >= RS_MOST_NOTES) return;
        n_notes++;
        notes[at].line = line;
        snprintf(notes[at].name, sizeof notes[at].name, "%s", name);
    }
    notes[at].value = value;
}

/* Lines that write local numbers, and others that write something else; of each line and variable the last value is noted, in the
   order of the lines. */
Test(watch, a_watched_call_notes_what_each_line_wrote_last) {
    static const char *const names[] = {"x", "long_name_of_22_signs_", "long_name_of_23_signs__",
                                        "long_name_of_24_signs___", "y"};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const bool lists = seed % 3 == 0;
        n_notes = 0;
        begin_program("static int g;\nint help(int x) {\nint z = x + 1;\nreturn z;\n}\n");
        state = seed;
        add("int %s(int step, int rank, int n%s) {\n", lists ? "sends" : "send_chunk",
            lists ? ", rs_send out[]" : "");
        add("int x = 0, long_name_of_22_signs_ = 0, long_name_of_23_signs__ = 0, "
            "long_name_of_24_signs___ = 0, t[2], *p = t; double y = .5; rs_send m;\n");
        line = 7;
        for (int i = 0; i < 4; i++) note(names[i], 0);
        note("y", .5);
        bool executed[RS_MOST_WATCHED] = {[6] = true};
        const int n = draw(seed % 7 == 0 ? 90 : 20);
        for (int i = 0; i < n; i++) {
            const char *name = names[draw(4)];
            const int value = draw(50);
            line++;
            executed[line - 1] = true;
            switch (draw(9)) {
            case 0: add("%s = %d;\n", name, value), note(name, value); break;
            case 1: add("y = %d.25;\n", value), note("y", value + .25); break;
            case 2:
                add("x = %d, y = x, x++;\n", value);
                note("x", value), note("y", value), note("x", value + 1);
                break;
            case 3: add("t[1] = *p = m.to = g = %d;\n", value); break;
            case 4: add("g += help(%d);\n", value), executed[2] = executed[3] = true; break;
            case 5:
                add("for (x = 0; x < 3; x++) %s = x + %d;\n", names[1 + draw(2)], value);
                program[n_program - 1] = '\n';
                note("x", 0);
                note(strstr(program + n_program - 40, "_22_") != NULL ? names[1] : names[2],
                     value + 2);
                note("x", 3);
                break;
            case 6:
                add("if (n == 0)\nx = %d;\n", value); /* it is 5 */
                line++;
                break;
            case 7:
                add("if (n)\n%s = %d;\n", name, value);
                line++;
                executed[line - 1] = true;
                note(name, value);
                break;
            default: add("step -= 0;\n"), note("step", 2);
            }
        }
        add("return step + rank + %d;\n}\n", (int)seed);
        line++;
        executed[line - 1] = true;
        OWN_ARENA arena = {0};
        rs_error fault;
        rs_watched w;
        const rs_program *read;
        rs_runner *runner;
        cr_assert_eq(rs_program_read(asked_header, strlen(asked_header), program, n_program, &arena,
                                     &fault, &read),
                     RS_OK, "%s%d: %s", program, (int)fault.line, fault.text);
        cr_assert_eq(rs_runner_make(read, NULL, NULL, NULL, &arena, &fault, &runner), RS_OK);
        cr_assert_eq(rs_runner_watch(runner, 2, 1, 5, &w, &fault), RS_OK);
        cr_assert(w.returned == 3 + (int)seed && w.return_line == line && w.n_lines >= line);
        for (int i = 2; i < line; i++)
            cr_assert(i == 4 || i == 5 || w.executed[i] == executed[i], "%s line %d", program,
                      i + 1);
        cr_assert_eq(w.n_notes, n_notes, "%s: %d, not %d", program, (int)w.n_notes, n_notes);
        for (int i = 0; i < n_notes; i++)
            cr_assert(w.notes[i].line == notes[i].line && w.notes[i].value == notes[i].value &&
                          strcmp(w.notes[i].name, notes[i].name) == 0,
                      "%s: note %d: line %d, %s", program, i, (int)w.notes[i].line,
                      w.notes[i].name);
    }
}

/* A line that comes later may stand before one that was executed. */
Test(watch, notes_stand_in_the_order_of_their_lines) {
    for (int from = 0; from < 6; from++) {
        begin_program(
            "int send_chunk(int step, int rank, int n) {\nfor (; step < 12; step++)\nswitch (step % 6) {\n");
        for (int i = 0; i < 6; i++)
            add("case %d: n = step * 10; rank = step; break;\n", (i + from) % 6);
        add("}\nreturn 0;\n}\n");
        OWN_ARENA arena = {0};
        rs_error fault;
        rs_watched w;
        const rs_program *read;
        rs_runner *runner;
        cr_assert_eq(rs_program_read("", 0, program, n_program, &arena, &fault, &read), RS_OK);
        cr_assert_eq(rs_runner_make(read, NULL, NULL, NULL, &arena, &fault, &runner), RS_OK);
        cr_assert_eq(rs_runner_watch(runner, 0, 1, 5, &w, &fault), RS_OK);
        cr_assert_eq(w.n_notes, 13);
        cr_assert(w.notes[0].line == 2 && w.notes[0].value == 12);
        for (int i = 0; i < 12; i++) {
            const int step = 6 + (i / 2 + from) % 6;
            cr_assert(w.notes[1 + i].line == 4 + i / 2 &&
                          w.notes[1 + i].value == step * (i % 2 ? 1 : 10) &&
                          strcmp(w.notes[1 + i].name, i % 2 ? "rank" : "n") == 0,
                      "from %d: note %d: line %d, %s", from, i, (int)w.notes[1 + i].line,
                      w.notes[1 + i].name);
        }
    }
}
