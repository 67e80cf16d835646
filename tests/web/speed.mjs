// speed.mjs: how soon and how smoothly the page moves in a Chromium without a window: speed.mjs PAGE.html SCRATCH
//
//   - First frame: from the navigation's start to the title that the first frame sets. Frames a second: those painted while
//     it plays. Frozen: the longest task of the page's only thread, of the opening and of each key, click and drag after it.
//     Events: native against page, the same command.
//   - Measures, and judges nothing: a loaded machine is slow; what is in brackets is time of the page's own thread.
//     `make bench-page` runs it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser, wait } from './browser.mjs';
import { openPage } from './page.mjs';
import { openReader } from './reader.mjs';

const [html, scratch] = process.argv.slice(2);
const WATCH = `
    globalThis.longest = 0;
    new PerformanceObserver(list => { for (const task of list.getEntries()) longest = Math.max(longest, task.duration); })
        .observe({ type: 'longtask', buffered: true });
    const look = () => { if (document.title.startsWith('ringsim: ')) globalThis.first = performance.now(); else requestAnimationFrame(look); };
    requestAnimationFrame(look);
`;
const FRAMES = `new Promise(done => {
    let n = 0, begun = 0, gaps = [], last = 0;
    const tick = now => { if (begun === 0) begun = now; else gaps.push(now - last); last = now; n++;
        if (now - begun < 4000) requestAnimationFrame(tick);
        else done({ frames: n, rate: (n - 1) * 1000 / (now - begun), longest: Math.max(...gaps) }); };
    requestAnimationFrame(tick);
})`;
const middle = list => list.sort((a, b) => a - b)[list.length >> 1];

const folder = fs.mkdtempSync(path.join(scratch, 'speed-'));
const browser = await openBrowser('chromium', { folder });
await browser.command('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
await browser.fit({ width: 1280, height: 720 });
await browser.command('Performance.enable', { timeDomain: 'threadTicks' });
const busyMs = async () => 1000 * (await browser.command('Performance.getMetrics')).metrics.find(metric => metric.name === 'TaskDuration').value;
const url = pathToFileURL(path.resolve(html)).href;
for (const n of [5, 16, 256, 1024]) {
    const firsts = [], busy = [];
    for (let i = 0; i < 5; i++) {
        await browser.go(`${url}#${encodeURI(`--gpus ${n} --step`)}`);
        while (await browser.evaluate('globalThis.first === undefined')) await wait(30);
        firsts.push(await browser.evaluate('globalThis.first'));
        busy.push(await busyMs());
    }
    await browser.evaluate('longest = 0');
    await browser.key(' ');
    await wait(300);
    const before = await busyMs(), { rate, longest, frames } = await browser.evaluate(FRAMES), each = (await busyMs() - before) / frames;
    console.log(`N = ${n}: first frame ${middle(firsts).toFixed(0)} ms (${middle(busy).toFixed(0)} ms of the page's processor), playing ${rate.toFixed(1)} frames/s (${each.toFixed(1)} ms each), ` +
        `the longest ${longest.toFixed(0)} ms, longest task ${(await browser.evaluate('longest')).toFixed(0)} ms`);
}

// What freezes: each act's longest task. A task under 50 ms counts as none.
const RUN = 'ArrowRight Shift+ArrowRight PageDown ArrowLeft m d c r n v End Home w e u k End h x End x Shift+F Shift+F t t l l + - 0 ? Escape p a p';
const FROZEN = [
    ['--gpus 5 --step', RUN], ['--gpus 16 --show all --step', RUN], ['--gpus 256 --step', RUN], ['--gpus 64 --show all --step', RUN],
    ['--gpus 1024 --step', 'ArrowRight e u e u'], ['--gpus 4096 --step', 'ArrowRight End'],
    ['--gpus 8 --compare naive --step', 'ArrowRight End Home PageDown'], ['--gpus 256 --compare naive --step', 'ArrowRight End Home'],
    ['--machine dgx-h100:2 --show machine --step', RUN], ['compare --gpus 2..9 --bytes 1MB --step', 'ArrowRight End Home'],
    ['lesson 5', 'PageDown a PageDown PageDown PageDown ArrowRight PageDown l l'], ['lesson 9', 'PageDown a PageDown PageDown PageDown PageDown'],
    ['train --mode ddp --gpus 4 --step', 'ArrowRight End Home t l l'], ['launch --step', 'ArrowRight End l l'], ['gil --step', 'ArrowRight End'],
];
// An act is over when the page has painted twice; tasks are told a little later.
const SETTLED = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))).then(() => { const most = longest; longest = 0; return most; })';
const reader = await openReader(browser, url);
for (const [words, keys] of FROZEN) {
    await browser.evaluate('longest = 0');
    await reader.open(`${words} --lang en`);
    const worst = [['opening', await browser.evaluate(SETTLED)]];
    for (const key of keys.split(' ')) {
        await browser.key(key);
        worst.push([key, await browser.evaluate(SETTLED)]);
    }
    for (let nth = 0; nth < 6; nth++) {
        const slider = await reader.slider(nth);
        if (slider === null) break;
        const [left, y, right] = slider, at = part => left + part * (right - left);
        await browser.evaluate('longest = 0');
        await browser.mouse([['move', at(0.2), y], ['down'], ['move', at(0.4), y, 1], ['move', at(0.7), y, 1], ['up']]);
        worst.push([`slider ${nth}`, await browser.evaluate(SETTLED)]);
    }
    const [opening] = worst, [act, most] = worst.slice(1).sort((a, b) => b[1] - a[1])[0];
    console.log(`${words}: frozen ${opening[1].toFixed(0)} ms at most while it opens, then ${most.toFixed(0)} ms (${act}) in ${worst.length - 1} acts, ` +
        `${worst.filter(([, ms]) => ms > 200).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ') || 'none'} over 200 ms`);
}
await browser.close();

// The events engine, in node's V8 (Chromium's), against the program: processor time of both, start included.
const page = await openPage(html);
const seconds = text => [...text.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => 60 * Number(m) + Number(s));
function nativeSeconds(words) {
    const { stdout } = spawnSync('sh', ['-c', '"$RINGSIM" "$@" >/dev/null; times', 'sh', ...words], { encoding: 'utf8' });
    const [, , user, system] = seconds(stdout);
    return user + system;
}
async function pageSeconds(words) {
    const before = process.cpuUsage();
    await page.run(words);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
}
for (const words of ['--gpus 1024 --engine events --view none', '--gpus 1024 --algo halving --bytes 1GB --engine events --view none']) {
    const list = words.split(' '), times = { native: [], page: [] };
    for (let i = 0; i < 5; i++) {
        times.native.push(nativeSeconds(list));
        times.page.push(await pageSeconds(list));
    }
    const [native, here] = [middle(times.native), middle(times.page)];
    console.log(`${words}: ${native.toFixed(2)} s of processor natively, ${here.toFixed(2)} s in the page: ${(native / here).toFixed(2)} of native`);
}
fs.rmSync(folder, { recursive: true, force: true });
