import { v7 } from 'uuid';

/** A new UUIDv7 (RFC 9562). It sorts by creation time, so it serves as a keyset cursor. */
export function newId(): string {
  return v7();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text can be one of our ids, which are printed in lower case. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
