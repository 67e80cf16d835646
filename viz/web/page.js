'use strict';
// page.js: the page: what stands behind # is the command line.
//
//     #--gpus 5 --step     a run, in the window     #lesson 5     a lesson     #list     a command's text
//     nothing              the start: the course, and a few commands     #code     one's own function or schedule
//
//   - The address is always a link to exactly what is shown: this run, changed as it was, at this moment.
//   - Keys, mouse and fingers go to the stage, which is the window's; a frame is painted when something moves.

const KEYS = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Shift+ArrowRight', 'Shift+ArrowLeft', 'PageDown',
    'PageUp', 'Home', 'End', 'Enter', 'Backspace', 'Tab', 'Shift+Tab', 'Escape', 'Shift+ArrowDown', 'Shift+ArrowUp'];
const FIRST_KEY = 0x110000, PAGE_ON = FIRST_KEY + 6, PAGE_BACK = FIRST_KEY + 7, OTHER_NAMES = { F1: '?', F11: 'f' };
const MOVE = 0, PRESS = 1, RELEASE = 2, LEAVE = 3; // of rv_pointer
const NEXT = 2, BACK = 3; // of rv_action
const WISH_PNG = 1, WISH_SVG = 2, WISH_QUIT = 4, WISH_FULL = 8;
const LONGEST_MS = 250; // after a longer frame the motion goes on by so much only
const PROGRESS = 'home/.local/share/ringsim/progress';

const CHINESE = {
    'Collective communication, step by step': '集合通信，一步一步看',
    'The course': '课程',
    'Begin here': '从这里开始',
    'min': '分钟',
    'The ring of five GPUs, step by step': '五个 GPU 的环，一步一步看',
    'Ring against one reducer: a race': '环与单一归约者竞速',
    'All views of one moment': '同一时刻的所有视图',
    'A machine of two nodes: whose wires are busy': '两个节点的机器：哪些线路在忙',
    'Training with four GPUs': '用四个 GPU 训练',
    'Algorithms over sizes and world sizes': '各种算法，随数据量和 GPU 个数变化',
    'Your own function': '自己写函数',
    'Write it, run it, and watch what it does: C as in ring.h, or a schedule.': '写好后运行，看它做什么：C（见 ring.h），或一个调度。',
    'Back to your own function': '回到自己写的函数',
    'One command': '一条命令',
    'Run': '运行',
    'To the start': '回到开头',
    'All keys: ? in any picture; q leads back to here.': '所有按键：在任何画面里按 ?；按 q 回到这里。',
};
const EXAMPLES = [
    ['--gpus 5 --step', 'The ring of five GPUs, step by step'],
    ['--gpus 5 --compare naive', 'Ring against one reducer: a race'],
    ['--gpus 5 --at 3 --show all', 'All views of one moment'],
    ['--machine dgx-h100:2 --show machine', 'A machine of two nodes: whose wires are busy'],
    ['train --mode ddp --gpus 4 --step', 'Training with four GPUs'],
    ['compare --gpus 2..9', 'Algorithms over sizes and world sizes'],
    ['code', 'Your own function'],
];

let parts = null; // the program: {module, files}
let shown = null; // what ends what is shown now
let address = ''; // the hash that we have written ourselves

/* ------------------------------------------------------------------------------------- small things */

const element = (name, ...inside) => {
    const made = document.createElement(name);
    made.append(...inside);
    return made;
};
const link = (words, ...inside) => {
    const made = element('a', ...inside);
    made.href = '#' + encodeURI(words);
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
const partOf = id => document.getElementById(id).textContent; // of the file
const remembered = { // of the browser: the learner's place, and what was written
    get: what => { try { return localStorage.getItem(`ringsim ${what}`); } catch { return null; } },
    set(what, text) { try { localStorage.setItem(`ringsim ${what}`, text); } catch { /* it has no memory */ } },
};

function environmentOf(words) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return { HOME: '/home', LANG: isChinese(words) ? 'zh_CN.UTF-8' : 'en_US.UTF-8', DISPLAY: 'page', TERM: 'dumb',
        RINGSIM_REDUCED_MOTION: still ? '1' : '0' };
}

async function run(words, terminal) {
    const files = new Map(parts.files), kept = remembered.get('progress'), bytes = new TextEncoder();
    if (kept !== null) files.set(PROGRESS, bytes.encode(kept));
    for (const name of OWN) if (words.includes(name) && !files.has(name)) files.set(name, bytes.encode(ownCode()));
    return startProgram({ module: parts.module, files, words, environment: environmentOf(words), terminal });
}

/* ------------------------------------------------------------------------------------- texts */

const sayIn = words => text => (isChinese(words) && CHINESE[text]) || text;

function commandLine(words, say) {
    const form = element('form', element('label', 'ringsim')), input = element('input');
    input.value = words.join(' ');
    input.autocapitalize = input.autocomplete = 'off';
    input.spellcheck = false;
    input.setAttribute('aria-label', say('One command'));
    form.append(input, element('button', say('Run')));
    form.addEventListener('submit', event => {
        event.preventDefault();
        location.hash = '#' + encodeURI(input.value.trim().replace(/^(\.\/)?ringsim\s*/, '') || 'help');
    });
    return form;
}

function setPage(className, ...inside) {
    document.body.className = className;
    document.body.replaceChildren(...inside);
}

// How much of a lesson is behind the reader.
function wayOf({ furthest, stops }) {
    const way = element('progress');
    way.max = stops - 1;
    way.value = furthest;
    return way;
}

async function showStart(words) {
    const say = sayIn(words), lang = words.length > 0 ? ' ' + words.join(' ') : '';
    const list = JSON.parse((await run(['lesson', '--json', ...words], false)).said(1));
    const lessons = list.lessons.map(lesson => element('li', link(`lesson ${lesson.number}${lang}`,
        element('b', String(lesson.number)), element('span', lesson.title),
        element('small', `${lesson.minutes} ${say('min')}`), ...(lesson.furthest > 0 ? [wayOf(lesson)] : []))));
    const examples = EXAMPLES.map(([example, text]) =>
        element('li', link(example + lang, element('span', say(text)), element('code', example))));
    const other = isChinese(words) ? link('--lang en', 'English') : link('--lang zh_CN', '中文');
    document.title = 'ringsim';
    setPage('', element('main', element('nav', other), element('h1', 'ringsim'),
        element('p', say('Collective communication, step by step')),
        element('h2', say('Begin here')), element('ul', ...examples),
        element('h2', say('The course')), element('ol', ...lessons),
        element('h2', say('One command')), commandLine([], say),
        element('p', element('small', say('All keys: ? in any picture; q leads back to here.')))));
}

function showText(words, program) {
    const say = sayIn(words);
    const pre = element('pre'), text = program.said();
    let at = 0;
    for (const found of text.matchAll(/(?:\.\/)?ringsim ((?:lesson|train|sampler|mapreduce|launch|compare|machine|--)[^\n|>'"，。]*[^\s|>'"，。.;,)])/g)) {
        pre.append(text.slice(at, found.index), link(found[1], found[0]));
        at = found.index + found[0].length;
    }
    pre.append(text.slice(at));
    const home = element('a', say('To the start'));
    home.href = '#';
    document.title = `ringsim ${words.join(' ')}`;
    const own = words.some(word => OWN.includes(word));
    setPage('', element('main', commandLine(words, say), pre,
        element('p', own ? link(`code --lang ${isChinese(words) ? 'zh_CN' : 'en'}`, say('Back to your own function')) : home)));
}

/* ------------------------------------------------------------------------------------- one's own */

// What a learner writes: C or a schedule, kept in the browser, and a file of the program's.
const OWN = ['my_ring.c', 'my.sched'];
const ownFile = code => (/^ringsim-schedule\b/m.test(code) ? OWN[1] : OWN[0]);
const ownCode = () => remembered.get('code') ?? new TextDecoder().decode(parts.files.get('code/05-exercise.c'));

// An editor: a few texts to begin with, and a run of what stands there.
function showCode(words) {
    const say = sayIn(words), lang = ` --lang ${isChinese(words) ? 'zh_CN' : 'en'}`;
    const area = element('textarea'), gpus = element('input'), form = element('form'), starts = element('p');
    area.value = ownCode();
    area.spellcheck = false;
    area.setAttribute('aria-label', say('Your own function'));
    gpus.type = 'number';
    Object.assign(gpus, { min: 1, max: 64, value: 5 });
    gpus.setAttribute('aria-label', 'GPUs');
    form.append(element('label', 'GPUs'), gpus, element('button', say('Run')));
    form.addEventListener('submit', event => {
        event.preventDefault();
        remembered.set('code', area.value);
        const n = ownFile(area.value) === OWN[0] ? ` --gpus ${gpus.value}` : '';
        location.hash = '#' + encodeURI(`--algo ${ownFile(area.value)}${n} --step --show rule${lang}`);
    });
    for (const path of [...parts.files.keys()].filter(path => path.startsWith('code/'))) {
        const start = element('button', path.slice(5));
        start.addEventListener('click', () => { area.value = new TextDecoder().decode(parts.files.get(path)); });
        starts.append(start, ' ');
    }
    document.title = `ringsim: ${say('Your own function')}`;
    setPage('', element('main', element('nav', link(lang.trim(), say('To the start'))), element('h1', say('Your own function')),
        element('p', say('Write it, run it, and watch what it does: C as in ring.h, or a schedule.')), starts, area, form));
}

/* ------------------------------------------------------------------------------------- the window */

const LOOKS = ['--step', '--predict', '--at', '--moment', '--show', '--compare', '--theme', '--lang'];
const FAULTS = ['--slow-link', '--late', '--straggler', '--kill', '--flip', '--slow-reduce', '--down', '--cut'];
const SAME = { '--gpus': ['-n'], '--count': ['--bytes'] };

// The words that were typed, with what page_link says in the place of what it replaces.
function linkOf(words, said) {
    const now = said.slice(1).split(/ +/).filter(word => word !== '');
    const gone = new Set([...LOOKS, ...(said[0] === '!' ? FAULTS : [])]);
    for (const word of now) if (word.startsWith('--')) [word, ...(SAME[word] ?? [])].forEach(name => gone.add(name));
    const kept = [];
    for (let i = 0; i < words.length; i++) {
        const name = words[i].replace(/=.*/, '');
        if (!gone.has(name)) kept.push(words[i]);
        else if (name !== '--step' && name !== '--predict' && !words[i].includes('=')) i++; // and its value
    }
    return [...kept.map(quoted), ...now].join(' ');
}

function showStage(words, program) {
    const { exports: stage, handles, text, put } = program;
    const canvas = element('canvas'), heard = element('div');
    let surface = 0, density = 1, frame = 0, timer = 0, later = 0, before = performance.now(), dirty = true;
    let touch = null; // where a finger went down, and what it does
    const ending = new AbortController(), listening = { signal: ending.signal };
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    heard.className = 'heard';
    heard.setAttribute('aria-live', 'polite');
    setPage('stage', canvas, heard);

    function fit() {
        density = window.devicePixelRatio || 1;
        const box = canvas.getBoundingClientRect();
        canvas.width = Math.round(box.width * density);
        canvas.height = Math.round(box.height * density);
        if (surface !== 0) handles.drop(surface);
        surface = handles.add({ width: canvas.width, height: canvas.height, canvas });
        stage.page_resize(canvas.width, canvas.height, density);
        dirty = true;
        ask();
    }

    function ask() {
        if (frame === 0) frame = requestAnimationFrame(loop);
    }

    function loop() {
        frame = 0;
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
        const title = 'ringsim: ' + text(stage.page_title());
        if (document.title !== title) document.title = title;
        canvas.style.cursor = stage.page_hand() ? 'pointer' : '';
        clearTimeout(later);
        later = setTimeout(settle, 300);
    }

    // When nothing has moved for a while: what is heard, the address, the learner's place.
    function settle() {
        const ground = (stage.page_ground() >>> 8).toString(16).padStart(6, '0');
        document.body.style.background = '#' + ground;
        const says = text(stage.page_says());
        if (heard.textContent !== says) heard.textContent = says;
        canvas.setAttribute('aria-label', says);
        address = '#' + encodeURI(linkOf(words, text(stage.page_link())));
        if (location.hash !== address) history.replaceState(null, '', address);
        const progress = program.files.get(PROGRESS);
        if (progress) remembered.set('progress', new TextDecoder().decode(progress));
    }

    // Something has happened to the stage.
    function touched(status) {
        if (status) throw new Error(text(stage.page_error()));
        if (stage.page_still_ms() < 0) before = performance.now();
        dirty = true;
        ask();
        const wishes = stage.page_wishes();
        if (wishes & WISH_PNG) savePng();
        if (wishes & WISH_SVG) saveSvg();
        if (wishes & WISH_QUIT) leave();
        const full = (wishes & WISH_FULL) !== 0;
        if (full !== (document.fullscreenElement !== null)) {
            const asked = full ? document.documentElement.requestFullscreen?.() : document.exitFullscreen?.();
            (asked ?? Promise.reject()).catch(() => stage.page_full_screen(document.fullscreenElement !== null));
        }
    }

    // To the start, or to what a learner has written.
    function leave() {
        const lang = /--lang \S+/.exec(text(stage.page_link()))[0];
        location.hash = '#' + encodeURI((words.some(word => OWN.includes(word)) ? 'code ' : '') + lang);
    }

    // The picture without what the pointer lights up, on a canvas of its own or as SVG.
    function draw(more) {
        const surface = { width: canvas.width, height: canvas.height, ...more };
        const number = handles.add(surface);
        stage.page_picture(number);
        handles.drop(number);
        return surface;
    }

    function save(picture, name) {
        const to = element('a');
        to.href = URL.createObjectURL(picture);
        to.download = name;
        to.click();
        setTimeout(() => URL.revokeObjectURL(to.href), 10000);
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
        touched(stage.page_pointer(what, (event.clientX - box.left) * density, (event.clientY - box.top) * density));
    };

    // A finger: a tap clicks; on a slider or the timeline it drags; to the side it goes a step, or turns a page;
    // up and down it turns the wheel.
    function fingerDown(event) {
        const box = canvas.getBoundingClientRect();
        const drags = stage.page_drags((event.clientX - box.left) * density, (event.clientY - box.top) * density) !== 0;
        touch = { id: event.pointerId, x: event.clientX, y: event.clientY, turned: event.clientY, drags, moved: false };
        point(MOVE, event);
        if (drags) point(PRESS, event);
    }
    function fingerMoved(event) {
        if (touch?.id !== event.pointerId) return;
        if (touch.drags) return point(MOVE, event);
        const across = Math.abs(event.clientX - touch.x), down = Math.abs(event.clientY - touch.y);
        if (Math.max(across, down) > 10) touch.moved = true;
        if (touch.moved && down > across && Math.abs(event.clientY - touch.turned) > 24) {
            touched(stage.page_wheel(Math.sign(event.clientY - touch.turned), 0));
            touch.turned = event.clientY;
            touch.wheeled = true;
        }
    }
    function fingerUp(event) {
        if (touch?.id !== event.pointerId) return;
        const { x, drags, moved, wheeled } = touch, across = event.clientX - x;
        touch = null;
        if (!drags && !moved) point(PRESS, event);
        if (drags || !moved) point(RELEASE, event);
        else if (!wheeled && Math.abs(across) > 30) touched(stage.page_key(across < 0 ? PAGE_ON : PAGE_BACK));
        point(LEAVE, event);
    }

    addEventListener('keydown', event => {
        const key = keyOf(event);
        if (key === 0) return;
        event.preventDefault();
        touched(stage.page_key(key));
    }, listening);
    canvas.addEventListener('pointerdown', event => {
        canvas.focus({ preventScroll: true });
        if (event.pointerType === 'touch') return fingerDown(event);
        if (event.button === 3 || event.button === 4) return touched(stage.page_act(event.button === 3 ? BACK : NEXT));
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
        event.preventDefault();
        const lines = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
        touched(stage.page_wheel(-lines, Number(event.ctrlKey)));
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
    };
    fit();
    canvas.focus({ preventScroll: true });
}

/* ------------------------------------------------------------------------------------- what is asked */

async function show() {
    const words = typedWords(location.hash === '' ? '#' + partOf('words') : location.hash);
    shown?.();
    shown = null;
    document.documentElement.lang = isChinese(words) ? 'zh-CN' : 'en';
    if (words[0] === 'code') return showCode(words);
    if (words.length === 0 || (words.length === 2 && words[0] === '--lang')) return showStart(words);
    const program = await run(words, true);
    if (program.status === null) showStage(words, program);
    else showText(words, program);
}

function complain(reason) {
    setPage('', element('main', element('pre', `ringsim: ${reason?.stack ?? reason}`)));
}

// The files that came with an exported page: lines "path base64".
function addedFiles(text) {
    return text.split('\n').filter(line => line !== '').map(line => {
        const [path, bytes] = line.split(' ');
        return [decodeURIComponent(path), Uint8Array.from(atob(bytes), sign => sign.charCodeAt(0))];
    });
}

async function begin() {
    addEventListener('hashchange', () => { if (location.hash !== address) show().catch(complain); });
    addEventListener('error', event => complain(event.error ?? event.message));
    addEventListener('unhandledrejection', event => complain(event.reason));
    const [wasm, archive] = await Promise.all([gunzip(partOf('program')), gunzip(partOf('archive'))]);
    const files = new Map([...untar(archive), ...addedFiles(partOf('added'))]);
    parts = { module: await WebAssembly.compile(wasm), files };
    await show();
}

if (globalThis.document) begin().catch(complain); // elsewhere a test takes the functions that it wants
