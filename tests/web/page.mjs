// page.mjs: what tests without a browser take out of a page: its parts, and a run of its program.
import fs from 'node:fs';
import vm from 'node:vm';

export async function openPage(path) {
    const html = fs.readFileSync(path, 'utf8');
    const part = id => new RegExp(`<script type="[a-z/]*" id="${id}">([^<]*)</script>`).exec(html)[1];
    const script = html.slice(html.lastIndexOf('<script>') + 8, html.lastIndexOf('</script>'));
    const names = 'atob Blob Response DecompressionStream TextDecoder TextEncoder WebAssembly performance crypto MessageChannel';
    const globals = Object.fromEntries(names.split(' ').map(name => [name, globalThis[name]]));
    const take = 'gunzip, untar, startProgram, linkOf, addedFiles, typedWords';
    const page = vm.runInNewContext(`${script}; ({ ${take} })`, globals);
    const wasm = await page.gunzip(part('program'));
    const module = await WebAssembly.compile(wasm);
    const files = new Map([...page.untar(await page.gunzip(part('archive'))), ...await page.addedFiles(part('added'))]);
    // As a terminal-less program sees it: no window.
    const run = (words, { more = [], environment = {}, terminal = false } = {}) => page.startProgram({
        module, files: new Map([...files, ...more]), words, terminal,
        environment: { HOME: '/home', LANG: 'C.UTF-8', TERM: 'dumb', ...environment },
    });
    return { ...page, globals, html, module, files, wasm, run, words: page.typedWords('#' + part('words')) };
}
