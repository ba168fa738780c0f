import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { takeLock } from './lock.mjs';
import { beginningOf } from './processes.mjs';

describe('the lock on the data folder', () => {
  let dataDir;
  let file;

  beforeEach(() => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), 'capture-lock-'));
    file = path.join(dataDir, 'launcher.lock');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const leaveLock = (holder) => writeFileSync(file, JSON.stringify({ children: [], ...holder }));

  it('refuses a second launcher while the first lives', async () => {
    leaveLock({ pid: process.ppid, beginning: beginningOf(process.ppid) });
    await expect(takeLock(dataDir)).rejects.toThrow(`already runs on ${dataDir} (process ${process.ppid})`);
  });

  it('is taken over from a launcher that is dead', async () => {
    leaveLock({ pid: process.ppid, beginning: 'before the last boot' });
    const lock = await takeLock(dataDir);
    lock.release();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is taken over when it cannot be read', async () => {
    writeFileSync(file, '{"pid":');
    await expect(takeLock(dataDir)).resolves.toBeDefined();
  });

  it('ends what a dead launcher left running', async () => {
    const orphan = spawn('sleep', ['600']);
    const ended = once(orphan, 'exit');
    const children = [{ pid: orphan.pid, beginning: beginningOf(orphan.pid) }];
    leaveLock({ pid: process.ppid, beginning: 'before the last boot', children });
    await takeLock(dataDir);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('does not end a process that only has the pid of an orphan', async () => {
    const stranger = spawn('sleep', ['600']);
    const children = [{ pid: stranger.pid, beginning: 'before the last boot' }];
    leaveLock({ pid: process.ppid, beginning: 'before the last boot', children });
    await takeLock(dataDir);
    expect(beginningOf(stranger.pid)).toBeDefined();
    stranger.kill();
  });
});
