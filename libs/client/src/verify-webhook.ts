import { CaptureError } from './capture-error.js';
import type { BatchEvent, CaptureEvent, UsageEvent, WebhookTestEvent } from './generated/openapi/index.js';
import { fromBase64, hmacVerify, utf8, type Bytes } from './hmac.js';

/** An event; its `type` says which record `data` is. */
export type WebhookEvent = CaptureEvent | BatchEvent | UsageEvent | WebhookTestEvent;

/** Headers of a request, as fetch or Node gives them. */
export type WebhookHeaders =
  | Pick<Headers, 'get'>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookVerification {
  /** `whsec_…`, or several while one replaces another. */
  readonly secret: string | readonly string[];
  /** How old, or how far in the future, a webhook may be, in seconds. Default: 300. */
  readonly toleranceS?: number | undefined;
}

const TOLERANCE_S = 300;

/**
 * Verifies a webhook (Standard Webhooks 1.0) and returns its event.
 *
 * @param body as it was received: JSON that was parsed and written again has another signature
 * @param secret or secrets, or an object with them and `toleranceS`
 * @throws CaptureError `webhook_invalid`
 * @throws TypeError if the body is parsed, or the secret or `toleranceS` is none
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[] | WebhookVerification,
): Promise<WebhookEvent> {
  const terms: WebhookVerification = typeof secret === 'object' && 'secret' in secret ? secret : { secret };
  const { toleranceS = TOLERANCE_S } = terms;
  if (!(toleranceS >= 0)) throw new TypeError(`toleranceS must be a number from 0, and is ${toleranceS}.`);
  const keys = [terms.secret].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret, and the list has none.');
  const content = bytesOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  checkTime(timestamp, toleranceS);
  const signed = concat(utf8(`${id}.${timestamp}.`), content);
  if (!(await isSigned(signatures, keys, signed))) {
    throw invalid('no signature fits: the body was changed, or the secret is another one');
  }
  return eventOf(content);
}

async function isSigned(signatures: readonly string[], keys: readonly Bytes[], signed: Bytes) {
  const digests = signatures
    .filter((text) => text.startsWith('v1,'))
    .map((text) => fromBase64(text.slice('v1,'.length)))
    .filter((digest) => digest !== undefined);
  const matches = await Promise.all(
    keys.flatMap((key) => digests.map((digest) => hmacVerify(key, digest, signed))),
  );
  return matches.includes(true);
}

function keyOf(secret: string): Bytes {
  const key = fromBase64(String(secret).replace(/^whsec_/, ''));
  if (key && key.length > 0) return key;
  throw new TypeError('The secret of a webhook is `whsec_` and base64; this one is something else.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([sent]) => sent.toLowerCase() === name)?.[1];
  const text = typeof value === 'object' ? value?.[0] : value;
  if (text) return text;
  throw invalid(`the header ${name} is missing`);
}

/** Not every implementation of fetch has the global class. */
function isHeaders(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}

function checkTime(timestamp: string, toleranceS: number): void {
  if (!/^\d+$/.test(timestamp)) throw invalid('webhook-timestamp is not a time');
  const ageS = Date.now() / 1_000 - Number(timestamp);
  if (ageS > toleranceS) throw invalid('it is too old');
  if (ageS < -toleranceS) throw invalid('it is from the future; check the clock of this machine');
}

function eventOf(content: Bytes): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent;
  } catch {
    throw invalid('its body is not JSON');
  }
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof body === 'string') return utf8(body);
  const isBuffer = Object.prototype.toString.call(body) === '[object ArrayBuffer]';
  if (isBuffer || ArrayBuffer.isView(body)) return new Uint8Array(body);
  throw new TypeError('The body must be the text or the bytes that were received, and not the JSON in them.');
}

function concat(first: Bytes, second: Bytes): Bytes {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function invalid(reason: string): CaptureError {
  return new CaptureError({ code: 'webhook_invalid', detail: `The webhook is not valid: ${reason}.` });
}
