import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastWords } from './browser.mjs';
import { prefix } from './output.mjs';
import { installFlags, needsInstall } from './packages.mjs';
import { onPath } from './processes.mjs';
import { isNode24 } from './runtime.mjs';
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

describe('the packages', () => {
  const write = (name, content, seconds = 1_000) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content));
    utimesSync(file, seconds, seconds);
  };
  /** What npm leaves: the packages, and its list of them, written last. */
  const installed = (names, { seconds = 3_000, dev = false } = {}) => {
    for (const name of names) mkdirSync(path.join(folder, 'node_modules', name), { recursive: true });
    write('node_modules/.package-lock.json', { packages: { 'node_modules/jest': { dev } } }, seconds);
  };

  beforeEach(() => {
    write('package-lock.json', {}, 2_000);
    write('package.json', {
      workspaces: ['apps/console'],
      dependencies: { sharp: '1' },
      devDependencies: { jest: '1' },
    });
    write('apps/console/package.json', { dependencies: { react: '1' } });
  });

  it('are missing before the first installation, and when the lock file is newer than they are', () => {
    expect(needsInstall('service', folder)).toBe(true);
    installed(['sharp', 'react'], { seconds: 1_000 });
    expect(needsInstall('service', folder)).toBe(true);
    installed(['sharp', 'react']);
    expect(needsInstall('service', folder)).toBe(false);
  });

  it('of the service are those of the workspaces too, and none that only tests need', () => {
    installed(['sharp']);
    expect(needsInstall('service', folder)).toBe(true);
    installed(['react']);
    expect(needsInstall('service', folder)).toBe(false);
    expect(needsInstall('everything', folder)).toBe(true);
    installed(['jest']);
    expect(needsInstall('everything', folder)).toBe(false);
  });

  it('of tests are added to those of the service, which `npm ci` would remove first', () => {
    expect(installFlags('service', folder)).toEqual(['ci', '--omit=dev']);
    expect(installFlags('everything', folder)).toEqual(['ci', '--include=dev']);
    installed(['sharp', 'react']);
    expect(installFlags('everything', folder)).toEqual(['install', '--no-save', '--include=dev']);
  });

  it('of tests are kept when the lock file changes', () => {
    installed(['sharp', 'react', 'jest'], { seconds: 1_000, dev: true });
    expect(installFlags('service', folder)).toEqual(['ci', '--include=dev']);
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
