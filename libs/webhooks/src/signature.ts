import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;

export interface Message {
  /** The same in all attempts. */
  readonly id: string;
  readonly body: string;
}

/**
 * The headers by which a receiver verifies that a message is ours, unchanged and recent (Standard Webhooks 1.0).
 *
 * @param at the time of this attempt
 * @param secrets each signs, so that a receiver that knows one of them can verify the message
 */
export function signatureHeaders({ id, body }: Message, at: Date, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The HMAC key that a secret encodes. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}
