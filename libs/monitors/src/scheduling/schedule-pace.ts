/**
 * How long monitors wait for others to become due, where there are many: a transaction for each of them takes several times the CPU of
 * one for all (bench/monitors).
 */
const GATHER_MS = 3_900;

/** There are many when one was due this short a time ago, also if another process has taken it since. */
const BUSY_MS = 10_000;

/** How long a process does not look at most when nothing is due: a new monitor waits as long for its first check. */
const REST_MS = 1_900;

/** Another process takes the monitors when the first has been due for less than this at a look. */
const TAKEN_MS = GATHER_MS / 2;

/** How much later than the other process this one looks then: it takes nothing unless the other has ended. */
const BEHIND_MS = 900;

/** Decides when a process looks for monitors that are due, and when it takes what it has found. Times are in ms, by any steady clock. */
export class SchedulePace {
  private lastDueAt = -Infinity;
  private nextLookAt = -Infinity;
  /** Whether the last ones were so many that they need no gathering. */
  private wereMany = false;

  /** @param many as many at once cost hardly less than more of them */
  constructor(private readonly many: number) {}

  isTimeToLook(now: number): boolean {
    return now >= this.nextLookAt;
  }

  /**
   * Whether the monitors are taken that a look has found.
   *
   * @param dueForMs since when the first of all monitors is due; negative when it is not due yet, null when there is none
   */
  isTimeToTake(now: number, dueForMs: number | null): boolean {
    const gathers = now - this.lastDueAt < BUSY_MS && !this.wereMany;
    if (dueForMs === null || dueForMs < 0) {
      const restMs = dueForMs === null ? REST_MS : Math.min(REST_MS, -dueForMs);
      this.nextLookAt = now + (gathers ? GATHER_MS : restMs);
      return false;
    }
    this.lastDueAt = now;
    const takes = !gathers || dueForMs >= TAKEN_MS;
    this.nextLookAt = now + (takes ? GATHER_MS : GATHER_MS - dueForMs + BEHIND_MS);
    return takes;
  }

  /** Learns from how many monitors were taken when to look next. */
  taken(count: number): void {
    // Another process was quicker: both must not look at the same moments again.
    if (count === 0) this.nextLookAt += BEHIND_MS;
    this.wereMany = count >= this.many;
    if (this.wereMany) this.nextLookAt = -Infinity;
  }
}
