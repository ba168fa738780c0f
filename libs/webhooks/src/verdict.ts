import type { FetchFailure, FetchOutcome } from '@app/outbound';
import { retryAfterS } from './retry-after.js';
import { delayMs } from './retry-schedule.js';

/** What a try means for its delivery. */
export type DeliveryOutcome =
  | { readonly state: 'delivered' | 'failed' }
  /** The endpoint is gone, for this delivery and all others. */
  | { readonly state: 'stopped' }
  | { readonly state: 'pending'; readonly delayMs: number };

/** What came of a try, and when. */
export interface Try {
  /** Tries made so far, with this one. */
  readonly tried: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly outcome: FetchOutcome;
}

const GONE = 410;
/** Statuses whose `Retry-After` is a promise to have recovered by then. */
const BUSY = [429, 503];

/** @param random from 0 to 1, for the jitter */
export function judge({ outcome, tried, at }: Try, random: number): DeliveryOutcome {
  if (outcome.kind !== 'answered') return again(tried, random);
  const { status, headers } = outcome;
  if (status >= 200 && status < 300) return { state: 'delivered' };
  if (status === GONE) return { state: 'stopped' };
  return again(tried, random, BUSY.includes(status) ? retryAfterS(headers['retry-after'], at) : 0);
}

function again(tried: number, random: number, retryAfter = 0): DeliveryOutcome {
  const delay = delayMs(tried, random, retryAfter);
  return delay === null ? { state: 'failed' } : { state: 'pending', delayMs: delay };
}

/** For the delivery log, which its account reads: what went wrong, and nothing of our network. */
export function faultOf(outcome: FetchOutcome): string | null {
  if (outcome.kind !== 'answered') return FAULTS[outcome.kind];
  const { status } = outcome;
  if (status >= 300 && status < 400) return 'A redirect is not followed.';
  if (status === GONE) return 'The endpoint is gone; nothing more is sent to it.';
  return status >= 200 && status < 300 ? null : 'The answer was not a 2xx.';
}

const FAULTS = {
  forbidden: 'The URL is not a public web address.',
  dns: 'The host name could not be resolved.',
  connection: 'The connection failed.',
  tls: 'The TLS handshake failed, or the certificate is not valid for the host.',
  timeout: 'There was no answer in time.',
  invalid: 'The answer was not valid HTTP.',
} as const satisfies Record<FetchFailure, string>;
