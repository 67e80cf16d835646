// speed.mjs: how soon and how smoothly the page moves in a Chromium without a window: speed.mjs PAGE.html SCRATCH
//
//   - First frame: from the navigation's start to the title that the first frame sets. Frames a second: those painted while
//     it plays. Frozen: the longest task of the page's only thread. Events: native against page, the same command.
//   - Measures, and judges nothing: a loaded machine is slow. `make bench-page` runs it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser, wait } from './browser.mjs';
import { openPage } from './page.mjs';

const [html, scratch] = process.argv.slice(2);
const WATCH = `
    globalThis.longest = 0;
    new PerformanceObserver(list => { for (const task of list.getEntries()) longest = Math.max(longest, task.duration); })
        .observe({ type: 'longtask', buffered: true });
    const look = () => { if (document.title.startsWith('ringsim: ')) globalThis.first = performance.now(); else requestAnimationFrame(look); };
    requestAnimationFrame(look);
`;
const FRAMES = `new Promise(done => {
    const copy = CanvasRenderingContext2D.prototype.clearRect; let n = 0, begun = 0, gaps = [], last = 0;
    const tick = now => { if (begun === 0) begun = now; else gaps.push(now - last); last = now; n++;
        if (now - begun < 4000) requestAnimationFrame(tick);
        else done({ rate: (n - 1) * 1000 / (now - begun), longest: Math.max(...gaps) }); };
    requestAnimationFrame(tick);
})`;
const middle = list => list.sort((a, b) => a - b)[list.length >> 1];

const folder = fs.mkdtempSync(path.join(scratch, 'speed-'));
const browser = await openBrowser('chromium', { folder });
await browser.command('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
await browser.fit({ width: 1280, height: 720 });
const url = pathToFileURL(path.resolve(html)).href;
for (const n of [5, 16, 256, 1024]) {
    const firsts = [];
    for (let i = 0; i < 5; i++) {
        await browser.go(`${url}#${encodeURI(`--gpus ${n} --step`)}`);
        while (await browser.evaluate('globalThis.first === undefined')) await wait(30);
        firsts.push(await browser.evaluate('globalThis.first'));
    }
    await browser.evaluate('longest = 0');
    await browser.key(' ');
    await wait(300);
    const { rate, longest } = await browser.evaluate(FRAMES);
    console.log(`N = ${n}: first frame ${middle(firsts).toFixed(0)} ms, playing ${rate.toFixed(1)} frames/s, ` +
        `the longest ${longest.toFixed(0)} ms, longest task ${(await browser.evaluate('longest')).toFixed(0)} ms`);
}
await browser.close();

// The events engine, in node's V8 (Chromium's), against the program.
const page = await openPage(html);
for (const words of ['--gpus 1024 --algo naive --protocol eager --view none', '--gpus 512 --algo ring --links none --view none']) {
    const list = words.replace('--links none ', '--engine events ').split(' ');
    const times = { native: [], page: [] };
    for (let i = 0; i < 5; i++) {
        let start = performance.now();
        spawnSync(process.env.RINGSIM, list);
        times.native.push(performance.now() - start);
        start = performance.now();
        await page.run(list);
        times.page.push(performance.now() - start);
    }
    const [native, here] = [middle(times.native), middle(times.page)];
    console.log(`${list.join(' ')}: native ${native.toFixed(0)} ms, page ${here.toFixed(0)} ms: ${(native / here).toFixed(2)} of native`);
}
fs.rmSync(folder, { recursive: true, force: true });
