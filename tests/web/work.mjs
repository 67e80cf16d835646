// work.mjs: what a frame of the page asks of its canvas, at N GPUs beside 5, in the same run: work.mjs PAGE.html
//
//   - What does not move is a bitmap: a frame in which nothing has changed asks for nothing, one in which chunks travel for a third
//     of what the whole picture of 5 GPUs asks for at the most, and the two of a step in which all changes for 4 times as much.
//   - Counts, not times: the canvas paints nothing, and each letter is 8 pixels wide.
import { openPage } from './page.mjs';

const page = await openPage(process.argv[2]);
const WORK = /^(fill|stroke)(Rect|Text)?$|^(moveTo|lineTo|arc|rect|drawImage|putImageData|measureText)$/;
const LETTER = { actualBoundingBoxLeft: 0, actualBoundingBoxRight: 8, actualBoundingBoxAscent: 8, actualBoundingBoxDescent: 2,
    fontBoundingBoxAscent: 10, fontBoundingBoxDescent: 3 };
let asked = 0;
const context = new Proxy({}, { get: (set, name) => set[name] ?? ((...given) => {
    asked += Number(WORK.test(name));
    return name === 'measureText' ? { ...LETTER, width: 8 * given[0].length } : { setTransform() {} };
}) });
const newCanvas = () => ({ getContext: () => context });
Object.assign(page.globals, { document: { createElement: newCanvas }, DOMMatrix: class {},
    ImageData: class { constructor(width, height) { this.data = new Uint8Array(4 * width * height); } } });

async function workOf(words) {
    const { exports, handles } = await page.run(page.typedWords('#' + words), { terminal: true, environment: { DISPLAY: 'page' } });
    const surface = handles.add({ width: 1280, height: 720, canvas: newCanvas() });
    const paint = () => { asked = 0; exports.page_paint(surface); return asked; };
    exports.page_resize(1280, 720, 1);
    while (exports.page_still_ms() === 0) exports.page_tick(50);
    const whole = paint(), again = paint(), frames = [];
    exports.page_key(0x110000); // a step on
    while (exports.page_still_ms() === 0) {
        exports.page_tick(50);
        frames.push(paint());
    }
    const changes = Math.max(frames.shift(), frames.pop()), underway = frames.sort((a, b) => a - b)[frames.length >> 1];
    return { whole, again, changes, underway };
}

for (const views of ['', ' --show all']) {
    const five = await workOf(`--gpus 5 --at 2${views}`);
    for (const n of [8, 16, 64, 256]) {
        const { again, changes, underway } = await workOf(`--gpus ${n} --at 2${views}`);
        const good = five.whole > 1000 && again === 0 && underway > 0 && underway < five.whole / 3 && changes < 4 * five.whole;
        console.log(`${good ? 'ok' : 'not ok'} page: #--gpus ${n}${views}: a frame asks for ${underway}, ${changes} where all changes, ` +
            `${again} where nothing does; 5 GPUs' picture for ${five.whole}`);
        process.exitCode ||= Number(!good);
    }
}
