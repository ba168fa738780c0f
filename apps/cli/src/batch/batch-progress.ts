import { hasEnded, type BatchRecord } from '@capture-service/client';
import type { RowOutcome } from './row-outcome.js';

/** The pace is that of the latest rows. */
const PACE_WINDOW_MS = 30_000;

type Counts = Readonly<Record<RowOutcome['status'], number>>;

/** How far a list is, and how long it will take. */
export class BatchProgress {
  counts: Counts = { succeeded: 0, failed: 0, canceled: 0 };
  /** Whether the service does not answer at the moment. */
  isAway = false;
  /** Whether further rows may be found. */
  isGrowing = false;
  private waiting: number;
  private readonly running = new Map<string, { readonly endsAtMs: number | undefined }>();
  private readonly paces: { readonly atMs: number; readonly done: number }[] = [];

  /**
   * @param total rows of the list
   * @param unsubmitted those of which the service knows nothing yet
   * @param now the time in ms, from any start
   */
  constructor(
    public total: number,
    unsubmitted: number,
    private readonly now: () => number,
  ) {
    this.waiting = unsubmitted;
  }

  /** Rows that need nothing more: they failed, or their files are in the folder. */
  get done(): number {
    return this.counts.succeeded + this.counts.failed + this.counts.canceled;
  }

  submitted(rows: number): void {
    this.waiting = Math.max(0, this.waiting - rows);
  }

  batch(record: BatchRecord): void {
    const { id, eta_s } = record;
    if (hasEnded(record)) this.running.delete(id);
    else this.running.set(id, { endsAtMs: eta_s === null ? undefined : this.now() + eta_s * 1_000 });
  }

  row(counts: Counts): void {
    this.counts = { ...counts };
    const atMs = this.now();
    this.paces.push({ atMs, done: this.done });
    while ((this.paces[0]?.atMs ?? atMs) < atMs - PACE_WINDOW_MS) this.paces.shift();
  }

  /** Rows in a second, of the latest ones; undefined before the second row. */
  get pace(): number | undefined {
    const [first] = this.paces;
    const last = this.paces.at(-1);
    if (!first || !last || last.done <= first.done) return undefined;
    return ((last.done - first.done) * 1_000) / Math.max(1, this.now() - first.atMs);
  }

  /** Seconds until the end, by the service's own estimate; rows that are not submitted yet continue at the pace of the others. */
  get etaS(): number | undefined {
    if (this.isGrowing) return undefined;
    const estimates = [...this.running.values()].map(({ endsAtMs }) => endsAtMs);
    if (estimates.length === 0 && this.waiting === 0) return undefined;
    if (estimates.some((endsAtMs) => endsAtMs === undefined)) return undefined;
    const submittedS = Math.max(0, ...estimates.map((endsAtMs = 0) => (endsAtMs - this.now()) / 1_000));
    if (this.waiting === 0) return submittedS;
    const { pace } = this;
    return pace === undefined ? undefined : submittedS + this.waiting / pace;
  }
}
