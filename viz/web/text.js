'use strict';
// text.js: sets text as pango does: styles, lines broken to a width, ellipses; measured by the browser.
//
//     bytes, fonts, width --> Layout.set() --> lines of runs {text, font, x} at baselines y --> draw
//
//   - A line breaks behind a space, a hyphen, and between Chinese characters, but never before a sign that ends
//     something or behind one that begins it; a word that is too long breaks anywhere.
//   - Units are pixels here, and 1/1024 of them in pango's functions.

const SCALE = 1024;
const FAMILIES = {
    sans: '"Noto Sans CJK SC","Source Han Sans SC","Noto Sans SC","PingFang SC","Microsoft YaHei","Noto Sans",' +
        '"DejaVu Sans","WenQuanYi Micro Hei",sans-serif',
    mono: '"DejaVu Sans Mono","Noto Sans Mono CJK SC","Noto Sans Mono",Menlo,Consolas,"PingFang SC",' +
        '"Microsoft YaHei",monospace',
};
const NEVER_FIRST = '，。、；：？！）》」』】”’…·,.;:?!)]}%';
const NEVER_LAST = '（《「『【“‘([{';

function makeSheet(width, height) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, width);
    canvas.height = Math.max(1, height);
    return canvas;
}

// Measures texts; keeps what it has measured.
const ruler = {
    context: null,
    widths: new Map(),
    heights: new Map(),
    use(font) {
        if (this.context === null) {
            this.context = makeSheet(1, 1).getContext('2d');
            this.context.textRendering = 'geometricPrecision';
        }
        if (this.font !== font) this.context.font = this.font = font;
        return this.context;
    },
    // The width of a run, and the box of its ink, seen from the start of its baseline.
    run(font, text) {
        const key = `${font}\n${text}`;
        let found = this.widths.get(key);
        if (found) return found;
        const m = this.use(font).measureText(text);
        found = { width: m.width, left: -m.actualBoundingBoxLeft, right: m.actualBoundingBoxRight,
            up: m.actualBoundingBoxAscent, down: m.actualBoundingBoxDescent };
        if (this.widths.size > 20000) this.widths.clear();
        this.widths.set(key, found);
        return found;
    },
    // How far a line in a font reaches above and below its baseline.
    line(font) {
        let found = this.heights.get(font);
        if (found) return found;
        const m = this.use(font).measureText('Mg');
        found = { up: m.fontBoundingBoxAscent, down: m.fontBoundingBoxDescent };
        this.heights.set(font, found);
        return found;
    },
};

const isWide = sign => sign.codePointAt(0) >= 0x2E80;

function mayBreak(before, after) {
    if (before === ' ') return after !== ' ';
    if (after === ' ' || NEVER_FIRST.includes(after) || NEVER_LAST.includes(before)) return false;
    return isWide(before) || isWide(after) || (before === '-' && !/[0-9]/.test(after));
}

const widthOf = runs => runs.reduce((sum, run) => sum + ruler.run(run.font, run.text).width, 0);

// Adds a run to others, to the last one where they look alike.
function join(runs, run) {
    const last = runs[runs.length - 1];
    if (last && last.font === run.font) runs[runs.length - 1] = { text: last.text + run.text, font: run.font };
    else runs.push(run);
}

// Returns runs without the spaces at their end.
function trimmed(runs) {
    const kept = runs.slice();
    while (kept.length > 0) {
        const last = kept.pop(), text = last.text.replace(/ +$/, '');
        if (text !== '') return [...kept, { text, font: last.font }];
    }
    return kept;
}

// Cuts runs into words that stay together.
function wordsOf(runs) {
    const words = [];
    let word = [], before = null;
    for (const { text, font } of runs) {
        for (const sign of text) {
            if (before !== null && mayBreak(before, sign)) {
                words.push(word);
                word = [];
            }
            join(word, { text: sign, font });
            before = sign;
        }
    }
    if (word.length > 0) words.push(word);
    return words;
}

// Breaks one paragraph into lines no wider than `most`.
function wrap(runs, most) {
    if (widthOf(runs) <= most) return [runs];
    const lines = [];
    let line = [];
    const fits = more => widthOf(trimmed(more)) <= most + 0.01;
    const add = (line, word) => { const more = line.slice(); word.forEach(run => join(more, run)); return more; };
    for (const word of wordsOf(runs)) {
        const more = add(line, word);
        if (fits(more)) {
            line = more;
            continue;
        }
        if (line.length > 0) lines.push(line);
        line = [];
        if (fits(word)) {
            line = word.slice();
            continue;
        }
        for (const { text, font } of word) {
            for (const sign of text) {
                const longer = add(line, [{ text: sign, font }]);
                if (line.length > 0 && !fits(longer)) {
                    lines.push(line);
                    line = [{ text: sign, font }];
                } else line = longer;
            }
        }
    }
    if (line.length > 0) lines.push(line);
    return lines;
}

// Shortens a line until it fits with an ellipsis behind it.
function shorten(runs, most) {
    const kept = trimmed(runs), font = runs[runs.length - 1].font;
    const dots = ruler.run(font, '…').width;
    while (kept.length > 0 && widthOf(kept) + dots > most) {
        const last = kept.pop(), signs = [...last.text];
        signs.pop();
        if (signs.length > 0) kept.push({ text: signs.join(''), font: last.font });
    }
    kept.push({ text: '…', font });
    return kept;
}

class Layout {
    font = { families: 'sans', weight: 400, size: 16 };
    bytes = new Uint8Array(0);
    styles = [];
    width = Infinity;
    height = 0;
    align = 0;
    ellipsis = false;
    single = false;
    lines = null;

    // The font of bytes from..to, as the browser names it.
    fontOf(from, to) {
        const look = { ...this.font, style: 'normal' };
        for (const style of this.styles) {
            if (style.from > from || style.to < to) continue;
            if (style.kind === 'font') Object.assign(look, style.value);
            else look[style.kind] = style.value;
        }
        return `${look.style} ${look.weight} ${look.size}px ${FAMILIES[look.families]}`;
    }

    // The text as runs, cut where styles change.
    runs() {
        const cuts = new Set([0, this.bytes.length]);
        for (const style of this.styles) cuts.add(style.from).add(style.to);
        const at = [...cuts].filter(cut => cut <= this.bytes.length).sort((a, b) => a - b);
        const letters = new TextDecoder();
        return at.slice(1).map((end, i) => ({ text: letters.decode(this.bytes.subarray(at[i], end)),
            font: this.fontOf(at[i], end) }));
    }

    brokenLines(high) {
        if (this.single) return [this.runs()];
        const paragraphs = [[]];
        for (const { text, font } of this.runs()) {
            text.split('\n').forEach((part, i) => {
                if (i > 0) paragraphs.push([]);
                if (part !== '') paragraphs[paragraphs.length - 1].push({ text: part, font });
            });
        }
        const lines = paragraphs.flatMap(runs => wrap(runs, this.width));
        if (!this.ellipsis) return lines;
        const room = Math.max(1, Math.floor(this.height / high + 1e-6));
        if (lines.length > room) {
            const rest = lines.splice(room - 1).flat();
            lines.push(shorten(rest, this.width));
        } else if (lines.length > 0 && widthOf(trimmed(lines[lines.length - 1])) > this.width + 0.01) {
            lines.push(shorten(lines.pop(), this.width));
        }
        return lines;
    }

    set() {
        if (this.lines !== null) return this;
        const base = ruler.line(this.fontOf(0, 0));
        const ink = { left: Infinity, right: -Infinity, up: Infinity, down: -Infinity };
        let top = 0, widest = 0, first = Infinity;
        this.lines = this.brokenLines(base.up + base.down).map(broken => {
            const runs = this.single ? broken : trimmed(broken), width = widthOf(runs);
            const heights = [base, ...runs.map(run => ruler.line(run.font))];
            const up = Math.max(...heights.map(h => h.up)), down = Math.max(...heights.map(h => h.down));
            const start = this.width < Infinity ? (this.width - width) * [0, 0.5, 1][this.align] : 0;
            const y = top + up;
            let x = start;
            for (const run of runs) {
                const m = ruler.run(run.font, run.text);
                run.x = x;
                if (m.right > m.left) {
                    ink.left = Math.min(ink.left, x + m.left);
                    ink.right = Math.max(ink.right, x + m.right);
                    ink.up = Math.min(ink.up, y - m.up);
                    ink.down = Math.max(ink.down, y + m.down);
                }
                x += m.width;
            }
            top += up + down;
            widest = Math.max(widest, width);
            first = Math.min(first, start);
            return { y, runs: runs.map(run => ({ ...run })) };
        });
        this.baseline = this.lines.length > 0 ? this.lines[0].y : base.up;
        this.box = { left: first === Infinity ? 0 : first, width: widest, height: top };
        this.ink = ink.right >= ink.left ? ink : { left: 0, right: 0, up: 0, down: 0 };
        return this;
    }

    // Draws it in the context's colour: the letters, or a stroke round them.
    draw(context, stroked) {
        for (const { y, runs } of this.set().lines) {
            for (const { text, font, x } of runs) {
                if (context.asked !== font) context.font = context.asked = font;
                if (stroked) context.strokeText(text, x, y);
                else context.fillText(text, x, y);
            }
        }
    }
}

// pango's functions, for layouts and fonts that are numbers in `handles`.
function makePango(handles, system) {
    const KINDS = ['font', 'size', 'weight', 'style'];
    const view = () => new DataView(system.memory.buffer);
    const bytes = () => new Uint8Array(system.memory.buffer);
    const get = handles.get;
    function putBox(at, left, up, right, down) {
        const box = [Math.floor(left * SCALE), Math.floor(up * SCALE)];
        box.push(Math.ceil(right * SCALE) - box[0], Math.ceil(down * SCALE) - box[1]);
        box.forEach((value, i) => view().setInt32(at + 4 * i, value, true));
    }
    return {
        pango_font_description_new: () => handles.add({ families: 'sans', weight: 400, size: 16 }),
        pango_font_description_set_family_static(font, names) {
            get(font).families = system.text(names).includes('Mono,') ? 'mono' : 'sans';
        },
        pango_font_description_set_weight(font, weight) { get(font).weight = weight; },
        pango_font_description_set_absolute_size(font, size) { get(font).size = size / SCALE; },
        pango_font_description_free: handles.drop,
        pango_layout_new: () => handles.add(new Layout()),
        pango_layout_set_font_description(layout, font) { get(layout).font = get(font); },
        pango_layout_set_text(layout, at, n) { get(layout).bytes = bytes().slice(at, at + n); },
        pango_layout_set_attributes(layout, list) { get(layout).styles = get(list); },
        pango_layout_set_width(layout, width) { get(layout).width = width / SCALE; },
        pango_layout_set_height(layout, height) { get(layout).height = height / SCALE; },
        pango_layout_set_alignment(layout, align) { get(layout).align = align; },
        pango_layout_set_ellipsize(layout, where) { get(layout).ellipsis = where !== 0; },
        pango_layout_set_single_paragraph_mode(layout, single) { get(layout).single = single !== 0; },
        pango_layout_get_single_paragraph_mode: layout => Number(get(layout).single),
        pango_layout_get_extents(layout, black, all) {
            const { ink, box } = get(layout).set();
            putBox(black, ink.left, ink.up, ink.right, ink.down);
            putBox(all, box.left, 0, box.left + box.width, box.height);
        },
        pango_layout_get_baseline: layout => Math.round(get(layout).set().baseline * SCALE),
        pango_layout_get_line_count: layout => Math.max(1, get(layout).set().lines.length),
        pango_attr_list_new: () => handles.add([]),
        page_add_attribute(list, kind, value, from, to) {
            const meant = [get(value), value / SCALE, value, 'italic'][kind];
            get(list).push({ kind: KINDS[kind], value: meant, from, to });
        },
        pango_attr_list_unref: handles.drop,
        g_object_unref: handles.drop,
    };
}
