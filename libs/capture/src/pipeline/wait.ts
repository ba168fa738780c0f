import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '@app/kernel';
import type { Visit } from './family.js';
import { inPage, type ScriptTarget } from './in-page.js';

/** A wait passed its deadline; the message says what did not happen. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

const POLL_MS = 40;

/** The limit of a wait. */
export interface Deadline {
  /** As `performance.now()` counts. */
  readonly until: number;
  /** The message of the error: a sentence for the caller. */
  readonly message: string;
}

/**
 * Repeats a check until it is true. The timer runs here and not in the page, whose own timers stop without JavaScript and
 * while the page is busy.
 *
 * @throws WaitTimeoutError
 */
export async function poll(visit: Visit, deadline: Deadline, check: () => Promise<boolean>): Promise<void> {
  while (!(await withDeadline(deadline, check()))) {
    if (performance.now() + POLL_MS > deadline.until) throw new WaitTimeoutError(deadline.message);
    await delay(POLL_MS, undefined, { signal: visit.signal });
  }
}

/**
 * Settles as `work` does, or rejects at the deadline; the work goes on and its result is dropped.
 *
 * @throws WaitTimeoutError
 */
export async function withDeadline<T>({ until, message }: Deadline, work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(work, Math.max(0, until - performance.now()), message);
  } catch (error) {
    throw error instanceof TimeoutError ? new WaitTimeoutError(message) : error;
  }
}

/** Whether `wait` ended before its deadline. */
export async function endsInTime(wait: Promise<unknown>): Promise<boolean> {
  try {
    await wait;
    return true;
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    return false;
  }
}

/** Waits for the requests that the capture caused. Returns whether they ended in time. */
export function waitForRequests(visit: Visit, until: number): Promise<boolean> {
  const isOver = (): Promise<boolean> => Promise.resolve(visit.activity?.isOver() ?? true);
  return endsInTime(poll(visit, { until, message: 'the requests' }, isOver));
}

/**
 * Waits until the page has been drawn twice: then the observers of the first frame have been notified. A page without
 * JavaScript does not tell. Returns whether it was drawn in time.
 */
export function drawFrames(visit: ScriptTarget, until: number): Promise<boolean> {
  return endsInTime(
    withDeadline({ until, message: 'the page is not drawn' }, inPage(visit, twoFrames, null)),
  );
}

/** Runs in the page. */
async function twoFrames(): Promise<void> {
  for (let frames = 0; frames < 2; frames += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
}
