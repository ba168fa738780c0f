import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

/** What this process may use. */
export interface Machine {
  /** May be a fraction. */
  readonly cores: number;
  readonly memoryBytes: number;
  /** Whether the memory is this process's own, by a cgroup; otherwise it shares that of the machine with all others. */
  readonly isMemoryOwn: boolean;
}

export interface MachineSource {
  /** The folder of /proc and /sys. */
  readonly root: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

const THIS_MACHINE = (): MachineSource => ({
  root: '/',
  cores: availableParallelism(),
  memoryBytes: totalmem(),
});

/**
 * Reads the cores and memory of the machine, or of the cgroup (v1 or v2) of this process where it has less.
 *
 * Each level above a cgroup limits it too. In a container /proc may name a path of the host that is not mounted; then the
 * root of what is mounted is the cgroup of the container.
 */
export function readMachine({ root, cores, memoryBytes }: MachineSource = THIS_MACHINE()): Machine {
  const mount = path.join(root, 'sys/fs/cgroup');
  const limits = { cores: [] as number[], memory: [] as number[] };
  for (const line of (read(path.join(root, 'proc/self/cgroup')) ?? '').trim().split('\n')) {
    const [, controllers = '', own = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const names = controllers.split(',');
    for (const folder of levelsOf(own)) {
      if (controllers === '') limits.cores.push(readCpuMax(path.join(mount, folder)));
      if (controllers === '') limits.memory.push(readNumber(path.join(mount, folder, 'memory.max')));
      if (names.includes('cpu')) limits.cores.push(readQuota(path.join(mount, 'cpu', folder)));
      if (names.includes('memory'))
        limits.memory.push(readNumber(path.join(mount, 'memory', folder, 'memory.limit_in_bytes')));
    }
  }
  const ownMemory = Math.min(...limits.memory);
  return {
    cores: Math.min(cores, ...limits.cores),
    memoryBytes: Math.min(memoryBytes, ownMemory),
    isMemoryOwn: ownMemory < memoryBytes,
  };
}

/** The path of a cgroup and of all above it. */
function levelsOf(own: string): string[] {
  const parts = own.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from({ length: parts.length + 1 }, (_, depth) => parts.slice(0, depth).join('/'));
}

function readCpuMax(folder: string): number {
  const [quota = NaN, period = NaN] = (read(path.join(folder, 'cpu.max')) ?? '').split(' ').map(Number);
  return coresOf(quota, period);
}

function readQuota(folder: string): number {
  const quota = Number(read(path.join(folder, 'cpu.cfs_quota_us')) ?? NaN);
  return coresOf(quota, Number(read(path.join(folder, 'cpu.cfs_period_us')) ?? NaN));
}

/** `max` and -1 mean no limit. */
function coresOf(quota: number, period: number): number {
  return quota > 0 && period > 0 ? quota / period : Infinity;
}

function readNumber(file: string): number {
  const value = Number(read(file) ?? NaN);
  return value > 0 ? value : Infinity;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
