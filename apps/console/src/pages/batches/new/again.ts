import type { BatchItem, CaptureRecord } from '@capture-service/client';

/** A row of an earlier batch, as far as its record still has what it takes. */
export interface RowAgain {
  readonly item: BatchItem;
  /** Options that are not known any more. */
  readonly lost: readonly string[];
}

/** What the record has instead of a secret. */
const REDACTED = '[redacted]';
/** The record has no more of an `html`. */
const MAX_HTML = 1_000;

/** The row that captures the same again; null if its `html` or options are not known, as those of a row that was not valid. */
export function rowAgain({ options, reference, url, error }: CaptureRecord): RowAgain | null {
  if (error?.code === 'invalid_request') return null;
  const known = { ...(url !== null && { url }), ...options, ...(reference !== null && { reference }) };
  const lost = Object.entries(known).flatMap(([name, value]) => (isRedacted(value) ? [name] : []));
  const kept = Object.entries(known).filter(([name]) => !lost.includes(name));
  const item = Object.fromEntries(kept) as BatchItem & { readonly html?: string };
  const hasTarget = item.url != null || (item.html != null && item.html.length < MAX_HTML);
  return hasTarget ? { item, lost } : null;
}

function isRedacted(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes(`"${REDACTED}"`);
}
