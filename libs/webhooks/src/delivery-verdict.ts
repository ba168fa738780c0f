import type { FetchFailure, FetchOutcome } from '@app/outbound';

/** What an attempt means for its delivery. */
export type DeliveryVerdict =
  | { readonly state: 'delivered' | 'failed' }
  /** The endpoint is gone, for this delivery and all others. */
  | { readonly state: 'stopped' }
  | { readonly state: 'pending'; readonly delayMs: number };

/** An attempt that has ended. */
export interface FinishedAttempt {
  /** Its number, from 1. */
  readonly attempt: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly outcome: FetchOutcome;
}

/** Seconds before each attempt, from the end of the previous one: ten attempts in a little over three days. */
export const SCHEDULE_S = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** The fraction by which a delay varies, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** The longest delay that a receiver can ask for. */
const MAX_RETRY_AFTER_S = 86_400;

const GONE = 410;
/** Statuses whose `Retry-After` says when the receiver recovers. */
const BUSY = [429, 503];

/** @param random from 0 to 1, for the jitter */
export function verdictOn({ outcome, attempt, at }: FinishedAttempt, random: number): DeliveryVerdict {
  if (outcome.kind !== 'answered') return retry(attempt, random);
  const { status, headers } = outcome;
  if (status >= 200 && status < 300) return { state: 'delivered' };
  if (status === GONE) return { state: 'stopped' };
  return retry(attempt, random, BUSY.includes(status) ? retryAfterS(headers['retry-after'], at) : 0);
}

function retry(attempt: number, random: number, afterS = 0): DeliveryVerdict {
  const delay = delayMs(attempt, random, afterS);
  return delay === null ? { state: 'failed' } : { state: 'pending', delayMs: delay };
}

/**
 * Milliseconds until the next attempt, never less than the receiver asked for; null after the last attempt.
 *
 * @param attempts made so far
 * @param random from 0 to 1
 */
export function delayMs(attempts: number, random: number, afterS = 0): number | null {
  const delayS = SCHEDULE_S[attempts];
  if (delayS === undefined) return null;
  const factor = 1 - JITTER + 2 * JITTER * random;
  return Math.round(1_000 * Math.max(delayS * factor, Math.min(afterS, MAX_RETRY_AFTER_S)));
}

/** Seconds that `Retry-After` (RFC 9110, 10.2.3) asks for, as a number or a date; 0 if it is missing or invalid. */
export function retryAfterS(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text);
  const at = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

/** The format that senders must use. `Date.parse` alone accepts nearly any text. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The error in the delivery log, or null. The account reads it, so it says nothing about our network. */
export function errorTextOf(outcome: FetchOutcome): string | null {
  if (outcome.kind !== 'answered') return ERRORS[outcome.kind];
  const { status } = outcome;
  if (status >= 300 && status < 400) return 'A redirect is not followed.';
  if (status === GONE) return 'The endpoint is gone; nothing more is sent to it.';
  return status >= 200 && status < 300 ? null : 'The answer was not a 2xx.';
}

const ERRORS = {
  forbidden: 'The URL is not a public web address.',
  dns: 'The host name could not be resolved.',
  connection: 'The connection failed.',
  tls: 'The TLS handshake failed, or the certificate is not valid for the host.',
  timeout: 'There was no answer in time.',
  invalid: 'The answer was not valid HTTP.',
} as const satisfies Record<FetchFailure, string>;
