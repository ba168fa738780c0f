import { spawn, type ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { KnownGroups, usageOf } from './group-usage.js';
import { Watchdog } from './watchdog.js';

jest.setTimeout(30_000);

const MB = 1e6;

describe(Watchdog.name, () => {
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Starts a process group that holds this many bytes; returns its number. */
  async function hold(bytes: number): Promise<number> {
    const script = `globalThis.kept = Buffer.alloc(${bytes}, 1); setInterval(() => undefined, 1_000)`;
    const child = spawn(process.execPath, ['--eval', script], { detached: true, stdio: 'ignore' });
    children.push(child);
    const group = child.pid ?? 0;
    await eventually(
      'the memory is held',
      () => (usageOf(new Set([group]), 0).get(group)?.bytes ?? 0) > bytes,
    );
    return group;
  }

  it('finds the processes of a browser that was known before it was watched', async () => {
    const known = new KnownGroups();
    const [one, other] = [await hold(1 * MB), await hold(1 * MB)];
    for (let i = 0; i < 3; i += 1) usageOf(new Set([one]), 0, known);
    expect(known.groupOf(String(other))).toBe(other);
    expect(usageOf(new Set([other]), 0, known).get(other)).toMatchObject({ processes: 1 });
  });

  it('reads a process until it is twice seen in the same group, and again now and then', () => {
    const known = new KnownGroups();
    const groups = [1, 7, 7].map((group) => {
      known.begin(['7']);
      known.see('7', group);
      return known.groupOf('7');
    });
    expect(groups).toEqual([undefined, undefined, 7]);
    const readAgain = Array.from({ length: 20 }, () => {
      known.begin(['7']);
      return known.groupOf('7');
    }).indexOf(undefined);
    expect(readAgain).toBeGreaterThan(0);
    known.see('7', 7);
    known.see('7', 7);
    known.begin([]);
    expect(known.groupOf('7')).toBeUndefined();
  });

  it('ends the largest browser when all of them together have too much memory', async () => {
    const watchdog = new Watchdog({ bytes: 1_000 * MB, processes: 100, allBytes: 300 * MB });
    const [small, large] = [await hold(50 * MB), await hold(250 * MB)];
    const ended: string[] = [];
    const watches = { small: watchdog.watch(small), large: watchdog.watch(large) };
    for (const [name, { excess }] of Object.entries(watches)) {
      void excess.then(({ code }) => ended.push(`${name}: ${code}`));
    }
    await watches.large.excess;
    expect(ended).toEqual(['large: overloaded']);
    for (const watch of Object.values(watches)) watch.end();
  });

  it('ends none while all of them have enough', async () => {
    const watchdog = new Watchdog({ bytes: 1_000 * MB, processes: 100, allBytes: 2_000 * MB });
    const onExcess = jest.fn();
    const watch = watchdog.watch(await hold(100 * MB));
    void watch.excess.then(onExcess);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(onExcess).not.toHaveBeenCalled();
    watch.end();
  });
});
