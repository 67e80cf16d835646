'use strict';
// svg.js: a context that draws like Canvas 2D, as far as paint.js uses it, and writes an SVG picture.
//
//   - Places are rounded to hundredths. Letters stay text, hatching and grids are small images inside the file.
//   - A clip opens a group, which its restore closes.

class SvgContext {
    constructor(width, height, title) {
        const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
            `viewBox="0 0 ${width} ${height}">`;
        this.parts = [head, `<title>${SvgContext.escape(title)}</title>`];
        this.state = { matrix: [1, 0, 0, 1, 0, 0], fillStyle: '#000', strokeStyle: '#000', lineWidth: 1,
            lineCap: 'butt', lineJoin: 'miter', dash: [], font: '', opened: 0 };
        this.saved = [];
        this.path = '';
        this.ids = 0;
    }
    static escape = text => text.replace(/[&<>"]/g, sign => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);
    static round = number => String(Math.round(number * 100) / 100);
    static {
        for (const name of ['fillStyle', 'strokeStyle', 'lineWidth', 'lineCap', 'lineJoin', 'font']) {
            Object.defineProperty(this.prototype, name, {
                get() { return this.state[name]; },
                set(value) { this.state[name] = value; },
            });
        }
    }

    save() {
        this.saved.push(this.state);
        this.state = { ...this.state, opened: 0 };
    }
    restore() {
        this.parts.push('</g>'.repeat(this.state.opened));
        this.state = this.saved.pop();
    }
    setTransform(...matrix) { this.state.matrix = matrix; }
    resetTransform() { this.state.matrix = [1, 0, 0, 1, 0, 0]; }
    translate(x, y) {
        const [a, b, c, d, e, f] = this.state.matrix;
        this.state.matrix = [a, b, c, d, e + a * x + c * y, f + b * x + d * y];
    }
    scale(x, y) {
        const [a, b, c, d, e, f] = this.state.matrix;
        this.state.matrix = [a * x, b * x, c * y, d * y, e, f];
    }
    setLineDash(dash) { this.state.dash = dash; }

    add(command, ...numbers) { this.path += command + numbers.map(SvgContext.round).join(' '); }
    beginPath() { this.path = ''; }
    moveTo(x, y) { this.add('M', x, y); }
    lineTo(x, y) { this.add('L', x, y); }
    rect(x, y, w, h) { this.add('M', x, y); this.add('h', w); this.add('v', h); this.add('h', -w); this.path += 'Z'; }
    closePath() { this.path += 'Z'; }
    arc(x, y, r, from, to) {
        const half = (from + to) / 2, full = to - from > 6.28;
        const at = angle => [x + r * Math.cos(angle), y + r * Math.sin(angle)];
        this.add(this.path === '' ? 'M' : 'L', ...at(from));
        this.add('A', r, r, 0, 0, 1, ...at(half));
        this.add('A', r, r, 0, 0, 1, ...at(to));
        if (full) this.path += 'Z';
    }

    // A colour, or a pattern's image, as an attribute.
    paint(name, style) {
        if (typeof style !== 'string') {
            const { canvas, x, y } = style, id = `p${++this.ids}`;
            this.parts.push(`<pattern id="${id}" patternUnits="userSpaceOnUse" x="${x}" y="${y}" width="${canvas.width}" ` +
                `height="${canvas.height}"><image width="${canvas.width}" height="${canvas.height}" ` +
                `href="${canvas.toDataURL()}"/></pattern>`);
            return ` ${name}="url(#${id})"`;
        }
        const [r, g, b, a] = style.match(/[\d.]+/g).map(Number);
        const colour = '#' + [r, g, b].map(part => part.toString(16).padStart(2, '0')).join('');
        return ` ${name}="${colour}"` + (a < 1 ? ` ${name}-opacity="${SvgContext.round(a)}"` : '');
    }
    line() {
        const { strokeStyle, lineWidth, lineCap, lineJoin, dash } = this.state;
        return ' fill="none"' + this.paint('stroke', strokeStyle) + ` stroke-width="${SvgContext.round(lineWidth)}"` +
            (lineCap === 'butt' ? '' : ` stroke-linecap="${lineCap}"`) +
            (lineJoin === 'miter' ? '' : ` stroke-linejoin="${lineJoin}"`) +
            (dash.length === 0 ? '' : ` stroke-dasharray="${dash.map(SvgContext.round).join(' ')}"`);
    }
    moved() {
        const matrix = this.state.matrix;
        return matrix.join() === '1,0,0,1,0,0' ? ''
            : ` transform="matrix(${matrix.map(number => Math.round(number * 1e5) / 1e5).join(' ')})"`;
    }
    put(attributes) { if (this.path !== '') this.parts.push(`<path d="${this.path}"${attributes}${this.moved()}/>`); }
    fill() { this.put(this.paint('fill', this.state.fillStyle)); }
    stroke() { this.put(this.line()); }
    fillRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.fill(); this.beginPath(); }
    clip() {
        const id = `c${++this.ids}`;
        this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
        this.state.opened++;
    }
    drawImage(canvas, x, y) {
        this.parts.push(`<image x="${x}" y="${y}" width="${canvas.width}" height="${canvas.height}" ` +
            `image-rendering="pixelated" href="${canvas.toDataURL()}"${this.moved()}/>`);
    }
    text(text, x, y, attributes) {
        const [, style, weight, size, families] = /^(\S+) (\S+) (\S+)px (.*)$/.exec(this.state.font);
        this.parts.push(`<text xml:space="preserve" x="${SvgContext.round(x)}" y="${SvgContext.round(y)}" ` +
            `font-size="${size}" font-family="${SvgContext.escape(families)}"` +
            (weight === '400' ? '' : ` font-weight="${weight}"`) + (style === 'normal' ? '' : ` font-style="${style}"`) +
            `${attributes}${this.moved()}>${SvgContext.escape(text)}</text>`);
    }
    fillText(text, x, y) { this.text(text, x, y, this.paint('fill', this.state.fillStyle)); }
    strokeText(text, x, y) { this.text(text, x, y, this.line()); }

    finish() { return this.parts.join('\n') + '\n</svg>\n'; }
}
