import { createWriteStream, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

// The archives of npm and of the Chromium that it carries. Small machines have no `tar` (Amazon Linux, UBI), and the packages
// that read archives are installed by what needs this.

const BLOCK = 512;
const FILE = new Set(['0', '\0']);
const SYMLINK = '2';
/** A stream for each of thousands of small files would take longer than their content. */
const SMALL = 1_000_000;
/** A record of pax before a file, which holds a path that is too long for the header (POSIX.1-2001). */
const EXTENDED = 'x';

/**
 * Unpacks files and links of a tar archive. Folders are made as they are needed.
 *
 * @param {AsyncIterable<Buffer>} archive
 * @param {(name: string) => string | undefined} targetOf the absolute path of an entry; undefined leaves it out
 * @throws an Error when the archive ends early
 */
export async function unpackTar(archive, targetOf) {
  const reader = new BlockReader(archive);
  let longName;
  for (let header = await readHeader(reader); header; header = await readHeader(reader)) {
    const { type, size, mode, link } = header;
    const name = longName ?? header.name;
    longName = undefined;
    const target = type === EXTENDED ? undefined : targetOf(name);
    if (type === EXTENDED) longName = pathOf((await reader.read(size)).toString());
    else if (target === undefined || !(FILE.has(type) || type === SYMLINK)) await reader.skip(size);
    else {
      mkdirSync(path.dirname(target), { recursive: true });
      const rights = { mode: mode & 0o111 ? 0o755 : 0o644 };
      if (type === SYMLINK) symlinkSync(link, target);
      else if (size < SMALL) writeFileSync(target, await reader.read(size), rights);
      else await pipeline(reader.parts(size), createWriteStream(target, rights));
    }
    await reader.skip((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

/** @param {BlockReader} reader */
async function readHeader(reader) {
  const block = await reader.read(BLOCK);
  // Two blocks of zeros end the archive.
  if (block[0] === 0) return undefined;
  /** @type {(from: number, to: number) => string} */
  const text = (from, to) => block.toString('utf8', from, to).replace(/\0.*$/s, '');
  const prefix = text(257, 262) === 'ustar' ? text(345, 500) : '';
  return {
    name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    mode: Number.parseInt(text(100, 108), 8),
    size: Number.parseInt(text(124, 136), 8) || 0,
    type: String.fromCharCode(block[156] ?? 0),
    link: text(157, 257),
  };
}

/**
 * The path of a record of pax: lines of `length key=value`.
 *
 * @param {string} record
 */
const pathOf = (record) => /^\d+ path=(.*)$/m.exec(record)?.[1];

/** Reads so many bytes of a stream, however it is cut. */
class BlockReader {
  /** @type {AsyncIterator<Buffer>} */
  #source;
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);

  /** @param {AsyncIterable<Buffer>} stream */
  constructor(stream) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  /** @param {number} length */
  async *parts(length) {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#source.next();
        if (done) throw new Error('The archive ends early.');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** @param {number} length */
  async read(length) {
    const parts = [];
    for await (const part of this.parts(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** @param {number} length */
  async skip(length) {
    const parts = this.parts(length);
    while (!(await parts.next()).done);
  }
}
