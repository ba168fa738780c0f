import { Injectable } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import type { Monitor } from '../monitor.entity.js';
import { latestDue, nextInstant, type DueInstant } from '../schedule/schedule.js';
import { spreadMs } from '../schedule/spread.js';
import { scheduleOf } from '../monitor-schedule.js';
import { CheckIntakeService } from './check-intake.service.js';
import { DueMonitorRepository, type DueMonitors, type NextInstant } from './due-monitor.repository.js';
import { SchedulePace } from './schedule-pace.js';

/** Monitors of one transaction: more would hold the counters of their accounts for long. */
const CHUNK = 100;

/**
 * Makes the captures of the monitors that are due. Any number of processes may do so: each takes monitors that no other has
 * locked, and an instant is passed in the transaction that stores its checks.
 */
@Injectable()
export class SchedulerService {
  private readonly pace = new SchedulePace(CHUNK);

  constructor(
    private readonly database: DatabaseService,
    private readonly due: DueMonitorRepository,
    private readonly intake: CheckIntakeService,
  ) {}

  /** Is called every second, and runs what is due when that is worth its queries. Returns the number of monitors that were due. */
  async tick(signal: AbortSignal): Promise<number> {
    if (!this.pace.isTimeToLook(performance.now())) return 0;
    const dueForMs = await this.due.dueForMs();
    if (!this.pace.isTimeToTake(performance.now(), dueForMs)) return 0;
    const count = await this.runDue(signal);
    this.pace.taken(count);
    return count;
  }

  /** Returns the number of monitors that were due. */
  async runDue(signal: AbortSignal): Promise<number> {
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
