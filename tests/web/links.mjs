// links.mjs: keys do in a page what they do in the window, and its address leads back to what is shown: links.mjs PAGE.html
//
//   - Words, keys, and what the title must say then; the page's link, opened anew, must say the same. A theme is in it only where
//     one was chosen.
import { openPage } from './page.mjs';

const page = await openPage(process.argv[2]);
const KEYS = { Right: 0x110000, Left: 0x110001, ShiftRight: 0x110004, End: 0x110009, Enter: 0x11000A };
const CASES = [
    ['--gpus 5 --step', 'Right Right', 'ring, 5 GPUs - step 1 of 0..7, done, GPU 0'],
    ['--gpus 5 --step', 'Right ShiftRight', 'ring, 5 GPUs - step 1 of 0..7, send, GPU 0'],
    ['--gpus 5 --step', 'g 6 Enter ShiftRight ShiftRight', 'ring, 5 GPUs - step 7 of 0..7, arrive, GPU 0'],
    ['-n 4 --bytes=1MB --at 1', 'End', 'ring, 4 GPUs - end, GPU 0'],
    ['--gpus 5 --at 3', 'w e k', 'ring, 5 GPUs - step 3 of 0..7, done, GPU 0 - stalls, 3 faults'],
    ['--slow-link 3:4 --late 1:1.5us --at 2', 'b', 'ring, 5 GPUs - step 2 of 0..7, done, GPU 0 - 3 faults'],
    ['--gpus 5 --at 3 --kill 1@5', 'u n .', 'ring, 6 GPUs - step 3 of 0..9, done, GPU 0'],
    ['--gpus 8 --algo halving --at 2 --theme dark', 'v t', 'halving, 8 GPUs - step 2 of 0..5, done, GPU 0', '--theme light'],
    ['--gpus 5 --at 0', 'x', 'ring, 5 GPUs - step 0 of 0..7, done, GPU 0 - race against naive'],
    ['--gpus 5 --at 1 --lang zh_CN', 'Right', 'ring，5 个 GPU - 第 2 步（0..7），完成，GPU 0'],
    ['train --gpus 4 --step', 'Right Right', 'ResNet-50, DistributedDataParallel, 4 GPUs - step 1 of 0..6, done, GPU 0'],
    ['--machine dgx-h100:2 --at 2 --show machine', 'Left', 'ring, 16 GPUs - step 1 of 0..29, done, rank 0'],
];

async function open(words) {
    const run = await page.run(words, { terminal: true, environment: { DISPLAY: 'page' } });
    if (run.status !== null) throw new Error(`${words}: ${run.said()}`);
    return run;
}
const titleOf = ({ exports, text }) => text(exports.page_title());

let failed = 0;
for (const [words, keys, wanted, holds = ''] of CASES) {
    const run = await open(words.split(' '));
    for (const key of keys.split(' ')) {
        run.exports.page_key(KEYS[key] ?? key.charCodeAt(0));
        for (let ms = 0; ms < 3000 && run.exports.page_still_ms() >= 0; ms += 100) run.exports.page_tick(100);
    }
    const link = page.linkOf(words.split(' '), run.text(run.exports.page_link()));
    const got = titleOf(run), again = titleOf(await open(page.typedWords('#' + encodeURI(link))));
    const good = got === wanted && again === wanted && link.includes(holds) && (holds !== '' || !link.includes('--theme'));
    failed ||= Number(!good);
    console.log(`${good ? 'ok' : 'not ok'} page: #${words}, ${keys}: ${wanted}`);
    if (!good) console.log(`    is: ${got}\n    #${link}: ${again}`);
}
process.exitCode = failed;
