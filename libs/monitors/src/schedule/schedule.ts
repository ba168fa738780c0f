import { Cron } from 'croner';

/** The shortest time between two instants. */
export const MIN_EVERY_S = 60;
/** A year: a longer period is a mistake in its unit. */
export const MAX_EVERY_S = 31_536_000;
export const MAX_CRON_LENGTH = 200;

/** When a monitor checks its pages: at the times of a cron expression, or in a fixed period from its first instant on. */
export type Schedule = CronSchedule | { readonly everyS: number };

interface CronSchedule {
  readonly cron: string;
  readonly timezone: string;
}

/** An instant that is due, and what follows from it. */
export interface DueInstant {
  readonly dueAt: Date;
  /** How many earlier instants passed without a check; at most `MAX_COUNTED`. */
  readonly missed: number;
  /** The first instant after now; null when there is none. */
  readonly nextAt: Date | null;
}

/** Instants that are counted one by one. After a longer outage the number is not exact. */
export const MAX_COUNTED = 1_000;

/** Finding an instant of a cron expression takes a third of a millisecond, and most monitors share few expressions. */
const MAX_KEPT = 5_000;
const expressions = new Map<string, Cron>();
const instants = new Map<string, Date | null>();

/** Why this is not a cron expression of five fields in that time zone; undefined if it is. */
export function cronFault(cron: string, timezone: string): string | undefined {
  if (!/^\S+( +\S+){4}$/.test(cron)) return 'must have five fields: minute, hour, day, month, day of week';
  try {
    const next = new Cron(cron, { mode: '5-part', timezone, paused: true }).nextRun();
    return next === null ? 'never occurs' : undefined;
  } catch (error) {
    return `is not a cron expression: ${(error as Error).message.replace(/^CronPattern: /, '')}`;
  }
}

/** Why this is not the name of a time zone; undefined if it is. */
export function timezoneFault(timezone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return undefined;
  } catch {
    return 'must be the name of an IANA time zone, such as Europe/Berlin';
  }
}

/** The first instant of a new monitor. A period begins now; a cron expression is awaited. */
export function firstInstant(schedule: Schedule, now: Date): Date | null {
  return 'everyS' in schedule ? now : nextInstant(schedule, now);
}

/**
 * The first instant after `after`. Local times that the clocks skip in spring occur when the clocks have changed; those that
 * come twice in autumn occur once, unless the expression has several in the hour.
 *
 * @param after an instant of the schedule, for a period
 */
export function nextInstant(schedule: Schedule, after: Date): Date | null {
  if ('everyS' in schedule) return new Date(after.getTime() + schedule.everyS * 1_000);
  const name = `${schedule.timezone} ${schedule.cron}`;
  return kept(instants, `${after.getTime()} ${name}`, () => {
    const { cron, timezone } = schedule;
    const parse = (): Cron => new Cron(cron, { mode: '5-part', timezone, paused: true });
    return kept(expressions, name, parse).nextRun(after);
  });
}

/** The next instants from now on, as many as there are up to `count`. */
export function upcomingInstants(schedule: Schedule, now: Date, count: number): Date[] {
  const upcoming: Date[] = [];
  let next = firstInstant(schedule, now);
  while (next !== null && upcoming.length < count) {
    upcoming.push(next);
    next = nextInstant(schedule, next);
  }
  return upcoming;
}

/**
 * The latest instant that is due, when the first one that has no check is `first`: of several only the latest is made up for.
 *
 * @param now not before `first`
 */
export function latestDue(schedule: Schedule, first: Date, now: Date): DueInstant {
  if ('everyS' in schedule) {
    const periodMs = schedule.everyS * 1_000;
    const missed = Math.floor((now.getTime() - first.getTime()) / periodMs);
    const dueAt = new Date(first.getTime() + missed * periodMs);
    return { dueAt, missed, nextAt: nextInstant(schedule, dueAt) };
  }
  let [dueAt, missed] = [first, 0];
  let nextAt = nextInstant(schedule, first);
  while (nextAt !== null && nextAt <= now && missed < MAX_COUNTED) {
    [dueAt, missed] = [nextAt, missed + 1];
    nextAt = nextInstant(schedule, dueAt);
  }
  return nextAt !== null && nextAt <= now
    ? { ...latestOf(schedule, now), missed }
    : { dueAt, missed, nextAt };
}

/** The instants around now, for a schedule that has passed more of them than are counted. */
function latestOf({ cron, timezone }: CronSchedule, now: Date): Pick<DueInstant, 'dueAt' | 'nextAt'> {
  const expression = new Cron(cron, { mode: '5-part', timezone, paused: true });
  const [dueAt = now] = expression.previousRuns(1, new Date(now.getTime() + 1));
  return { dueAt, nextAt: expression.nextRun(now) };
}

/** What the map holds under this name; it forgets the oldest names. */
function kept<T>(map: Map<string, T>, name: string, make: () => T): T {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
  return made;
}
