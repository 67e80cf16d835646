// suites.mjs: runs suites.wasm (tests/web/run_suites.c) with the tree's own files: suites.mjs FILE.wasm [N]
//
// All its tests, each in a process of its own, or the N-th.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { WASI } from 'node:wasi';

const [file, test] = process.argv.slice(2);
function run(n) {
    const module = new WebAssembly.Module(fs.readFileSync(file));
    // Nothing is painted: whatever asks a browser for something fails.
    const env = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        if (from === 'env') env[name] = name === 'page_breathe' ? () => 1 : () => { throw new Error(`a suite paints: ${name}`); };
    }
    const wasi = new WASI({ version: 'preview1', args: ['suites', n], env: { PWD: '/' }, preopens: { '/': '.' }, returnOnExit: true });
    return wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport, env }));
}
function runAll() {
    let failed = 0;
    for (let n = 0; ; n++) {
        const { status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1], file, String(n)], { stdio: 'inherit' });
        if (status === 2) return failed || n === 0 ? 1 : 0;
        failed ||= status !== 0;
    }
}
process.exitCode = test === undefined ? runAll() : run(test);
