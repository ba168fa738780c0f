/** Calls with the client that @hey-api/openapi-ts generates. See docs/clients.md. */
import { createClient, createConfig, type Client } from './generated/hey-api/client/index.js';
import {
  capturePage,
  submitCsvBatch,
  submitJob,
  type CaptureEvent,
  type CapturePageData,
  type CaptureRecord,
  type JobRecord,
  type Problem,
} from './generated/hey-api/index.js';

export function connect(baseUrl: string, key: string): Client {
  return createClient(createConfig({ baseUrl, auth: key }));
}

/** Captures a page as a PNG, the default. */
export async function picture(client: Client, url: string): Promise<Blob> {
  const { data, error } = await capturePage({ client, body: { url } });
  if (error) throw failure(error);
  if (data instanceof Blob) return data;
  throw new Error(`The capture ${data.id} is ${data.status}`);
}

/** Requests the record instead of the file with `Accept`. After the wait of `Prefer` it is the record of a job, which also has a title. */
export async function title(client: Client, url: string): Promise<string | null> {
  const { data, error } = await capturePage({
    client,
    body: { url, full_page: true, device: 'iphone-15-pro' },
    headers: { Accept: 'application/json', Prefer: 'wait=30' },
  });
  if (error) throw failure(error);
  if (data instanceof Blob) throw new Error('Expected a record');
  return data.title;
}

/** Submits a job. With a `webhook_url` its end would be sent there. */
export async function job(client: Client, url: string): Promise<JobRecord> {
  const { data, error } = await submitJob({ client, body: { url, format: 'pdf', reference: 'order-1234' } });
  if (error) throw failure(error);
  return data;
}

/** Submits a CSV as a batch. Lists and objects in the query are JSON, so the query needs its own serializer. */
export async function batch(client: Client, csv: string): Promise<string> {
  const { data, error } = await submitCsvBatch({
    client,
    body: csv,
    query: { defaults: { format: 'webp' }, hide_selectors: ['.banner'], headers: { 'X-Preview': 'true' } },
    querySerializer: (query) => jsonQuery(query),
  });
  if (error) throw failure(error);
  if (!('id' in data)) throw new Error('This was no dry run');
  return data.id;
}

function jsonQuery(query: Record<string, unknown>): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** Decides by the code of a problem. */
export function failure({ code, detail, retryable }: Problem): Error {
  switch (code) {
    case 'target_dns_error':
      return new Error(`There is no such host: ${detail}`);
    case 'rate_limited':
      return new Error('Too many requests');
    // @ts-expect-error -- no such code
    case 'no_such_code':
      return new Error('It would not compile');
    default:
      return new Error(`${code}: ${detail}${retryable ? ' (try again later)' : ''}`);
  }
}

/** Reads the event of a webhook. */
export function endOf({ type, data }: CaptureEvent): string {
  return type === 'capture.failed' ? (data.error?.code ?? '') : (data.result_url ?? '');
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Assertions on the types: if one is false, this file does not compile. */
export const FACTS: [
  Same<CaptureRecord['title'], string | null>,
  Same<CaptureRecord['truncated'], boolean | null>,
  Same<CaptureRecord['created_at'], string>,
  Same<NonNullable<CapturePageData['body']['full_page']>, boolean>,
  { url: string } extends CapturePageData['body'] ? true : false,
] = [true, true, true, true, true];
