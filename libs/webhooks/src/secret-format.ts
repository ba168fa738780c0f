import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64. */
const BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

/** What is signed with: the bytes that the text stands for. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
