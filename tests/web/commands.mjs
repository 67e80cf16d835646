// commands.mjs: what commands say in a page is what the program says, $RINGSIM: commands.mjs PAGE.html LISTED INPUTS DOCUMENTED WRITTEN
//
//   - LISTED: a file of commands, a line each, that run where INPUTS lie.
//   - DOCUMENTED: a folder with the commands of documents, N.cmd (tools/run-readme --commands), that run in the folder WRITTEN.
//   - Left out: what a page cannot do and says so, and what is a shell's: pipes, variables, quotes.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { openPage } from './page.mjs';

const [html, listed, inputs, documented, written] = process.argv.slice(2);
const page = await openPage(html);
const NOT_HERE = /\b(verify|grade|doctor)\b|\.c\b|--(help|export|lang)\b|\bhelp\b|--view window|--sandbox/;
const SHELL = /[|<>;&$`'"*(){}\\#=]/;
const isPlain = command => /^(\.\/)?ringsim /.test(command) && !SHELL.test(command) && !NOT_HERE.test(command);
const wordsOf = command => command.trim().split(/ +/).slice(1);

const environment = { LC_ALL: 'C.UTF-8', NO_COLOR: '1' };
const filesOf = folder => new Map(fs.readdirSync(folder, { recursive: true }).filter(name => fs.statSync(path.join(folder, name)).isFile())
    .map(name => [name, new Uint8Array(fs.readFileSync(path.join(folder, name)))]));
async function run(command, kept) {
    try {
        const { status, said, files } = await page.run(wordsOf(command), { environment, more: kept });
        for (const [name, bytes] of files) if (!name.includes('/')) kept.set(name, bytes); // for those that follow
        return { status, said: said() };
    } catch (reason) {
        return { status: 'threw', said: String(reason?.stack ?? reason) };
    }
}

let same = 0, other = 0;
function judge(good, command, got, wanted) {
    if (good) same++;
    else if (other++ < 5) console.log(`    ${command}: ${got.status}, wanted ${wanted}\n${got.said.slice(0, 400).replace(/^/gm, '      ')}`);
}
function report(what) {
    console.log(`${other === 0 && same > 0 ? 'ok' : 'not ok'} page: ${same} of ${same + other} ${what}`);
    process.exitCode ||= Number(other > 0 || same === 0);
    same = other = 0;
}

// Runs commands in the page and in a folder: they say, and answer, the same.
async function compare(commands, cwd) {
    const kept = filesOf(cwd);
    const env = { PATH: process.env.PATH, HOME: '/nowhere', TERM: 'dumb', ...environment };
    for (const command of new Set(commands)) {
        if (!isPlain(command)) continue;
        const native = spawnSync('sh', ['-c', 'exec "$0" "$@" 2>&1', process.env.RINGSIM, ...wordsOf(command)], { encoding: 'utf8', env, cwd });
        const got = await run(command, kept);
        judge(got.said === native.stdout && got.status === native.status, command, got, native.status);
    }
}

// Not those that read the tree's own files, which a page has under other names or not at all, nor the list of lessons,
// which ends with what to type.
await compare(fs.readFileSync(listed, 'utf8').split('\n').filter(command => !/lessons|assets\/|tests\/|lesson$/.test(command)), inputs);
report('commands say what the program says');

await compare(fs.readdirSync(documented, { recursive: true }).filter(name => name.endsWith('.cmd'))
    .map(name => fs.readFileSync(path.join(documented, name), 'utf8').trim()), written);
report("commands of READMEs and lessons say what the program says");

// What learners hand in, right and wrong: the interpreter is the same.
const handedIn = fs.readdirSync('lessons', { recursive: true })
    .filter(name => /^\d\d-[a-z-]*\/(exercise|example|fill|own|wrong\/[^/]*)\.c$/.test(name)).map(name => `lessons/${name}`);
for (const file of handedIn.sort()) {
    const command = `ringsim --algo ${file} --interpret --gpus 5 --json`;
    const native = spawnSync(process.env.RINGSIM, wordsOf(command), { encoding: 'utf8' });
    const got = await run(command, new Map([[file, new Uint8Array(fs.readFileSync(file))]]));
    judge(got.said === native.stdout + native.stderr && got.status === native.status, command, got, native.status);
}
report("functions that learners hand in run as in the program");

// And their points: of each C file, of each key to a lab's mixed lines. What took how long is left out.
const timeless = text => text.replace(/\(\d+\.\ds\)/g, '(s)');
const rights = fs.readdirSync('lessons', { recursive: true }).filter(name => name.endsWith('parsons.key')).map(name => `lessons/${name}`);
for (const file of [...handedIn, ...rights].sort()) {
    const named = file.replace('parsons.key', 'my.parsons'), bytes = new Uint8Array(fs.readFileSync(file));
    const here = path.join(written, path.basename(named));
    fs.writeFileSync(here, bytes);
    const command = `ringsim grade ${file.slice(8, 10)} ${path.basename(named)} --interpret`;
    fs.rmSync(path.join(written, '.local'), { recursive: true, force: true }); // points of the labs before
    const native = spawnSync(process.env.RINGSIM, wordsOf(command), { encoding: 'utf8', cwd: written,
        env: { ...process.env, HOME: written, XDG_DATA_HOME: '', RINGSIM_LESSONS: path.resolve('lessons') } });
    const got = await run(command, new Map([[path.basename(named), bytes]]));
    judge(timeless(got.said) === timeless(native.stdout + native.stderr).replaceAll(process.env.RINGSIM, 'ringsim') && got.status === native.status, command, got, native.status);
}
report("exercises have the points that the program gives");

// What the interpreter does not know has no points here either, and no compiler to turn to.
{
    const bytes = new TextEncoder().encode('struct b { int x : 3; };\nint send_chunk(int step, int rank, int n) { return step + rank + n; }\n');
    const got = await run('ringsim grade 05 b.c', new Map([['b.c', bytes]]));
    const said = "b.c:1: a bit-field: beyond this page's interpreter, so not judged; the program on a computer reads it with a compiler";
    judge(got.status === 3 && got.said.includes(said) && !got.said.includes('Score'), 'grade 05 b.c', got, 3);
}
report("what the interpreter does not know is not judged");
{
    const got = await run('ringsim explain node.xml', new Map([['node.xml', new TextEncoder().encode('<system version="1"></system>')]]));
    judge(got.status === 3 && got.said.includes('the program on a computer reads it'), 'explain node.xml', got, 3);
}
report("an XML is not read, and that is said");

// Pictures, films and pages: what this page saves, and who writes the rest.
for (const [ending, said] of [['png', 's (PNG)'], ['pdf', 's (PNG)'], ['mp4', 'films too'], ['html', 'not in a page']]) {
    const got = await run(`ringsim --gpus 5 --export t.${ending}`, new Map()), lines = got.said.trimEnd().split('\n').length;
    judge(got.status === 3 && got.said.includes(said) && lines === 1 && !/ffmpeg|make page/.test(got.said), `--export t.${ending}`, got, 3);
}
report("what --export asks for is said in a sentence");
