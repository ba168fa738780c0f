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

/** A picture, which is what comes without more ado. */
export async function picture(client: Client, url: string): Promise<Blob> {
  const { data, error } = await capturePage({ client, body: { url } });
  if (error) throw failure(error);
  if (data instanceof Blob) return data;
  throw new Error(`The capture ${data.id} is ${data.status}`);
}

/** The record instead of the file, by `Accept`. After the wait of `Prefer` it is that of a job, which has a title, too. */
export async function title(client: Client, url: string): Promise<string | null> {
  const { data, error } = await capturePage({
    client,
    body: { url, full_page: true, device: 'iphone-15-pro' },
    headers: { Accept: 'application/json', Prefer: 'wait=30' },
  });
  if (error) throw failure(error);
  if (data instanceof Blob) throw new Error('A record was asked for');
  return data.title;
}

/** A job, with a `webhook_url` that would receive its end. */
export async function job(client: Client, url: string): Promise<JobRecord> {
  const { data, error } = await submitJob({ client, body: { url, format: 'pdf', reference: 'order-1234' } });
  if (error) throw failure(error);
  return data;
}

/** A batch from a CSV. Lists and objects of a query are JSON, so the query needs a serializer of its own. */
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

/** A problem has a code to decide by. */
export function failure({ code, detail, retryable }: Problem): Error {
  switch (code) {
    case 'target_dns_error':
      return new Error(`There is no such host: ${detail}`);
    case 'rate_limited':
      return new Error('Too fast');
    // @ts-expect-error -- no such code
    case 'no_such_code':
      return new Error('It would not compile');
    default:
      return new Error(`${code}: ${detail}${retryable ? ' (try again later)' : ''}`);
  }
}

/** What a webhook brings. */
export function endOf({ type, data }: CaptureEvent): string {
  return type === 'capture.failed' ? (data.error?.code ?? '') : (data.result_url ?? '');
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What must hold of the types, or this file does not compile. */
export const FACTS: [
  Same<CaptureRecord['title'], string | null>,
  Same<CaptureRecord['truncated'], boolean | null>,
  Same<CaptureRecord['created_at'], string>,
  Same<NonNullable<CapturePageData['body']['full_page']>, boolean>,
  { url: string } extends CapturePageData['body'] ? true : false,
] = [true, true, true, true, true];
