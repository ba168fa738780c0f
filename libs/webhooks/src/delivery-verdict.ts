import { retryAfterS } from '@app/kernel';
import type { FetchFailure, FetchOutcome } from '@app/outbound';
import type { Channel } from './channels/channel.js';

/** What an attempt means for its delivery. */
export type DeliveryVerdict =
  | { readonly state: 'delivered' | 'failed' }
  /** The endpoint is gone, for this delivery and all others. */
  | { readonly state: 'stopped' }
  | { readonly state: 'pending'; readonly delayMs: number };

/** The outcome of an attempt to send a mail, besides the failures that other requests have as well. */
export type MailOutcome =
  | {
      readonly kind: 'mailed';
      /** The last reply of the mail server (RFC 5321): 2xx when it took the mail. */
      readonly status: number;
      /** Whether the server does not know the receiver. */
      readonly isUnknown: boolean;
    }
  /** The operator has removed SMTP_URL. */
  | { readonly kind: 'no_mail_server' };

export type AttemptOutcome = FetchOutcome | MailOutcome;

/** An attempt that has ended. */
export interface FinishedAttempt {
  readonly channel: Channel;
  /** Its number, from 1. */
  readonly attempt: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

/** Seconds before each attempt, from the end of the previous one: ten attempts in a little over three days. */
export const SCHEDULE_S = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** The fraction by which a delay varies, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** The longest delay that a receiver can ask for. */
const MAX_RETRY_AFTER_S = 86_400;

/** Slack and Discord answer 404 when an address was revoked. */
const GONE: Readonly<Record<Channel, readonly number[]>> = {
  webhook: [410],
  slack: [404, 410],
  discord: [404, 410],
  teams: [410],
  email: [],
};
/** Statuses whose `Retry-After` says when the receiver recovers. */
const BUSY = [429, 503];

/** @param random from 0 to 1, for the jitter */
export function verdictOn(
  { channel, outcome, attempt, at }: FinishedAttempt,
  random: number,
): DeliveryVerdict {
  if (isGone(outcome, channel)) return { state: 'stopped' };
  const status = statusOf(outcome);
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered' };
  if (outcome.kind !== 'answered' || status === null) return retry(attempt, random);
  const { headers } = outcome;
  return retry(attempt, random, BUSY.includes(status) ? retryAfterS(headers['retry-after'], at) : 0);
}

/** The status of the answer, or the reply of the mail server; null without one. */
export function statusOf(outcome: AttemptOutcome): number | null {
  return outcome.kind === 'answered' || outcome.kind === 'mailed' ? outcome.status : null;
}

function isGone(outcome: AttemptOutcome, channel: Channel): boolean {
  if (outcome.kind === 'mailed') return outcome.isUnknown;
  return outcome.kind === 'answered' && GONE[channel].includes(outcome.status);
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

/** The error in the delivery log, or null. The account reads it, so it says nothing about our network. */
export function errorTextOf(outcome: AttemptOutcome, channel: Channel): string | null {
  if (outcome.kind === 'mailed') return mailErrorOf(outcome);
  if (outcome.kind !== 'answered') return ERRORS[outcome.kind];
  const { status } = outcome;
  if (status >= 300 && status < 400) return 'A redirect is not followed.';
  if (isGone(outcome, channel)) return 'The endpoint is gone; nothing more is sent to it.';
  return status >= 200 && status < 300 ? null : 'The answer was not a 2xx.';
}

function mailErrorOf({ status, isUnknown }: MailOutcome & { readonly kind: 'mailed' }): string | null {
  if (isUnknown) return 'The mail server does not know the receiver; nothing more is sent to it.';
  return status >= 200 && status < 300 ? null : 'The mail server did not take the mail.';
}

const ERRORS = {
  forbidden: 'The URL is not a public web address.',
  dns: 'The host name could not be resolved.',
  connection: 'The connection failed.',
  tls: 'The TLS handshake failed, or the certificate is not valid for the host.',
  timeout: 'There was no answer in time.',
  invalid: 'The answer was not valid HTTP.',
  no_mail_server: 'The operator has set no mail server.',
} as const satisfies Record<FetchFailure | 'no_mail_server', string>;
