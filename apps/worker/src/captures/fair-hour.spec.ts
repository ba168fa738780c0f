import { describe, expect, it } from '@jest/globals';
import { SimulatedService, type SimulatedCapture } from '../../../../test/support/fair-hour.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';

const HOUR_MS = 3_600_000;
const SEED = 20_261;
const SLOTS_OF_WORKER = 2;
const GREEDY = ['greedy 1', 'greedy 2', 'greedy 3'];
const MODEST = Array.from({ length: 47 }, (_, n) => `modest ${n + 1}`);
/** The load of all modest accounts together, as a part of what the slots can do. */
const MODEST_LOAD = 0.4;
/** The time in which a caller reads an answer and asks again. */
const THINK_MS = 20;
const RETRY_AFTER_MS = 1_000;

/** What the greedy accounts have in progress all the time; an account may have ten captures in progress, and any number waiting. */
const APPETITES = {
  'synchronous captures': { sync: 10, job: 0 },
  jobs: { sync: 0, job: 30 },
  both: { sync: 5, job: 30 },
} as const;

/** The lengths of captures, in ms, from a random number. */
const LENGTHS = {
  long: () => 29_000,
  short: (random: number) => 2_000 + 4_000 * random,
  'long of greedy accounts, short of others': (random: number, isGreedy: boolean) =>
    isGreedy ? 29_000 : 2_000 + 4_000 * random,
} as const;

const cases = Object.keys(APPETITES).flatMap((appetite) =>
  Object.keys(LENGTHS).flatMap((lengths) => [1, 2, 4].map((workers) => ({ appetite, lengths, workers }))),
) as { appetite: keyof typeof APPETITES; lengths: keyof typeof LENGTHS; workers: number }[];

/** Lets 50 accounts use a service of so many workers for an hour. */
async function anHour({ appetite, lengths, workers }: (typeof cases)[number]): Promise<SimulatedService> {
  const service = new SimulatedService(workers, SLOTS_OF_WORKER);
  const random = seededRandom(SEED);
  const length = (isGreedy: boolean): number => Math.round(LENGTHS[lengths](random(), isGreedy));
  const again = async (accountId: string, source: 'sync' | 'job'): Promise<void> => {
    const onEnd = (): void => {
      service.schedule(service.now + THINK_MS, () => again(accountId, source));
    };
    const isAccepted = await service.accept({ accountId, source, lengthMs: length(true), onEnd });
    if (!isAccepted) service.schedule(service.now + RETRY_AFTER_MS, () => again(accountId, source));
  };
  for (const account of GREEDY) {
    for (const source of ['sync', 'job'] as const) {
      for (let n = 0; n < APPETITES[appetite][source]; n++) service.schedule(n, () => again(account, source));
    }
  }
  const meanMs = lengths === 'long' ? 29_000 : 4_000;
  const betweenMs = (MODEST.length * meanMs) / (MODEST_LOAD * service.slots.interactive);
  for (const [n, account] of MODEST.entries()) {
    const visit = async (): Promise<void> => {
      service.schedule(service.now - Math.log(1 - random()) * betweenMs, visit);
      const source = n % 2 === 0 ? 'sync' : 'job';
      await service.accept({ accountId: account, source, lengthMs: length(false) });
    };
    service.schedule(random() * betweenMs, visit);
  }
  await service.runUntil(HOUR_MS);
  return service;
}

/**
 * How long a capture may wait: until one capture has ended, and then for its share of the slots. While n lines of captures are
 * in progress, each of one account in one lane, a line has an n-th of the slots: k captures start in the time of k × n
 * captures on all slots.
 */
function fairWaitMs({ slots }: SimulatedService, longestMs: number): (capture: SimulatedCapture) => number {
  return ({ lane, number, lines }) => longestMs * (1 + (number * lines) / slots[lane]);
}

/** Captures that still wait have waited until the end of the hour. */
function waitMs({ acceptedAt, startedAt }: SimulatedCapture): number {
  return (startedAt ?? HOUR_MS) - acceptedAt;
}

describe('an hour of 50 accounts, three of them greedy', () => {
  it.each(cases)(
    'lets no account wait longer than its share and one capture: $appetite, $lengths, $workers worker(s)',
    async (each) => {
      const service = await anHour(each);
      const fairMs = fairWaitMs(service, each.lengths === 'short' ? 6_000 : 29_000);
      expect(service.captures.filter((capture) => waitMs(capture) > fairMs(capture))).toEqual([]);
    },
  );
});
