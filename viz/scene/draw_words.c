/* draw_words.c: what is said: the caption or the question, and all keys. */
#include "stage.h"
#include "words.h"

void rv_draw_caption(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const rv_walk *walk = &stage->walk;
    char text[512];
    rv_box inside;
    rv_draw_panel(stage, scene, box, NULL, &inside);
    if (walk->mode == RV_ASKING) {
        rv_question_text(&walk->question, text, sizeof text);
        for (int32_t i = walk->question.n_choices - 1; i >= 0; i--) {
            const rv_box choice = rv_cut_right(&inside, 4 * look->unit);
            rv_cut_right(&inside, 0.4 * look->unit);
            char name[32];
            rv_say_choice(&walk->question, i, name, sizeof name);
            rv_draw_button(stage, scene, choice, name, false, rv_target_of(RV_CHOICE, i, 0));
        }
    } else if (walk->message[0] != '\0') {
        rv_item *label =
            rv_scene_label(scene, inside, RV_LEFT, 1.15 * look->unit, look->ink, walk->message);
        label->wrap = true;
        return;
    } else {
        rv_caption(walk->model, walk->rank, text, sizeof text);
    }
    rv_scene_label(scene, inside, RV_LEFT, 1.15 * look->unit, look->ink, text)->wrap = true;
}

void rv_draw_help(const rv_stage *stage, rv_scene *scene) {
    const rv_look *look = &stage->look;
    rv_box box = rv_inset((rv_box){0, 0, stage->width, stage->height}, 2 * look->unit), inside;
    rv_draw_panel(stage, scene, box, _("Keys"), &inside);
    scene->items[scene->n_items - 2].target = rv_target_of(RV_AREA, 0, 0);
    int n = 0;
    for (const rv_key_row *row = rv_keys; row->action != RV_NO_ACTION; row++) n++;
    const double height = inside.h / ((n + 1) / 2);
    const rv_box right = rv_cut_right(&inside, inside.w / 2);
    rv_box column = inside;
    int i = 0;
    for (const rv_key_row *row = rv_keys; row->action != RV_NO_ACTION; row++, i++) {
        if (i == (n + 1) / 2) column = right;
        rv_box line = rv_cut_top(&column, height);
        const rv_box key = rv_cut_left(&line, 0.34 * line.w);
        const double size = look->unit < height * 0.7 ? look->unit : height * 0.7;
        rv_scene_label(scene, key, RV_LEFT, size, look->ink, _(row->names))->bold = true;
        rv_scene_label(scene, line, RV_LEFT, size, look->quiet, _(row->help));
    }
}
