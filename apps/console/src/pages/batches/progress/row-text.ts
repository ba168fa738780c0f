import type { CaptureRecord } from '@capture-service/client';

/** Why a row failed, with the faults of a row that is not valid. */
export function reasonOf({ error }: CaptureRecord): string {
  if (!error) return '';
  const faults = (error.errors ?? []).map(({ pointer, column, detail }) =>
    `${column ?? pointer.replace(/^\//, '')} ${detail}`.trim(),
  );
  return faults.length > 0 ? faults.join('; ') : error.detail;
}

/** What a row is called: its reference or else its URL. */
export function nameOf({ reference, url }: CaptureRecord): string {
  return reference ?? url ?? 'HTML';
}
