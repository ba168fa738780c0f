import type { Env } from '../env.js';
import { readMachine, type Machine } from './machine.js';

const GIB = 2 ** 30;

/** A page that waits for the network needs hardly any CPU. Measured: 16 captures of such pages keep 2 cores busy. */
const SLOTS_PER_CORE = 8;
/** Captures of pages that compute wait for each other's answers and for the store, so that one per core would idle. */
const MIN_PER_CORE = 2;
/** A browser with one page mostly has 100 to 400 MB. */
const BYTES_PER_SLOT = GIB / 2;
/** For Node, its encoder of AVIF and the kernel. */
const RESERVED_BYTES = GIB;
/** With one slot none could be kept free for synchronous captures. */
const MIN_SLOTS = 2;
const MAX_SLOTS = 64;

/** How many captures a worker runs at once. */
export interface SlotPlan {
  readonly slots: number;
  /** One sentence for the log. */
  readonly reason: string;
  /** The browsers that are kept running without demand; the other slots start theirs when callers wait. */
  readonly warmBrowsers: number;
  /** The slots that are usable whatever the load of the cores; the operator's number always is. */
  readonly minUsable: number;
  readonly cores: number;
  /** The memory that all browsers may have together; Infinity when the operator has chosen the number of slots. */
  readonly browserBytes: number;
}

type SlotSettings = Pick<Env, 'WORKER_SLOTS' | 'BROWSER_MAX_MEMORY_BYTES'>;

/**
 * Plans the slots of this worker: the number in `WORKER_SLOTS`, or with `auto` as many as cores and memory allow, beside
 * one browser of the maximum size.
 */
export function planSlots(
  { WORKER_SLOTS: setting, BROWSER_MAX_MEMORY_BYTES: largest }: SlotSettings,
  machine: Machine = readMachine(),
): SlotPlan {
  const { cores, memoryBytes, isMemoryOwn } = machine;
  const warmest = Math.max(MIN_SLOTS, Math.ceil(cores));
  if (setting !== 'auto') {
    const slots = Number(setting);
    const reason = `${slots} ${slots === 1 ? 'slot' : 'slots'}, as WORKER_SLOTS says`;
    const warmBrowsers = Math.min(slots, warmest);
    return { slots, reason, cores, warmBrowsers, minUsable: slots, browserBytes: Infinity };
  }
  // Memory that is not its own the worker shares with the database and everything else.
  const browserBytes = isMemoryOwn ? memoryBytes - RESERVED_BYTES : memoryBytes / 2;
  const byMemory = Math.floor((browserBytes - largest) / BYTES_PER_SLOT);
  const byCores = Math.ceil(cores * SLOTS_PER_CORE);
  const slots = Math.max(MIN_SLOTS, Math.min(byMemory, byCores, MAX_SLOTS));
  const memory = `${(memoryBytes / 1e9).toFixed(1)} GB of memory${isMemoryOwn ? '' : ' shared with others'}`;
  const reason =
    `${slots} slots: ${Number(cores.toFixed(2))} cores allow ${byCores}, ` +
    `${memory} ${Math.max(0, byMemory)}, and a worker has ${MIN_SLOTS} to ${MAX_SLOTS}`;
  return {
    slots,
    reason,
    cores,
    warmBrowsers: Math.min(slots, warmest),
    minUsable: Math.min(slots, MIN_PER_CORE * warmest),
    browserBytes: Math.max(browserBytes, largest),
  };
}
