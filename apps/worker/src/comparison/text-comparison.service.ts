import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit, runInThread } from '@app/kernel';
import type { NamedText, TextChange } from './text-comparison.js';

/** The texts that take longest take 1.3 s of a processor. */
const TIMEOUT_MS = 20_000;
/** Those that take most need less than 160 MB. A heap that is full may end the whole process, so that this is much more. */
const MAX_HEAP_MB = 512;
/** Each takes a processor and memory, which the browsers need as well. */
const MAX_AT_ONCE = 1;

/** Two files of text, and one of the same moment as `now`, if there is one. */
export interface ComparedTexts {
  readonly before: NamedText;
  readonly now: NamedText;
  readonly twin?: NamedText | undefined;
}

/**
 * Compares texts in a thread, which starts with each comparison and takes 60 ms to do so: whatever two pages hold, the worker
 * goes on meanwhile.
 */
@Injectable()
export class TextComparisonService {
  protected readonly thread = new URL('./text-thread.js', import.meta.url);
  private readonly limit = new ConcurrencyLimit(MAX_AT_ONCE);

  /**
   * Compares two files of text.
   *
   * @throws TimeoutError, the reason of the signal, or the error of a thread that takes too much memory
   */
  compare({ before, now, twin }: ComparedTexts, signal: AbortSignal): Promise<TextChange> {
    const run = (): Promise<TextChange> =>
      runInThread(this.thread, {
        data: twin ? [before, now, twin] : [before, now],
        maxHeapMb: MAX_HEAP_MB,
        timeoutMs: TIMEOUT_MS,
        what: 'comparing texts',
        signal,
      });
    return this.limit.run(run, signal);
  }
}
