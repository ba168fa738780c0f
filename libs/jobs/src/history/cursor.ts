import { isId } from '@app/kernel';

/** A place in the history: after this row, newest first. */
export interface Cursor {
  readonly createdAtMs: number;
  readonly id: string;
}

const SHAPE = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Opaque to callers, so that what it holds may change. */
export function encodeCursor({ createdAtMs, id }: Cursor): string {
  return Buffer.from(`${createdAtMs}.${id}`).toString('base64url');
}

/** Undefined for a text that is no cursor of ours. */
export function decodeCursor(text: string): Cursor | undefined {
  const [, ms, id] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined || id === undefined || !isId(id)) return undefined;
  const cursor = { createdAtMs: Number(ms), id };
  return encodeCursor(cursor) === text ? cursor : undefined;
}
