import { readdirSync, readFileSync } from 'node:fs';

const KILOBYTE = 1_024;

/** The usage of all processes of a group. */
export interface GroupUsage {
  readonly processes: number;
  /**
   * Private and shared memory, whether resident or swapped out, but not the pages of files, which the kernel can drop. It is
   * exact above the requested limit; below it shared memory may count once for each process.
   */
  readonly bytes: number;
  /** CPU time of the processes and of those that have ended, in seconds. */
  readonly cpuS: number;
}

/** Clock ticks per second in /proc; 100 on every Linux that Chromium runs on. */
const TICKS = 100;

const CALLS_BETWEEN_FULL_READS = 20;

interface Member {
  readonly pid: string;
  readonly cpuS: number;
  readonly group: number;
  readonly bytes: number;
}

/**
 * Reads the usage of these process groups, by the number of the group; a group without processes is missing. Empty on other
 * systems than Linux.
 *
 * Some pages mostly use shared memory: a bitmap on a canvas lies in a segment that both the renderer and the GPU process map.
 * Summing the numbers of `status` takes 2 ms for a browser and is never too low. The proportional share of each process (PSS,
 * from `smaps_rollup`) counts a segment once, but takes up to 40 ms for a browser with 1.5 GB, under a lock of the process, so
 * it is read only when the sum exceeds `limitBytes`.
 *
 * It is synchronous, because these files are memory of the kernel: 0.02 ms for each process that is read. The thread pool would
 * take six times the CPU.
 *
 * @param known what earlier calls have seen, so that the processes of other groups are not read again
 */
export function usageOf(
  groups: ReadonlySet<number>,
  limitBytes: number,
  known = new KnownGroups(),
): ReadonlyMap<number, GroupUsage> {
  const pids = listProcesses();
  known.begin(pids);
  const members = pids.flatMap((pid) => readMember(pid, groups, known) ?? []);
  const byGroup = Map.groupBy(members, ({ group }) => group);
  return new Map([...byGroup].map(([group, processes]) => [group, add(processes, limitBytes)]));
}

/**
 * The groups of processes. A machine has hundreds, and reading all of them twice a second would take a twentieth of a core.
 *
 * A process may join a group of its own right after its start, so its group is known when two calls have seen the same. The
 * number of a process that has ended may be given to another one, so all are read now and then.
 */
export class KnownGroups {
  private sightings = new Map<string, { readonly group: number; readonly count: number }>();
  private calls = 0;

  /** Forgets the processes that have ended. */
  begin(pids: readonly string[]): void {
    this.calls += 1;
    const isOver = this.calls % CALLS_BETWEEN_FULL_READS === 0;
    this.sightings = new Map(
      isOver
        ? []
        : pids.flatMap((pid) => {
            const seen = this.sightings.get(pid);
            return seen ? [[pid, seen]] : [];
          }),
    );
  }

  /** The group of the process; undefined when it has to be read. */
  groupOf(pid: string): number | undefined {
    const seen = this.sightings.get(pid);
    return seen && seen.count >= 2 ? seen.group : undefined;
  }

  see(pid: string, group: number): void {
    const seen = this.sightings.get(pid);
    this.sightings.set(pid, { group, count: seen?.group === group ? seen.count + 1 : 1 });
  }
}

function add(members: readonly Member[], limitBytes: number): GroupUsage {
  const processes = members.length;
  const sum = members.reduce((total, { bytes }) => total + bytes, 0);
  const cpuS = members.reduce((total, member) => total + member.cpuS, 0);
  if (sum <= limitBytes) return { processes, bytes: sum, cpuS };
  // A root without CAP_SYS_PTRACE may not read the PSS of another user's browser; then the sum is used.
  const exact = members.reduce((total, { pid, bytes }) => total + (readProportional(pid) ?? bytes), 0);
  return { processes, bytes: Math.min(sum, exact), cpuS };
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Undefined for a process of another group, and for one that has ended. */
function readMember(pid: string, groups: ReadonlySet<number>, known: KnownGroups): Member | undefined {
  const knownGroup = known.groupOf(pid);
  if (knownGroup !== undefined && !groups.has(knownGroup)) return undefined;
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name of the program, in parentheses, may contain anything; state, parent and group follow it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 15);
  const group = Number(fields[2]);
  known.see(pid, group);
  if (!groups.has(group)) return undefined;
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const bytesOfField = (field: string): number | undefined => bytesOf(status, field);
  // gVisor reports only VmRSS, and a zombie has no memory at all.
  const own = bytesOfField('RssAnon') ?? bytesOfField('VmRSS') ?? 0;
  // The times of the process itself (utime, stime), and those of its children that it has waited for.
  const cpuS = fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS;
  return { pid, group, cpuS, bytes: own + (bytesOfField('RssShmem') ?? 0) + (bytesOfField('VmSwap') ?? 0) };
}

/** The private memory of the process and its share of shared memory. Undefined when it has ended or may not be read. */
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
