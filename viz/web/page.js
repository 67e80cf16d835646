'use strict';
// page.js: the page: what stands behind # is the command line.
//
//     #--gpus 5 --step     a run, in the window     #lesson 5     a lesson     #list     a command's text
//     nothing              the start: the course, and a few commands     #code     one's own function or schedule
//     #lab 5               the exercise of a lesson, rung by rung, with points for oneself
//     #embed&--gpus 5      what is shown alone, in a frame of somebody's page: the ways out open a page of their own
//
//   - The address is always a link to exactly what is shown: this run, changed as it was, at this moment.
//   - Keys, mouse and fingers go to the stage, which is the window's; a frame is painted when something moves. Tab is the
//     browser's: from the picture to the way out of it, and on.

const KEYS = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Shift+ArrowRight', 'Shift+ArrowLeft', 'PageDown',
    'PageUp', 'Home', 'End', 'Enter', 'Backspace', '', '', 'Escape', 'Shift+ArrowDown', 'Shift+ArrowUp'];
const FIRST_KEY = 0x110000, PAGE_ON = FIRST_KEY + 6, PAGE_BACK = FIRST_KEY + 7, OTHER_NAMES = { F1: '?', F11: 'f' };
const MOVE = 0, PRESS = 1, RELEASE = 2, LEAVE = 3; // of rv_pointer
const NEXT = 2, BACK = 3; // of rv_action
const WISH_PNG = 1, WISH_SVG = 2, WISH_QUIT = 4, WISH_FULL = 8, WISH_COPY = 16, WISH_LAB = 5;
const LONGEST_MS = 250; // after a longer frame the motion goes on by so much only
const PROGRESS = 'home/.local/share/ringsim/progress';

const WORDS = 'locale/zh_CN/LC_MESSAGES/ringsim.mo';
const N_ = text => text; // a text that is translated where it is shown
const OTHER_WORDS = { Run: '运行' }; // what the catalogue says of it is the program's: a whole run
const EXAMPLES = [
    ['--gpus 5 --step', N_('The ring of five GPUs, step by step')],
    ['--gpus 5 --compare naive', N_('Ring against one reducer: a race')],
    ['--gpus 5 --at 3 --show all', N_('All views of one moment')],
    ['--machine dgx-h100:2 --show machine', N_('A machine of two nodes: whose wires are busy')],
    ['train --mode ddp --gpus 4 --step', N_('Training with four GPUs')],
    ['compare --gpus 2..16 --step', N_('Algorithms over world sizes, as curves')],
    ['code', N_('Your own function')],
    ['explain', N_('A log, a hung job, a table of nccl-tests: what it says')],
];

let parts = null; // the program, and what an exported page begins with: {module, files, words}
let shown = null; // what ends what is shown now
let turns = 0; // how many addresses were asked for
let address = ''; // the hash that is shown, as we have written it ourselves or were asked
let embedded = false; // in a frame of somebody's page

/* ------------------------------------------------------------------------------------- small things */

const element = (name, ...inside) => {
    const made = document.createElement(name);
    made.append(...inside);
    return made;
};
const hashOf = words => (embedded ? '#embed&' : '#') + encodeURI(words);
const link = (words, ...inside) => {
    const made = element('a', ...inside);
    made.href = hashOf(words);
    return made;
};
// The words of an address, cut at spaces (or +), but not inside quotes.
const typedWords = hash => {
    let words = hash.slice(1);
    try { words = decodeURIComponent(words); } catch { /* as it stands */ }
    return [...words.matchAll(/"([^"]*)"|[^\s+"]+/g)].map(found => found[1] ?? found[0]);
};
const quoted = word => (/[\s+]/.test(word) ? `"${word}"` : word);
const isChinese = words => {
    const at = words.indexOf('--lang');
    const asked = at >= 0 ? words[at + 1] : words.find(word => word.startsWith('--lang='))?.slice(7);
    return (asked ?? navigator.language).startsWith('zh');
};
const partOf = id => document.getElementById(id).textContent; // of the file, until something is shown
const remembered = { // of the browser: the learner's place, and what was written
    get: what => { try { return localStorage.getItem(`ringsim ${what}`); } catch { return null; } },
    set(what, text) { try { localStorage.setItem(`ringsim ${what}`, text); } catch { /* it has no memory */ } },
};

// A program has written down how far its reader is.
function keepProgress(program) {
    const progress = program.files.get(PROGRESS);
    if (progress && progress !== program.kept) remembered.set('progress', new TextDecoder().decode(progress));
    program.kept = progress;
}

function environmentOf(words) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return { HOME: '/home', LANG: isChinese(words) ? 'zh_CN.UTF-8' : 'en_US.UTF-8', DISPLAY: 'page', TERM: 'dumb',
        RINGSIM_REDUCED_MOTION: still ? '1' : '0' };
}

// Shows how far a long computation is, until the page shows what it made; a later one ends it.
function busyFor(turn) {
    const bar = element('progress');
    bar.className = 'busy';
    return (done, total) => {
        if (turn !== turns) return false;
        if (!bar.isConnected) document.body.append(bar);
        bar.max = Math.max(1, total);
        bar.value = done;
        return true;
    };
}

async function run(words, terminal) {
    const files = new Map(parts.files), kept = remembered.get('progress'), bytes = new TextEncoder();
    if (kept !== null) files.set(PROGRESS, bytes.encode(kept));
    for (const name of OWN) if (words.includes(name) && !files.has(name)) files.set(name, bytes.encode(ownText(name, words)));
    return startProgram({ module: parts.module, files, words, environment: environmentOf(words), terminal, at: busyFor(turns) });
}

/* ------------------------------------------------------------------------------------- texts */

const crc32 = text => ~new TextEncoder().encode(text).reduce((crc, byte) => {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ 0xEDB88320 & -(crc & 1);
    return crc;
}, -1) >>> 0;

// The texts of the program's Chinese catalogue (page_catalogue.c), by the CRC-32 of the English ones.
function readWords() {
    const bytes = parts.files.get(WORDS) ?? new Uint8Array(12), view = new DataView(bytes.buffer, bytes.byteOffset);
    const n = view.getUint32(8, true), texts = new TextDecoder().decode(bytes.subarray(12 + 4 * n)).split('\0');
    return new Map(texts.slice(0, n).map((text, i) => [view.getUint32(12 + 4 * i, true), text]));
}
const sayIn = words => text =>
    (isChinese(words) && (OTHER_WORDS[text] ?? (parts.chinese ??= readWords()).get(crc32(text)))) || text;

function commandLine(words, say) {
    const input = Object.assign(element('input'), { value: words.join(' '), autocapitalize: 'off', autocomplete: 'off', spellcheck: false,
        ariaLabel: say('One command') });
    const form = element('form', element('label', 'ringsim'), input, element('button', say('Run')));
    form.addEventListener('submit', event => {
        event.preventDefault();
        location.hash = '#' + encodeURI(input.value.trim().replace(/^(\.\/)?ringsim\s*/, '') || 'help');
    });
    return form;
}

function setPage(className, ...inside) {
    document.body.className = className + (embedded ? ' framed' : '');
    document.body.style.background = '';
    document.body.replaceChildren(...inside);
    requestAnimationFrame(sayHeight);
}

// What a page of somebody's own must say, to show this; any address does with embed& behind its #.
function lineToPaste(lang) {
    const line = Object.assign(element('input'), { readOnly: true, ariaLabel: 'iframe', onfocus: () => line.select() });
    line.value = `<iframe src="${location.href.replace(/#.*/, '')}#embed&amp;${encodeURI('--gpus 5 --step' + lang)}" width="100%" height="480" title="ringsim"></iframe>`;
    return element('form', line);
}

// How much of a lesson is behind the reader.
const wayOf = ({ furthest, stops }) => Object.assign(element('progress'), { max: stops - 1, value: furthest });

async function showStart(words) {
    const say = sayIn(words), lang = words.length > 0 ? ' ' + words.join(' ') : '';
    const list = JSON.parse((await run(['lesson', '--json', ...words], false)).said(1));
    const lessons = list.lessons.map(lesson => element('li', link(`lesson ${lesson.number}${lang}`,
        element('b', String(lesson.number)), element('span', lesson.title),
        element('small', `${lesson.minutes} ${say('min')}`), ...(lesson.furthest > 0 ? [wayOf(lesson)] : [])),
    ...(labOf(lesson.number) ? [link(`lab ${lesson.number}${lang}`, say('Exercise'),
        ...(lesson.of_points > 0 ? [element('small', `${lesson.points}/${lesson.of_points}`)] : []))] : [])));
    const examples = EXAMPLES.map(([example, text]) =>
        element('li', link(example + lang, element('span', say(text)), element('code', example))));
    const other = isChinese(words) ? link('--lang en', 'English') : link('--lang zh_CN', '中文');
    document.title = 'ringsim';
    setPage('', element('main', element('nav', other), element('h1', 'ringsim'),
        element('p', say('Collective communication, step by step')),
        element('h2', say('Begin here')), element('ul', ...examples),
        element('h2', say('The course')),
        element('p', say("The ring in an hour: lessons 1, 5, 6. PyTorch's side: 1, 2, 4, 10, 11, 12, 21.")),
        element('ol', ...lessons),
        element('h2', say('One command')), commandLine([], say), ...filePlace(say, lang),
        element('h2', say('In a page of your own')), lineToPaste(lang),
        element('p', element('small', say('? in any picture shows all keys; Tab leaves the picture; q, or Back, leads here.')))));
}

// What the program says, in parts: sentences, which wrap, and tables, which scroll; tables with nothing between them are one.
function partsOfText(text) {
    const isRow = line => /\S {2,}\S/.test(line), said = [];
    for (const block of text.split(/\n(?=\n)/)) {
        const lines = block.split('\n'), first = lines.findIndex(isRow), last = lines.findLastIndex(isRow) + 1;
        const rows = first + 1 < last ? [first, last] : [0, 0];
        for (const [from, to, table] of [[0, rows[0], false], [...rows, true], [rows[1], lines.length, false]]) {
            const part = lines.slice(from, to).join('\n'), before = said[said.length - 1];
            if (part.trim() !== '' && table && before?.table) before.text += '\n\n' + part;
            else if (part.trim() !== '') said.push({ text: part.replace(/^\n/, ''), table });
        }
    }
    return said;
}

// With links where commands are named that run in a page.
function linked(text, lang) {
    const pre = element('pre');
    let at = 0;
    for (const found of text.matchAll(/(?:\.\/)?ringsim ((?:lesson|train|sampler|mapreduce|launch|compare|machine|grade|--)[^\n|>'"，。]*[^\s|>'"，。.;,)])/g)) {
        pre.append(text.slice(at, found.index), link(found[1] + lang, found[0]));
        at = found.index + found[0].length;
    }
    pre.append(text.slice(at));
    return pre;
}

// A table that is wider than the screen says so, above it.
function markWide() {
    for (const pre of document.querySelectorAll('pre.table')) {
        const wide = pre.scrollWidth > pre.clientWidth;
        pre.previousSibling.hidden = !wide;
        pre.tabIndex = wide ? 0 : -1;
    }
}

const MARKS = [['OK', 'good'], ['PART', 'part'], ['FAIL', 'bad'], ['no points yet', 'part']];
// What page_grade.c has written of an exercise: points on top, a mark before each part.
function reportOf(report, words, say, lang) {
    const file = words[2], list = element('ul'), actions = element('p'), colon = isChinese(words) ? '：' : ': ';
    list.className = 'report';
    for (const part of report.parts) {
        if (!report.judged || (report.trouble !== '' && part.why === '' && part.points === 0)) continue;
        const [word, look] = MARKS[part.points === part.most ? 0 : part.points > 0 ? 1 : part.follows ? 3 : 2];
        const mark = element('b', say(word));
        mark.className = look;
        list.append(element('li', mark, element('span', part.title), element('small', `${part.points}/${part.most}`),
            ...(part.why === '' ? [] : [element('p', part.why)])));
    }
    const words_ = text => (text === '' ? [] : [element('pre', text)]);
    if (report.runs) actions.append(button(say(report.wrong ? 'Watch it go wrong' : 'Watch'), () => go(`${words.slice(0, 3).join(' ')} --show`, lang)), ' ');
    if (OWN.includes(file)) actions.append(saveButton(file, () => ownText(file, words), say));
    return [element('h1', ...(report.judged ? [say('Score: %d/%d\n').replace('%d', report.points).replace('%d', report.most)] : [say('Not judged')])),
        element('p', `${say('Exercise')} ${parseInt(words[1], 10)}${colon}${report.title} · ${file}`),
        ...words_(report.trouble), ...words_(report.messages), list,
        ...(report.printed === '' ? [] : [element('p', say('what the submission printed, which counts for nothing:')), element('pre', report.printed)]),
        ...words_(report.note), actions];
}

function showText(words, program) {
    const say = sayIn(words), chinese = isChinese(words), own = words.some(word => OWN.includes(word));
    const lang = words.includes('--lang') ? ` --lang ${chinese ? 'zh_CN' : 'en'}` : '';
    const home = link(lang.trim(), say('To the start')), report = program.files.get('report.json'), said = [];
    if (report) said.push(...reportOf(JSON.parse(new TextDecoder().decode(report)), words, say, lang));
    else {
        for (const { text, table } of partsOfText(program.said())) {
            if (table) said.push(element('small', say('The table goes on at the right: swipe it.')));
            said.push(linked(text, lang));
            if (table) said[said.length - 1].className = 'table';
        }
    }
    for (const [name, bytes] of program.files) { // what the command has written
        if (!name.includes('/') && name !== 'report.json' && parts.files.get(name) !== bytes && !OWN.includes(name)) {
            said.push(element('p', saveButton(name, () => bytes, say)));
        }
    }
    document.title = `ringsim ${words.join(' ')}`;
    keepProgress(program);
    const explains = words[0] === 'explain';
    if (explains && program.said().includes('ringsim hang --step')) {
        const walk = `hang ${words.slice(1).filter(word => parts.files.has(word)).map(quoted).join(' ')} --step`;
        said.push(element('p', link(walk + lang, element('code', walk))));
    }
    const reads = /^(hang|view|fit|check|machine)$/.test(words[0]) || words.some(word => /^--(algo|links|machine)/.test(word));
    if (explains || (program.status === 2 && reads)) said.push(...filePlace(say, lang));
    if (embedded) return setPage('', element('main', ...said));
    setPage('', element('main', commandLine(words, say), ...said,
        ...(report && own ? [element('p', element('small', say('These points are for yourself: marks are given by the program.')))] : []),
        element('p', own ? link(`${ownPlace()} --lang ${chinese ? 'zh_CN' : 'en'}`, say('Back to your own function')) : home)));
    markWide();
}

/* ------------------------------------------------------------------------------------- files of one's own */

// What a file is for, by what it begins with; whatever else there is, `explain` reads.
function usesOf(name, text) {
    const kinds = [[/^ringsim-trace/, ['view FILE --step', 'fit FILE']], [/^ringsim-schedule/, ['--algo FILE --step', 'check FILE']],
        [/^ringsim-machine|^\s*GPU0\s|<system/, ['machine FILE', '--machine FILE --step --show machine']],
        [/\b(send_chunk|sends)\s*\(/, ['--algo FILE --gpus 5 --step']], [/^src,dst,/, ['--links FILE --step']]];
    return (kinds.find(([begins]) => begins.test(text))?.[1] ?? []).map(use => use.replace('FILE', quoted(name)));
}

// The files below what was dropped, a file or a folder: pairs of a path and a file.
async function filesBelow(entry) {
    if (entry.isFile) return [[entry.fullPath.slice(1), await new Promise((found, none) => entry.file(found, none))]];
    const reader = entry.createReader(), inside = [];
    for (let some = [0]; some.length > 0; inside.push(...some)) some = await new Promise((found, none) => reader.readEntries(found, none));
    return (await Promise.all(inside.map(filesBelow))).flat();
}
async function bytesOfFile(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
    return unpacked.arrayBuffer().then(all => new Uint8Array(all), () => bytes);
}

// A place to drop files and folders on, to choose or to paste: commands read them by their names, as long as the page is open.
function filePlace(say, lang) {
    const input = Object.assign(element('input'), { type: 'file', multiple: true }), uses = element('ul'), evidence = new Set(), offered = [];
    const place = element('label', say("Files of your own: a log, a job's dumps, a table of nccl-tests, a trace, a schedule, a machine, a function. Drop them here, or choose them; they do not leave this computer."), input);
    const offer = (...commands) => commands.map(command => element('li', link(command + lang, element('code', command))));
    async function take(files) {
        for (const [path, file] of files) {
            const name = path.replace(/["+]/g, '_'), bytes = await bytesOfFile(file);
            const found = usesOf(name, new TextDecoder().decode(bytes.subarray(0, 4096)));
            parts.files.set(name, bytes);
            if (found.length === 0) evidence.add(quoted(name.replace(/\/.*/, '')));
            offered.push(...offer(...found));
        }
        const all = [...evidence].join(' ');
        uses.replaceChildren(...offered, ...(all !== '' ? offer(`explain ${all}`, `hang ${all} --step`) : []));
    }
    const named = files => [...files].map(file => [file.name, file]);
    input.addEventListener('change', () => take(named(input.files)));
    place.addEventListener('dragover', event => event.preventDefault());
    place.addEventListener('drop', event => {
        event.preventDefault();
        const { items, files } = event.dataTransfer, entries = [...items].map(item => item.webkitGetAsEntry?.());
        if (!entries.some(entry => entry?.isDirectory)) take(named(files));
        else Promise.all(entries.filter(Boolean).map(filesBelow)).then(found => take(found.flat()));
    });
    place.className = 'files';
    const pasted = makeArea('', say('Or paste a text, a log for instance'));
    Object.assign(pasted, { className: 'pasted', placeholder: pasted.ariaLabel });
    return [place, uses, pasted, button('explain', () => {
        parts.files.set('pasted.txt', new TextEncoder().encode(pasted.value));
        const before = location.hash;
        go('explain pasted.txt', lang);
        if (location.hash === before) show().catch(complain); // another text under the same address
    })];
}

/* ------------------------------------------------------------------------------------- one's own */

// What a learner writes: C, a schedule, lines put in order, who broke the jobs; kept in the browser, and, under the
// names by which bundle and grader know them, files of the program's and to hand in.
const OWN = ['my_ring.c', 'my.sched', 'my.parsons', 'fill.c', 'exercise.c', 'exercise.sched', 'example.c', 'example.sched', 'my.ranks'];
const handedIn = rung => (rung === 'parsons' ? 'my.parsons' : rung); // its file's name
const ownFile = code => (/^ringsim-schedule\b/m.test(code) ? OWN[1] : OWN[0]);
const textOf = path => new TextDecoder().decode(parts.files.get(path));
// grade 05 fill.c: what was written in that lab; else in the editor last.
function ownText(name, words) {
    const folder = words[0] === 'grade' ? labOf(parseInt(words[1], 10)) : undefined, rung = name === 'my.parsons' ? 'parsons' : name;
    if (folder === undefined || OWN.indexOf(name) < 2) return remembered.get('code') ?? textOf(CODE_STARTS[0]);
    return remembered.get(`lab ${parseInt(words[1], 10)} ${rung}`) ?? (parts.files.has(folder + rung) && rung !== 'parsons' ? textOf(folder + rung) : '');
}
const CODE_STARTS = ['lessons/05-scatter-reduce/exercise.c', 'lessons/06-all-gather/exercise.c', 'lessons/08-lower-bound/exercise.sched'];
// Where one writes: #code, or a lab.
const ownPlace = () => remembered.get('own') ?? 'code';
const go = (words, lang) => { location.hash = hashOf((words + lang).trim()); };

const makeArea = (text, label) =>
    Object.assign(element('textarea'), { value: text, spellcheck: false, autocapitalize: 'off', ariaLabel: label });
function button(text, press, type = 'button') {
    const made = element('button', text);
    made.type = type;
    if (press) made.addEventListener('click', press);
    return made;
}

// Gives the reader a file. Its type is one that no browser adds an ending for.
function saveFile(data, name) {
    const to = element('a');
    to.href = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type: 'application/octet-stream' }));
    to.download = name;
    to.click();
    setTimeout(() => URL.revokeObjectURL(to.href), 10000);
}
const saveButton = (name, text, say) => button(`${say('Save')} ${name}`, () => { const all = text(); saveFile(typeof all === 'string' && !all.endsWith('\n') ? all + '\n' : all, name); });

// How many GPUs, and a run of what stands in the area.
function watchForm(area, say, lang) {
    const gpus = Object.assign(element('input'), { type: 'number', min: 1, max: 64, value: 5, ariaLabel: 'GPUs' });
    const form = element('form', element('label', 'GPUs'), gpus, button(say('Watch'), null, 'submit'));
    form.addEventListener('submit', event => {
        event.preventDefault();
        remembered.set('code', area.value);
        const n = ownFile(area.value) === OWN[0] ? ` --gpus ${gpus.value}` : '';
        go(`--algo ${ownFile(area.value)}${n} --step --show rule`, lang);
    });
    return form;
}

// An editor: a few texts to begin with, and a run of what stands there.
function showCode(words) {
    const say = sayIn(words), lang = ` --lang ${isChinese(words) ? 'zh_CN' : 'en'}`;
    const area = makeArea(ownText(OWN[0], words), say('Your own function')), starts = element('p');
    for (const path of CODE_STARTS) {
        starts.append(button(path.slice(8).replace(/-.*\//, '-'), () => { area.value = textOf(path); }), ' ');
    }
    remembered.set('own', 'code');
    document.title = `ringsim: ${say('Your own function')}`;
    setPage('', element('main', element('nav', link(lang.trim(), say('To the start'))), element('h1', say('Your own function')),
        element('p', say('Write it, run it, and watch what it does: C as in ring.h, or a schedule.')), starts, area, watchForm(area, say, lang)));
}

/* ------------------------------------------------------------------------------------- exercises */

const RUNGS = [['parsons', N_('Put lines in order')], ['fill.c', N_('Fill in')], ['exercise.c', N_('Write it whole')],
    ['exercise.sched', N_('Write it whole')], ['example.c', N_('A worked example')], ['example.sched', N_('A worked example')],
    ['my.ranks', N_('Broken jobs')]];
const NO_RANKS = '# job  rank  line: 1 3 train.py:45\n';
// The folder of a lesson's lab: "lessons/05-scatter-reduce/"; undefined: it has none.
const labOf = number => [...parts.files.keys()].find(path => /^lessons\/\d\d-[^/]*\/lab$/.test(path) && parseInt(path.slice(8), 10) === number)?.slice(0, -3);

// What a lesson asks for: the first paragraphs of its exercise, up to what the grader says to an example.
function taskOf(folder, chinese) {
    const task = element('div'), blocks = textOf(`${folder}${chinese ? 'zh_CN' : 'en'}.md`).split(/^B\t/m);
    const from = blocks.findIndex(block => /^0\t2\t[^\n]*\nS\t0\t(Exercise|练习)\n/.test(block)) + 1;
    for (const block of blocks.slice(from)) {
        const spans = [...block.matchAll(/^[SL]\t(\d+)\t(.*)$/gm)].map(([, style, text]) => [style, text.replace(/\\n/g, ' ').replace(/\\\\/g, '\\')]);
        if (!/^[12]\t/.test(block) || spans.length === 0) break; // neither a paragraph nor an item
        const last = spans[spans.length - 1];
        last[1] = last[1].replace(/(^|[.。] ?)[^.。]*[:：]$/, '$1');
        if (spans.some(([, text]) => text.trim() !== '')) {
            task.append(element('p', ...spans.map(([style, text]) => (style === '4' ? element('code', text) : text))));
        }
    }
    return task;
}

// Lines that are chosen one after the other; `keep` hears of the letters, which are what is handed in.
function parsonsForm(text, letters, say, keep) {
    const lines = [...text.matchAll(/^([A-Za-z]) \| ?(.*)$/gm)].map(([, letter, line]) => ({ letter, line }));
    const chosen = [...letters].filter(letter => lines.some(line => line.letter === letter));
    const pool = element('div'), answer = element('pre'), file = element('code'), back = button(say('Take back'), () => { chosen.pop(); show(); });
    const anew = button(say('Begin anew'), () => { chosen.length = 0; show(); });
    const buttons = lines.map(({ letter, line }) => {
        const code = element('span', line.trimStart()), made = button('', () => { chosen.push(letter); show(); });
        code.style.marginInlineStart = `${line.length - line.trimStart().length}ch`;
        made.append(element('b', letter), code);
        return [letter, made];
    });
    pool.className = 'lines';
    answer.setAttribute('aria-live', 'polite');
    pool.append(...buttons.map(([, made]) => made));
    function show() {
        for (const [letter, made] of buttons) made.disabled = chosen.includes(letter);
        const said = chosen.map(letter => lines.find(line => line.letter === letter).line);
        answer.textContent = said.length === 0 ? say('Nothing chosen yet') : said.join('\n');
        back.disabled = anew.disabled = chosen.length === 0;
        file.textContent = `my.parsons: ${chosen.join(' ')}`;
        keep(chosen.join(' '));
    }
    show();
    return element('section', element('p', say('Choose lines one after the other; a small letter and its capital are a pair, and one of the two is wrong.')),
        pool, element('h2', say('Your function so far')), answer, element('p', back, ' ', anew),
        element('p', say('What you hand in are the letters:'), ' ', file));
}

// The exercise of a lesson: its rungs, the easiest first, what was written on each, points, and the file to hand in.
function showLab(words) {
    const say = sayIn(words), chinese = isChinese(words), lang = ` --lang ${chinese ? 'zh_CN' : 'en'}`;
    const number = parseInt(words[1], 10), folder = labOf(number);
    if (folder === undefined) return go('', lang.trim());
    const lab = textOf(folder + 'lab'), title = (chinese && /^title\.zh_CN (.*)$/m.exec(lab) || /^title (.*)$/m.exec(lab))[1];
    const rungs = RUNGS.filter(([name]) => (name === 'my.ranks' ? / job /.test(lab) : parts.files.has(folder + name)));
    const kept = name => `lab ${number} ${name}`, tabs = element('p'), place = element('div');
    remembered.set('own', `lab ${number}`);

    function open(name) {
        remembered.set(kept('rung'), name);
        for (const tab of tabs.querySelectorAll('button')) tab.setAttribute('aria-pressed', tab.dataset.name === name);
        const file = handedIn(name), ask = ['grade', String(number).padStart(2, '0'), file];
        const points = button(say('Points'), () => go(ask.join(' '), lang)), save = saveButton(file, () => ownText(file, ask), say);
        const why = element('p', element('small', say('What you save is what you hand in; the program grades it under this name.')));
        if (name === 'parsons') {
            const form = parsonsForm(textOf(folder + name), remembered.get(kept(name)) ?? '', say, letters => {
                remembered.set(kept(name), letters);
                points.disabled = save.disabled = letters === '';
            });
            place.replaceChildren(form, element('p', points, ' ', save), why);
            return;
        }
        const begins = name === 'my.ranks' ? NO_RANKS : textOf(folder + name);
        const area = makeArea(remembered.get(kept(name)) ?? begins, title);
        const keep = () => { remembered.set(kept(name), area.value); remembered.set('code', area.value); };
        area.addEventListener('input', keep);
        points.addEventListener('click', keep, true);
        save.addEventListener('click', keep, true);
        const anew = button(say('Begin anew'), () => { area.value = begins; keep(); });
        const isPlan = /\b(send_chunk|sends)\s*\(|^ringsim-schedule/m.test(begins);
        place.replaceChildren(...(name === 'my.ranks' ? [element('p', say('A line a job: its number, the rank, the line of code. Your jobs are dumps that the program reads, on a computer; it grades this file, too.'))] : []),
            area, element('p', ...(name === 'my.ranks' ? [] : [points, ' ']), save, ' ', anew), why, ...(isPlan ? [watchForm(area, say, lang)] : []));
    }

    tabs.append(...rungs.flatMap(([name, text]) => {
        const tab = button(say(text), () => open(name));
        tab.dataset.name = name;
        return [tab, ' '];
    }));
    tabs.className = 'tabs';
    document.title = `ringsim: ${say('Exercise')} ${number}`;
    setPage('', element('main', element('nav', link(`lesson ${number}${lang}`, say('The lesson')), ' · ', link(lang.trim(), say('To the start'))),
        element('h1', `${say('Exercise')} ${number}${chinese ? '：' : ': '}${title}`), taskOf(folder, chinese), tabs, place));
    const last = remembered.get(kept('rung'));
    open(rungs.some(([name]) => name === last) ? last : rungs[0][0]);
}

/* ------------------------------------------------------------------------------------- the window */

const LOOKS = ['--step', '--predict', '--at', '--moment', '--follow', '--speed', '--show', '--compare', '--before', '--theme', '--lang'];
const FAULTS = ['--slow-link', '--late', '--straggler', '--kill', '--flip', '--slow-reduce', '--down', '--cut'];
const SAME = { '--gpus': ['-n'], '--count': ['--bytes'] };

// The words that were typed, with what page_link says in the place of what it replaces.
function linkOf(words, said) {
    if (words[0] === 'grade') return words.map(quoted).join(' '); // it has none of these options
    const now = said.slice(1).match(/"[^"]*"|\S+/g);
    const gone = new Set([...LOOKS, ...(said[0] === '!' ? FAULTS : [])]);
    for (const word of now) if (word.startsWith('--')) [word, ...(SAME[word] ?? [])].forEach(name => gone.add(name));
    const kept = [];
    for (let i = 0; i < words.length; i++) {
        const name = words[i].replace(/=.*/, '');
        if (!gone.has(name)) kept.push(words[i]);
        else if (name !== '--step' && name !== '--predict' && !words[i].includes('=')) i++; // and its value
    }
    // A lesson's end leads to the next one.
    const lesson = now[0] === 'lesson' ? now.splice(0, 2) : [];
    if (lesson.length > 0 && !kept[1]?.startsWith('-')) kept.splice(0, 2, ...lesson);
    return [...kept.map(quoted), ...now].join(' ');
}

function showStage(words, program) {
    const { exports: stage, handles, text, put, tell } = program;
    const canvas = element('canvas'), heard = element('div'), buttons = element('nav'), matrix = element('table'), way = element('a', sayIn(words)('To the start'));
    let noted = 0, soon = 0, surface = 0, density = 1, frame = 0, timer = 0, later = 0, before = performance.now(), dirty = true;
    let touch = null; // where a finger went down, and what it does
    let hears = false; // the program is at work on an event; those after it wait
    const waiting = [];
    const ending = new AbortController(), listening = { signal: ending.signal };
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    heard.className = buttons.className = matrix.className = 'heard';
    heard.setAttribute('aria-live', 'polite');
    way.className = 'way';
    way.href = '#';
    way.addEventListener('click', event => { event.preventDefault(); leave(); });
    setPage('stage', canvas, way, heard, buttons, matrix);

    function fit() {
        density = window.devicePixelRatio || 1;
        const box = canvas.getBoundingClientRect();
        canvas.width = Math.round(box.width * density);
        canvas.height = Math.round(box.height * density);
        if (surface !== 0) handles.drop(surface);
        surface = handles.add({ width: canvas.width, height: canvas.height, canvas });
        act('page_resize', canvas.width, canvas.height, density);
    }

    function ask() {
        if (frame === 0) frame = requestAnimationFrame(loop);
    }

    function loop() {
        frame = 0;
        if (hears) return; // it asks again
        clearTimeout(timer);
        const now = performance.now(), still = stage.page_still_ms();
        if (still >= 0) {
            stage.page_tick(still > 0 ? now - before : Math.min(now - before, LONGEST_MS));
            dirty = true;
        }
        before = now;
        if (dirty) paint();
        const next = stage.page_still_ms();
        if (next === 0) ask();
        else if (next > 0) timer = setTimeout(ask, next);
    }

    function paint() {
        dirty = false;
        stage.page_paint(surface);
        document.body.style.background = '#' + (stage.page_ground() >>> 8).toString(16).padStart(6, '0');
        const title = 'ringsim: ' + text(stage.page_title());
        if (document.title !== title) document.title = title;
        canvas.style.cursor = stage.page_hand() ? 'pointer' : '';
        clearTimeout(later);
        later = setTimeout(settle, 300);
    }

    // For ears: the buttons that are painted, and the matrix. Tab passes them by.
    function mirror() {
        const list = text(stage.page_buttons()), cells = text(stage.page_matrix());
        if (buttons.list !== list) buttons.replaceChildren(...list.split('\n').filter(line => line !== '').map(line => {
            const made = button(line.replace(/^\d+ /, ''), () => act('page_act', parseInt(line, 10)));
            made.tabIndex = -1;
            return made;
        }));
        if (matrix.list !== cells) matrix.replaceChildren(...cells.split('\n').filter(line => line !== '').map(line => {
            const [name, ...values] = line.split('\t');
            return element('tr', element('th', name), ...values.map(value => element('td', value)));
        }));
        [buttons.list, matrix.list] = [list, cells];
    }

    // When nothing has moved for a while: what is heard, the address.
    function settle() {
        if (hears || location.hash !== address) return; // another moment or address is on its way
        const says = text(stage.page_says());
        if (heard.textContent !== says) heard.textContent = says;
        canvas.setAttribute('aria-label', says);
        mirror();
        note();
    }

    // The address; browsers count how often, and a reader may go back before all is still.
    function note() {
        if (location.hash !== address) return;
        const link = hashOf(linkOf(words, text(stage.page_link())));
        noted = performance.now();
        if (link !== address) history.replaceState(null, '', link);
        address = location.hash;
    }

    // Tells the program of an event, which may take long: nothing is painted then. Of the places where the pointer was meanwhile
    // the last one counts.
    async function act(...event) {
        const before = waiting[waiting.length - 1];
        if (event[1] === MOVE && before?.[1] === MOVE && before[0] === event[0]) waiting.pop();
        waiting.push(event);
        if (hears) return;
        for (hears = true; waiting.length > 0;) {
            const status = await tell(...waiting.shift());
            if (ending.signal.aborted) return;
            touched(status);
        }
        hears = false;
        document.querySelector('.busy')?.remove();
    }

    // Something has happened to the stage.
    function touched(status) {
        if (status) throw new Error(text(stage.page_error()));
        if (stage.page_still_ms() < 0) before = performance.now();
        dirty = true;
        ask();
        keepProgress(program);
        const wishes = stage.page_wishes();
        if (wishes & WISH_PNG) savePng();
        if (wishes & WISH_SVG) saveSvg();
        if (wishes & WISH_COPY) navigator.clipboard?.writeText(text(stage.page_code())).catch(() => {});
        if (wishes & WISH_QUIT) leave();
        if (wishes >> WISH_LAB) go(`lab ${wishes >> WISH_LAB}`, langOf());
        const full = (wishes & WISH_FULL) !== 0;
        if (full !== (document.fullscreenElement !== null)) {
            const asked = full ? document.documentElement.requestFullscreen?.() : document.exitFullscreen?.();
            (asked ?? Promise.reject()).catch(() => stage.page_full_screen(document.fullscreenElement !== null));
        }
        soon ||= setTimeout(() => { soon = 0; if (!hears) note(); }, Math.max(0, noted + 350 - performance.now()));
    }

    const langOf = () => ' ' + /--lang \S+/.exec(text(stage.page_link()))[0];
    // To the start, or to what a learner has written.
    const leave = () => {
        if (embedded) return window.open(location.href.replace('#embed&', '#'), '_blank');
        go(words.some(word => OWN.includes(word)) ? ownPlace() : '', langOf());
    };

    // The picture without what the pointer lights up, on a canvas of its own or as SVG.
    function draw(more) {
        const surface = { width: canvas.width, height: canvas.height, ...more };
        const number = handles.add(surface);
        stage.page_picture(number);
        handles.drop(number);
        return surface;
    }

    function save(picture, name) {
        saveFile(picture, name);
        const at = put(name);
        stage.page_saved(at);
        stage.page_free(at);
        touched(0);
    }

    function savePng() {
        const name = text(stage.page_picture_name()) + '.png';
        draw({ canvas: makeSheet(canvas.width, canvas.height) }).canvas.toBlob(picture => save(picture, name));
    }

    function saveSvg() {
        const name = text(stage.page_picture_name()) + '.svg';
        const { svg } = draw({ canvas: null, svg: new SvgContext(canvas.width, canvas.height, document.title) });
        save(new Blob([svg.finish()], { type: 'image/svg+xml' }), name);
    }

    /* ------------------------------------------------------------- keys, mouse, fingers */

    const byFinger = finger => { stage.page_by_finger(Number(finger)); dirty = true; };

    function keyOf(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return 0;
        const key = OTHER_NAMES[event.key] ?? event.key;
        const named = KEYS.indexOf((event.shiftKey ? 'Shift+' : '') + key);
        if (named >= 0) return FIRST_KEY + named;
        if (KEYS.includes(key)) return FIRST_KEY + KEYS.indexOf(key);
        if (key.length === 1 && key >= ' ' && key <= '~') return key.charCodeAt(0);
        const place = /^(?:Key|Digit)([A-Z0-9])$/.exec(event.code); // a keyboard with other letters
        if (key.length !== 1 || !place) return 0;
        return (event.shiftKey ? place[1] : place[1].toLowerCase()).charCodeAt(0);
    }

    const point = (what, event) => {
        const box = canvas.getBoundingClientRect();
        act('page_pointer', what, (event.clientX - box.left) * density, (event.clientY - box.top) * density);
    };

    // A finger: a tap clicks; on a slider or the timeline it drags; to the side it goes a step, or turns a page;
    // up and down it turns the wheel by a notch.
    function fingerDown(event) {
        const box = canvas.getBoundingClientRect();
        const drags = stage.page_drags((event.clientX - box.left) * density, (event.clientY - box.top) * density) !== 0;
        touch = { id: event.pointerId, x: event.clientX, y: event.clientY, drags, moved: false };
        point(MOVE, event);
        if (drags) point(PRESS, event);
    }
    function fingerMoved(event) {
        if (touch?.id !== event.pointerId) return;
        if (touch.drags) return point(MOVE, event);
        const across = Math.abs(event.clientX - touch.x), down = Math.abs(event.clientY - touch.y);
        if (Math.max(across, down) > 10) touch.moved = true;
        if (touch.wheeled || down <= across || down < 24) return;
        act('page_wheel', Math.sign(event.clientY - touch.y), 0);
        touch.wheeled = true;
    }
    function fingerUp(event) {
        if (touch?.id !== event.pointerId) return;
        const { x, drags, moved, wheeled } = touch, across = event.clientX - x;
        touch = null;
        if (!drags && !moved) point(PRESS, event);
        if (drags || !moved) point(RELEASE, event);
        else if (!wheeled && Math.abs(across) > 30) act('page_key', across < 0 ? PAGE_ON : PAGE_BACK);
        point(LEAVE, event);
    }

    addEventListener('keydown', event => {
        const key = event.target === way ? 0 : keyOf(event);
        if (key === 0) return;
        event.preventDefault();
        canvas.classList.remove('reached');
        byFinger(false);
        act('page_key', key);
    }, listening);
    addEventListener('keyup', event => {
        canvas.classList.toggle('reached', event.key === 'Tab' && document.activeElement === canvas);
    }, listening);
    canvas.addEventListener('pointerdown', event => {
        canvas.classList.remove('reached');
        byFinger(event.pointerType === 'touch');
        canvas.focus({ preventScroll: true });
        if (event.pointerType === 'touch') return fingerDown(event);
        if (event.button === 3 || event.button === 4) return act('page_act', event.button === 3 ? BACK : NEXT);
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        point(PRESS, event);
    });
    canvas.addEventListener('pointermove', event => {
        if (event.pointerType === 'touch') fingerMoved(event);
        else point(MOVE, event);
    });
    canvas.addEventListener('pointerup', event => {
        if (event.pointerType === 'touch') fingerUp(event);
        else if (event.button === 0) point(RELEASE, event);
    });
    canvas.addEventListener('pointercancel', event => { touch = null; point(LEAVE, event); });
    canvas.addEventListener('pointerleave', event => { if (event.pointerType !== 'touch') point(LEAVE, event); });
    canvas.addEventListener('wheel', event => {
        if (embedded && document.activeElement !== canvas) return; // somebody's page goes on under the wheel
        event.preventDefault();
        const lines = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
        act('page_wheel', -lines, Number(event.ctrlKey));
    }, { passive: false });
    addEventListener('resize', fit, listening);
    addEventListener('fullscreenchange', () => {
        stage.page_full_screen(document.fullscreenElement !== null);
        touched(0);
    }, listening);

    shown = () => {
        ending.abort();
        cancelAnimationFrame(frame);
        clearTimeout(timer);
        clearTimeout(later);
        clearTimeout(soon);
    };
    byFinger(matchMedia('(pointer: coarse)').matches);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => { stage.page_scheme(Number(scheme.matches)); dirty = true; ask(); };
    scheme.addEventListener('change', follow, listening);
    follow();
    fit();
    if (!embedded) canvas.focus({ preventScroll: true });
}

/* ------------------------------------------------------------------------------------- what is asked */

async function show() {
    address = location.hash;
    embedded = /^#embed(&|$)/.test(address);
    const typed = address.replace(/^#embed&?/, '#'), turn = ++turns;
    const words = typedWords(typed.length > 1 ? typed : '#' + parts.words);
    shown?.();
    shown = null;
    document.documentElement.lang = isChinese(words) ? 'zh-CN' : 'en';
    if (words[0] === 'code') return showCode(words);
    if (words[0] === 'lab') return showLab(words);
    if (words.length === 0 || (words.length === 2 && words[0] === '--lang')) return showStart(words);
    const program = await run(words, true);
    if (turn !== turns) return; // another address has been asked for
    if (program.status === null) showStage(words, program);
    else showText(words, program);
}

// Tells the page around the frame how high it should be: all of a text; of a picture what its width calls for.
function sayHeight() {
    if (!embedded || parent === window) return;
    const stage = document.querySelector('canvas'), wide = document.documentElement.clientWidth;
    const height = stage ? Math.min(Math.max(420, Math.round(0.58 * wide)), 760) : document.querySelector('main')?.offsetHeight ?? 0;
    parent.postMessage({ ringsim: { height } }, '*');
}

function complain(reason) {
    setPage('', element('main', element('pre', `ringsim: ${reason?.stack ?? reason}`)));
}

// The files that came with an exported page: lines "path base64" or "path gzip base64". The page begins at the top:
// nothing lies above it.
function addedFiles(text) {
    return Promise.all(text.split('\n').filter(line => line !== '').map(async line => {
        const [name, ...rest] = line.split(' '), path = [];
        for (const part of decodeURIComponent(name).split('/')) {
            if (part === '..') path.pop();
            else if (part !== '' && part !== '.') path.push(part);
        }
        return [path.join('/'), rest.length > 1 ? await gunzip(rest[1]) : bytesOf(rest[0])];
    }));
}

async function begin() {
    addEventListener('hashchange', () => { if (location.hash !== address) show().catch(complain); });
    addEventListener('resize', () => { markWide(); sayHeight(); });
    addEventListener('error', event => complain(event.error ?? event.message));
    addEventListener('unhandledrejection', event => complain(event.reason));
    const [module, archive] = await Promise.all([compile(partOf('program')), gunzip(partOf('archive'))]);
    const files = new Map([...untar(archive), ...await addedFiles(partOf('added'))]);
    parts = { module, files, words: partOf('words') };
    await show();
}

if (globalThis.document) begin().catch(complain); // elsewhere a test takes the functions that it wants
