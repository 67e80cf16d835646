// screens.mjs: what a real browser paints against the pictures of the program: screens.mjs BROWSER PAGE.html SCRATCH
//
//   - Letters are set by another library there: edges differ a little in many pixels. What is missing, shifted or of another
//     colour differs much: of those pixels there may be few.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { apart, readPng } from './png.mjs';
import { openReader } from './reader.mjs';

const [kind, html, scratch] = process.argv.slice(2);
const CASES = [
    '--gpus 5 --at 3 --lang en',
    '--gpus 5 --at 3 --moment arrive --show all --lang en',
    '--gpus 8 --at 9 --theme dark --show matrix,diagram --lang en',
    '--gpus 256 --at 40 --lang en',
    '--gpus 5 --at 2 --kill 3@2 --lang zh_CN',
    'train --mode ddp --gpus 4 --at 2 --lang en',
];
// The most pixels, in percent, that may differ by more than 8 and by more than 64 of 255. Chinese, and Firefox, differ most:
// punctuation is set tighter, stems are bolder.
const [MOST_8, MOST_64] = { chromium: [5, 1.2], firefox: [6, 1.5] }[kind];
const size = { width: 1280, height: 720, density: 1 };

const folder = fs.mkdtempSync(path.join(scratch, `${kind}-`));
const browser = await openBrowser(kind, { folder });
await browser.fit(size);
let failed = 0;
async function compare(words, reader) {
    const file = path.join(folder, 'native.png');
    const made = spawnSync(process.env.RINGSIM, [...words.split(' '), '--export', file, '--size', `${size.width}x${size.height}`, '--view', 'none'],
        { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    if (made.status > 1) throw new Error(`${words}: ${made.stderr}`);
    await browser.mouse([['move', 2, 2]]);
    await reader.until(() => browser.evaluate('begun.exports.page_still_ms()'), still => still < 0);
    await browser.evaluate('new Promise(painted => requestAnimationFrame(() => setTimeout(painted, 400)))');
    const seen = await browser.look();
    if (process.env.LOOK) {
        fs.writeFileSync(path.join(process.env.LOOK, `${kind}-${words.replace(/[^a-z0-9]+/g, '-')}.png`), seen);
        fs.copyFileSync(file, path.join(process.env.LOOK, `native-${words.replace(/[^a-z0-9]+/g, '-')}.png`));
    }
    const shares = apart(readPng(seen), readPng(fs.readFileSync(file)), [8, 64]);
    const good = shares !== null && 100 * shares[0] <= MOST_8 && 100 * shares[1] <= MOST_64;
    failed ||= Number(!good);
    const told = shares === null ? 'another size' : shares.map(share => `${(100 * share).toFixed(2)} %`).join(', ');
    console.log(`${good ? 'ok' : 'not ok'} ${kind}: ${words}: ${told} differ by more than 8, 64 (at most ${MOST_8}, ${MOST_64})`);
}
const reader = await openReader(browser, pathToFileURL(path.resolve(html)).href);
for (const words of CASES) {
    await reader.open(words);
    await compare(words, reader);
}
// A hang's dumps go with an exported page: few, and those of 63 ranks, 13 MB.
const page = path.join(folder, 'hang.html');
const HANGS = [
    [`grade 11 --seed 17 --dump ${folder}/jobs`, `hang ${folder}/jobs/job1`, '--at 2'],
    [`--gpus 64 --channels 8 --kill 3@100 --view none --dump ${folder}/many`, `hang ${folder}/many`, '--at 1'],
];
for (const [make, hang, at] of HANGS) {
    for (const words of [make, `${hang} ${at} --lang en --export ${page}`]) {
        const made = spawnSync(process.env.RINGSIM, words.split(' '), { encoding: 'utf8' });
        if (made.status > 1) throw new Error(`${words}: ${made.stderr}`);
    }
    const exported = await openReader(browser, pathToFileURL(page).href);
    await exported.open(`${hang} --lang en ${at}`); // in another order than at the beginning: an address that is not there yet
    await compare(`${hang} ${at} --lang en`, exported);
}
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
process.exitCode = failed;
