import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '@app/kernel';
import type { Visit } from './family.js';

/** A wait was not over when its time was; the message says what did not come. */
export class WaitRanOutError extends Error {
  override readonly name = 'WaitRanOutError';
}

const POLL_MS = 40;

/** What is waited for and until when, by `performance.now()`. */
export interface Wait {
  readonly until: number;
  /** What had not come when the time was over: a sentence for the caller. */
  readonly otherwise: string;
}

/**
 * Asks again and again until the answer is yes. The asking is done from here: a page's own timers stand still without
 * JavaScript, and in a page that is busy.
 *
 * @throws WaitRanOutError
 */
export async function poll(visit: Visit, wait: Wait, isOver: () => Promise<boolean>): Promise<void> {
  while (!(await inTime(wait, isOver()))) {
    if (performance.now() + POLL_MS > wait.until) throw new WaitRanOutError(wait.otherwise);
    await delay(POLL_MS, undefined, { signal: visit.signal });
  }
}

/**
 * Settles as `work` does, or rejects when the time is over; the work goes on, unheard.
 *
 * @throws WaitRanOutError
 */
export async function inTime<T>(wait: Wait, work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(work, Math.max(0, wait.until - performance.now()), 'the wait');
  } catch (error) {
    throw error instanceof TimeoutError ? new WaitRanOutError(wait.otherwise) : error;
  }
}

/** Whether the requests that are awaited are over in time. */
export async function requestsOver(visit: Visit, until: number): Promise<boolean> {
  const isOver = (): Promise<boolean> => Promise.resolve(visit.activity?.isOver() ?? true);
  try {
    await poll(visit, { until, otherwise: 'the requests' }, isOver);
    return true;
  } catch (error) {
    if (!(error instanceof WaitRanOutError)) throw error;
    return false;
  }
}
