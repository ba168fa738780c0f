import { createHash, type Hash } from 'node:crypto';
import type { Submission } from './batch-plan.js';
import { UnreadableStateError, type StateFormat } from './work-folder.js';

const VERSION = 1;

/**
 * What a folder remembers of its list, so that the same command goes on where it was stopped. It is written before each
 * submission: a batch whose id is missing was perhaps accepted, and its key finds out without capturing a row twice.
 */
export interface BatchState {
  /** The service; ids and keys mean nothing to another one. */
  readonly baseUrl: string;
  /** Fingerprint of the rows. */
  readonly source: string;
  /** Fingerprints of the options of all rows: those of the first run, and those of retries. */
  readonly options: readonly string[];
  readonly batches: readonly StateBatch[];
}

/** A batch of the service, in the order of submission. A later one replaces the outcome of the rows that it repeats. */
export interface StateBatch {
  /** The Idempotency-Key of its submission. */
  readonly key: string;
  /** When it was first submitted, in RFC 3339. */
  readonly submittedAt: string;
  /** The rows of the list, ascending: the first is row 1 of the batch. Those of a retry are numbered as in the batch that it retries. */
  readonly rows: readonly number[];
  /** The batch whose failed rows it captures again. */
  readonly retryOf?: string;
  /** Missing until the service has answered. */
  readonly id?: string;
}

/** The state of the folder of a list. */
export const BATCH_STATE: StateFormat<BatchState> = {
  file: '.capture-batch.json',
  read: readState,
  write: writeState,
  restart: 'capture all rows again',
};

export function writeState({ batches, ...state }: BatchState): string {
  const written = {
    about: 'The state of `capture` for this folder. The same command goes on where it was stopped.',
    version: VERSION,
    ...state,
    batches: batches.map(({ rows, ...batch }) => ({ ...batch, rows: formatRows(rows) })),
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** @throws UnreadableStateError */
export function readState(text: string): BatchState {
  const { version, baseUrl, source, options, batches } = fieldsOf(text);
  if (version !== VERSION)
    throw new UnreadableStateError('it was written by another version of this program');
  const isWhole =
    typeof baseUrl === 'string' && typeof source === 'string' && isTexts(options) && Array.isArray(batches);
  if (!isWhole) throw new UnreadableStateError('fields are missing');
  return { baseUrl, source, options, batches: batches.map(readBatch) };
}

function readBatch(raw: unknown): StateBatch {
  const { key, submittedAt, rows: text, retryOf, id } = (raw ?? {}) as Record<string, unknown>;
  const rows = typeof text === 'string' ? parseRows(text) : undefined;
  if (typeof key !== 'string' || typeof submittedAt !== 'string' || !rows) {
    throw new UnreadableStateError('a batch is incomplete');
  }
  return {
    key,
    submittedAt,
    rows,
    ...(typeof retryOf === 'string' && { retryOf }),
    ...(typeof id === 'string' && { id }),
  };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    throw new UnreadableStateError('it is not JSON');
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** What makes two lists the same: their rows, in order, wherever they are read from. */
export function sourceFingerprint(plan: readonly Submission[]): string {
  const hash = createHash('sha256');
  for (const submission of plan) addTo(hash, submission);
  return hash.digest('hex');
}

function addTo(hash: Hash, submission: Submission): void {
  if (submission.kind === 'csv') hash.update('csv\n').update(submission.csv);
  else hash.update('json\n').update(JSON.stringify(submission.items));
}

/** What makes the options of all rows the same, whatever their order. They may hold passwords, and are not stored themselves. */
export function optionsFingerprint(options: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

const RANGE = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/;

/** Writes ascending row numbers as `1-4,7`, so that the state of a batch of thousands of rows stays short. */
export function formatRows(rows: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last?.[1] === row - 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The row numbers of `1-4,7`; undefined for another text. */
export function parseRows(text: string): number[] | undefined {
  const rows: number[] = [];
  for (const part of text.split(',')) {
    const [, from, to = from] = RANGE.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(from) <= (rows.at(-1) ?? 0))
      return undefined;
    for (let row = Number(from); row <= Number(to); row++) rows.push(row);
  }
  return rows;
}
