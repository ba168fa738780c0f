import { isId } from './ids.js';

/** A position in a list of an account, newest first: the next page begins after this row. */
export interface Cursor {
  readonly createdAtMs: number;
  readonly id: string;
}

const SHAPE = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Cursors are opaque to callers, so that their content may change. */
export function encodeCursor({ createdAtMs, id }: Cursor): string {
  return Buffer.from(`${createdAtMs}.${id}`).toString('base64url');
}

/** Returns undefined for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor | undefined {
  const [, ms, id] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined || id === undefined || !isId(id)) return undefined;
  const cursor = { createdAtMs: Number(ms), id };
  return encodeCursor(cursor) === text ? cursor : undefined;
}
