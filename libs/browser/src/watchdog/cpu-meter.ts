import type { GroupUsage } from './group-usage.js';

/** An earlier reading says nothing about now. */
const STALE_MS = 2_000;

interface Reading {
  readonly at: number;
  readonly cpuS: number;
}

/** Measures how many cores this process and its busy browsers use, from one reading to the next. */
export class CpuMeter {
  private own: Reading = { at: -Infinity, cpuS: 0 };
  private browsers: ReadonlyMap<number, Reading> = new Map();

  /** Reads the CPU time of this process, and takes that of the groups; a group is counted from its second reading on. */
  read(groups: ReadonlyMap<number, GroupUsage>): number {
    const at = performance.now();
    const { user, system } = process.cpuUsage();
    const own = { at, cpuS: (user + system) / 1e6 };
    const now = new Map([...groups].map(([group, { cpuS }]) => [group, { at, cpuS }]));
    const used = [...now].reduce(
      (sum, [group, reading]) => sum + coresOf(this.browsers.get(group), reading),
      0,
    );
    const cores = used + coresOf(this.own, own);
    this.own = own;
    this.browsers = now;
    return cores;
  }
}

function coresOf(before: Reading | undefined, { at, cpuS }: Reading): number {
  if (before === undefined || at - before.at > STALE_MS) return 0;
  // A process that ended between the readings may have taken its share with it.
  return Math.max(0, cpuS - before.cpuS) / ((at - before.at) / 1_000);
}
