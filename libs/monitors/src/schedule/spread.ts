import { createHash } from 'node:crypto';

/** Cron expressions gather at full hours: the checks of one instant are spread over this time. */
const MAX_SPREAD_MS = 30_000;

/**
 * How long after its instant a monitor checks its pages: always the same, evenly spread over the monitors of a host and of all
 * hosts, so that thousands of them neither wait for each other nor reach one server at once.
 *
 * @param periodMs to the next instant; a tenth of it is never exceeded
 */
export function spreadMs(monitorId: string, host: string, periodMs: number): number {
  const limit = Math.min(MAX_SPREAD_MS, Math.max(0, periodMs) / 10);
  const part = createHash('sha256').update(`${host} ${monitorId}`).digest().readUInt32BE() / 2 ** 32;
  return Math.floor(limit * part);
}
