import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasIntegrity } from './fetched-package.mjs';
import { unpackTar } from './tar.mjs';

let folder;
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'capture-fetched-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('hasIntegrity', () => {
  it('compares the digest of a file with the one that is pinned', async () => {
    const file = path.join(folder, 'a.tgz');
    writeFileSync(file, 'abc');
    // printf abc | openssl dgst -sha512 -binary | base64 -w0
    const pinned =
      'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==';
    expect(await hasIntegrity(file, pinned)).toBe(true);
    writeFileSync(file, 'abd');
    expect(await hasIntegrity(file, pinned)).toBe(false);
  });
});

/** An entry of a tar archive: its header (POSIX.1-2001, ustar) and its content. */
function entry({ name, content = '', type = '0', mode = 0o644, prefix = '' }) {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(mode.toString(8).padStart(7, '0'), 100);
  header.write(Buffer.byteLength(content).toString(8).padStart(11, '0'), 124);
  header.write(type, 156);
  header.write('ustar', 257);
  header.write(prefix, 345);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const END = Buffer.alloc(1_024);

/** The archive in pieces that fit no block. */
async function* inPieces(archive) {
  for (let at = 0; at < archive.length; at += 700) yield archive.subarray(at, at + 700);
}

describe('unpackTar', () => {
  const unpack = (entries) =>
    unpackTar(inPieces(Buffer.concat([...entries, END])), (name) =>
      name.endsWith('.md') ? undefined : path.join(folder, name),
    );
  const contentOf = (name) => readFileSync(path.join(folder, name), 'utf8');

  it('writes the files that are wanted, and keeps what may be run', async () => {
    const large = 'x'.repeat(1_500);
    await unpack([
      entry({ name: 'package/', type: '5' }),
      entry({ name: 'package/README.md', content: large }),
      entry({ name: 'package/bin/node', content: large, mode: 0o755 }),
      entry({ name: 'package/LICENSE', content: 'MIT' }),
    ]);
    expect([contentOf('package/bin/node'), contentOf('package/LICENSE')]).toEqual([large, 'MIT']);
    expect(statSync(path.join(folder, 'package/bin/node')).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(folder, 'package/README.md'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('reads paths that are too long for one field', async () => {
    await unpack([
      entry({ name: 'b.js', prefix: 'package/a', content: '1' }),
      entry({ name: 'PaxHeader', type: 'x', content: '23 path=package/long.js\n' }),
      entry({ name: 'package/lo', content: '2' }),
    ]);
    expect([contentOf('package/a/b.js'), contentOf('package/long.js')]).toEqual(['1', '2']);
  });

  it('rejects an archive that ends early', async () => {
    const whole = entry({ name: 'package/a', content: 'x'.repeat(600) });
    await expect(unpackTar(inPieces(whole.subarray(0, 700)), () => path.join(folder, 'a'))).rejects.toThrow(
      'ends early',
    );
  });
});
