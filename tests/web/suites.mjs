// suites.mjs: runs suites.wasm (tests/web/run_suites.c), test by test, with the tree's own files: suites.mjs FILE.wasm
import fs from 'node:fs';
import { WASI } from 'node:wasi';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
// Nothing is painted: whatever asks a browser for something fails.
const env = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === 'env') env[name] = name === 'page_breathe' ? () => 1 : () => { throw new Error(`a suite paints: ${name}`); };
}
let failed = 0, tested = 0;
for (;; tested++) {
    const wasi = new WASI({ version: 'preview1', args: ['suites', String(tested)], env: { PWD: '/' },
        preopens: { '/': '.' }, returnOnExit: true });
    const status = wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport, env }));
    if (status === 2) break;
    failed ||= status;
}
process.exitCode = failed || tested === 0 ? 1 : 0;
