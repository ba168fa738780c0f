import {
  comparedKindOf,
  type Captured,
  type CapturedFile,
  type CaptureOptions,
  type ChangeReport,
  type ComparedOutput,
  type ComparisonFailure,
} from '@app/capture';
import type { Job, JobFile } from '@app/jobs';
import { FileNotFoundError } from '@app/storage';

/** A file of this capture, and the one of the earlier capture that it is compared with. */
export interface Pair {
  readonly job: Job;
  readonly options: CaptureOptions;
  readonly earlier: Job;
  readonly now: CapturedFile;
  readonly before: JobFile;
  /** A capture of the same moment (`compare_confirms`). */
  readonly twin?: Job | undefined;
  /** The output that is compared. */
  readonly output: ComparedOutput;
}

export function isPicture({ now }: Pair): boolean {
  return comparedKindOf(now.format) === 'picture';
}

/** The report of a comparison that failed. */
export function unknownChange(comparedWith: string, failure: ComparisonFailure): ChangeReport {
  return {
    compared_with: comparedWith,
    failure,
    changed: null,
    ratio: null,
    boxes: [],
    size_changed: null,
    text_changed: null,
    noise: [],
    lines: [],
    summary: null,
  };
}

/** As `unknownChange`. The hashes of the visible text are known all the same. */
export function failedChange(pair: Pair, captured: Captured, failure: ComparisonFailure): ChangeReport {
  const report = unknownChange(pair.earlier.id, failure);
  return isPicture(pair) ? { ...report, text_changed: textChanged(pair, captured) } : report;
}

export function failureOf(error: unknown): ComparisonFailure {
  if (error instanceof FileNotFoundError) return 'file_missing';
  // That of the kernel, and that of an abort signal.
  return error instanceof Error && error.name === 'TimeoutError' ? 'timed_out' : 'not_comparable';
}

/** Null when one of the hashes is missing, or when the captures left out different elements. */
export function textChanged({ earlier, options }: Pair, { textHash }: Captured): boolean | null {
  const ignored = earlier.options.compare_ignore_selectors ?? [];
  const isComparable = JSON.stringify(ignored) === JSON.stringify(options.compare_ignore_selectors);
  if (!textHash || !earlier.textHash || !isComparable) return null;
  return !textHash.equals(earlier.textHash);
}
