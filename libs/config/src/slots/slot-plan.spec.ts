import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '../env.js';
import { loadEnv } from '../load-env.js';
import { readMachine } from './machine.js';
import { planSlots } from './slot-plan.js';

const GIB = 2 ** 30;

describe(readMachine, () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'machine-'));
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function read(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), `${text}\n`);
    }
    return readMachine({ root, cores: 8, memoryBytes: 32 * GIB });
  }

  it.each([
    ['nothing', {}, { cores: 8, memoryBytes: 32 * GIB, isMemoryOwn: false }],
    [
      'a container with cgroup v2',
      {
        'proc/self/cgroup': '0::/',
        'sys/fs/cgroup/cpu.max': '150000 100000',
        'sys/fs/cgroup/memory.max': String(5 * GIB),
      },
      { cores: 1.5, memoryBytes: 5 * GIB, isMemoryOwn: true },
    ],
    [
      'no limit of cgroup v2',
      {
        'proc/self/cgroup': '0::/',
        'sys/fs/cgroup/cpu.max': 'max 100000',
        'sys/fs/cgroup/memory.max': 'max',
      },
      { cores: 8, memoryBytes: 32 * GIB, isMemoryOwn: false },
    ],
    [
      'a service whose slice has the lower limits',
      {
        'proc/self/cgroup': '0::/capture.slice/worker.service',
        'sys/fs/cgroup/capture.slice/cpu.max': '200000 100000',
        'sys/fs/cgroup/capture.slice/memory.max': String(6 * GIB),
        'sys/fs/cgroup/capture.slice/worker.service/cpu.max': '400000 100000',
        'sys/fs/cgroup/capture.slice/worker.service/memory.max': String(8 * GIB),
      },
      { cores: 2, memoryBytes: 6 * GIB, isMemoryOwn: true },
    ],
    [
      'a container with cgroup v1, whose path is that of the host',
      {
        'proc/self/cgroup': '4:memory:/docker/0a1b\n3:cpu,cpuacct:/docker/0a1b\n1:name=systemd:/docker/0a1b',
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': String(4 * GIB),
      },
      { cores: 0.5, memoryBytes: 4 * GIB, isMemoryOwn: true },
    ],
    [
      'no limit of cgroup v1',
      {
        'proc/self/cgroup': '4:memory:/\n3:cpu,cpuacct:/',
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
      },
      { cores: 8, memoryBytes: 32 * GIB, isMemoryOwn: false },
    ],
  ])('reads %s', (_, files, machine) => {
    expect(read(files)).toEqual(machine);
  });
});

describe(planSlots, () => {
  const plan = (machine: object, settings: object = {}) =>
    planSlots(Object.assign(new Env(), settings), {
      cores: 2,
      memoryBytes: 24 * GIB,
      isMemoryOwn: true,
      ...machine,
    });

  it.each([
    ['the cores limit it', {}, 16],
    ['the memory limits it', { memoryBytes: 5 * GIB }, 4],
    ['the machine has many cores', { cores: 64, memoryBytes: 512 * GIB }, 64],
    ['the machine is tiny', { cores: 0.5, memoryBytes: GIB }, 2],
    ['others use the memory, too', { memoryBytes: 8 * GIB, isMemoryOwn: false }, 4],
  ])('by itself, when %s', (_, machine, slots) => {
    expect(plan(machine).slots).toBe(slots);
  });

  it('says why', () => {
    expect(plan({}).reason).toBe(
      '16 slots: 2 cores allow 16, 25.8 GB of memory 42, and a worker has 2 to 64',
    );
  });

  it('leaves room for the largest browser beside the others', () => {
    const { slots, browserBytes } = plan({ memoryBytes: 8 * GIB }, { BROWSER_MAX_MEMORY_BYTES: 4 * GIB });
    expect({ slots, browserBytes }).toEqual({ slots: 6, browserBytes: 7 * GIB });
  });

  it('takes the number of the operator', () => {
    const chosen = plan({}, loadEnv({ WORKER_SLOTS: '5' }));
    expect(chosen).toMatchObject({ slots: 5, warmBrowsers: 2, browserBytes: Infinity });
    expect(() => loadEnv({ WORKER_SLOTS: '65' })).toThrow(/WORKER_SLOTS must be/);
    expect(() => loadEnv({ WORKER_SLOTS: 'many' })).toThrow(/WORKER_SLOTS must be/);
  });
});
