import { BATCH_STATUSES } from '@app/bulk';
import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { hasEnded, type BatchRecord, type CaptureRecord } from '@capture-service/client';
import { cut, UNTRUSTED } from '../capture-result.js';
import { fileLink } from '../resources.js';
import type { ToolCall } from '../tool.js';

const MAX_ROWS = 50;
const MAX_TITLE = 100;

export const BATCH_OUTPUT: JsonSchemaType = {
  type: 'object',
  properties: {
    next: { type: 'string', description: 'What to do next.' },
    batch_id: { type: 'string' },
    status: { type: 'string', enum: BATCH_STATUSES },
    total: { type: 'integer' },
    counts: { type: 'object' },
    rows: {
      type: 'array',
      items: { type: 'object' },
      description: 'The first captures, failed ones first, as of list_captures.',
    },
  },
  required: ['next', 'batch_id', 'status', 'total', 'counts', 'rows'],
};

/** A capture in a list. */
export function captureItem(record: CaptureRecord) {
  const { id, status, url, title, format, verdict, error, created_at, files } = record;
  return {
    id,
    status,
    url,
    title: title === null ? null : cut(title, MAX_TITLE),
    format,
    verdict: verdict?.kind ?? null,
    error: error && `${error.code}: ${error.detail}`,
    created_at,
    files: files.map((file) => fileLink(record, file).uri),
  };
}

/** A batch as a model needs it: how far it is, its first rows, and what to do next. */
export async function batchData(batch: BatchRecord, { client, signal }: ToolCall) {
  const { id, status, total, counts, eta_s } = batch;
  const failed =
    counts.failed > 0 ? await firstRows(client.bulk.results(id, { status: 'failed' }, { signal })) : [];
  const succeeded = await firstRows(client.bulk.results(id, { status: 'succeeded' }, { signal }));
  const isOver = hasEnded(batch);
  const wait = Math.min(Math.max(eta_s ?? 10, 5), 60);
  return {
    note: UNTRUSTED,
    next: isOver
      ? `Read a file with resources/read, a text with read_page {"capture_id":…}; list_captures {"batch_id":"${id}"} lists all captures of the batch.`
      : `Call get_job {"id":"${id}"} in ${wait} seconds.`,
    batch_id: id,
    status,
    total,
    counts,
    eta_s,
    rows: [...failed, ...succeeded].slice(0, MAX_ROWS).map(captureItem),
  };
}

async function firstRows(rows: AsyncIterable<CaptureRecord>): Promise<CaptureRecord[]> {
  const first: CaptureRecord[] = [];
  for await (const row of rows) {
    first.push(row);
    if (first.length === MAX_ROWS) break;
  }
  return first;
}
