// png.mjs: pictures as browsers and the program write them (8 bits, RGB or RGBA, not interlaced), and how far two are apart.
import zlib from 'node:zlib';

export function readPng(bytes) {
    const packed = [];
    let width = 0, height = 0, n = 0;
    for (let at = 8; at < bytes.length;) {
        const size = bytes.readUInt32BE(at), kind = bytes.toString('latin1', at + 4, at + 8), data = bytes.subarray(at + 8, at + 8 + size);
        if (kind === 'IHDR') {
            [width, height, n] = [data.readUInt32BE(0), data.readUInt32BE(4), { 2: 3, 6: 4 }[data[9]]];
            if (data[8] !== 8 || n === undefined || data[12] !== 0) throw new Error('a PNG of another kind');
        }
        if (kind === 'IDAT') packed.push(data);
        at += size + 12;
    }
    const lines = zlib.inflateSync(Buffer.concat(packed)), row = width * n, pixels = new Uint8Array(row * height);
    for (let y = 0; y < height; y++) {
        const filter = lines[y * (row + 1)], from = y * (row + 1) + 1, to = y * row;
        for (let i = 0; i < row; i++) {
            const left = i < n ? 0 : pixels[to + i - n], up = y === 0 ? 0 : pixels[to + i - row];
            const corner = i < n || y === 0 ? 0 : pixels[to + i - row - n];
            const guess = left + up - corner, [a, b, c] = [left, up, corner].map(near => Math.abs(guess - near));
            const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
            pixels[to + i] = lines[from + i] + [0, left, up, left + up >> 1, paeth][filter];
        }
    }
    return { width, height, n, pixels };
}

// The shares of pixels of which a colour is further apart than each of `levels`; null where sizes differ.
export function apart(one, other, levels) {
    if (one.width !== other.width || one.height !== other.height) return null;
    const counts = levels.map(() => 0), all = one.width * one.height;
    for (let i = 0; i < all; i++) {
        let most = 0;
        for (let c = 0; c < 3; c++) most = Math.max(most, Math.abs(one.pixels[i * one.n + c] - other.pixels[i * other.n + c]));
        levels.forEach((level, k) => { counts[k] += Number(most > level); });
    }
    return counts.map(count => count / all);
}
