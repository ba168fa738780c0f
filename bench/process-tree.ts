import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc; 100 on every Linux that Chromium runs on. */
const TICKS = 100;
const PAGE_BYTES = 4_096;

/** The CPU time and memory of some processes and all their descendants, read from /proc. */
export interface TreeReading {
  /** Includes that of processes that have ended and that their parents have reaped. */
  readonly cpuS: number;
  /** Resident memory that is not shared. */
  readonly bytes: number;
}

export function readTree(roots: readonly number[]): TreeReading {
  const { tree, ticks } = readProcesses(roots);
  return {
    cpuS: sum(tree.map((pid) => ticks.get(pid) ?? 0)) / TICKS,
    bytes: sum(tree.map(privateBytes)),
  };
}

/** The processes of the tree, and the clock ticks that every process has used. */
function readProcesses(roots: readonly number[]): { tree: number[]; ticks: ReadonlyMap<number, number> } {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    // The command may contain spaces and brackets; the fields follow its last bracket.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0] = fields.slice(1);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    ticks.set(
      Number(name),
      fields.slice(11, 15).reduce((sum, n) => sum + n, 0),
    );
  }
  return { tree: descend(roots, children), ticks };
}

/**
 * The memory that the tree takes from the machine: what several processes share counts once (PSS), files not at all. Reading it
 * takes up to 40 ms for each process, so it is no part of what is timed.
 */
export function readOwnBytes(roots: readonly number[]): number {
  const { tree } = readProcesses(roots);
  return sum(tree.map(proportionalBytes));
}

function proportionalBytes(pid: number): number {
  const rollup = read(`/proc/${pid}/smaps_rollup`) ?? '';
  const fields = [...rollup.matchAll(/^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm)];
  return sum(fields.map(([, kilobytes]) => Number(kilobytes) * 1_024));
}

/** What the processes of a tree do: Node programs, and the kinds of processes of Chromium. */
export const ROLES = ['node', 'browser', 'gpu', 'network', 'renderers', 'other'] as const;
export type ProcessRole = (typeof ROLES)[number];

/** The CPU time of a tree by what its processes do. The time of a renderer that has ended is that of its parent, the zygote. */
export function readCpuByRole(roots: readonly number[]): Record<ProcessRole, number> {
  const { tree, ticks } = readProcesses(roots);
  const byRole = { node: 0, browser: 0, gpu: 0, network: 0, renderers: 0, other: 0 };
  for (const pid of tree) byRole[roleOf(pid)] += (ticks.get(pid) ?? 0) / TICKS;
  return byRole;
}

/** The process ids of the browsers below these processes. */
export function readBrowsers(roots: readonly number[]): number[] {
  return readProcesses(roots).tree.filter((pid) => roleOf(pid) === 'browser');
}

function roleOf(pid: number): ProcessRole {
  const command = read(`/proc/${pid}/cmdline`) ?? '';
  const [, type, kind] = /--type=([\w-]+)(?:.*?--utility-sub-type=([\w.]+))?/s.exec(command) ?? [];
  if (type === 'zygote' || type === 'renderer') return 'renderers';
  if (type === 'gpu-process') return 'gpu';
  if (type === 'utility') return kind?.startsWith('network') ? 'network' : 'other';
  if (command.includes('--remote-debugging-pipe')) return 'browser';
  return /(?:^|\/)node\0/.test(command) ? 'node' : 'other';
}

/** Reads the memory of a tree every quarter of a second while `work` runs; resolves to its result and the peak. */
export async function peakBytes<T>(roots: readonly number[], work: () => Promise<T>): Promise<[T, number]> {
  let peak = readTree(roots).bytes;
  const timer = setInterval(() => {
    peak = Math.max(peak, readTree(roots).bytes);
  }, 250);
  try {
    return [await work(), peak];
  } finally {
    clearInterval(timer);
  }
}

function descend(roots: readonly number[], children: ReadonlyMap<number, number[]>): number[] {
  return roots.flatMap((pid) => [pid, ...descend(children.get(pid) ?? [], children)]);
}

function privateBytes(pid: number): number {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  return (resident - shared) * PAGE_BYTES;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
