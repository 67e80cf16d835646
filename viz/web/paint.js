'use strict';
// paint.js: cairo on Canvas 2D, as far as viz/canvas/ uses it.
//
//     cairo_t          a pen: a canvas's context (or one that writes SVG), and what cairo keeps beside it
//     surface          ARGB32: a canvas    A8: the texts that were written on it    RGB24: pixels of the program
//
//   - Objects are numbers for the program: places in `handles`.
//   - A text's ink is no image here: the browser writes the text again, which is sharp at any place and size.

function makeHandles() {
    const list = [null], free = [];
    return {
        get: number => list[number],
        add(object) {
            const number = free.length > 0 ? free.pop() : list.length;
            list[number] = object;
            return number;
        },
        drop(number) {
            if (number === 0) return;
            list[number] = null;
            free.push(number);
        },
    };
}

function drawingOn(canvas) {
    const context = canvas.getContext('2d');
    context.textRendering = 'geometricPrecision';
    return context;
}

// A pen that draws on a canvas, or (context null) only writes down the texts that it is to draw.
class Pen {
    constructor(surface) {
        this.surface = surface;
        this.context = surface.svg ?? (surface.canvas ? drawingOn(surface.canvas) : null);
        this.context?.save();
        this.begun = false; // the path has a current point
        this.layout = null; // a text that is the path
        this.image = null; // the source, where it is an image
        this.x = this.y = 0; // where the path is; of the texts' pen, where its origin is
        this.scale = 1;
        this.width = 1;
        this.saved = [];
    }
    save() {
        this.saved.push([this.image, this.x, this.y, this.scale]);
        this.context?.save();
    }
    restore() {
        [this.image, this.x, this.y, this.scale] = this.saved.pop();
        this.context?.restore();
        if (this.context) this.context.asked = null; // it has the font of then
    }
    newPath() {
        this.context?.beginPath();
        this.begun = false;
        this.layout = null;
    }
    writeDown(stroked) {
        const { layout, x, y, scale, width } = this;
        this.surface.texts.push({ layout, x, y, scale, width, stroked });
    }
    fill() {
        if (this.context === null) this.writeDown(false);
        else if (this.layout !== null) this.layout.draw(this.context, false);
        else if (this.image !== null) this.context.drawImage(this.image.canvas, this.image.x, this.image.y);
        else this.context.fill();
    }
    stroke() {
        if (this.context === null) this.writeDown(true);
        else if (this.layout !== null) this.layout.draw(this.context, true);
        else this.context.stroke();
    }
    // Draws the texts of an A8 surface, whose corner lies at (x, y). Nothing is moved or scaled then.
    mask(texts, x, y) {
        const context = this.context;
        for (const text of texts) {
            context.setTransform(text.scale, 0, 0, text.scale, x + text.x, y + text.y);
            if (text.stroked) {
                context.lineWidth = text.width;
                context.lineJoin = 'round';
                context.setLineDash([]);
            }
            text.layout.draw(context, text.stroked);
        }
        context.resetTransform();
    }
}

// system: {memory, text(address), allocate(bytes), free(address)}
function makeCairo(handles, system) {
    const ARGB32 = 0, RGB24 = 1, CAPS = ['butt', 'round'], JOINS = ['miter', 'round'];
    const get = handles.get, colours = new Map();
    const numbers = (at, n) => Array.from(new Float64Array(system.memory.buffer, at, n));

    function colour(r, g, b, a) {
        const key = ((r * 255 + 0.5) << 16 | (g * 255 + 0.5) << 8 | (b * 255 + 0.5)) + a;
        let found = colours.get(key);
        if (found === undefined) {
            found = `rgba(${Math.round(r * 255)},${Math.round(g * 255)},${Math.round(b * 255)},${a})`;
            colours.set(key, found);
        }
        return found;
    }

    // Sheets for the program's pixels, by size: a new canvas for each picture of each frame would cost most of its time.
    const free = new Map();
    function takeSheet(width, height) {
        const kept = free.get(`${width} ${height}`)?.pop();
        if (kept) return kept;
        const canvas = makeSheet(width, height);
        return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }), image: new ImageData(width, height) };
    }
    function giveSheet({ width, height, sheet }) {
        const key = `${width} ${height}`, list = free.get(key) ?? [];
        if (free.size > 64) free.clear(); // sizes that are gone
        if (list.length < 32) list.push(sheet);
        free.set(key, list);
    }

    // The program's pixels, 0xRRGGBB each, as a canvas.
    function show(surface) {
        const { width, height } = surface;
        surface.sheet ??= takeSheet(width, height);
        const { canvas, context, image } = surface.sheet;
        const from = new Uint32Array(system.memory.buffer, surface.data, width * height);
        const to = new Uint32Array(image.data.buffer);
        for (let i = 0; i < to.length; i++) {
            const pixel = from[i];
            to[i] = 0xFF000000 | (pixel & 0xFF) << 16 | (pixel & 0xFF00) | (pixel >>> 16 & 0xFF);
        }
        surface.canvas = canvas;
        context.putImageData(image, 0, 0);
    }

    return {
        cairo_create: surface => handles.add(new Pen(get(surface))),
        cairo_destroy(pen) { get(pen).context?.restore(); handles.drop(pen); },
        cairo_save(pen) { get(pen).save(); },
        cairo_restore(pen) { get(pen).restore(); },
        cairo_translate(pen, x, y) {
            const p = get(pen);
            if (p.context) p.context.translate(x, y);
            else { p.x += p.scale * x; p.y += p.scale * y; }
        },
        cairo_scale(pen, x, y) {
            const p = get(pen);
            if (p.context) p.context.scale(x, y);
            else p.scale *= x;
        },
        cairo_clip(pen) { const p = get(pen); p.context.clip(); p.newPath(); },
        cairo_reset_clip(pen) { // only where nothing was saved: the pen begins anew
            const p = get(pen);
            p.context.restore();
            p.context.save();
            p.context.asked = null;
        },

        cairo_new_path(pen) { get(pen).newPath(); },
        cairo_new_sub_path(pen) { get(pen).begun = false; },
        cairo_move_to(pen, x, y) {
            const p = get(pen);
            if (!p.context) return;
            p.context.moveTo(x, y);
            p.x = x;
            p.y = y;
            p.begun = true;
        },
        cairo_line_to(pen, x, y) {
            const p = get(pen);
            if (!p.begun) p.context.moveTo(x, y);
            else p.context.lineTo(x === p.x && y === p.y ? x + 0.002 : x, y); // a dot is a line
            p.x = x;
            p.y = y;
            p.begun = true;
        },
        cairo_arc(pen, x, y, radius, from, to) {
            const p = get(pen), r = Math.max(0, radius);
            while (to < from) to += 2 * Math.PI;
            if (!p.begun) p.context.moveTo(x + r * Math.cos(from), y + r * Math.sin(from));
            p.context.arc(x, y, r, from, to);
            p.x = NaN;
            p.begun = true;
        },
        cairo_rectangle(pen, x, y, w, h) {
            const p = get(pen);
            p.context.rect(x, y, w, h);
            p.begun = false;
        },
        cairo_close_path(pen) {
            const p = get(pen);
            p.context.closePath();
            p.begun = false;
        },

        cairo_set_line_width(pen, width) {
            const p = get(pen);
            p.width = width;
            if (p.context) p.context.lineWidth = width;
        },
        cairo_set_line_cap(pen, cap) { const p = get(pen); if (p.context) p.context.lineCap = CAPS[cap]; },
        cairo_set_line_join(pen, join) { const p = get(pen); if (p.context) p.context.lineJoin = JOINS[join]; },
        cairo_set_dash(pen, at, n) { get(pen).context?.setLineDash(numbers(at, n)); },
        cairo_set_source_rgba(pen, r, g, b, a) {
            const p = get(pen);
            p.image = null;
            if (p.context) p.context.fillStyle = p.context.strokeStyle = colour(r, g, b, a);
        },
        cairo_set_source(pen, pattern) {
            const p = get(pen);
            p.image = null;
            p.context.fillStyle = p.surface.svg ? get(pattern) : get(pattern).fill;
        },
        cairo_set_source_surface(pen, surface, x, y) {
            const p = get(pen);
            p.image = { canvas: get(surface).canvas, x, y };
            p.context.imageSmoothingEnabled = false;
        },
        cairo_fill(pen) { const p = get(pen); p.fill(); p.newPath(); },
        cairo_fill_preserve(pen) { get(pen).fill(); },
        cairo_stroke(pen) { const p = get(pen); p.stroke(); p.newPath(); },
        cairo_paint(pen) { const p = get(pen); p.context.fillRect(0, 0, p.surface.width, p.surface.height); },
        cairo_mask_surface(pen, surface, x, y) { get(pen).mask(get(surface).texts, x, y); },
        pango_cairo_layout_path(pen, layout) { get(pen).layout = get(layout); },
        pango_cairo_show_layout(pen, layout) { get(layout).draw(get(pen).context, false); },

        cairo_image_surface_create(format, width, height) {
            if (format === ARGB32) return handles.add({ width, height, canvas: makeSheet(width, height) });
            return handles.add({ width, height, canvas: null, texts: format === RGB24 ? null : [], data: 0 });
        },
        cairo_image_surface_get_data(surface) {
            const s = get(surface);
            if (!s.data) s.data = system.allocate(4 * s.width * s.height);
            return s.data;
        },
        cairo_image_surface_get_width: surface => get(surface).width,
        cairo_image_surface_get_height: surface => get(surface).height,
        cairo_image_surface_get_stride: surface => 4 * get(surface).width,
        cairo_surface_mark_dirty(surface) { if (get(surface).data) show(get(surface)); },
        cairo_surface_destroy(surface) {
            if (get(surface).data) system.free(get(surface).data);
            if (get(surface).sheet) giveSheet(get(surface));
            handles.drop(surface);
        },
        cairo_surface_set_user_data(surface, key, data) { get(surface).user = data; return 0; },
        cairo_surface_get_user_data: surface => get(surface).user ?? 0,
        cairo_pattern_create_for_surface(surface) {
            const canvas = get(surface).canvas;
            return handles.add({ canvas, fill: canvas.getContext('2d').createPattern(canvas, 'repeat'), x: 0, y: 0 });
        },
        cairo_pattern_set_matrix(pattern, at) {
            const [, , , , x, y] = numbers(at, 6);
            const p = get(pattern);
            p.x = -x;
            p.y = -y;
            p.fill.setTransform(new DOMMatrix([1, 0, 0, 1, p.x, p.y]));
        },
        cairo_pattern_destroy: handles.drop,
        page_copy_box(to, from, x, y, w, h) {
            const context = get(to).canvas.getContext('2d');
            context.drawImage(get(from).canvas, x, y, w, h, x, y, w, h);
        },
    };
}
