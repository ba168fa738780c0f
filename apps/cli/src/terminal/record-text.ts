import { CaptureError, type CaptureRecord, type JobRecord } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import { factsOf, durationText, sizeText, type Column } from './output.js';

/** The columns of a list of captures. */
export const CAPTURE_COLUMNS: readonly Column<CaptureRecord>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'CREATED', of: (record) => minuteOf(record.created_at) },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'FORMAT', of: ({ format }) => format },
  { title: 'PAGE', of: ({ url, error }) => `${error ? `${error.code}: ` : ''}${url ?? 'HTML'}` },
];

/** `2026-11-21 08:15`, in UTC. */
export const minuteOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** A record as a person reads it. */
export function recordText(record: CaptureRecord | JobRecord): string {
  const { error, timings, verdict } = record;
  return factsOf([
    ['id', record.id],
    [
      'status',
      record.status +
        ('queue_position' in record && record.queue_position ? `, position ${record.queue_position}` : ''),
    ],
    ['page', record.url ?? 'HTML'],
    ['final URL', record.final_url === record.url ? null : record.final_url],
    ['title', record.title],
    ['HTTP status', record.http_status],
    ['verdict', verdict?.kind],
    ['reference', record.reference],
    ['error', error && `${error.code}: ${error.detail}`],
    ...record.files.map((file) => [`file ${file.name}`, fileText(file)] as const),
    ['time', durationText(timings?.total_ms)],
    ['created', record.created_at],
    ['expires', record.expires_at],
    ['batch', record.batch_id],
  ]);
}

type FileRecord = CaptureRecord['files'][number];

function fileText({ format, width, height, bytes }: FileRecord): string {
  const size = width !== null && height !== null ? `${width} × ${height}` : null;
  return [format, size, sizeText(bytes)].filter((part) => part !== null).join(', ');
}

/**
 * Fails a command whose capture failed or was canceled.
 *
 * @throws CaptureError, or CliError for a canceled one
 */
export function requireSuccess({ id, status, error }: Pick<CaptureRecord, 'id' | 'status' | 'error'>): void {
  if (error) throw CaptureError.ofCapture(error, id);
  if (status === 'canceled') {
    throw new CliError(`The capture ${id} was canceled.`, { exitCode: EXIT.failed, code: 'job_canceled' });
  }
}

/** What a capture is doing, in a few words. */
export function stateOf({ status, queue_position: position, attempts }: JobRecord): string {
  if (status === 'queued' && position !== null) return `queued, position ${position}`;
  return attempts > 1 ? `${status}, attempt ${attempts}` : status;
}
