// monkey.mjs: random keys, clicks, drags, fingers and sizes in a real browser: monkey.mjs BROWSER PAGE.html SCRATCH [SECONDS [SEED]]
//
//   - Ends with 1 if the console complains, if a key is not answered, or if the program needs, at its most, twice and
//     100 MiB more in the second half than in the first: a run of 1000 GPUs is large, and the monkey finds the slider.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { openReader } from './reader.mjs';

const [kind, html, scratch, seconds = '300', seed = '1'] = process.argv.slice(2);
const KEYS = ('ArrowRight ArrowLeft ArrowUp ArrowDown Shift+ArrowRight Shift+ArrowLeft PageDown PageUp Home End Enter Backspace Tab ' +
    'Escape [ ] + - ? g 1 3 p a b c m d r n v w e k h u x / , . t l 0').split(' ').concat(' ', 'Shift+F');
const ADDRESSES = ['--gpus 5 --step', '--gpus 16 --algo halving --show all', 'lesson 5', 'lesson 9', 'train --gpus 4 --step',
    'compare --gpus 2..16 --step', '--machine dgx-h100:2 --show machine', 'launch --step', '--gpus 8 --compare naive'];

// Marsaglia's xorshift: the same session each time.
let state = Number(seed) * 2654435761 >>> 0 || 1;
const random = () => {
    state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
    return state / 2 ** 32;
};
const one = list => list[Math.floor(random() * list.length)];

const folder = fs.mkdtempSync(path.join(scratch, `${kind}-`));
const browser = await openBrowser(kind, { folder });
let size = { width: 1280, height: 720, density: 1 };
await browser.fit(size);
const reader = await openReader(browser, pathToFileURL(path.resolve(html)).href);
const place = () => [random() * size.width, random() * size.height];
const start = Date.now(), end = start + 1000 * Number(seconds);
let acts = 0, early = 0, late = 0, why = '', words = '';
while (Date.now() < end && why === '') {
    words = one(ADDRESSES) + (random() < 0.3 ? ' --lang zh_CN' : ' --lang en');
    await reader.open(words);
    for (let i = 0; i < 60 && Date.now() < end; i++, acts++) {
        const what = random();
        if (what < 0.55) await browser.key(one(KEYS));
        else if (what < 0.75) { const [x, y] = place(); await browser.mouse([['move', x, y], ['down'], ['up']]); }
        else if (what < 0.85) {
            const [x, y] = place(), [x2, y2] = place();
            await browser.mouse([['move', x, y], ['down'], ['move', (x + x2) / 2, (y + y2) / 2, 1], ['move', x2, y2, 1], ['up']]);
        } else if (what < 0.92) await browser.finger([place(), place(), place()]);
        else if (what < 0.97) { const [x, y] = place(); await browser.mouse([['move', x, y], ['wheel', Math.round(random() * 400 - 200)]]); }
        else await browser.fit(size = { width: 320 + Math.floor(random() * 1500), height: 240 + Math.floor(random() * 800), density: one([1, 1.5, 2, 3]) });
    }
    for (const key of ['Escape', 'Escape', 'Escape']) await browser.key(key);
    // A page of text has no keys.
    const asks = async () => { await browser.key('?'); return await browser.evaluate("document.querySelector('canvas') === null") ? 'text' : reader.title(); };
    const answered = await reader.until(asks, title => /^text$|help|按键表|ringsim$/.test(title));
    if (!/^text$|help|按键表|ringsim$/.test(answered)) why = `no answer to ?: ${answered}`;
    if (browser.faults.length > 0) why = browser.faults.slice(0, 3).join('\n');
    const now = await browser.evaluate('globalThis.begun === null ? 0 : begun.exports.memory.buffer.byteLength') / 2 ** 20;
    if (2 * (Date.now() - start) < 1000 * Number(seconds)) early = Math.max(early, now);
    else late = Math.max(late, now);
}
if (why === '' && late > 2 * early + 100) why = 'memory grows';
console.log(`${why === '' ? 'ok' : 'not ok'} ${kind}: a monkey's ${acts} acts in ${seconds} s (seed ${seed}), at most ${early.toFixed(0)}, then ${late.toFixed(0)} MiB`);
if (why !== '') console.log(`    in #${words}: ${why}`);
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
process.exitCode = Number(why !== '');
