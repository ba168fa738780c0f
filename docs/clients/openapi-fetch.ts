/** Calls with openapi-fetch and the types that openapi-typescript generates. See docs/clients.md. */
import createClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths, webhooks } from './generated/openapi.js';

type Schemas = components['schemas'];

export function connect(baseUrl: string, key: string): Client<paths> {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
}

/** Captures a page as a PNG. */
export async function picture(client: Client<paths>, url: string): Promise<Blob> {
  const { data, error } = await client.POST('/v1/capture', { body: { url }, parseAs: 'blob' });
  if (error) throw failure(error);
  return data;
}

/** Requests the record instead of the file with `Accept`; the second type argument selects the type of the response. */
export async function title(client: Client<paths, 'application/json'>, url: string): Promise<string | null> {
  const headers = { Accept: 'application/json' };
  const { data } = await client.POST('/v1/capture', { headers, body: { url, full_page: true } });
  if (!data) throw new Error('The page could not be captured');
  return data.title;
}

/** Submits a CSV as a batch. Lists and objects in the query are JSON. */
export async function batch(client: Client<paths>, csv: string): Promise<string> {
  const { data, error } = await client.POST('/v1/bulk/csv', {
    params: { query: { defaults: JSON.stringify({ format: 'webp' }), hide_selectors: '[".banner"]' } },
    headers: { 'Content-Type': 'text/csv' },
    body: csv,
    bodySerializer: (body) => body,
  });
  if (error) throw failure(error);
  if (!('id' in data)) throw new Error('This was no dry run');
  return data.id;
}

export function failure({ code, detail }: Schemas['Problem']): Error {
  // @ts-expect-error -- no such code
  if (code === 'no_such_code') return new Error('It would not compile');
  return new Error(code === 'target_dns_error' ? `There is no such host: ${detail}` : `${code}: ${detail}`);
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Capture = operations['capturePage'];
type Answer = Capture['responses'][200]['content'];
type Body<Event extends keyof webhooks> =
  webhooks[Event]['post']['requestBody']['content']['application/json'];

/** Assertions on the types: if one is false, this file does not compile. */
export const FACTS: [
  Same<Schemas['CaptureRecord']['title'], string | null>,
  Same<Answer['application/json'], Schemas['CaptureRecord']>,
  Same<
    keyof Answer,
    | 'image/png'
    | 'image/jpeg'
    | 'image/webp'
    | 'image/avif'
    | 'application/pdf'
    | 'text/plain'
    | 'text/markdown'
    | 'text/html'
    | 'multipart/related'
    | 'application/zip'
    | 'application/json'
  >,
  { url: string } extends Capture['requestBody']['content']['application/json'] ? true : false,
  { items: [{ url: string }] } extends Schemas['JsonBatchRequest'] ? true : false,
  Same<Body<'batch.completed'>['data']['progress'], number>,
] = [true, true, true, true, true, true];
