// reader.mjs: a reader of the page in a real browser: what is seen and heard, and where things lie.
//
//     const reader = await openReader(browser, url of the page)
//     await reader.open('--gpus 5 --step')          types an address
//     await reader.title(), says(), texts()         the title; what is heard; each text that is painted, with its place
//     await reader.place('GPU 3')                   the middle of a painted text, in the page's own pixels
//     await reader.until(look, good)                waits for what must come, 10 s at most
//
//   - No test knows a pixel's number: the page's own picture, as SVG, says where its texts are. The page itself has no
//     door for tests: the one function that begins a program is replaced by one that also shows it here.
import { wait } from './browser.mjs';

const PATIENCE_MS = 15000;

const HOOK = `(() => {
    const begin = startProgram;
    globalThis.startProgram = async (...words) => (globalThis.begun = await begin(...words));
    return true;
})()`;
// Texts of the page's picture: [text, x, baseline, size], in pixels of the page.
const TEXTS = `(() => {
    const canvas = document.querySelector('canvas'), { exports, handles } = begun, density = devicePixelRatio;
    const svg = new SvgContext(canvas.width, canvas.height, ''), surface = handles.add({ width: canvas.width, height: canvas.height, canvas: null, svg });
    exports.page_picture(surface);
    handles.drop(surface);
    const sheet = document.createElement('canvas').getContext('2d'), found = [];
    for (const text of new DOMParser().parseFromString(svg.finish(), 'image/svg+xml').querySelectorAll('text')) {
        const matrix = text.getAttribute('transform')?.match(/-?[\\d.]+/g).map(Number) ?? [1, 0, 0, 1, 0, 0];
        const size = Number(text.getAttribute('font-size'));
        sheet.font = size + 'px ' + text.getAttribute('font-family');
        const x = Number(text.getAttribute('x')) + sheet.measureText(text.textContent).width / 2, y = Number(text.getAttribute('y')) - size / 3;
        found.push([text.textContent, (matrix[0] * x + matrix[4]) / density, (matrix[3] * y + matrix[5]) / density]);
    }
    return found;
})()`;

export async function openReader(browser, url) {
    async function until(look, good) {
        const end = Date.now() + PATIENCE_MS;
        for (;;) {
            const seen = await look();
            if (good(seen) || Date.now() > end) return seen;
            await wait(40);
        }
    }
    const title = () => browser.evaluate('document.title');
    const texts = () => browser.evaluate(TEXTS);
    await browser.go(url);
    await until(() => browser.evaluate("document.querySelector('main') !== null"), there => there);
    await browser.evaluate(HOOK);
    return {
        until, title, texts,
        says: () => browser.evaluate("document.querySelector('.heard') === null ? document.body.innerText : begun.text(begun.exports.page_says())"),
        async open(words) {
            await browser.evaluate(`(globalThis.begun = null, location.hash = ${JSON.stringify('#' + encodeURI(words))})`);
            await until(() => browser.evaluate("globalThis.begun !== null && document.querySelector('canvas, pre, main') !== null"), there => there);
        },
        async place(text, nth = 0) {
            const found = (await texts()).filter(([painted]) => painted === text)[nth];
            if (!found) throw new Error(`'${text}' is not painted`);
            return found.slice(1);
        },
        // What a finger can drag, from below: the middle of its height, and its two ends: [left, y, right].
        slider: nth => browser.evaluate(`(() => {
            const { exports } = begun, density = devicePixelRatio, rows = [];
            for (let y = innerHeight - 2; y > 0; y -= 2) {
                const at = [];
                for (let x = 4; x < innerWidth; x += 4) if (exports.page_drags(x * density, y * density)) at.push(x);
                if (at.length < 8) { if (rows.length > 0) rows[rows.length - 1].open = false; continue; }
                const last = rows[rows.length - 1];
                if (last?.open) Object.assign(last, { top: y, left: Math.min(last.left, at[0]), right: Math.max(last.right, at[at.length - 1]) });
                else rows.push({ open: true, top: y, bottom: y, left: at[0], right: at[at.length - 1] });
            }
            const row = rows[${nth}];
            return row ? [row.left, (row.top + row.bottom) / 2, row.right] : null;
        })()`),
    };
}
