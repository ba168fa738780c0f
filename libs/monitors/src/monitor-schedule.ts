import type { Monitor } from './monitor.entity.js';
import type { Schedule } from './schedule/schedule.js';

/** The schedule in the columns of a monitor. */
export function scheduleOf({
  cron,
  timezone,
  everyS,
}: Pick<Monitor, 'cron' | 'timezone' | 'everyS'>): Schedule {
  if (cron !== null && timezone !== null) return { cron, timezone };
  if (everyS !== null) return { everyS };
  throw new Error('The monitor has no schedule.');
}

/** The columns that hold a schedule. */
export function columnsOfSchedule(schedule: Schedule): Pick<Monitor, 'cron' | 'timezone' | 'everyS'> {
  return 'everyS' in schedule
    ? { cron: null, timezone: null, everyS: schedule.everyS }
    : { ...schedule, everyS: null };
}
