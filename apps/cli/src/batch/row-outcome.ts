import type { CaptureRecord } from '@capture-service/client';
import { placeOf, type RowFile } from './row-files.js';

/** The outcome of a row of the list: a line of the results. */
export interface RowOutcome {
  /** In the list, from 1. */
  readonly row: number;
  readonly reference: string | null;
  readonly url: string | null;
  readonly final_url: string | null;
  readonly status: 'succeeded' | 'failed' | 'canceled';
  readonly http_status: number | null;
  /** In the folder: the file, or the folder of several, which ends with `/`; null without one. */
  readonly file: string | null;
  /** Size of all files. */
  readonly bytes: number;
  readonly capture_id: string;
  readonly error: RowError | null;
}

export interface RowError {
  readonly code: string;
  readonly detail: string;
}

export type EndedRecord = CaptureRecord & { readonly status: RowOutcome['status'] };

/** The outcome of a row whose files are in the folder, or that has none. */
export function outcomeOf(row: number, record: EndedRecord, files: readonly RowFile[]): RowOutcome {
  const { reference, url, final_url, status, http_status, id, error } = record;
  return {
    row,
    reference,
    url,
    final_url,
    status,
    http_status,
    file: placeOf(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    capture_id: id,
    error: error && { code: error.code, detail: error.detail },
  };
}

/** The outcome of a row that was captured, but whose file cannot be had. */
export function withoutFile(row: number, record: EndedRecord, error: RowError): RowOutcome {
  return { ...outcomeOf(row, record, []), status: 'failed', error };
}
