'use strict';
// files.js: what a program asks of a system (WASI), in memory: files, its output, the clock.
//
//     makeSystem({files, environment, terminal}) --> {imports, attach(memory), files, said}
//
//   - files: a Map from a path ("lessons/ring.h") to bytes. A folder is there as long as something lies in it.
//   - said: what the program has written to standard output and standard error, in that order.
//   - terminal: standard output is one, so the program shows what it has to show in a window.

function makeSystem({ files, environment, terminal }) {
    const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOTDIR = 54, SPIPE = 70;
    const DEVICE = 2, FOLDER = 3, FILE = 4, PIPE = 6;
    const text = new TextEncoder(), letters = new TextDecoder();
    const open = new Map([[3, { path: '', folder: true }]]); // by descriptor, from 3 on
    const said = [];
    const numbers = new Map(); // a file's number, by its path
    let memory;
    const bytes = () => new Uint8Array(memory.buffer);
    const view = () => new DataView(memory.buffer);
    const words = Object.entries(environment).map(([name, value]) => text.encode(`${name}=${value}\0`));

    const textAt = (at, n) => letters.decode(bytes().slice(at, at + n));
    const isFolder = path => path === '' || [...files.keys()].some(name => name.startsWith(path + '/'));
    const numberOf = path => numbers.get(path) ?? (numbers.set(path, numbers.size + 1), numbers.size);

    function pathOf(folder, at, n) {
        const parts = [];
        for (const part of `${open.get(folder)?.path ?? ''}/${textAt(at, n)}`.split('/')) {
            if (part === '..') parts.pop();
            else if (part !== '' && part !== '.') parts.push(part);
        }
        return parts.join('/');
    }

    // Walks over the pieces of an I/O vector.
    function* pieces(vector, n) {
        for (let i = 0; i < n; i++) {
            yield [view().getUint32(vector + 8 * i, true), view().getUint32(vector + 8 * i + 4, true)];
        }
    }

    function putStat(at, type, number, size) {
        bytes().fill(0, at, at + 64);
        view().setBigUint64(at + 8, BigInt(number), true);
        bytes()[at + 16] = type;
        view().setBigUint64(at + 32, BigInt(size), true);
    }

    function statPath(path, at) {
        if (files.has(path)) putStat(at, FILE, numberOf(path), files.get(path).length);
        else if (isFolder(path)) putStat(at, FOLDER, numberOf(path), 0);
        else return NOENT;
        return OK;
    }

    function readAt(file, place, vector, n, out) {
        const data = files.get(file.path);
        let got = 0;
        for (const [at, length] of pieces(vector, n)) {
            const part = data.subarray(place + got, place + got + length);
            bytes().set(part, at);
            got += part.length;
        }
        view().setUint32(out, got, true);
        return got;
    }

    // A file grows by halves: what lies behind its end is kept beside it.
    function writeFile(file, part) {
        const old = files.get(file.path), end = file.place + part.length;
        let data = old;
        if (end > old.length) {
            const room = new Uint8Array(old.buffer);
            const grown = end <= room.length ? room : new Uint8Array(Math.max(end, 2 * room.length));
            if (grown !== room) grown.set(old);
            data = grown.subarray(0, end);
            files.set(file.path, data);
        }
        data.set(part, file.place);
        file.place = end;
    }

    function entriesOf(folder) {
        const start = folder === '' ? '' : folder + '/', names = new Set();
        for (const path of files.keys()) {
            if (path.startsWith(start)) names.add(path.slice(start.length).split('/')[0]);
        }
        return [...names].sort();
    }

    const imports = {
        args_sizes_get(n, size) { view().setUint32(n, 0, true); view().setUint32(size, 0, true); return OK; },
        args_get: () => OK,
        environ_sizes_get(n, size) {
            view().setUint32(n, words.length, true);
            view().setUint32(size, words.reduce((sum, word) => sum + word.length, 0), true);
            return OK;
        },
        environ_get(list, at) {
            for (const word of words) {
                view().setUint32(list, at, true);
                bytes().set(word, at);
                list += 4;
                at += word.length;
            }
            return OK;
        },
        clock_time_get(clock, precision, out) {
            const ms = clock === 0 ? Date.now() : performance.now();
            view().setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
            return OK;
        },
        proc_exit(status) { throw { exit: status }; },

        fd_prestat_get(fd, out) {
            if (fd !== 3) return BADF;
            view().setUint32(out, 0, true);
            view().setUint32(out + 4, 1, true);
            return OK;
        },
        fd_prestat_dir_name(fd, at) { bytes()[at] = 47; return OK; },
        fd_fdstat_get(fd, out) {
            const file = open.get(fd);
            if (fd > 2 && !file) return BADF;
            const type = fd > 2 ? (file.folder ? FOLDER : FILE) : terminal ? DEVICE : PIPE;
            bytes().fill(0, out, out + 24);
            bytes()[out] = type;
            const rights = fd > 2 ? ~0n : ~0x24n; // a terminal neither seeks nor tells
            view().setBigInt64(out + 8, rights, true);
            view().setBigInt64(out + 16, rights, true);
            return OK;
        },
        fd_fdstat_set_flags: () => OK,
        fd_filestat_get(fd, out) {
            const file = open.get(fd);
            if (fd > 2) return file ? statPath(file.path, out) : BADF;
            putStat(out, terminal ? DEVICE : PIPE, 0, 0);
            return OK;
        },
        fd_close(fd) { return open.delete(fd) ? OK : BADF; },
        fd_seek(fd, offset, from, out) {
            const file = open.get(fd);
            if (!file || file.folder) return SPIPE;
            const start = from === 0 ? 0 : from === 1 ? file.place : files.get(file.path).length;
            file.place = start + Number(offset);
            view().setBigInt64(out, BigInt(file.place), true);
            return OK;
        },
        fd_read(fd, vector, n, out) {
            const file = open.get(fd);
            if (fd < 3) { view().setUint32(out, 0, true); return OK; }
            if (!file) return BADF;
            if (file.folder) return ISDIR;
            file.place += readAt(file, file.place, vector, n, out);
            return OK;
        },
        fd_pread(fd, vector, n, offset, out) {
            const file = open.get(fd);
            if (!file || file.folder) return BADF;
            readAt(file, Number(offset), vector, n, out);
            return OK;
        },
        fd_write(fd, vector, n, out) {
            const file = open.get(fd);
            let sum = 0;
            if (fd > 2 && (!file || file.folder)) return BADF;
            for (const [at, length] of pieces(vector, n)) {
                const part = bytes().slice(at, at + length);
                if (fd < 3) said.push({ fd, part });
                else writeFile(file, part);
                sum += length;
            }
            view().setUint32(out, sum, true);
            return OK;
        },
        fd_readdir(fd, at, room, cookie, out) {
            const folder = open.get(fd), start = folder.path === '' ? '' : folder.path + '/';
            let used = 0;
            entriesOf(folder.path).forEach((name, i) => {
                if (i < Number(cookie) || used >= room) return;
                const letters = text.encode(name), entry = new Uint8Array(24 + letters.length);
                const fields = new DataView(entry.buffer);
                fields.setBigUint64(0, BigInt(i + 1), true);
                fields.setBigUint64(8, BigInt(numberOf(start + name)), true);
                fields.setUint32(16, letters.length, true);
                entry[20] = files.has(start + name) ? FILE : FOLDER;
                entry.set(letters, 24);
                const part = entry.subarray(0, room - used);
                bytes().set(part, at + used);
                used += part.length;
            });
            view().setUint32(out, used, true);
            return OK;
        },
        path_open(folder, follow, at, n, how, rights, inherited, flags, out) {
            const path = pathOf(folder, at, n), CREATE = 1, FOLDERS = 2, EXCLUSIVE = 4, EMPTY = 8;
            const there = files.has(path);
            if (!there && isFolder(path)) {
                if (how & CREATE) return ISDIR;
            } else if (there && how & FOLDERS) return NOTDIR;
            else if (there && how & CREATE && how & EXCLUSIVE) return EXIST;
            else if (!there && !(how & CREATE)) return NOENT;
            else if (!there || how & EMPTY) files.set(path, new Uint8Array(0));
            let fd = 4;
            while (open.has(fd)) fd++;
            open.set(fd, files.has(path) ? { path, place: 0 } : { path, folder: true });
            view().setUint32(out, fd, true);
            return OK;
        },
        path_filestat_get(folder, follow, at, n, out) { return statPath(pathOf(folder, at, n), out); },
        path_readlink: () => INVAL,
        path_create_directory: () => OK,
        path_unlink_file(folder, at, n) { return files.delete(pathOf(folder, at, n)) ? OK : NOENT; },
        path_rename(folder, from, n, other, to, m) {
            const path = pathOf(folder, from, n);
            if (!files.has(path)) return NOENT;
            files.set(pathOf(other, to, m), files.get(path));
            files.delete(path);
            return OK;
        },
    };
    return { imports, attach: given => { memory = given; }, files, said };
}
