import type { Lane, NextInLanes } from '@app/jobs';

/**
 * While background jobs wait, at least one of so many starts of a worker is theirs, however many synchronous captures wait.
 * With more of them callers would wait for jobs that can wait, with fewer a small service would look stuck to those who
 * submitted jobs.
 */
export const STARTS_PER_BACKGROUND = 4;

const NOTHING: NextInLanes = { interactive: null, background: null };

/**
 * Decides which lane gets the next slot of a worker that is full. The capture whose account runs the fewest comes first.
 * Among equals the lanes take turns, beginning with the synchronous capture: an account whose captures have just ended runs
 * none, and it must not come first again and again. After three synchronous captures in a row it is the turn of the
 * background in any case.
 */
export class LaneTurns {
  private waiting = NOTHING;
  private startsInARow = 0;
  /** Whether a slot was kept for the background. */
  private isTurnGiven = false;

  /** What waited a moment ago. */
  update(waiting: NextInLanes): void {
    this.waiting = waiting;
    if (waiting.background !== null) return;
    this.startsInARow = 0;
    this.isTurnGiven = false;
  }

  started(lane: Lane): void {
    const { interactive, background } = this.waiting;
    // No slot is kept for another job before it is known that one waits.
    if (lane === 'background') this.update({ interactive, background: null });
    else if (background !== null) this.startsInARow += 1;
  }

  /**
   * Whether a slot that is free now is kept for the background. The turn lasts until a job starts or none waits: the account
   * that had all slots may run nothing for a moment, because its captures ended together, and would win the comparison again.
   */
  giveTurn(): boolean {
    this.isTurnGiven = this.isBackgroundNext();
    return this.isTurnGiven;
  }

  /** Whether the next slot is for the background. None needs to be kept while no synchronous capture waits. */
  isBackgroundNext(): boolean {
    const { interactive, background } = this.waiting;
    if (background === null) return false;
    if (this.isTurnGiven || this.startsInARow >= STARTS_PER_BACKGROUND - 1) return true;
    if (interactive === null) return false;
    return this.startsInARow > 0 ? background <= interactive : background < interactive;
  }

  /** Whether a background job that has the last slot starts, rather than leave the slot to a synchronous capture. */
  mayStartBackground(): boolean {
    return this.waiting.interactive === null || this.isBackgroundNext();
  }

  /** Gives up the turn of the background, whose jobs did not come: another worker has taken them. */
  skipBackground(): void {
    this.update({ ...this.waiting, background: null });
  }
}
