import { readdirSync, readFileSync } from 'node:fs';

/** Of every Linux that Chromium runs on but those of some ARM machines, where the reading is too low. */
const PAGE_BYTES = 4_096;

/** What the processes of one group use together. */
export interface GroupUsage {
  readonly processes: number;
  /** Resident and not shared: what killing the group would give back. */
  readonly bytes: number;
}

/**
 * What these process groups use, by the number of the group; one without processes is missing. Linux: else empty.
 *
 * Synchronous, as these files are memory of the kernel: a hundredth of a ms for each process of the machine. Through the
 * thread pool it is six times the CPU.
 */
export function usageOf(groups: ReadonlySet<number>): ReadonlyMap<number, GroupUsage> {
  const usage = new Map<number, GroupUsage>();
  for (const pid of listProcesses()) {
    const reading = readProcess(pid, groups);
    if (reading === undefined) continue;
    const { processes, bytes } = usage.get(reading.group) ?? { processes: 0, bytes: 0 };
    usage.set(reading.group, { processes: processes + 1, bytes: bytes + reading.bytes });
  }
  return usage;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Undefined for a process of another group, and for one that has ended meanwhile. */
function readProcess(pid: string, groups: ReadonlySet<number>): { group: number; bytes: number } | undefined {
  const stat = read(`/proc/${pid}/stat`) ?? '';
  // The name of the program, in parentheses, may hold anything; state, parent and group follow it.
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
  if (!groups.has(group)) return undefined;
  const statm = read(`/proc/${pid}/statm`);
  if (statm === undefined) return undefined;
  const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
  return { group, bytes: (resident - shared) * PAGE_BYTES };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
