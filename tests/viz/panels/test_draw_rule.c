/* test_draw_rule.c: a rule's function as it is drawn: line under line, each number with its own, and in the
 * colours of what was executed and of who is to blame.
 */
#include "model/rule.h"
#include "panels/draw.h"
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rv_rule made(bool blamed) {
    static const struct {
        const char *text, *numbers;
        rv_line_mark mark;
        bool outer;
    } lines[] = {{"int send_chunk(int step, int rank, int n) {", "", RV_LINE_PLAIN, true},
                 {"    int chunk = rank - step;", "chunk = -1", RV_LINE_EXECUTED, false},
                 {"    if (chunk > n) return 0;", "", RV_LINE_SKIPPED, false},
                 {"    return (chunk + n) % n;", "(-1 + 5) % 5 = 4", RV_LINE_RETURNS, false},
                 {"}", "", RV_LINE_PLAIN, true}};
    rv_rule code = {.n_lines = 5, .blamed = blamed, .judged = blamed};
    snprintf(code.call, sizeof code.call, "send_chunk(step = 2, rank = 1, n = 5) = 4");
    if (blamed) snprintf(code.mistake, sizeof code.mistake, "GPU 1 adds what is in it already");
    for (int i = 0; i < code.n_lines; i++) {
        rv_rule_line *line = &code.lines[i];
        snprintf(line->text, sizeof line->text, "%s", lines[i].text);
        snprintf(line->numbers, sizeof line->numbers, "%s", lines[i].numbers);
        line->mark = lines[i].mark, line->outer = lines[i].outer;
    }
    return code;
}

static rv_stage *stage_of(view_fixture *v) {
    view_fixture_prepare(v, "ring", 5);
    return view_fixture_stage(v, &(rv_options){.at = 0});
}

/* What all lines begin with may be left out. */
static const rv_item *find(const rv_scene *scene, const char *text) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        const char *label = rv_label_text(scene, &scene->items[i]);
        if (strcmp(label + strspn(label, " "), text + strspn(text, " ")) == 0)
            return &scene->items[i];
    }
    return NULL;
}

static void draw(rv_stage *stage, const rv_rule *code, rv_box box) {
    rv_scene_start(&stage->scene, stage->width, stage->height, stage->look.ground);
    rv_draw_rule_lines(stage, code, &stage->scene, box);
    cr_assert_not(stage->scene.failed);
}

/* The lines stand below the call and in their order, inside the box; numbers behind their line, or right below it. */
static void expect_in_order(const rv_scene *scene, const rv_rule *code, rv_box box, bool whole) {
    const rv_item *above = find(scene, code->call);
    int shown = 0;
    cr_assert_not_null(above);
    for (int i = 0; i < code->n_lines; i++) {
        const rv_rule_line *line = &code->lines[i];
        const rv_item *text = find(scene, line->text);
        cr_expect(text != NULL || (!whole && line->outer), "'%s' in %g x %g", line->text, box.w,
                  box.h);
        if (text == NULL) continue;
        shown++;
        cr_expect(text->mono && text->box.y >= above->box.y + above->box.h - 0.01);
        cr_expect_leq(text->box.y + text->box.h, box.y + box.h + 0.01);
        above = text;
        if (line->numbers[0] == '\0') continue;
        const rv_item *numbers = find(scene, line->numbers);
        cr_assert_not_null(numbers, "'%s' in %g x %g", line->numbers, box.w, box.h);
        const bool behind = numbers->box.y == text->box.y;
        const double end =
            text->box.x + RV_MONO * text->radius * (double)strlen(rv_label_text(scene, text));
        if (behind) cr_expect_geq(numbers->box.x, end, "not on the line's own words");
        if (!behind) cr_expect_float_eq(numbers->box.y, text->box.y + text->box.h, 0.01);
        if (!behind) above = numbers;
        cr_expect_eq(numbers->radius, text->radius);
    }
    cr_expect_geq(shown, 3);
}

Test(draw_rule, stands_line_under_line_with_its_numbers) {
    static const rv_box boxes[] = {
        {10, 20, 900, 400}, {0, 0, 420, 300}, {0, 0, 420, 110}, {5, 5, 900, 90}};
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v);
    for (int i = 0; i < 4; i++) {
        const rv_rule code = made(false);
        draw(stage, &code, boxes[i]);
        expect_in_order(&stage->scene, &code, boxes[i], i < 2);
    }
}

Test(draw_rule, has_the_colours_of_what_was_executed_and_who_is_to_blame) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v);
    const rv_look *look = &stage->look;
    for (int blamed = 0; blamed < 2; blamed++) {
        const rv_rule code = made(blamed);
        draw(stage, &code, (rv_box){10, 20, 900, 400});
        const rv_scene *scene = &stage->scene;
        cr_expect_eq(find(scene, code.call)->fill, blamed ? look->bad : look->accent);
        cr_expect_eq(find(scene, code.lines[1].text)->fill, look->ink);
        cr_expect_eq(find(scene, code.lines[1].numbers)->fill, look->accent);
        cr_expect_eq(find(scene, code.lines[2].text)->fill, look->quiet);
        const rv_item *answer = find(scene, code.lines[3].text);
        cr_expect_eq(answer->fill, blamed ? look->bad : look->ink);
        cr_expect(answer->bold && !find(scene, code.lines[1].text)->bold);
        cr_expect_eq(find(scene, code.lines[3].numbers)->fill, blamed ? look->bad : look->accent);
        const rv_item *mistake = find(scene, "GPU 1 adds what is in it already");
        cr_expect_eq(mistake != NULL, blamed);
        if (mistake == NULL) continue;
        cr_expect(mistake->fill == look->bad && mistake->wrap);
        cr_expect_geq(mistake->box.y, answer->box.y + answer->box.h);
    }
}

Test(draw_rule, says_that_more_follows_where_the_box_ends) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v);
    const rv_rule code = made(false);
    draw(stage, &code, (rv_box){0, 0, 900, 2.4 * stage->look.unit});
    cr_expect_not_null(find(&stage->scene, "..."));
    cr_expect_null(find(&stage->scene, code.lines[3].numbers),
                   "the numbers of a line that is not shown");
}
