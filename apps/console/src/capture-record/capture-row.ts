import type { CaptureRecord } from '@capture-service/client';
import { shortUrl } from '../ui/format.js';
import { kindOf } from './files.js';

/** What the list shows of a record. A record can be a thousand times as large, and the list may be long. */
export interface CaptureRow {
  readonly id: string;
  readonly status: CaptureRecord['status'];
  readonly source: CaptureRecord['source'];
  readonly format: CaptureRecord['format'];
  /** The title of the page, else its URL. */
  readonly title: string | null;
  readonly url: string | null;
  readonly reference: string | null;
  readonly createdAt: string;
  readonly totalMs: number | null;
  readonly bytes: number | null;
  readonly files: number;
  readonly errorCode: string | null;
  readonly verdict: string | null;
  readonly changed: boolean | null;
  /** What has become of the files. */
  readonly kept: 'kept' | 'expired' | 'deleted';
  /** Whether there is a picture, of which the service makes a thumbnail. */
  readonly hasPicture: boolean;
}

/** Longer texts do not fit anywhere in the list. */
const MAX_CHARACTERS = 300;
const HTML_TARGET = 'HTML of the request';

export function rowOf(record: CaptureRecord): CaptureRow {
  const { id, status, source, format, files } = record;
  return {
    id,
    status,
    source,
    format,
    title: cut(record.title),
    url: cut(record.url),
    reference: cut(record.reference),
    createdAt: record.created_at,
    totalMs: record.timings?.total_ms ?? null,
    bytes: files.length > 0 ? files.reduce((sum, file) => sum + file.bytes, 0) : record.bytes,
    files: files.length,
    errorCode: record.error?.code ?? null,
    verdict: record.verdict?.kind ?? null,
    changed: record.change?.changed ?? null,
    kept: keptOf(record),
    hasPicture: files.some((file) => kindOf(file) === 'picture' && file.url !== null),
  };
}

/** What a capture is called in the list and for screen readers. */
export function nameOf({ title, url, kept }: Pick<CaptureRow, 'title' | 'url' | 'kept'>): string {
  if (kept === 'deleted') return 'Deleted capture';
  return title?.trim() || (url === null ? HTML_TARGET : shortUrl(url));
}

/** What is said below the name. */
export function subtitleOf({ title, url, reference }: CaptureRow): string {
  const hasTitle = title !== null && title.trim() !== '';
  if (hasTitle) return url === null ? HTML_TARGET : shortUrl(url);
  return reference ?? '';
}

function keptOf({ deleted_at: deletedAt, status, result_url: url }: CaptureRecord): CaptureRow['kept'] {
  if (deletedAt !== null) return 'deleted';
  return status === 'succeeded' && url === null ? 'expired' : 'kept';
}

function cut(text: string | null): string | null {
  return text === null || text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
