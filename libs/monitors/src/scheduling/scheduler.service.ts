import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import type { Monitor } from '../monitor.entity.js';
import { latestDue, nextInstant, type DueInstant } from '../schedule/schedule.js';
import { spreadMs } from '../schedule/spread.js';
import { scheduleOf } from '../monitor-schedule.js';
import { CheckIntakeService } from './check-intake.service.js';
import { DueMonitorRepository, type DueMonitors, type NextInstant } from './due-monitor.repository.js';

/** Monitors of one transaction: more would hold the counters of their accounts for long. */
const CHUNK = 100;

/**
 * How long monitors wait for others to become due, where there are many: a transaction for each of them takes several times the CPU of
 * one for all (bench/monitors).
 */
const GATHER_MS = 3_000;

/** There are many when one was due this short a time ago, also if another process has taken it since. */
const BUSY_MS = 10_000;

/**
 * Makes the captures of the monitors that are due. Any number of processes may do so: each takes monitors that no other has
 * locked, and an instant is passed in the transaction that stores its checks.
 */
@Injectable()
export class SchedulerService {
  /** When some were due at a look, by `performance.now()`. */
  private lastDueAt = -Infinity;

  constructor(
    private readonly database: DatabaseService,
    private readonly due: DueMonitorRepository,
    private readonly intake: CheckIntakeService,
  ) {}

  /** Returns the number of monitors that were due. */
  async runDue(signal: AbortSignal): Promise<number> {
    const longestMs = await this.due.longestDueMs();
    if (longestMs === null) return 0;
    const isBusy = performance.now() - this.lastDueAt < BUSY_MS;
    this.lastDueAt = performance.now();
    if (isBusy && longestMs < GATHER_MS) return 0;
    let all = 0;
    for (let some = CHUNK; some === CHUNK && !signal.aborted; all += some) {
      await this.intake.refresh();
      some = await this.runChunk();
    }
    return all;
  }

  private runChunk(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const monitors = await this.due.lock(transaction, CHUNK);
      if (monitors.length === 0) return 0;
      const found = await this.due.describe(transaction, monitors);
      const instants = monitors.flatMap((monitor) => instantOf(monitor, found) ?? []);
      await this.due.moveOn(transaction, instants.map(toNext));
      await this.intake.store(
        transaction,
        instants.map(({ monitor, due }) => ({
          monitor,
          pages: found.pages.get(monitor.id) ?? [],
          dueAt: due.dueAt,
          missed: due.missed,
          trigger: 'schedule',
          skipped: found.busy.has(monitor.id) ? 'overlap' : null,
        })),
      );
      return monitors.length;
    });
  }
}

interface DueOne {
  readonly monitor: Monitor;
  readonly due: DueInstant;
}

function instantOf(monitor: Monitor, { now }: DueMonitors): DueOne | undefined {
  const { nextDueAt } = monitor;
  return nextDueAt === null ? undefined : { monitor, due: latestDue(scheduleOf(monitor), nextDueAt, now) };
}

function toNext({ monitor, due: { nextAt } }: DueOne): NextInstant {
  return { id: monitor.id, dueAt: nextAt, runAt: runAtOf(monitor, nextAt) };
}

/** When an instant of a monitor is checked. */
export function runAtOf(
  monitor: Pick<Monitor, 'id' | 'host' | 'cron' | 'timezone' | 'everyS'>,
  dueAt: Date | null,
): Date | null {
  if (dueAt === null) return null;
  const following = nextInstant(scheduleOf(monitor), dueAt);
  const periodMs = following === null ? 0 : following.getTime() - dueAt.getTime();
  return new Date(dueAt.getTime() + spreadMs(monitor.id, monitor.host ?? '', periodMs));
}
