// links.mjs: keys do in a page what they do in the window, and its address leads back to what is shown: links.mjs PAGE.html
//
//   - Words, keys, and how the title must begin then; the page's link, opened anew by the same reader, must say the same, the same to ears,
//     and have the same link. A theme is in it only where one was chosen.
import { openPage } from './page.mjs';

const page = await openPage(process.argv[2]);
const KEYS = { Right: 0x110000, Left: 0x110001, Down: 0x110003, ShiftRight: 0x110004, End: 0x110009, Enter: 0x11000A };
const CASES = [
    ['--gpus 5 --step', 'Right Right', 'ring, 5 GPUs - step 1 of 0..7, done, GPU 0'],
    ['--gpus 5 --step', 'Right ShiftRight Down Down +', 'ring, 5 GPUs - step 1 of 0..7, send, GPU 2'],
    ['--gpus 5 --late 3:2ms --follow 4 --at 2', 'F k n .', 'ring, 6 GPUs - step 3 of 0..9, send, GPU 4 - stalls, 2 faults, fork'],
    ['--gpus 5 --slow-link 2:10 --follow 2 --at 2 --moment underway', 'F k', 'ring, 5 GPUs - step 2 of 0..7, send, GPU 2 - stalls, 2 faults, fork'],
    ['--gpus 5 --kill 2@3 --before "--gpus 6 --late 1:1ms" --at 2', '- Right', 'ring, 5 GPUs - step 3 of 0..7, done, GPU 0 - stalls, 1 fault, fork'],
    ['--gpus 5 --step', 'g 6 Enter ShiftRight ShiftRight', 'ring, 5 GPUs - step 7 of 0..7, arrive, GPU 0'],
    ['-n 4 --bytes=1MB --at 1', 'End', 'ring, 4 GPUs - end, GPU 0'],
    ['--gpus 5 --at 3', 'w e k', 'ring, 5 GPUs - step 3 of 0..7, done, GPU 0 - stalls, 3 faults'],
    ['--slow-link 3:4 --late 1:1.5us --at 2', 'b', 'ring, 5 GPUs - step 2 of 0..7, done, GPU 0 - 3 faults'],
    ['--gpus 5 --at 3 --kill 1@5', 'u n .', 'ring, 6 GPUs - step 3 of 0..9, done, GPU 0'],
    ['--gpus 8 --algo halving --at 2 --theme dark', 'v t', 'halving, 8 GPUs - step 2 of 0..5, done, GPU 0', '--theme light'],
    ['--gpus 5 --at 0', 'x', 'ring, 5 GPUs - step 0 of 0..7, done, GPU 0 - race against naive'],
    ['--gpus 5 --at 1 --lang zh_CN', 'Right', 'ring，5 个 GPU - 第 2 步（0..7），完成，GPU 0'],
    ['train --gpus 4 --step', 'Right Right', 'ResNet-50, DistributedDataParallel, 4 GPUs - step 1 of 0..6, done, GPU 0'],
    ['--gpus 5 --step', 'i', 'ring, 5 GPUs - start, GPU 0'],
    ['lesson 5 --at 6', 'l', '第 5 课，预测', 'lesson 5 --at 6'],
    ['lesson 5 --at 6', 'a Enter', "lesson 5, the prediction's answer"],
    ['lesson 5 --at 6', 'a Enter Enter l', '第 5 课，第 4/'],
    ['lesson 5 --class', 'Enter', 'lesson 5, page 1 of'],
    ['--machine dgx-h100:2 --at 2 --show machine', 'Left', 'ring, 16 GPUs - step 1 of 0..29, done, rank 0'],
];

async function open(words, more = []) {
    const run = await page.run(words, { terminal: true, environment: { DISPLAY: 'page' }, more });
    if (run.status !== null) throw new Error(`${words}: ${run.said()}`);
    return run;
}
function settle({ exports }) {
    for (let ms = 0; ms < 3000 && exports.page_still_ms() >= 0; ms += 100) exports.page_tick(100);
}
const linkOf = (words, run) => page.linkOf(words, run.text(run.exports.page_link()));
const saysOf = ({ exports, text }) => text(exports.page_says());
const titleOf = ({ exports, text }) => text(exports.page_title());

let failed = 0;
for (const [words, keys, wanted, holds = ''] of CASES) {
    const typed = page.typedWords('#' + words), run = await open(typed);
    for (const key of keys.split(' ')) {
        run.exports.page_key(KEYS[key] ?? key.charCodeAt(0));
        settle(run);
    }
    const link = linkOf(typed, run), got = titleOf(run), said = saysOf(run);
    const anew = page.typedWords('#' + encodeURI(link)), other = await open(anew, run.files);
    settle(other);
    const again = titleOf(other);
    const held = link.includes(holds) && (holds !== '' || !link.includes('--theme'));
    const good = got.startsWith(wanted) && again === got && held && linkOf(anew, other) === link && said.endsWith(saysOf(other));
    failed ||= Number(!good);
    console.log(`${good ? 'ok' : 'not ok'} page: #${words}, ${keys}: ${wanted}`);
    if (!good) console.log(`    is: ${got}: ${said}\n    #${link}: ${again}: ${saysOf(other)}\n    #${linkOf(anew, other)}`);
}
process.exitCode = failed;
