import type { CaptureRecord } from '@capture-service/client';
import { bytes, count, duration, time } from '../../../ui/format.js';
import type { Two } from './two.js';

export interface ComparedFact {
  readonly label: string;
  readonly values: Two<string>;
  readonly differs: boolean;
}

const NONE = '–';

/** What two records say about the same, and every option in which they differ. */
export function comparedFacts(records: Two<CaptureRecord>): ComparedFact[] {
  const options = new Set(records.flatMap(({ options: each }) => Object.keys(each)));
  const differing = [...options].sort().map((name) => {
    const [a, b] = records.map(({ options: each }) => optionText(each[name]));
    return fact(`Option ${name}`, a ?? NONE, b ?? NONE);
  });
  return [
    ...FACTS.map(([label, read]) => fact(label, read(records[0]) ?? NONE, read(records[1]) ?? NONE)).filter(
      ({ values }) => values.some((value) => value !== NONE),
    ),
    ...differing.filter(({ differs, label }) => differs && label !== 'Option url'),
  ];
}

const FACTS: readonly (readonly [string, (record: CaptureRecord) => string | null | undefined])[] = [
  ['Target', ({ url }) => url],
  ['Redirected to', ({ final_url: finalUrl, url }) => (finalUrl === url ? null : finalUrl)],
  ['Title', ({ title }) => title],
  ['Created', ({ created_at: created }) => time(created)],
  ['Status', ({ status, error }) => (error ? `${status}: ${error.code}` : status)],
  ['Verdict', ({ verdict }) => verdict?.kind],
  ['HTTP status', ({ http_status: status }) => status?.toString()],
  ['Format', ({ format }) => format],
  ['Picture', ({ width, height }) => (width === null ? null : `${count(width)} × ${count(height ?? 0)} px`)],
  ['Height of the page', ({ page_height: height }) => (height === null ? null : `${count(height)} px`)],
  ['Size', ({ bytes: size }) => (size === null ? null : bytes(size))],
  ['Time', ({ timings }) => timings && duration(timings.total_ms)],
  ['Blocked requests', ({ blocked_requests: blocked }) => count(blocked)],
  ['Failed requests', ({ failed_requests: failed }) => count(failed)],
  ['Reference', ({ reference }) => reference],
  ['SHA-256', ({ sha256 }) => sha256?.slice(0, 16)],
];

function fact(label: string, a: string, b: string): ComparedFact {
  return { label, values: [a, b], differs: a !== b };
}

function optionText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
