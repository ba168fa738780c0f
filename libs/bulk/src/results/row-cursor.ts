const SHAPE = /^row\.([1-9]\d{0,8})$/;

/** A place in the results of a batch: after this row. Opaque to callers, so that what it holds may change. */
export function encodeRowCursor(row: number): string {
  return Buffer.from(`row.${row}`).toString('base64url');
}

/** Undefined for a text that is no cursor of ours. */
export function decodeRowCursor(text: string): number | undefined {
  const [, row] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (row === undefined || encodeRowCursor(Number(row)) !== text) return undefined;
  return Number(row);
}
