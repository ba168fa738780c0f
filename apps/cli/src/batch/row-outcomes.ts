import type { RowOutcome } from './row-outcome.js';

/** The outcomes of a list as they come in; each row is reported once. */
export class RowOutcomes {
  private readonly known = new Map<number, { readonly outcome: RowOutcome; readonly batch: number }>();
  private readonly reported = new Set<number>();
  private readonly counted = { succeeded: 0, failed: 0, canceled: 0 };

  /** @param report is called once for each row */
  constructor(private readonly report: (outcome: RowOutcome) => Promise<void>) {}

  /**
   * @param batch index of the batch in the state; a later one replaces what an earlier one says about a row
   * @param isFinal whether no other batch can say something else about the row
   */
  async add(outcome: RowOutcome, batch: number, isFinal: boolean): Promise<void> {
    const { row, status } = outcome;
    const earlier = this.known.get(row);
    if (earlier && earlier.batch > batch) return;
    if (earlier) this.counted[earlier.outcome.status]--;
    this.counted[status]++;
    this.known.set(row, { outcome, batch });
    if (isFinal) await this.reportOnce(outcome);
  }

  /** Reports the rows of which no other batch is to come. */
  async finish(): Promise<void> {
    for (const outcome of this.outcomes()) await this.reportOnce(outcome);
  }

  /** In the order of the list. */
  outcomes(): RowOutcome[] {
    return [...this.known.values()].map(({ outcome }) => outcome).sort((one, other) => one.row - other.row);
  }

  /** The rows of a batch that no later one has replaced. */
  ofBatch(batch: number): RowOutcome[] {
    return [...this.known.values()].filter((each) => each.batch === batch).map(({ outcome }) => outcome);
  }

  get counts(): Readonly<Record<RowOutcome['status'], number>> {
    return this.counted;
  }

  private async reportOnce(outcome: RowOutcome): Promise<void> {
    if (this.reported.has(outcome.row)) return;
    this.reported.add(outcome.row);
    await this.report(outcome);
  }
}
