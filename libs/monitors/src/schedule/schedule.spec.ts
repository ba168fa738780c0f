import { describe, expect, it } from '@jest/globals';
import {
  cronFault,
  firstInstant,
  latestDue,
  MAX_COUNTED,
  nextInstant,
  timezoneFault,
  upcomingInstants,
} from './schedule.js';
import { spreadMs } from './spread.js';

const timeOf = (text: string): Date => new Date(text);

/** The instants of an expression between two times. */
function instants(cron: string, timezone: string, [from, to]: [string, string]): string[] {
  const found: string[] = [];
  let next = nextInstant({ cron, timezone }, timeOf(from));
  while (next !== null && next < timeOf(to)) {
    found.push(next.toISOString().slice(0, 16));
    next = nextInstant({ cron, timezone }, next);
  }
  return found;
}

describe(nextInstant.name, () => {
  // The clocks of Lord Howe change by half an hour.
  it.each([
    ['Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['America/Santiago', '2026-09-05T12:00Z', ['2026-09-06T05:30', '2026-09-07T05:30']],
    ['Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30', '2026-10-04T15:30']],
    ['Asia/Kolkata', '2026-03-28T12:00Z', ['2026-03-28T21:00', '2026-03-29T21:00']],
  ])('runs once a day when the clocks of %s go forward', (timezone, from, expected) => {
    const to = new Date(timeOf(from).getTime() + 2 * 86_400_000).toISOString();
    expect(instants('30 2 * * *', timezone, [from, to])).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2026-10-24T12:00Z'],
    ['America/New_York', '2026-10-31T12:00Z'],
    ['America/Santiago', '2026-04-04T12:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:00Z'],
    ['Asia/Kolkata', '2026-10-24T12:00Z'],
  ])('runs once a day when the clocks of %s go back', (timezone, from) => {
    const to = new Date(timeOf(from).getTime() + 3 * 86_400_000).toISOString();
    for (const cron of ['30 1 * * *', '30 2 * * *', '45 23 * * *']) {
      expect(instants(cron, timezone, [from, to])).toHaveLength(3);
    }
  });

  it('keeps the period of a short interval over both changes', () => {
    for (const day of ['2026-03-29', '2026-10-25']) {
      const found = instants('*/30 * * * *', 'Europe/Berlin', [`${day}T00:00Z`, `${day}T03:00Z`]);
      expect(found).toEqual(['00:30', '01:00', '01:30', '02:00', '02:30'].map((time) => `${day}T${time}`));
    }
  });

  it('adds the period', () => {
    expect(nextInstant({ everyS: 90 }, timeOf('2026-01-01T00:00:00Z'))).toEqual(
      timeOf('2026-01-01T00:01:30Z'),
    );
  });
});

describe(firstInstant.name, () => {
  it('begins a period now, and awaits an expression', () => {
    const now = timeOf('2026-01-01T00:00:10Z');
    expect(firstInstant({ everyS: 60 }, now)).toEqual(now);
    expect(firstInstant({ cron: '5 * * * *', timezone: 'UTC' }, now)).toEqual(timeOf('2026-01-01T00:05:00Z'));
  });
});

describe(latestDue.name, () => {
  const first = timeOf('2026-01-01T00:00:00Z');

  it.each([{ everyS: 600 }, { cron: '*/10 * * * *', timezone: 'UTC' }])(
    'counts what %j missed',
    (schedule) => {
      expect(latestDue(schedule, first, timeOf('2026-01-01T00:09:59Z'))).toEqual({
        dueAt: first,
        missed: 0,
        nextAt: timeOf('2026-01-01T00:10:00Z'),
      });
      expect(latestDue(schedule, first, timeOf('2026-01-01T01:00:00Z'))).toEqual({
        dueAt: timeOf('2026-01-01T01:00:00Z'),
        missed: 6,
        nextAt: timeOf('2026-01-01T01:10:00Z'),
      });
    },
  );

  it('finds the latest of more instants than it counts', () => {
    const schedule = { cron: '* * * * *', timezone: 'Europe/Berlin' };
    expect(latestDue(schedule, first, timeOf('2026-01-03T00:00:30Z'))).toEqual({
      dueAt: timeOf('2026-01-03T00:00:00Z'),
      missed: MAX_COUNTED,
      nextAt: timeOf('2026-01-03T00:01:00Z'),
    });
  });
});

describe(cronFault.name, () => {
  it.each(['* * * * *', '*/30 8-18 * * 1-5', '0 9 L * *', '0 9 * * MON'])('accepts %s', (cron) => {
    expect(cronFault(cron, 'UTC')).toBeUndefined();
  });

  it.each(['', '@daily', '* * * * * *', '60 * * * *', 'a b c d e', '0 0 31 2 *', '2026-01-01T00:00:00'])(
    'refuses %j',
    (cron) => {
      expect(cronFault(cron, 'UTC')).toEqual(expect.any(String));
    },
  );
});

describe(timezoneFault.name, () => {
  it('knows the names of time zones', () => {
    expect(timezoneFault('Europe/Berlin')).toBeUndefined();
    expect(timezoneFault('Mars/Olympus')).toContain('IANA');
  });
});

describe(spreadMs.name, () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `monitor-${i}`);

  it('spreads the monitors of a host evenly, and is the same each time', () => {
    const spread = ids.map((id) => spreadMs(id, 'a.test', 3_600_000));
    expect(ids.map((id) => spreadMs(id, 'a.test', 3_600_000))).toEqual(spread);
    const tenths = Array.from(
      { length: 10 },
      (_, i) => spread.filter((ms) => Math.floor(ms / 3_000) === i).length,
    );
    for (const tenth of tenths) expect(tenth).toBeGreaterThan(60);
  });

  it('never exceeds a tenth of the period', () => {
    for (const id of ids) expect(spreadMs(id, 'a.test', 60_000)).toBeLessThan(6_000);
  });
});

describe(upcomingInstants.name, () => {
  const upcoming = (schedule: Parameters<typeof upcomingInstants>[0], count: number): string[] =>
    upcomingInstants(schedule, timeOf('2026-03-27T09:30:00Z'), count).map((at) =>
      at.toISOString().slice(0, 16),
    );

  it('has the next instants, whatever the clocks do meanwhile', () => {
    const schedule = { cron: '0 9 * * 1-5', timezone: 'Europe/Paris' };
    expect(upcoming(schedule, 3)).toEqual(['2026-03-30T07:00', '2026-03-31T07:00', '2026-04-01T07:00']);
  });

  it('begins a period now', () => {
    expect(upcoming({ everyS: 3_600 }, 2)).toEqual(['2026-03-27T09:30', '2026-03-27T10:30']);
  });
});
