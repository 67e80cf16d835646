// session.mjs: a session in a real browser, keys, clicks, drags, a finger: what the title and the scene must say after each.
//
//     node session.mjs BROWSER PAGE.html SCRATCH        BROWSER: chromium or firefox
//
//   - The page is opened from its file and, at the end, from a server of this machine. Nothing else may be asked for,
//     and the console must stay silent.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { openBrowser, wait } from './browser.mjs';
import { apart, readPng } from './png.mjs';
import { openReader } from './reader.mjs';

const [kind, html, scratch] = process.argv.slice(2);

// open WORDS | key NAMES | click TEXT [nth] | hover TEXT | between TEXT, TEXT | drag N FROM TO | wheel N | swipe left|right|up |
// at ELEMENT (has the focus) | saves png|svg KEY (what is seen) | prints (on one page) |
// whole WIDTH (of a text page nothing is cut at that width, but tables that say so) | graded LAB FILE POINTS (what was saved, by the program) |
// full true|false | busy KEY (which takes long: the page lives, says so, and hears the next key) |
// drop NAME LINE|LINE (a file) | paste TEXT (into the page's area) |
// again (its own address, in the page opened anew, shows the same, but for a newcomer's hint in the clock's place) | tap TEXT | press TEXT (a button or link of a text page) | size W H DENSITY | title TEXT | not TEXT (in the title) | says TEXT (heard) | ears TEXT (of a button or the matrix, for who does not see) | paints TEXT
const SESSION = `
open --gpus 5 --step --lang en
title ring, 5 GPUs - start, GPU 0
key ArrowRight
title step 0 of 0..7, done, GPU 0
says chunk
key ArrowRight PageDown Enter
title step 3 of 0..7, done
key ArrowLeft
title step 2 of 0..7, done
key Shift+ArrowRight
title step 3 of 0..7, send
key >
title step 3 of 0..7, arrive
key Home
title start
key g 6 Enter
title step 6 of 0..7, done
key ]
title end
key [
title step 4 of 0..7
key ArrowDown ArrowDown
title GPU 2
key Tab
at A
key Shift+Tab
at CANVAS
key ArrowUp ArrowUp
title GPU 0
saves png s
saves svg Shift+S
prints
key f
full true
key f
full false
drag 1 0.1 0.6
title step 4
key Home
wheel 1
key Home
click GPU 2
title menu of GPU 2
key Escape
not menu
key ?
title help
says race against another algorithm
key Escape
not help
ears one step on
key p ArrowRight
title asking
says ?
key 0 Enter
title of 1 right
key p Home
not asking
key m d c r n
paints chunk 0
ears GPU 4
paints Numbers
key v
key v
key w
title 1 fault
key e
title 2 faults
key u
not fault
key k End
title 1 fault
says waits
key h
not fault
key x
title race against naive
key End
title end
key x x
key Shift+F
key l
title 5 个 GPU
says GPU
key l
title 5 GPUs
key t
key t
key Shift+F
not fork
open --gpus 1024 --step --lang en
busy w
title 1 fault
open --gpus 5 --step --lang en
key ArrowRight ArrowRight ArrowRight d m ArrowDown ArrowDown
title step 2 of 0..7, done, GPU 2
key w
title done, GPU 2 - 1 fault
again
key Shift+F k
title fork
again
open lesson 6 --lang en
key Enter
says Prediction
again
open lesson 7 --at 5 --lang en
says First your prediction
key a Enter Enter
title lesson 7, page 3
again
open --gpus 5 --at 0 --show numbers --lang en
key .
title ring, 6 GPUs
key +
key -
key 0
size 800 600 1
key Home ArrowRight
title step 0
open --gpus 5 --at 0 --lang en
size 390 844 3
swipe left
title step 1 of
swipe right
title step 0 of
swipe up
title step 1 of
tap GPU 1
title menu of GPU 1
key Escape
open --gpus 5 --at 3 --show all --lang en
paints Bytes
size 1280 720 1
open lesson 5 --lang en
title lesson 5, start
says Enter or PgDn
ears to the start page
swipe left
says Prediction
swipe right
says Swipe left
key PageDown
title lesson 5
swipe left
says Prediction
open --gpus 8 --algo halving --at 2 --show all --lang en
title halving, 8 GPUs - step 2 of 0..5
open train --mode ddp --gpus 4 --step --lang en
title DistributedDataParallel
key ArrowRight
title step 0 of
open compare --gpus 2..9 --step --lang en
title Compared
open machine dgx-h100:2 --lang en
open --machine dgx-h100:2 --at 2 --show machine --lang en
title ring, 16 GPUs - step 2 of
open --gpus 5 --json --lang en
says "makespan_ps"
open verify --gpus 2 --lang en
says verify: not in a page
open estimate --machine dgx-h100:2 -b 8 --lang en
says Tree
open explain --lang en
drop job.log [rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=5, NumelOut=5, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.
press explain job.log
says all_reduce
paste [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
press explain
says rank 3
open hang --lang en
drop two.sched ringsim-schedule 1|ranks 2|chunks 1|step|0 -> 1 chunk 0 reduce|step|1 -> 0 chunk 0 copy
press --algo two.sched --step
title file, 2 GPUs - start
open --gpus 0 --lang en
says --gpus
whole 390
open machine dgx-h100:2 --lang en
whole 390
open --gpus 5 --trace own.trace --view none --lang en
press Save own.trace
open lab 5 --lang en
says the chunk that a GPU sends in a step
press Put lines in order
press a int send_chunk
press B int chunk
press c if (chunk < 0) chunk += n
press d return chunk;
press e }
press Points
says send_chunk(1, 4, 5) is 5
whole 390
says FAIL
press Back to your own function
press Take back
press Begin anew
press a int send_chunk
press b int chunk
press c if (chunk < 0) chunk += n
press d return chunk;
press e }
says my.parsons: a b c d e
press Points
says Score: 20/20
says for yourself
press Save my.parsons
graded 05 my.parsons 20/20
press Back to your own function
press Write it whole
press Points
says Score: 0/20
press Save exercise.c
graded 05 exercise.c 0/20
open
says Begin here
says 20/20
press Exercise
says The lesson
`;

const folder = fs.mkdtempSync(path.join(scratch, `${kind}-`));
const browser = await openBrowser(kind, { folder });
let failed = 0, done = 0, last = '';
function report(good, what, seen) {
    done++;
    failed ||= Number(!good);
    if (!good) console.log(`not ok ${kind}: ${what} (after: ${last})\n    is: ${JSON.stringify(seen)?.slice(0, 600)}`);
    if (!good && process.env.LOOK) browser.look().then(png => fs.writeFileSync(path.join(process.env.LOOK, `${kind}-${done}.png`), png));
}

let size = { width: 1280, height: 720, density: 1 };
await browser.fit(size);
const url = pathToFileURL(path.resolve(html)).href;
let reader = await openReader(browser, url);
const holds = (look, wish, wanted) => reader.until(look, seen => seen.includes(wish) === wanted)
    .then(seen => report(seen.includes(wish) === wanted, `${wanted ? '' : 'not '}'${wish}'`, seen));
const across = from => [0, 0.2, 0.4, 0.6, 0.8, 1].map(part => [size.width * (from + part * (1 - 2 * from)), size.height * 0.55]);

const ACTIONS = {
    open: words => reader.open(words),
    async key(names) { for (const name of names.split(' ')) await browser.key(name); },
    async click(text) {
        const [x, y] = await reader.place(text);
        await browser.mouse([['move', x, y], ['down'], ['up']]);
    },
    async drag(words) {
        const [nth, from, to] = words.split(' ').map(Number), found = await reader.slider(nth);
        if (found === null) return report(false, `slider ${nth}`, found);
        const [left, y, right] = found, at = part => left + part * (right - left);
        await browser.mouse([['move', at(from), y], ['down'], ['move', at((from + to) / 2), y, 1], ['move', at(to), y, 1], ['up']]);
    },
    wheel: by => browser.mouse([['move', size.width / 2, size.height / 2], ['wheel', -100 * Number(by)]]),
    swipe: to => browser.finger(to === 'up' ? across(0.15).map(([x], i, all) => [size.width / 2, all[all.length - 1 - i][0] + size.height / 4]) : across(to === 'left' ? 0.85 : 0.15)),
    async tap(text) { await browser.finger([await reader.place(text)]); },
    async press(text) {
        const find = `[...document.querySelectorAll('button, a')].find(made => made.innerText.replace(/\\s+/g, ' ').startsWith(${JSON.stringify(text)}))`;
        const there = await reader.until(() => browser.evaluate(`(${find}) !== undefined`), found => found);
        if (!there) return report(false, `'${text}' to press`, await reader.says());
        const [x, y] = await browser.evaluate(`(() => { const made = ${find}; made.scrollIntoView({ block: 'center' });
            const box = made.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })()`);
        await browser.mouse([['move', x, y], ['down'], ['up']]);
    },
    async drop(words) {
        const [name, ...text] = words.split(' '), file = `new File([${JSON.stringify(text.join(' ').replaceAll('|', '\n'))}], '${name}')`;
        await browser.evaluate(`(() => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(${file});
            document.querySelector('.files').dispatchEvent(new DragEvent('drop', { dataTransfer })); return true; })()`);
    },
    async paste(text) {
        await reader.until(() => browser.evaluate("document.querySelector('.pasted') !== null"), there => there);
        await browser.evaluate(`(() => { document.querySelector('.pasted').value = ${JSON.stringify(text)}; return true; })()`);
    },
    async size(words) {
        const [width, height, density] = words.split(' ').map(Number);
        size = { width, height, density };
        await browser.fit(size);
        const wide = await reader.until(() => browser.evaluate("document.querySelector('canvas').width"), seen => seen === width * density);
        report(wide === width * density, `a canvas of ${width} x ${density} pixels`, wide);
    },
    title: wish => holds(reader.title, wish, true),
    not: wish => holds(reader.title, wish, false),
    says: wish => holds(reader.says, wish, true),
    ears: wish => holds(() => browser.evaluate("[...document.querySelectorAll('nav.heard button, table.heard tr')].map(made => made.textContent).join('; ')"), wish, true),
    paints: wish => reader.texts().then(texts => report(texts.some(([text]) => text.includes(wish)), `'${wish}' is painted`, texts.map(([text]) => text))),
};

// A file that the browser has put down, whole: its path.
async function fileSaved(ending) {
    const folder = browser.downloads;
    const find = () => (fs.existsSync(folder) ? fs.readdirSync(folder) : []).find(name => name.endsWith(ending) && fs.statSync(path.join(folder, name)).size > 0);
    const name = await reader.until(async () => find(), found => found);
    await wait(200);
    return name ? path.join(folder, name) : null;
}
// An SVG as this browser paints it as an image, which runs no script and loads nothing.
const painted = svg => browser.evaluate(`new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => {
        const sheet = document.createElement('canvas');
        [sheet.width, sheet.height] = [image.width, image.height];
        sheet.getContext('2d').drawImage(image, 0, 0);
        done(sheet.toDataURL().split(',')[1]);
    };
    image.onerror = () => failed(new Error('no picture'));
    image.src = 'data:image/svg+xml;base64,${svg.toString('base64')}';
})`).then(base64 => Buffer.from(base64, 'base64'));

Object.assign(ACTIONS, {
    async again() {
        const seen = async () => [...(await reader.texts()).map(([text]) => text).filter(text => !/: keys| ms of /.test(text)).sort(), await reader.title(), await reader.says()];
        const without = (all, others) => all.filter(text => !others.includes(text));
        await reader.until(() => browser.evaluate(`begun.exports.page_still_ms() < 0 &&
            decodeURIComponent(location.hash).includes(begun.text(begun.exports.page_link()).slice(1).trim())`), there => there);
        const shown = await seen(), words = await browser.evaluate('decodeURIComponent(location.hash.slice(1))');
        reader = await openReader(browser, url);
        await reader.open(words);
        const again = await reader.until(seen, found => found.join() === shown.join());
        report(again.join() === shown.join(), `#${words} shows the same`, { lacks: without(shown, again), adds: without(again, shown) });
    },
    at: wish => holds(() => browser.evaluate('document.activeElement.tagName'), wish, true),
    // A Firefox without a window never has the focus, and refuses: there it counts that the page has asked.
    full: wish => holds(() => browser.evaluate(`String(document.fullscreenElement !== null
        || (${wish} && !document.hasFocus() && asksForScreen))`), wish, true),
    async saves(words) {
        const [ending, key] = words.split(' '), MOST = { png: 0.1, svg: 2 }[ending];
        await browser.mouse([['move', 2, 2]]);
        await wait(300);
        const seen = readPng(await browser.look());
        await browser.key(key);
        const saved = await fileSaved('.' + ending);
        if (saved === null) return report(false, `a .${ending} is saved`, saved);
        const file = fs.readFileSync(saved);
        const shares = apart(readPng(ending === 'svg' ? await painted(file) : file), seen, [64]);
        report(shares !== null && 100 * shares[0] <= MOST, `the .${ending} is what is seen`, shares ?? 'of another size');
    },
    async busy(key) {
        await browser.evaluate(`(globalThis.bars = 0, new MutationObserver(() => { bars += document.querySelector('.busy') !== null; })
            .observe(document.body, { childList: true }), true)`);
        const before = await reader.title();
        await browser.key(key);
        await browser.key('End');
        const seen = await reader.until(() => browser.evaluate("[bars, document.querySelector('.busy') === null, document.title]"),
            ([, over, title]) => over && title.includes('end'));
        report(seen[0] > 0 && seen[1] && seen[2] !== before, `${key} shows how far it is, then End is done`, seen);
    },
    async whole(width) {
        await browser.fit({ ...size, width: Number(width) });
        const cut = await reader.until(() => browser.evaluate(`[document.documentElement, ...document.querySelectorAll('pre, li, p')]
            .filter(made => made.scrollWidth > made.clientWidth + 1 && made.previousSibling?.hidden !== false).map(made => made.innerText)`), cut => cut.length === 0);
        report(cut.length === 0, `nothing is cut unsaid at ${width} pixels`, cut);
        await browser.fit(size);
    },
    async graded(words) {
        const [lab, name, points] = words.split(' '), saved = await fileSaved(name);
        const said = saved && spawnSync(process.env.RINGSIM, ['grade', lab, saved], { encoding: 'utf8' }).stdout;
        report(said?.includes(`: ${points}`), `the program grades ${name}: ${points}`, said);
    },
    async prints() {
        const file = await browser.print(), plain = file.toString('latin1');
        const packed = [...plain.matchAll(/stream\r?\n/g)].map(({ index, 0: word }) => {
            try { return zlib.inflateSync(file.subarray(index + word.length), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString('latin1'); } catch { return ''; }
        });
        const pdf = plain + packed.join(''), pages = pdf.match(/\/Type *\/Page\b(?!s)/g)?.length;
        const widths = [...pdf.matchAll(/\/Width (\d+)/g)].map(found => Number(found[1]));
        report(pages === 1 && widths.includes(size.width * size.density), 'the picture is printed, on one page', { pages, widths });
    },
});

await browser.evaluate(`(() => {
    const ask = Element.prototype.requestFullscreen;
    globalThis.asksForScreen = false;
    Element.prototype.requestFullscreen = function () { asksForScreen = true; return ask.call(this); };
    return true;
})()`);
let acts = 0;
for (const line of SESSION.trim().split('\n')) {
    const [, action, words] = /^(\w+) ?(.*)$/.exec(line);
    if (!/^(title|not|says|ears|paints|at|full|saves|prints|whole|graded|again)$/.test(action)) {
        last = line;
        acts += action === 'key' ? words.split(' ').length : 1;
    }
    await ACTIONS[action](words).catch(reason => report(false, line, String(reason)));
}
console.log(`${failed ? 'not ok' : 'ok'} ${kind}: ${acts} keys, clicks, drags and swipes, ${done} looks (${browser.version})`);

// What the page may not: its policy holds in this browser, and what it refuses is not its own doing.
const before = browser.faults.length;
report(before === 0, 'a console without errors', browser.faults);
const tried = await browser.evaluate(`(async () => {
    const refused = async what => { try { await what(); return false; } catch { return true; } };
    const script = document.createElement('script');
    script.textContent = 'globalThis.foreign = 1';
    document.head.append(script);
    try { setTimeout('globalThis.foreign = 2', 0); } catch { /* at once */ }
    await new Promise(later => setTimeout(later, 100));
    return [globalThis.foreign === undefined, await refused(() => fetch('http://127.0.0.1:9/')),
        await refused(() => new Promise((good, bad) => Object.assign(new Image(), { onload: good, onerror: bad, src: 'http://127.0.0.1:9/a.png' })))];
})()`);
report(tried.every(refused => refused), 'scripts of others, texts as scripts, fetch and images are refused', tried);
const foreign = browser.asked.filter(address => !/^(file|data|blob|about):/.test(address) && !address.startsWith('http://127.0.0.1:9/'));
report(foreign.length === 0, 'no address is asked for', foreign);

// From a server, with the address typed at once.
const server = http.createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    fs.createReadStream(request.url === '/embed.html' ? 'docs/embed.html' : html).pipe(response);
}).listen(0, '127.0.0.1');
await new Promise(ready => server.on('listening', ready));
await browser.go(`http://127.0.0.1:${server.address().port}/ringsim.html#--gpus%204%20--at%202%20--lang%20en`);
await holds(reader.title, 'ring, 4 GPUs - step 2 of 0..5, done', true);
// In frames of somebody's page: each as high as it says; neither the focus nor the wheel is taken.
await browser.go(`http://127.0.0.1:${server.address().port}/embed.html`);
const FRAMES = `[...document.querySelectorAll('iframe')].map(frame => [frame.style.height, frame.contentDocument.title,
    frame.contentDocument.querySelector('canvas, pre')?.tagName, frame.contentDocument.querySelector('form') === null])`;
const frames = await reader.until(() => browser.evaluate(FRAMES), found => found.every(([height, , tag]) => height !== '' && tag));
report(frames.map(found => found.slice(2)).join() === 'CANVAS,true,PRE,true' && frames[0][1].includes('5 GPUs') && frames[0][0] !== frames[1][0],
    'frames show a picture and a text, each as high as it says', frames);
await browser.mouse([['move', 300, 400], ['wheel', 200]]);
const under = await reader.until(() => browser.evaluate('[scrollY, document.activeElement.tagName]'), ([y]) => y > 0);
report(under[0] > 0 && under[1] === 'BODY', 'the page around them keeps the wheel and the focus', under);
await browser.close();

// A reader whose system is dark and wants no motion: nothing is bright, but a theme that is chosen; each step is there at once.
const calm = await openBrowser(kind, { folder: path.join(folder, 'calm'), reduced: true, dark: true });
const address = `http://127.0.0.1:${server.address().port}/ringsim.html`;
const calmly = await openReader(calm, address);
const GROUND = "getComputedStyle(document.body).backgroundColor", DARK = 'rgb(20, 22, 27)';
const grounds = [await calm.evaluate(`${GROUND} + getComputedStyle(document.querySelector('input')).colorScheme`)];
for (const words of ['--gpus 5 --at 0 --theme light --lang en', '--list', '--gpus 5 --at 0 --lang en']) {
    await calmly.open(words);
    await calmly.until(() => calm.evaluate(GROUND), seen => (seen === DARK) !== words.includes('light'));
    grounds.push(await calm.evaluate(GROUND));
}
report(grounds.join() === [DARK + 'light dark', 'rgb(247, 245, 240)', DARK, DARK].join(), 'a dark system is not blinded', grounds);
const motion = await calm.evaluate('[begun.exports.page_key(FIRST_KEY), begun.exports.page_still_ms()]');
report(motion[1] !== 0, 'a system that wants no motion gets none', motion);
await calm.close();
server.close();
console.log(`${failed ? 'not ok' : 'ok'} ${kind}: console, policy, no address asked for; from a server, too; dark, without motion`);
fs.rmSync(folder, { recursive: true, force: true });
process.exitCode = failed;
