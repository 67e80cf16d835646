// browser.mjs: a browser without a window, Chromium or Firefox, driven as a person would: keys, mouse, fingers, looks.
//
//     const browser = await openBrowser('chromium' | 'firefox', {folder, reduced, dark})
//     await browser.fit({width, height, density}); await browser.go(url)
//     await browser.evaluate('expression')              what a page's own script would get; promises are awaited
//     await browser.key('Shift+ArrowRight'); await browser.mouse([['move', x, y], ['down'], ['up'], ['wheel', dy]])
//     await browser.finger([[x, y], ...])               put down at the first place, lifted at the last
//     await browser.look(), print()                     a PNG, a PDF
//     browser.faults, browser.asked                     what the console complained of; which addresses were asked for
//
//   - Chromium speaks its DevTools protocol, Firefox WebDriver BiDi, both over a WebSocket on this machine.
//   - Nothing outside is reached: a proxy that is not there stands before every address but this machine's.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { connect } from './socket.mjs';

const PATIENCE_MS = 60000;
const NAMES = { chromium: ['chromium', 'chromium-browser', 'google-chrome'], firefox: ['firefox-esr', 'firefox'] };
const CODES = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, PageUp: 33, PageDown: 34, End: 35, Home: 36,
    Enter: 13, Escape: 27, Tab: 9, Backspace: 8, Shift: 16, ' ': 32 };
const SIGNS = { ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015', PageUp: '\uE00E',
    PageDown: '\uE00F', End: '\uE010', Home: '\uE011', Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004',
    Backspace: '\uE003', Shift: '\uE008' };

export const wait = ms => new Promise(done => setTimeout(done, ms));

export function programOf(kind) {
    const folders = (process.env.PATH ?? '').split(':');
    for (const name of NAMES[kind]) {
        const found = folders.map(folder => path.join(folder, name)).find(file => fs.existsSync(file));
        if (found) return found;
    }
    return null;
}

// Starts a program and waits for a line on standard error: [process, what the pattern caught].
function start(program, args, environment, pattern) {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...environment } });
    let said = '';
    return new Promise((resolve, reject) => {
        const late = setTimeout(() => { child.kill('SIGKILL'); reject(new Error(`${program} does not start:\n${said}`)); }, PATIENCE_MS);
        child.stderr.on('data', bytes => {
            said += bytes;
            const found = pattern.exec(said);
            if (!found) return;
            clearTimeout(late);
            child.stderr.removeAllListeners('data').resume();
            resolve([child, found[1]]);
        });
        child.on('error', reject);
        child.on('exit', status => reject(new Error(`${program} ended with ${status}:\n${said}`)));
    });
}

// Commands with numbers, and their answers; what nobody asked for goes to `event`.
async function talk(url, event) {
    const waiting = new Map();
    let last = 0;
    const socket = await connect(url, message => {
        const asked = waiting.get(message.id);
        if (asked === undefined) return event(message);
        waiting.delete(message.id);
        clearTimeout(asked.late);
        if (message.error) asked.reject(new Error(`${asked.method}: ${JSON.stringify(message)}`));
        else asked.resolve(message.result);
    });
    const ask = (method, params = {}, more = {}) => new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${method}: no answer in ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
        waiting.set(++last, { resolve, reject, late, method });
        socket.send({ id: last, method, params, ...more });
    });
    return { ask, end: socket.end };
}

function partsOf(name) {
    const shift = name.startsWith('Shift+'), key = shift ? name.slice(6) : name;
    return { shift, key };
}

async function openChromium(program, { folder, reduced, dark }) {
    const faults = [], asked = [], downloads = path.join(folder, 'downloads');
    const [child, url] = await start(program, ['--headless=new', '--no-sandbox', '--remote-debugging-port=0', '--disable-gpu',
        `--user-data-dir=${folder}`, '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--hide-scrollbars', '--force-color-profile=srgb', '--lang=en-US', '--window-size=1280,720',
        '--proxy-server=127.0.0.1:9', ...(reduced ? ['--force-prefers-reduced-motion'] : []), 'about:blank'], { LANGUAGE: 'en' },
    /DevTools listening on (ws:\S+)/);
    let loaded = () => {};
    const session = {};
    const { ask, end } = await talk(url, ({ method, params }) => {
        if (method === 'Runtime.exceptionThrown') faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === 'Runtime.consoleAPICalled' && /error|warning|assert/.test(params.type)) faults.push(params.args.map(a => a.value).join(' '));
        if (method === 'Log.entryAdded' && /error|warning/.test(params.entry.level)) faults.push(params.entry.text);
        if (method === 'Network.requestWillBeSent') asked.push(params.request.url);
        if (method === 'Page.loadEventFired') loaded();
    });
    const { targetInfos } = await ask('Target.getTargets');
    const { targetId } = targetInfos.find(target => target.type === 'page');
    session.sessionId = (await ask('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    const command = (method, params) => ask(method, params, session);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await command(`${domain}.enable`);
    await command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    await ask('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
    let at = { x: 0, y: 0 };
    const button = (type, buttons) => command('Input.dispatchMouseEvent', { type, ...at, button: 'left', buttons, clickCount: 1 });

    async function key(name) {
        const { shift, key } = partsOf(name), modifiers = shift ? 8 : 0, named = key.length > 1;
        const code = CODES[key] ?? key.toUpperCase().charCodeAt(0);
        const event = { key, modifiers, windowsVirtualKeyCode: code, code: named ? key : /[a-z]/i.test(key) ? `Key${key.toUpperCase()}` : '' };
        await command('Input.dispatchKeyEvent', { type: named ? 'rawKeyDown' : 'keyDown', ...event, ...(named ? {} : { text: key }) });
        await command('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    }
    return {
        faults, asked, downloads, command,
        version: (await ask('Browser.getVersion')).product,
        async fit({ width, height, density = 1 }) {
            await command('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: density, mobile: false });
        },
        async go(url) {
            const done = new Promise(resolve => { loaded = resolve; });
            await command('Page.navigate', { url: 'about:blank' });
            await done;
            const there = new Promise(resolve => { loaded = resolve; });
            await command('Page.navigate', { url });
            await there;
        },
        async evaluate(expression) {
            const { result, exceptionDetails } = await command('Runtime.evaluate',
                { expression, awaitPromise: true, returnByValue: true, allowUnsafeEvalBlockedByCSP: false });
            if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        },
        key,
        async mouse(events) {
            for (const [what, ...numbers] of events) {
                if (what === 'move') {
                    at = { x: numbers[0], y: numbers[1] };
                    await command('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at, buttons: numbers[2] ?? 0, button: numbers[2] ? 'left' : 'none' });
                } else if (what === 'down') await button('mousePressed', 1);
                else if (what === 'up') await button('mouseReleased', 0);
                else await command('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX: 0, deltaY: numbers[0] });
            }
        },
        async finger(places) {
            for (const [i, [x, y]] of places.entries()) {
                await command('Input.dispatchTouchEvent', { type: i === 0 ? 'touchStart' : 'touchMove', touchPoints: [{ x, y }] });
            }
            await command('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        },
        async look() { return Buffer.from((await command('Page.captureScreenshot', { format: 'png' })).data, 'base64'); },
        async print() {
            const { data } = await command('Page.printToPDF', { landscape: true, printBackground: true });
            return Buffer.from(data, 'base64');
        },
        async close() {
            child.removeAllListeners('exit');
            const gone = new Promise(resolve => child.on('exit', resolve));
            await ask('Browser.close').catch(() => child.kill('SIGKILL'));
            await Promise.race([gone, wait(5000).then(() => child.kill('SIGKILL'))]);
            end();
        },
    };
}

async function openFirefox(program, { folder, reduced, dark }) {
    const faults = [], asked = [], downloads = path.join(folder, 'downloads');
    const settings = { 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false,
        'toolkit.telemetry.reportingpolicy.firstRun': false, 'app.update.disabledForTesting': true, 'browser.startup.page': 0,
        'browser.aboutwelcome.enabled': false, 'intl.accept_languages': 'en-US', 'gfx.color_management.mode': 0,
        'network.proxy.type': 1, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': 9, 'network.proxy.ssl': '127.0.0.1',
        'network.proxy.ssl_port': 9, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
        'browser.safebrowsing.malware.enabled': false, 'browser.safebrowsing.phishing.enabled': false,
        'services.settings.server': 'data:,', 'extensions.update.enabled': false, 'browser.download.folderList': 2,
        'browser.download.dir': downloads, 'browser.download.useDownloadDir': true, 'browser.tabs.remote.autostart': true,
        'dom.ipc.processCount': 1, 'ui.prefersReducedMotion': reduced ? 1 : 0, 'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1, 'security.sandbox.content.level': 0 };
    fs.mkdirSync(downloads, { recursive: true });
    fs.writeFileSync(path.join(folder, 'user.js'), Object.entries(settings)
        .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
    const [child, url] = await start(program, ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'],
        { MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '900', HOME: folder, LANGUAGE: 'en' }, /WebDriver BiDi listening on (ws:\S+)/);
    const { ask, end } = await talk(`${url}/session`, ({ method, params }) => {
        if (method === 'log.entryAdded' && /error|warn/.test(params.level)) faults.push(params.text);
        if (method === 'network.beforeRequestSent') asked.push(params.request.url);
    });
    const { capabilities } = await ask('session.new', { capabilities: {} });
    await ask('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
    const { contexts } = await ask('browsingContext.getTree', {});
    const context = contexts[0].context;
    const act = actions => ask('input.performActions', { context, actions });
    let at = { x: 0, y: 0 };

    return {
        faults, asked, downloads,
        version: `Firefox/${capabilities.browserVersion}`,
        async fit({ width, height, density = 1 }) {
            await ask('browsingContext.setViewport', { context, viewport: { width, height }, devicePixelRatio: density });
        },
        async go(url) {
            await ask('browsingContext.navigate', { context, url: 'about:blank', wait: 'complete' });
            await ask('browsingContext.navigate', { context, url, wait: 'complete' });
        },
        async evaluate(expression) {
            const { result, exceptionDetails } = await ask('script.evaluate', { expression: `(async () => JSON.stringify(await (${expression})))()`,
                target: { context }, awaitPromise: true, userActivation: true });
            if (exceptionDetails) throw new Error(exceptionDetails.text);
            return result.value === undefined ? undefined : JSON.parse(result.value);
        },
        async key(name) {
            const { shift, key } = partsOf(name), value = SIGNS[key] ?? key;
            const actions = [{ type: 'keyDown', value }, { type: 'keyUp', value }];
            if (shift) actions.unshift({ type: 'keyDown', value: SIGNS.Shift });
            if (shift) actions.push({ type: 'keyUp', value: SIGNS.Shift });
            await act([{ type: 'key', id: 'keys', actions }]);
        },
        async mouse(events) {
            const actions = [];
            for (const [what, ...numbers] of events) {
                if (what === 'move') {
                    at = { x: Math.round(numbers[0]), y: Math.round(numbers[1]) };
                    actions.push({ type: 'pointerMove', ...at });
                } else if (what === 'down') actions.push({ type: 'pointerDown', button: 0 });
                else if (what === 'up') actions.push({ type: 'pointerUp', button: 0 });
                else await act([{ type: 'wheel', id: 'wheel', actions: [{ type: 'scroll', ...at, deltaX: 0, deltaY: numbers[0] }] }]);
            }
            if (actions.length > 0) await act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
        },
        async finger(places) {
            const actions = places.map(([x, y]) => ({ type: 'pointerMove', x: Math.round(x), y: Math.round(y) }));
            actions.splice(1, 0, { type: 'pointerDown', button: 0 });
            actions.push({ type: 'pointerUp', button: 0 });
            await act([{ type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions }]);
        },
        async look() { return Buffer.from((await ask('browsingContext.captureScreenshot', { context })).data, 'base64'); },
        async print() {
            const { data } = await ask('browsingContext.print', { context, orientation: 'landscape', background: true });
            return Buffer.from(data, 'base64');
        },
        async close() {
            child.removeAllListeners('exit');
            const gone = new Promise(resolve => child.on('exit', resolve));
            await ask('browser.close').catch(() => {});
            await Promise.race([gone, wait(5000).then(() => child.kill('SIGKILL'))]);
            end();
        },
    };
}

export async function openBrowser(kind, { folder, reduced = false, dark = false }) {
    fs.mkdirSync(folder, { recursive: true });
    const program = programOf(kind);
    if (program === null) throw new Error(`${kind} is not here`);
    return kind === 'chromium' ? openChromium(program, { folder, reduced, dark }) : openFirefox(program, { folder, reduced, dark });
}
