// socket.mjs: a WebSocket as browsers' debuggers speak it: text both ways, from this machine only. No package is needed.
//
//     const socket = await connect('ws://127.0.0.1:9222/...', heard)   heard(message) for each JSON object
//     socket.send(object); socket.end()
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';

const TEXT = 1, GOODBYE = 8, PING = 9, PONG = 10, LAST = 0x80;

// One frame, masked as a client must.
function frame(kind, payload) {
    const n = payload.length, mask = randomBytes(4);
    const head = n < 126 ? Buffer.from([n]) : n < 65536 ? Buffer.alloc(3) : Buffer.alloc(9);
    if (n >= 65536) head.writeBigUInt64BE(BigInt(n), 1);
    else if (n >= 126) head.writeUInt16BE(n, 1);
    head[0] = LAST | (n < 126 ? n : n < 65536 ? 126 : 127); // the bit says that it is masked
    const masked = Buffer.from(payload);
    for (let i = 0; i < n; i++) masked[i] ^= mask[i & 3];
    return Buffer.concat([Buffer.from([LAST | kind]), head, mask, masked]);
}

// Takes whole frames off the front of what has come: [frames, rest].
function framesOf(come) {
    const frames = [];
    for (;;) {
        if (come.length < 2) break;
        const short = come[1] & 127, at = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (come.length < at) break;
        const n = short === 126 ? come.readUInt16BE(2) : short === 127 ? Number(come.readBigUInt64BE(2)) : short;
        if (come.length < at + n) break;
        frames.push({ kind: come[0] & 15, last: (come[0] & LAST) !== 0, payload: come.subarray(at, at + n) });
        come = come.subarray(at + n);
    }
    return [frames, come];
}

export function connect(url, heard) {
    const key = randomBytes(16).toString('base64');
    const answer = createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    return new Promise((resolve, reject) => {
        const request = http.get(url.replace(/^ws/, 'http'), { headers: { Connection: 'Upgrade', Upgrade: 'websocket',
            'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': key } });
        request.on('error', reject);
        request.on('response', response => reject(new Error(`${url}: ${response.statusCode}`)));
        request.on('upgrade', (response, socket, head) => {
            if (response.headers['sec-websocket-accept'] !== answer) return reject(new Error(`${url}: no WebSocket`));
            let come = [head], parts = [];
            function take(bytes) {
                come.push(bytes);
                const [frames, rest] = framesOf(Buffer.concat(come));
                come = [rest];
                for (const { kind, last, payload } of frames) {
                    if (kind === PING) socket.write(frame(PONG, payload));
                    if (kind >= GOODBYE) continue;
                    parts.push(payload);
                    if (!last) continue;
                    const message = Buffer.concat(parts).toString();
                    parts = [];
                    heard(JSON.parse(message));
                }
            }
            socket.on('data', take);
            socket.on('error', () => {}); // a browser that was ended
            resolve({ send: object => socket.write(frame(TEXT, Buffer.from(JSON.stringify(object)))), end: () => socket.destroy() });
            take(Buffer.alloc(0));
        });
    });
}
