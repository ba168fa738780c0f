import type { FieldError } from '@capture-service/client';
import type { CliContext } from '../context/cli-context.js';
import { factsOf, sizeText, write } from '../terminal/output.js';
import type { BatchProgress } from './batch-progress.js';
import { duration, ProgressLine, type Activity } from './progress-line.js';
import type { WorkFolder } from './work-folder.js';
import type { RowOutcome } from './row-outcome.js';
import { faultTable, placedFaults, type RowFault } from './row-faults.js';
import type { SourceRow } from './source-rows.js';

/** Reports on a list: to a person on stderr, and to a program on stdout. */
export class BatchReport {
  private line: ProgressLine | undefined;
  private readonly startedAtMs = performance.now();

  constructor(private readonly context: CliContext) {}

  /** Draws the progress, where a person watches. */
  open(activity: Activity): void {
    if (this.context.showsProgress) this.line = new ProgressLine(this.context.stderr, activity);
  }

  close(): void {
    this.line?.close();
    this.line = undefined;
  }

  /** A line for a person. */
  say(text: string): void {
    if (this.line) this.line.print(text);
    else this.context.stderr.write(`${text}\n`);
  }

  /** A row that nothing changes any more. A terminal shows the progress instead. */
  async row(outcome: RowOutcome): Promise<void> {
    if (this.context.json || !this.context.isTTY) await write(this.context, `${JSON.stringify(outcome)}\n`);
  }

  /**
   * Prints a table of the faults; returns them with their places in the list.
   *
   * @param isPartial there may be more faults than these
   */
  faults(faults: readonly FieldError[], rows: readonly SourceRow[], isPartial = false): RowFault[] {
    const placed = placedFaults(faults, rows);
    this.say(faultTable(placed, isPartial));
    return placed;
  }

  reportConnection(isAway: boolean): void {
    this.say(isAway ? 'The service does not answer; waiting for it.' : 'The service is back.');
  }

  summary(
    outcomes: readonly RowOutcome[],
    { counts }: BatchProgress,
    folder: Pick<WorkFolder<unknown>, 'pathOf'>,
  ): void {
    const files = outcomes.filter(({ file }) => file !== null);
    const bytes = files.reduce((sum, outcome) => sum + outcome.bytes, 0);
    const seconds = (performance.now() - this.startedAtMs) / 1_000;
    this.say(
      factsOf([
        ['succeeded', counts.succeeded],
        ['failed', counts.failed === 0 ? 0 : `${counts.failed}  ${byCode(outcomes)}`],
        ['canceled', counts.canceled === 0 ? undefined : counts.canceled],
        ['files', `${files.length}  ${sizeText(bytes)} in ${folder.pathOf('')}`],
        ['results', `${folder.pathOf('results.csv')}, ${folder.pathOf('results.ndjson')}`],
        ['time', `${duration(seconds)}  ${(outcomes.length / Math.max(seconds, 0.001)).toFixed(1)} rows/s`],
      ]),
    );
  }
}

/** `target_dns_error 3, capture_timeout 1`. */
function byCode(outcomes: readonly RowOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { status, error } of outcomes) {
    if (status === 'failed' && error) counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
}
