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
