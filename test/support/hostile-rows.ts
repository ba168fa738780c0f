import { expect, it } from '@jest/globals';
import type { CaptureFacts, CaptureOptions } from '@app/capture';
import type { Arena, Outcome } from './hostile.js';

/** A hostile page and how a capture of it may end. */
export interface HostileRow {
  /** The number of reliability.md 5, and what the page does. */
  readonly title: string;
  readonly page: string;
  readonly options?: Partial<CaptureOptions>;
  readonly ends: readonly Outcome['end'][];
  /** Of a capture that ends with a file. */
  readonly facts?: Partial<Record<keyof CaptureFacts, unknown>>;
  /** Words that the error says, so that it is the right one of its code. */
  readonly detail?: RegExp;
}

/** Captures each page: it ends as it may, in time, and leaves nothing behind. */
export function itSurvives(arena: () => Arena, rows: readonly HostileRow[]): void {
  it.each(rows)('$title', async ({ page, options, ends, facts, detail }) => {
    const outcome = await arena().visit(page, options);
    expect(ends).toContain(outcome.end);
    if (outcome.end === 'file') expect(outcome.facts).toMatchObject(facts ?? {});
    else expect(outcome.detail).toMatch(detail ?? /./);
    await arena().expectClean();
  });
}
