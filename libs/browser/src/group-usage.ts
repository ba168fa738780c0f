import { readdirSync, readFileSync } from 'node:fs';

const KILOBYTE = 1_024;

/** What the processes of one group use together. */
export interface GroupUsage {
  readonly processes: number;
  /**
   * Memory that ends with the group, whether resident or swapped out: its own and shared one, but not the pages of
   * files, which the kernel can drop. It is exact above the limit that was asked for; below it shared memory may count
   * once for each process that has it.
   */
  readonly bytes: number;
}

interface Member {
  readonly pid: string;
  readonly group: number;
  readonly bytes: number;
}

/**
 * What these process groups use, by the number of the group; one without processes is missing. Linux: else empty.
 *
 * Some pages take mostly shared memory: a bitmap that is handed to a canvas lies in a segment that the renderer and the
 * GPU process both map. Summing up `status` takes 2 ms for a browser and is never too low. The proportional part of
 * each process (PSS, from `smaps_rollup`) counts a segment once but takes up to 40 ms for a browser with 1.5 GB, under
 * a lock of the process, so it is read only where the sum passes `limitBytes`.
 *
 * Synchronous, as these files are memory of the kernel: a hundredth of a ms for each process of the machine. Through the
 * thread pool it is six times the CPU.
 */
export function usageOf(groups: ReadonlySet<number>, limitBytes: number): ReadonlyMap<number, GroupUsage> {
  const members = Map.groupBy(listMembers(groups), ({ group }) => group);
  return new Map([...members].map(([group, processes]) => [group, add(processes, limitBytes)]));
}

function add(members: readonly Member[], limitBytes: number): GroupUsage {
  const processes = members.length;
  const most = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (most <= limitBytes) return { processes, bytes: most };
  // PSS may be forbidden: to a root without CAP_SYS_PTRACE whose browser is another user's. Then the sum has to do.
  const exact = members.reduce((sum, { pid, bytes }) => sum + (readProportional(pid) ?? bytes), 0);
  return { processes, bytes: Math.min(most, exact) };
}

function listMembers(groups: ReadonlySet<number>): Member[] {
  return listProcesses().flatMap((pid) => readMember(pid, groups) ?? []);
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Undefined for a process of another group, and for one that has ended meanwhile. */
function readMember(pid: string, groups: ReadonlySet<number>): Member | undefined {
  const stat = read(`/proc/${pid}/stat`) ?? '';
  // The name of the program, in parentheses, may hold anything; state, parent and group follow it.
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
  if (!groups.has(group)) return undefined;
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const has = (field: string): number | undefined => bytesOf(status, field);
  // gVisor knows VmRSS only. A zombie has no memory at all.
  const own = has('RssAnon') ?? has('VmRSS') ?? 0;
  return { pid, group, bytes: own + (has('RssShmem') ?? 0) + (has('VmSwap') ?? 0) };
}

/** The process's own memory and its part of what it shares. Undefined when it has ended, or may not be read. */
function readProportional(pid: string): number | undefined {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  if (rollup === undefined) return undefined;
  const [own, shared, swapped] = ['Pss_Anon', 'Pss_Shmem', 'SwapPss'].map((field) => bytesOf(rollup, field));
  return own === undefined || shared === undefined ? undefined : own + shared + (swapped ?? 0);
}

function bytesOf(text: string, field: string): number | undefined {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
