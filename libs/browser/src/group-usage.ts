import { readdir, readFile } from 'node:fs/promises';

/** Of every Linux that Chromium runs on but those of some ARM machines, where the reading is too low. */
const PAGE_BYTES = 4_096;

/** What the processes of one group use together. */
export interface GroupUsage {
  readonly processes: number;
  /** Resident and not shared: what killing the group would give back. */
  readonly bytes: number;
}

/** What these process groups use, by the number of the group; one without processes is missing. Linux: else empty. */
export async function usageOf(groups: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>> {
  const usage = new Map<number, GroupUsage>();
  const names = await readdir('/proc').catch(() => []);
  const readings = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(name, groups)),
  );
  for (const reading of readings) {
    if (reading === undefined) continue;
    const { processes, bytes } = usage.get(reading.group) ?? { processes: 0, bytes: 0 };
    usage.set(reading.group, { processes: processes + 1, bytes: bytes + reading.bytes });
  }
  return usage;
}

/** Undefined for a process of another group, and for one that has ended meanwhile. */
async function readProcess(
  pid: string,
  groups: ReadonlySet<number>,
): Promise<{ group: number; bytes: number } | undefined> {
  const stat = (await read(`/proc/${pid}/stat`)) ?? '';
  // The name of the program, in parentheses, may hold anything; state, parent and group follow it.
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  if (!groups.has(group)) return undefined;
  const statm = await read(`/proc/${pid}/statm`);
  if (statm === undefined) return undefined;
  const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
  return { group, bytes: (resident - shared) * PAGE_BYTES };
}

function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
