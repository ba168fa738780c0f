import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import { usageOf, type GroupUsage } from './group-usage.js';

/** A page that takes all it can get takes some hundred MB in this time: the limit stays that far below the machine's. */
const INTERVAL_MS = 500;

/** What all processes of one browser may use together. */
export interface BrowserLimits {
  readonly bytes: number;
  readonly processes: number;
}

/** A watch over one browser. */
export interface Watch {
  /** Resolves, never rejects, with `resource_limit` when the browser passes a limit. */
  readonly excess: Promise<AppError>;
  end(): void;
}

/**
 * Looks after the memory and the number of the processes of browsers, while a page that may do anything is in them.
 *
 * A container counts the worker and its browsers together: without this it would end them all, the worker first of all
 * or with them (Kubernetes kills the whole group), for what one page does. It only tells: the slot kills.
 */
export class Watchdog {
  private readonly watched = new Map<number, (excess: AppError) => void>();
  private looking = false;

  constructor(private readonly limits: BrowserLimits) {}

  /** Watches a process group until the watch is ended. */
  watch(group: number): Watch {
    const { promise: excess, resolve } = Promise.withResolvers<AppError>();
    this.watched.set(group, resolve);
    if (!this.looking) void this.look();
    return { excess, end: () => void this.watched.delete(group) };
  }

  /** All browsers at one look: each would read the whole process table again. */
  private async look(): Promise<void> {
    this.looking = true;
    while (this.watched.size > 0) {
      await wait(INTERVAL_MS, undefined, { ref: false });
      const groups = usageOf(new Set(this.watched.keys()), this.limits.bytes);
      for (const [group, usage] of groups) {
        const detail = this.judge(usage);
        if (detail !== undefined) this.watched.get(group)?.(new AppError('resource_limit', { detail }));
      }
    }
    this.looking = false;
  }

  private judge({ bytes, processes }: GroupUsage): string | undefined {
    if (bytes > this.limits.bytes) {
      return `The page made the browser use more than ${this.limits.bytes} bytes of memory.`;
    }
    if (processes > this.limits.processes) {
      return `The page made the browser start more than ${this.limits.processes} processes.`;
    }
    return undefined;
  }
}
