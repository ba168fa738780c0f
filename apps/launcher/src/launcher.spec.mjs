import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastWords } from './browser.mjs';
import { prefix } from './output.mjs';
import { onPath } from './processes.mjs';
import { isNode24, needsInstall } from './runtime.mjs';
import { firstCapture, withoutPassword } from './welcome.mjs';

let folder;
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'capture-launcher-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('the first capture', () => {
  it('quotes a path that the shell would split', () => {
    expect(firstCapture('http://127.0.0.1:3000', '.data/api-key')).toContain('$(cat .data/api-key)');
    expect(firstCapture('http://127.0.0.1:3000', "/my data/it's/api-key")).toContain(
      String.raw`$(cat '/my data/it'\''s/api-key')`,
    );
  });
});

describe('what is printed', () => {
  it('holds no password', () => {
    expect(withoutPassword('postgres://capture:secret@localhost:5432/capture')).toBe(
      'postgres://capture@localhost:5432/capture',
    );
    expect(withoutPassword('no url, maybe secret')).toBe('(set)');
  });

  it('names its process in a column', () => {
    expect(['start', 'api', 'worker'].map((name) => prefix(name, false))).toEqual([
      'start | ',
      'api   | ',
      'worker| ',
    ]);
  });

  it('says why a browser did not start, and leaves out its warnings', () => {
    const said = [
      '[1:2:ERROR:dbus/bus.cc:405] Failed to connect to the bus',
      '/opt/chrome: error while loading shared libraries: libnss3.so: cannot open shared object file',
      '[1:2:WARNING:gpu.cc:1] no gpu',
    ];
    expect(lastWords(said.join('\n'))).toMatch(/libnss3\.so/);
  });
});

describe('needsInstall', () => {
  const at = (name, seconds) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{}');
    utimesSync(file, seconds, seconds);
  };

  it('is true without packages, and when the lock file is newer than they are', () => {
    at('package-lock.json', 2_000);
    expect(needsInstall(folder)).toBe(true);
    at('node_modules/.package-lock.json', 1_000);
    expect(needsInstall(folder)).toBe(true);
    at('node_modules/.package-lock.json', 3_000);
    expect(needsInstall(folder)).toBe(false);
  });
});

describe('onPath', () => {
  it('finds the first name that is a program, and skips plain files', () => {
    writeFileSync(path.join(folder, 'chromium'), '');
    writeFileSync(path.join(folder, 'google-chrome'), '', { mode: 0o755 });
    expect(onPath(['chromium', 'google-chrome'], `/nowhere:${folder}`)).toBe(
      path.join(folder, 'google-chrome'),
    );
    expect(onPath('chromium', folder)).toBeUndefined();
  });
});

describe('isNode24', () => {
  it.each([
    ['20.20.2', false],
    ['22.12.0', false],
    ['24.0.0', true],
    ['26.1.0', true],
  ])('of %s is %s', (version, expected) => {
    expect(isNode24(version)).toBe(expected);
  });
});
