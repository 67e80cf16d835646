/* machine_words.c: a machine's wires in words: names, who shares one, how full it is. */
#include "panels/machine/machine_view.h"
#include "text/say.h"

#include <string.h>

enum { AMOUNT = 32 };

const char *rv_device_word(const rs_machine *machine, int32_t device) {
    const char *name = machine->names[device];
    const char *dot = strncmp(name, "node", 4) == 0 ? strchr(name, '.') : NULL;
    return dot != NULL && machine->node[device] >= 0 ? dot + 1 : name;
}

void rv_say_wire(rv_say *say, const rs_machine *machine, int32_t wire) {
    const rs_machine_link *link = &machine->links[wire / 2];
    const char *a = machine->names[link->a], *b = machine->names[link->b];
    if (link->shared) {
        rv_say_more(say, "%s ↔ %s", a, b);
    } else {
        rv_say_more(say, "%s → %s", wire % 2 == 0 ? a : b, wire % 2 == 0 ? b : a);
    }
}

const char *rv_link_kind_word(int kind) {
    static const char *const words[] = {N_("NVLink"), N_("PCIe"), N_("CPU"), N_("network")};
    return _(words[kind]);
}

static void say_rate(rv_say *say, uint64_t rate_Bps) {
    char text[AMOUNT];
    rv_format_bytes((int64_t)rate_Bps, text, sizeof text);
    rv_say_more(say, "%s/s", text);
}

void rv_say_users(rv_say *say, const rv_load *load, int32_t wire, int most) {
    const int32_t end = load->first[wire + 1];
    int n = 0;
    for (int32_t i = load->first[wire], next; i < end; i = next) {
        const rv_stream *stream = &load->streams[load->users[i]];
        for (next = i; next < end; next++) { /* several channels are told once */
            const rv_stream *at = &load->streams[load->users[next]];
            if (at->src != stream->src || at->dst != stream->dst) break;
        }
        if (n++ >= most) continue;
        rv_say_more(say, n > 1 ? _(", rank %d to %d") : _("rank %d to %d"), (int)stream->src,
                    (int)stream->dst);
        if (next - i > 1) rv_say_more(say, " ×%d", (int)(next - i));
    }
    if (n > most) rv_say_more(say, _(" and %d more"), n - most);
}

void rv_say_busy(rv_say *say, const rv_model *model, const rv_load *load, int32_t wire) {
    const rs_machine *machine = model->report->request.job.net.machine;
    char percent[AMOUNT];
    const uint64_t capacity = rv_traffic_capacity(model->traffic, wire);
    rv_format_percent((int64_t)load->used_Bps[wire], (int64_t)capacity, percent, sizeof percent);
    rv_say_wire(say, machine, wire);
    rv_say_more(say, "  %s  ", percent);
    rv_say_more(say, "%s ", rv_link_kind_word(machine->links[wire / 2].kind));
    say_rate(say, capacity);
    if (load->whole) return;
    rv_say_more(say, "  ");
    rv_say_users(say, load, wire, 3);
}

/* Says what each of n streams on a wire gets. */
static void say_shares(rv_say *say, const rv_load *load, int32_t wire) {
    uint64_t least = UINT64_MAX, most = 0;
    for (int32_t i = load->first[wire]; i < load->first[wire + 1]; i++) {
        const uint64_t rate_Bps = load->streams[load->users[i]].rate_Bps;
        if (rate_Bps < least) least = rate_Bps;
        if (rate_Bps > most) most = rate_Bps;
    }
    rv_say_more(say, "%s", least == most ? _("; each gets ") : _("; they get "));
    say_rate(say, least);
    if (least == most) return;
    rv_say_more(say, "%s", _(" to "));
    say_rate(say, most);
}

void rv_say_hint(const rv_model *model, const rv_load *load, int32_t wire, int32_t n_wires,
                 char *out, size_t n_out) {
    const rs_machine *machine = model->report->request.job.net.machine;
    const rs_machine_link *link = &machine->links[wire / 2];
    char percent[AMOUNT];
    rv_say say = rv_say_to(out, n_out);
    rv_say_wire(&say, machine, wire);
    if (n_wires > 1) rv_say_more(&say, _(" and %d beside it"), (int)n_wires - 1);
    rv_say_more(&say, "%s%s ", _(": "), rv_link_kind_word(link->kind));
    say_rate(&say, rv_traffic_capacity(model->traffic, wire));
    if (link->cut) {
        rv_say_more(&say, "%s", _(", cut"));
        return;
    }
    if (link->slow_num > link->slow_den) {
        rv_format_ratio((int64_t)link->slow_num, (int64_t)link->slow_den, percent, sizeof percent);
        rv_say_more(&say, _(", %s times slower than it was"), percent);
    } else if (link->slow_num < link->slow_den) {
        rv_format_ratio((int64_t)link->slow_den, (int64_t)link->slow_num, percent, sizeof percent);
        rv_say_more(&say, _(", %s times faster than it was"), percent);
    }
    rv_format_percent(rv_traffic_share(model->traffic, wire), 1000, percent, sizeof percent);
    rv_say_more(&say, _("; of the whole run %s full"), percent);
    if (load == NULL || load->whole) return;
    const int32_t n = load->first[wire + 1] - load->first[wire];
    rv_say_more(&say, "\n");
    if (n == 0) {
        rv_say_more(&say, "%s", _("now idle"));
        return;
    }
    rv_format_percent(rv_load_permille(model->traffic, load, wire), 1000, percent, sizeof percent);
    rv_say_more(&say, _("now %s full: "), percent);
    rv_say_users(&say, load, wire, 4);
    if (n > 1) say_shares(&say, load, wire);
}
