import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import { CpuMeter } from './cpu-meter.js';
import { KnownGroups, usageOf, type GroupUsage } from './group-usage.js';

/** A page can allocate some hundred MB in this time; the limit must be that far below the memory of the machine. */
const INTERVAL_MS = 500;

/** The limits of all processes of one browser together, and of all browsers. */
export interface BrowserLimits {
  readonly bytes: number;
  readonly processes: number;
  /** The limit of the memory of all browsers together. */
  readonly allBytes: number;
}

/** The observation of one browser. */
export interface Watch {
  /** Resolves, never rejects, when the browser exceeds a limit or is lost; the capture ends with this error. */
  readonly excess: Promise<AppError>;
  end(): void;
}

/**
 * Watches the memory and the number of processes of browsers during captures.
 *
 * A container counts the worker and its browsers together: without these limits one page could make it kill the worker
 * (Kubernetes kills the whole group). The watchdog only reports; the slot kills.
 */
export class Watchdog {
  private readonly watched = new Map<number, (excess: AppError) => void>();
  private isRunning = false;
  private readonly cpu = new CpuMeter();

  /** `onCpu` is called with the number of cores that the worker and its browsers used in the last interval. */
  constructor(
    private readonly limits: BrowserLimits,
    private readonly onCpu: (cores: number) => void = () => undefined,
  ) {}

  /** Watches a process group until the watch is ended. */
  watch(group: number): Watch {
    const { promise: excess, resolve } = Promise.withResolvers<AppError>();
    this.watched.set(group, resolve);
    if (!this.isRunning) void this.run();
    return { excess, end: () => void this.watched.delete(group) };
  }

  /** Checks all browsers at once, because each check lists all processes. */
  private async run(): Promise<void> {
    this.isRunning = true;
    // While nothing was watched, numbers of processes may have been given to others.
    const known = new KnownGroups();
    while (this.watched.size > 0) {
      await sleep(INTERVAL_MS, undefined, { ref: false });
      const groups = usageOf(new Set(this.watched.keys()), this.limits.bytes, known);
      for (const [group, usage] of groups) {
        const detail = this.excessOf(usage);
        if (detail !== undefined) this.watched.get(group)?.(new AppError('resource_limit', { detail }));
      }
      this.checkAll(groups);
      this.onCpu(this.cpu.read(groups));
    }
    this.isRunning = false;
  }

  /** When all browsers have too much memory, the largest one ends; its capture is tried again. */
  private checkAll(groups: ReadonlyMap<number, GroupUsage>): void {
    const sum = (all: ReadonlyMap<number, GroupUsage>): number =>
      [...all.values()].reduce((total, { bytes }) => total + bytes, 0);
    if (sum(groups) <= this.limits.allBytes) return;
    // Below the limit of one browser shared memory was counted several times; with the limit 0 it is exact.
    const exact = usageOf(new Set(this.watched.keys()), 0);
    if (sum(exact) <= this.limits.allBytes) return;
    const [largest] = [...exact].sort(([, one], [, other]) => other.bytes - one.bytes);
    const detail = 'The worker had not enough memory for all of its captures.';
    if (largest) this.watched.get(largest[0])?.(new AppError('overloaded', { detail }));
  }

  private excessOf({ bytes, processes }: GroupUsage): string | undefined {
    if (bytes > this.limits.bytes) {
      return `The page made the browser use more than ${this.limits.bytes} bytes of memory.`;
    }
    if (processes > this.limits.processes) {
      return `The page made the browser start more than ${this.limits.processes} processes.`;
    }
    return undefined;
  }
}
