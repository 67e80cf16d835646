'use strict';
// program.js: the program: its parts unpacked, one run of it begun.
//
//     unpack(page's texts) --> {module, files}      startProgram(module, files, words, ...) --> an instance
//
//   - Each run is an instance of its own, with a memory of its own: nothing of another run is left in it.
//   - While a command, or what a key has changed, is computed, it stops every BREATH_MS and lets the browser have a moment,
//     where the browser can wait for a promise inside WebAssembly; elsewhere it is computed in one go.

const OPENED = Symbol('the stage stands');
const BREATH_MS = 50;
const CAN_WAIT = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';

function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const signs = atob(base64), bytes = new Uint8Array(signs.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = signs.charCodeAt(i);
    return bytes;
}
const unzipped = (base64, type) => new Response(
    new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('gzip')), { headers: { 'Content-Type': type } });
const gunzip = async base64 => new Uint8Array(await unzipped(base64, 'application/octet-stream').arrayBuffer());
// Compiles while it unpacks.
const compile = base64 => WebAssembly.compileStreaming(unzipped(base64, 'application/wasm'));

// Reads a tar archive: a Map from path to bytes.
function untar(bytes) {
    const letters = new TextDecoder(), files = new Map();
    const field = (at, n) => letters.decode(bytes.subarray(at, at + n)).replace(/\0.*$/s, '');
    for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
        const size = parseInt(field(at + 124, 12), 8), prefix = field(at + 345, 155);
        const path = (prefix === '' ? '' : prefix + '/') + field(at, 100);
        if (bytes[at + 156] === 48) files.set(path, bytes.slice(at + 512, at + 512 + size)); // '0': a file
        at += 512 + Math.ceil(size / 512) * 512;
    }
    return files;
}

// A moment for what waits in the browser: a message comes after events and frames, and sooner than a timer.
const moment = () => new Promise(over => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); over(); };
    port2.postMessage(0);
});

// Runs the program with these words. Returns {exports, status, said, files, text, error}; status null: its window is
// open, and events are told to the exports. at(done, total) hears how far a long run is; false ends it.
async function startProgram({ module, files, words, environment, terminal, at = () => true }) {
    const system = makeSystem({ files, environment, terminal });
    const handles = makeHandles();
    let exports;
    const letters = new TextDecoder();
    const lent = {
        get memory() { return exports.memory; },
        allocate: n => exports.page_allocate(n),
        free: at => exports.page_free(at),
        text(at) {
            const bytes = new Uint8Array(exports.memory.buffer);
            return letters.decode(bytes.slice(at, bytes.indexOf(0, at)));
        },
    };
    let last = 0, goesOn = 1;
    function breathe(done, total) {
        if (!goesOn || performance.now() - last < BREATH_MS) return goesOn;
        goesOn = Number(at(done, total));
        return moment().then(() => { last = performance.now(); return goesOn; });
    }
    const env = { ...makePango(handles, lent), ...makeCairo(handles, lent), page_opened() { throw OPENED; },
        page_breathe: CAN_WAIT ? new WebAssembly.Suspending(breathe) : breathe };
    exports = (await WebAssembly.instantiate(module, { env, wasi_snapshot_preview1: system.imports })).exports;
    system.attach(exports.memory);
    exports._initialize();

    // Calls the program with what may take long; between two calls it waits for nothing.
    async function tell(name, ...numbers) {
        last = performance.now();
        exports.page_breathes(Number(CAN_WAIT));
        try {
            return await (CAN_WAIT ? WebAssembly.promising(exports[name]) : exports[name])(...numbers);
        } finally {
            exports.page_breathes(0);
        }
    }
    const put = text => {
        const letters = new TextEncoder().encode(text + '\0'), at = exports.page_allocate(letters.length);
        new Uint8Array(exports.memory.buffer).set(letters, at);
        return at;
    };
    const list = ['ringsim', ...words].map(put), argv = exports.page_allocate(4 * list.length + 4);
    new Uint32Array(exports.memory.buffer, argv, list.length + 1).set([...list, 0]);
    let status = null;
    try {
        status = await tell('page_main', list.length, argv);
    } catch (reason) {
        if (reason?.exit !== undefined) status = reason.exit;
        else if (reason !== OPENED) throw reason;
    }
    const said = fd => letters.decode(Uint8Array.from(
        system.said.filter(part => fd === undefined || part.fd === fd).flatMap(part => [...part.part])));
    return { exports, handles, status, said, files, put, tell, text: lent.text };
}
