/* A machine in the picture: devices apart, wires from edge to edge, and no wire carries more than it can. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panels/machine/machine_view.h"
#include "support/golden.h"
#include "support/scene_words.h"
#include "support/stage_fixture.h"

static const struct on {
    const char *name;
    int32_t nodes;
} machines[] = {{"dgx-h100", 1},  {"dgx-h100", 2},      {"dgx-h100", 16}, {"dgx-h100", 70},
                {"dgx1-v100", 1}, {"gh200x4", 3},       {"rtx2080ti", 1}, {"rtx4090-host", 1},
                {"bus", 1},       {"fat-tree", 1},      {"line", 1},      {"star", 1},
                {"torus4x4", 1},  {"ring-of-wires", 1}, {"thin-wire", 1}, {"b200", 4}};
enum { N_MACHINES = sizeof machines / sizeof machines[0] };
static const rv_box boxes[] = {{10, 10, 260, 160}, {0, 40, 560, 300}, {5, 5, 900, 700}};

static rs_machine read_machine(const struct on *on, rs_arena *arena) {
    static char text[1 << 16];
    char path[128];
    rs_error error = {.text = ""};
    rs_machine one, all;
    snprintf(path, sizeof path, "assets/machines/%s.machine", on->name);
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "no %s", path);
    const size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    cr_assert_eq(rs_parse_machine(text, n, on->name, arena, &error, &one), RS_OK, "%s", error.text);
    if (on->nodes == 1) return one;
    cr_assert_eq(rs_machine_repeat(&one, on->nodes, on->name, arena, &error, &all), RS_OK, "%s",
                 error.text);
    return all;
}

static bool overlap(rv_box a, rv_box b) {
    return a.x + a.w > b.x + 0.01 && b.x + b.w > a.x + 0.01 && a.y + a.h > b.y + 0.01 &&
           b.y + b.h > a.y + 0.01;
}

static bool within(rv_box in, rv_box out) {
    return in.x >= out.x - 0.5 && in.y >= out.y - 0.5 && in.x + in.w <= out.x + out.w + 0.5 &&
           in.y + in.h <= out.y + out.h + 0.5;
}

/* How far a point is from the nearest edge of a box. */
static double from_edge(rv_box box, rv_point at) {
    const double dx = fmax(box.x - at.x, at.x - box.x - box.w);
    const double dy = fmax(box.y - at.y, at.y - box.y - box.h);
    if (dx <= 0 && dy <= 0) return fmin(-dx, -dy);
    return hypot(fmax(dx, 0), fmax(dy, 0));
}

static void expect_plan(const rv_draft *draft, const char *what) {
    const int32_t n = draft->machine->n_devices + draft->machine->n_nodes;
    for (int32_t a = 0; a < n; a++) {
        const rv_box box = draft->spots[a].box;
        if (box.w <= 0) continue;
        cr_expect(box.h > 0 && within(box, draft->box), "%s: place %d leaves the box", what,
                  (int)a);
        for (int32_t b = 0; b < a; b++) {
            cr_expect(draft->spots[b].box.w <= 0 || !overlap(box, draft->spots[b].box),
                      "%s: %d lies on %d", what, (int)a, (int)b);
        }
    }
    int32_t links = 0;
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        const rv_point from = road->points[0], to = road->points[road->n_points - 1];
        cr_expect_lt(from_edge(draft->spots[road->a].box, from), 1, "%s: road %d begins nowhere",
                     what, (int)i);
        cr_expect_lt(from_edge(draft->spots[road->b].box, to), 1, "%s: road %d ends nowhere", what,
                     (int)i);
        cr_expect(road->lane > 0 && road->n > 0, "%s", what);
        links += road->n;
    }
    for (int32_t i = 0; i < draft->machine->n_links; i++) {
        const rs_machine_link *link = &draft->machine->links[i];
        links += rv_place_of_device(draft, link->a) == rv_place_of_device(draft, link->b);
    }
    cr_expect_eq(links, draft->machine->n_links, "%s: a link is drawn twice or never", what);
}

Test(scene_wires, lie_between_devices_that_do_not_overlap) {
    const rv_look look = rv_look_of(false, 1280, 720, 1);
    for (int m = 0; m < N_MACHINES; m++) {
        OWN_ARENA arena = {0};
        const rs_machine machine = read_machine(&machines[m], &arena);
        for (int b = 0; b < 3; b++) {
            char what[96];
            rv_draft draft;
            snprintf(what, sizeof what, "%s:%d in %gx%g", machines[m].name, (int)machines[m].nodes,
                     boxes[b].w, boxes[b].h);
            cr_assert(rv_plan_machine(&machine, &look, &arena, boxes[b], &draft), "%s", what);
            expect_plan(&draft, what);
        }
    }
}

/* The faster wire is the wider one, as the root of what it carries; no two kinds look the same. */
Test(scene_wires, are_as_wide_as_they_are_fast_and_each_kind_has_its_look) {
    const rv_look look = rv_look_of(false, 1280, 720, 1);
    OWN_ARENA arena = {0};
    rv_draft draft;
    const rs_machine machine = read_machine(&machines[1], &arena);
    cr_assert(rv_plan_machine(&machine, &look, &arena, boxes[2], &draft));
    const double nvlink = rv_lane_width(&draft, 370800000000),
                 net = rv_lane_width(&draft, 50000000000);
    cr_expect_float_eq(nvlink / net, sqrt(370.8 / 50), 1e-6, "%g", nvlink / net);
    cr_expect_gt(rv_lane_width(&draft, 1), 0);
    for (int32_t i = 0; i < draft.n_roads; i++) {
        cr_expect_eq(draft.roads[i].lane > 1.5 * net * draft.unit * draft.thick,
                     draft.roads[i].kind == RS_NVLINK, "road %d", (int)i);
    }
    for (int a = 0; a <= RS_NET; a++) {
        for (int b = 0; b < a; b++) {
            const rv_kind_look one = rv_kind_look_of(&look, (rs_link_kind)a),
                               other = rv_kind_look_of(&look, (rs_link_kind)b);
            cr_expect(one.dashed != other.dashed || one.ground != other.ground, "%d, %d", a, b);
        }
    }
}

static stage_fixture s;
static rs_machine machine;

/* Whether the machine comes with a link cut and another three times slower, as by --cut and --slow-link. */
static bool start_hurt;

static void hurt_links(rs_machine *hurt) {
    const rs_machine_link *last = &hurt->links[hurt->n_links - 1];
    const int32_t a = last->a, b = last->b;
    cr_assert_eq(rs_machine_cut(hurt, hurt->links[0].a, hurt->links[0].b, &s.run.arena, &s.error),
                 RS_OK);
    cr_assert_eq(rs_machine_slow(hurt, a, b, 3, 1, &s.run.arena, &s.error), RS_OK);
}

static void start(const struct on *on, const char *algorithm, rv_options options) {
    OWN_ARENA scratch = {0};
    memset(&s, 0, sizeof s);
    const int32_t n = read_machine(on, &scratch).n_gpus;
    view_fixture_prepare(&s.run, algorithm, n);
    machine = read_machine(on, &s.run.arena);
    if (start_hurt) hurt_links(&machine);
    s.run.request.job.net.machine = &machine;
    s.options = options;
    s.options.views = rv_view_bit("machine");
    stage_fixture_open(&s);
}

/* At whatever place inside a step: what flows on a wire is the sum of its streams, and fits on it. */
static void expect_load(const char *what) {
    rv_model *model = s.stage->what_if->model;
    const rv_shown_run run = rv_main_run(s.stage);
    const rv_load *load = rv_traffic_at(model->traffic, model->step, run.now_ps);
    cr_assert(load != NULL);
    cr_expect(load->whole || load->n_streams > 0, "%s: nothing flows", what);
    for (int32_t w = 0; w < 2 * machine.n_links; w++) {
        uint64_t sum = 0;
        for (int32_t i = load->first[w]; i < load->first[w + 1]; i++) {
            sum += load->streams[load->users[i]].rate_Bps;
            cr_expect(i == load->first[w] || load->users[i - 1] < load->users[i], "%s", what);
        }
        if (!load->whole) cr_expect_eq(sum, load->used_Bps[w], "%s: wire %d", what, (int)w);
        cr_expect_leq(load->used_Bps[w], rv_traffic_capacity(model->traffic, w), "%s: wire %d",
                      what, (int)w);
    }
}

Test(scene_wires, carry_what_their_senders_have_and_no_more) {
    static const double places[] = {0.12, 0.3, 0.46, 0.7, 0.8, 1};
    static const char *const names[] = {"ring", "halving", "naive"};
    static const int which[] = {1, 4, 8, 12};
    for (int m = 0; m < 4; m++) {
        for (int a = 0; a < 3; a++) {
            char what[96];
            start(&machines[which[m]], names[a], (rv_options){.at = -1});
            expect_load("at the start");
            for (int32_t step = 0; step < s.run.schedule.n_steps; step++) {
                for (int p = 0; p < 6; p++) {
                    snprintf(what, sizeof what, "%s, %s, step %d, %g", machines[which[m]].name,
                             names[a], (int)step, places[p]);
                    cr_assert_eq(rv_stage_show(s.stage, step, places[p], &s.error), RS_OK);
                    expect_load(what);
                }
            }
            stage_fixture_end(&s);
        }
    }
}

/* The wire that is marked is that of the JSON, and the picture says so. */
Test(scene_wires, name_the_bottleneck_and_who_is_on_a_wire) {
    int64_t share;
    start(&machines[14], "ring", (rv_options){.at = 1, .progress = 0.39});
    const int32_t wire = rv_traffic_bottleneck(s.stage->what_if->model->traffic, &share);
    double known;
    const rs_report *report = s.stage->what_if->report;
    const rs_outcome *outcome = &report->outcome;
    cr_expect_eq(
        wire, rs_busiest_wire(&report->request.job, outcome->wires, outcome->makespan_ps, &known));
    cr_expect_float_eq((double)share / 1000, known, 0.001);
    cr_expect(stage_fixture_shows(&s, "Bottleneck of the whole run: left → right"));
    cr_expect(stage_fixture_shows(&s, "rank 3 to 4"));
    cr_expect_not(stage_fixture_shows(&s, "full")); /* one number a wire, at one moment */
    const rv_scene *scene = &s.stage->scene;
    const rv_item *badge = NULL, *lane = NULL;
    for (int32_t i = 0; i + 1 < scene->n_items; i++) {
        const rv_item *item = &scene->items[i], *label = &scene->items[i + 1];
        if (item->target.thing == RV_WIRE && item->target.a == wire && item->shape == RV_SEGMENT)
            lane = item;
        if (item->fill != s.stage->look.bad || item->radius <= 0 || label->shape != RV_LABEL)
            continue;
        if (strcmp(scene->text + label->first, "100 %") == 0) badge = item;
    }
    cr_assert(lane != NULL && badge != NULL);
    cr_expect_float_eq(badge->box.y, lane->box.y + lane->line / 2, 1, "the badge touches its wire");
}

/* Each lane is felt where it lies, though two lie side by side, and tells who shares it. */
Test(scene_wires, tell_who_shares_them) {
    start(&machines[14], "ring", (rv_options){.at = 1, .progress = 0.39});
    const rv_scene *scene = &s.stage->scene;
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->target.thing != RV_WIRE || item->shape != RV_SEGMENT) continue;
        const rv_point at = rv_centre(item->box);
        const rv_target hit = rv_scene_hit(scene, at.x, at.y, 6, NULL);
        cr_expect(rv_same_target(hit, item->target), "wire %d is hidden by %d %d",
                  (int)item->target.a, (int)hit.thing, (int)hit.a);
        n++;
    }
    cr_expect_geq(n, 2 * machine.n_links);
    s.stage->hover = (rv_target){RV_WIRE, 2 * (machine.n_links - 1), 1, 0}; /* left to right */
    rv_stage_draw(s.stage);
    cr_expect(
        stage_fixture_shows(&s, "left → right: network 2 GB/s; of the whole run 99.8 % full"));
    cr_expect(stage_fixture_shows(&s, "now 100 % full: rank 3 to 4"));
    stage_fixture_end(&s);
    start(&machines[8], "ring", (rv_options){.at = 1, .progress = 0.39});
    s.stage->hover = (rv_target){RV_WIRE, 0, 1, 0};
    rv_stage_draw(s.stage);
    cr_expect(stage_fixture_shows(
        &s,
        "now 100 % full: rank 0 to 1, rank 1 to 2, rank 2 to 3, rank 3 to 0; each gets 5 GB/s"));
}

/* Slow, cut, well again: as the same faults of the command line are timed. */
Test(scene_wires, are_broken_by_a_click_and_mended) {
    start(&machines[5], "ring", (rv_options){.at = 1}); /* gh200: GPUs side by side, and NICs */
    const int64_t well_ps = stage_fixture_time_ps(&s);
    rs_job job = s.run.request.job;
    rs_machine hurt = machine;
    rs_outcome outcome;
    stage_fixture_click(&s, RV_WIRE, 0, 1);
    cr_expect_eq(s.stage->menu.thing, RV_WIRE);
    cr_expect_eq(s.stage->menu.a, 0);
    cr_expect(stage_fixture_shows(&s, "gpu0 – gpu1"));
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_SLOW, 0);
    cr_assert_eq(rs_machine_slow(&hurt, 0, 1, 10, 1, &s.run.arena, &s.error), RS_OK);
    job.net.machine = &hurt;
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_FLOWS, NULL, &s.run.arena, &s.error, &outcome), RS_OK);
    cr_expect_eq(stage_fixture_time_ps(&s), outcome.makespan_ps);
    cr_expect_gt(outcome.makespan_ps, well_ps);
    cr_expect(stage_fixture_says(&s, "gpu0 – gpu1 is slow: "));
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_CUT, 0);
    hurt = machine;
    cr_assert_eq(rs_machine_cut(&hurt, 0, 1, &s.run.arena, &s.error), RS_OK);
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_FLOWS, NULL, &s.run.arena, &s.error, &outcome), RS_OK);
    cr_expect_eq(stage_fixture_time_ps(&s), outcome.makespan_ps);
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_WELL, 0);
    cr_expect_eq(stage_fixture_time_ps(&s), well_ps);
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_CUT, 0);
    stage_fixture_key(&s, RV_KEY_ESCAPE);
    cr_expect_eq(s.stage->menu.thing, RV_NOTHING);
    stage_fixture_press(&s, "u");
    cr_expect_eq(stage_fixture_time_ps(&s), well_ps);
    stage_fixture_end(&s);
    /* the only way: it cannot be cut, and says why */
    start(&machines[14], "ring", (rv_options){.at = 1});
    const int32_t thin = 2 * (machine.n_links - 1);
    const int64_t before_ps = stage_fixture_time_ps(&s);
    stage_fixture_click(&s, RV_WIRE, thin, 1);
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_CUT, thin);
    cr_expect_eq(stage_fixture_time_ps(&s), before_ps);
    cr_expect(s.stage->playback.message[0] != '\0');
}

/* What is drawn as one wire, a node's eight links to the fabric, is hurt and mended as one. */
Test(scene_wires, of_a_node_are_broken_together) {
    start(&machines[3], "ring", (rv_options){.at = 1}); /* 70 boxes, drawn as tiles */
    int32_t wire = -1, n = 0;
    for (int32_t i = 0; i < s.stage->scene.n_items && wire < 0; i++) {
        const rv_target at = s.stage->scene.items[i].target;
        if (at.thing == RV_WIRE && at.b > 1) wire = at.a, n = at.b;
    }
    cr_assert_eq(n, 8);
    stage_fixture_click(&s, RV_WIRE, wire, n);
    cr_expect(stage_fixture_shows(&s, " and 7 beside it"));
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_SLOW, wire);
    const rv_setup *setup = &s.stage->what_if->setup;
    cr_assert_eq(setup->n_link_faults, 8);
    cr_expect(stage_fixture_says(&s, " and 7 beside it are slow: "));
    const rs_machine *hurt = s.stage->what_if->report->request.job.net.machine;
    int32_t slow = 0;
    for (int32_t i = 0; i < hurt->n_links; i++) slow += hurt->links[i].slow_num == RV_TIMES_SLOWER;
    cr_expect_eq(slow, 8);
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_WELL, wire);
    cr_expect_eq(setup->n_link_faults, 0);
}

/* What the command line did to a machine's links is ticked in their menu, and a click mends it. */
Test(scene_wires, hurt_by_the_command_line_are_mended_by_a_click) {
    start(&machines[5], "ring", (rv_options){.at = 1});
    const int64_t well_ps = stage_fixture_time_ps(&s);
    stage_fixture_end(&s);
    start_hurt = true;
    start(&machines[5], "ring", (rv_options){.at = 1});
    start_hurt = false;
    const int64_t hurt_ps = stage_fixture_time_ps(&s);
    cr_expect_gt(hurt_ps, well_ps);
    stage_fixture_click(&s, RV_WIRE, 0, 1);
    cr_expect(rv_fault_of_wire(s.stage, RV_WIRE_CUT, 0) != NULL);
    stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_CUT, 0);
    const rs_machine *now = s.stage->what_if->report->request.job.net.machine;
    cr_expect_not(now->links[0].cut);
    cr_expect_eq(s.stage->what_if->setup.n_link_faults, 1); /* the slow one is left */
    stage_fixture_press(&s, "u");
    cr_expect_eq(stage_fixture_time_ps(&s), well_ps);
}

/* A factor need not be whole, and may make a wire faster: the menu says so, and mends it. */
Test(scene_wires, hurt_by_a_fraction_are_mended_too) {
    static const struct {
        uint64_t num, den;
        const char *says;
    } factors[] = {{5, 2, "2.50 times slower, both ways"},
                   {37, 100, "2.70 times faster, both ways"}};
    start(&machines[14], "ring", (rv_options){.at = 1}); /* thin: its last link is the narrow one */
    const int64_t well_ps = stage_fixture_time_ps(&s);
    const int32_t thin = 2 * (machine.n_links - 1);
    stage_fixture_end(&s);
    for (int i = 0; i < 4; i++) {
        memset(&s, 0, sizeof s);
        view_fixture_prepare(&s.run, "ring", machine.n_gpus);
        machine = read_machine(&machines[14], &s.run.arena);
        const rs_machine_link *last = &machine.links[machine.n_links - 1];
        cr_assert_eq(rs_machine_slow(&machine, last->a, last->b, factors[i / 2].num,
                                     factors[i / 2].den, &s.run.arena, &s.error),
                     RS_OK);
        s.run.request.job.net.machine = &machine;
        s.options = (rv_options){.at = 1, .views = rv_view_bit("machine")};
        stage_fixture_open(&s);
        const bool slower = factors[i / 2].num > factors[i / 2].den;
        cr_expect(slower ? stage_fixture_time_ps(&s) > well_ps
                         : stage_fixture_time_ps(&s) < well_ps);
        stage_fixture_click(&s, RV_WIRE, thin, 1);
        cr_expect(stage_fixture_shows(&s, factors[i / 2].says), "%s", factors[i / 2].says);
        if (i % 2 == 0) stage_fixture_press(&s, "u");
        if (i % 2 == 1) stage_fixture_click(&s, RV_WIRE_FAULT, RV_WIRE_WELL, thin);
        cr_expect_eq(stage_fixture_time_ps(&s), well_ps);
        cr_expect_eq(s.stage->what_if->setup.n_link_faults, 0);
        stage_fixture_end(&s);
    }
}

/* In the terminal and as text: the busiest wires of each moment, in ASCII where nothing else can be shown. */
Test(scene_wires, stand_in_the_text_of_each_step) {
    static const rv_options text = {.at = -1, .width = 100};
    start(&machines[14], "ring", (rv_options){.at = -1});
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_text(&s.run.subject, &text, view_fixture_collect, &view_fixture_shown, &s.error),
        RS_OK);
    const char *shown = view_fixture_shown.bytes, *at = shown;
    cr_expect(strstr(shown, "bottleneck left → right, 99.8 % full") != NULL, "%s", shown);
    int n = 0;
    while ((at = strstr(at, "network 2 GB/s")) != NULL) at++, n++;
    cr_expect_geq(n, s.run.schedule.n_steps);
    const rv_options ascii = {.at = 2, .ascii = true};
    rv_playback playback;
    cr_assert_eq(rv_playback_start(&playback, &s.run.subject, &ascii, &s.error), RS_OK);
    playback.views |= rv_views_at_start(0, &s.run.subject);
    OWN_SCREEN screen = view_fixture_screen(100, 40);
    rv_compose(&playback, &screen);
    shown = view_fixture_lines(&screen);
    cr_expect(strstr(shown, "left -> right") != NULL, "%s", shown);
    for (const char *c = shown; *c != '\0'; c++) cr_assert_lt((unsigned char)*c, 128, "%s", shown);
}

Test(scene_wires, are_open_at_the_start_unless_other_views_are_named) {
    start(&machines[11], "ring", (rv_options){.at = 0});
    cr_expect_eq(rv_views_at_start(0, &s.run.subject), VIEW_RING | rv_view_bit("machine"));
    cr_expect_eq(rv_views_at_start(VIEW_MATRIX, &s.run.subject), VIEW_RING | VIEW_MATRIX);
    cr_expect(stage_fixture_shows(&s, "Machine: star"));
    stage_fixture_press(&s, "M");
    cr_expect_not(stage_fixture_shows(&s, "Machine: star"));
    stage_fixture_end(&s);
    view_fixture_prepare(&s.run, "ring", 4); /* and not where there is no machine */
    cr_assert(view_fixture_run(&s.run));
    cr_expect_eq(rv_views_at_start(0, &s.run.subject), VIEW_RING);
    view_fixture_free(&s.run);
    stage_fixture_start(&s, "ring", 4, 0);
    stage_fixture_press(&s, "M");
    cr_expect(stage_fixture_says(&s, "Machine: start with --machine dgx-h100:2"));
    stage_fixture_press(&s, "?");
    cr_expect_not(stage_fixture_shows(&s, "show the machine: devices, wires, who uses them now"));
}

Test(scene_wires, of_pictures_are_as_they_were) {
    static const struct {
        int machine;
        const char *golden;
        rv_options options;
    } pictures[] = {
        {1, "scene/machine", {.at = 1}},
        {8, "scene/machine-bus", {.at = 1, .progress = 0.39, .dark = true}},
        {2, "scene/machine-tiles", {.at = 2, .pixel_width = 1920, .pixel_height = 1080}},
    };
    for (int i = 0; i < 3; i++) {
        start(&machines[pictures[i].machine], "ring", pictures[i].options);
        rv_scene_start(&s.stage->scene, s.stage->width, s.stage->height, s.stage->look.ground);
        const int view = (int)rv_view_action(rv_view_bit("machine")) - RV_SHOW_VIEW;
        rv_panels[view]->draw(s.stage, &s.stage->scene, rv_panel_box(s.stage, view));
        golden_compare(pictures[i].golden, scene_words(&s.stage->scene, &s.stage->look));
        stage_fixture_end(&s);
    }
}

/* What a message's pace says to have flowed until it arrived is what it carries. */
Test(scene_wires, have_paces_that_add_up_to_the_bytes) {
    static const char *const names[] = {"ring", "halving", "naive", "two-level"};
    static const int which[] = {8, 10, 14}; /* bus, line, thin-wire */
    for (int m = 0; m < 3; m++) {
        for (int a = 0; a < 4; a++) {
            start(&machines[which[m]], names[a], (rv_options){.at = -1});
            const rv_model *model = s.stage->what_if->model;
            const rv_pace *pace = rv_traffic_pace(model->traffic);
            const rs_trace *trace = model->report->trace;
            rs_together *together;
            cr_assert_not_null(pace);
            cr_assert_eq(rs_together_new(&s.run.request.job, &s.run.arena, &s.error, &together),
                         RS_OK);
            for (int64_t i = 0; i < trace->n_items; i++) {
                const rs_timed *item = &trace->items[i];
                rs_route route;
                uint64_t narrow = UINT64_MAX;
                cr_assert_eq(rs_together_way(together, &item->transfer, &s.error, &route), RS_OK);
                for (int32_t k = 0; k < route.n_wires; k++) {
                    const uint64_t here = rs_together_capacity(together, route.wires[k]);
                    if (here < narrow) narrow = here;
                }
                double bytes = 0;
                for (int64_t k = pace->first[i]; k < pace->first[i + 1]; k++) {
                    const rv_pace_part *part = &pace->parts[k];
                    const int64_t to_ps =
                        k + 1 < pace->first[i + 1] ? part[1].from_ps : item->end_ps;
                    cr_expect(part->message == i && part->from_ps < to_ps);
                    bytes += (double)(to_ps - part->from_ps) * 1e-12 * part->permille / 1000 *
                             (double)narrow;
                }
                const double want =
                    4.0 * (double)rs_transfer_count(model->schedule, s.run.request.job.count,
                                                    &item->transfer);
                cr_expect(fabs(bytes - want) <= 0.005 * want + 1, "%s, %s: %g of %g bytes",
                          machines[which[m]].name, names[a], bytes, want);
            }
            stage_fixture_end(&s);
        }
    }
}

/* The heights of the bars that stand for transfers, over that of the first of a run alone. */
static double bar_height(const struct on *on, const char *algorithm) {
    start(on, algorithm, (rv_options){.at = 0});
    rv_scene_start(&s.stage->scene, 1000, 500, s.stage->look.panel);
    const rv_shown_run run = rv_main_run(s.stage);
    rv_draw_diagram(s.stage, &run, 1, &s.stage->scene, (rv_box){0, 0, 1000, 500});
    const rv_scene *scene = &s.stage->scene;
    double height = 0;
    for (int32_t i = 0; i < scene->n_items && height == 0; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape != RV_POLYGON || item->target.thing != RV_TRANSFER) continue;
        const rv_point *p = &scene->points[item->first];
        height = fabs(p[0].y - p[item->n - 1].y);
    }
    stage_fixture_end(&s);
    return height;
}

/* On a bus four messages have a quarter each; in a star each has its wire. */
Test(scene_wires, that_are_shared_make_bars_thinner) {
    const struct on star = {"star", 1}, bus = {"bus", 1};
    const double alone = bar_height(&star, "ring"), shared = bar_height(&bus, "ring");
    cr_assert_gt(shared, 0);
    cr_expect_float_eq(shared, alone / 4, 0.01 * alone, "%g of %g", shared, alone);
}

/* On a machine each card says both names, and nothing is called a GPU of a number. */
Test(scene_wires, ranks_and_devices_share_no_names) {
    static const int32_t places[2][8] = {{0, 1, 4, 5, 2, 3, 6, 7}, {7, 2, 0, 4, 1, 3, 5, 6}};
    OWN_ARENA arena = {0};
    rs_machine placed = read_machine(&machines[14], &arena);
    for (int i = 0; i < 9; i++) {
        const int32_t *place = i % 3 < 2 ? places[i % 3] : NULL;
        s.options = (rv_options){.at = i / 3, .views = RV_VIEW_ALL | rv_all_views()};
        view_fixture_prepare(&s.run, "halving", 4);
        s.run.request.job.net.machine = &placed;
        s.run.request.job.net.place = place;
        stage_fixture_open(&s);
        for (int32_t r = 0; r < 4; r++) {
            char rank[32], device[32];
            snprintf(rank, sizeof rank, "rank %d", r);
            snprintf(device, sizeof device, "gpu%d", place != NULL ? place[r] : r);
            cr_expect(stage_fixture_shows(&s, rank) && stage_fixture_shows(&s, device), "%s", rank);
        }
        for (char digit[6] = "GPU 0"; digit[4] < '8'; digit[4]++) {
            cr_expect_not(stage_fixture_shows(&s, digit), "%s", digit);
            cr_expect_null(strstr(stage_fixture_characters(&s, 80, 24), digit), "%s", digit);
        }
        stage_fixture_end(&s);
    }
}
