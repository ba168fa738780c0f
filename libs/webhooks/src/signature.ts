import { createHmac } from 'node:crypto';
import { keyOf } from './secret-format.js';

export interface Message {
  /** The same over all tries. */
  readonly id: string;
  readonly body: string;
}

/**
 * The headers by which a receiver knows that a message is ours, whole and fresh (Standard Webhooks 1.0).
 *
 * @param at of this try
 * @param secrets each signs, so that a receiver that knows one of them can verify
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
