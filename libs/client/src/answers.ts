import { CaptureError } from './capture-error.js';
import { unexpectedResponse } from './response-error.js';
import { bytesOf, type Consumer } from './transport.js';

/** A file that was downloaded. */
export interface DownloadedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its media type, such as `image/png`. */
  readonly contentType: string;
  /** The name that the service suggests. */
  readonly filename: string;
  readonly headers: Headers;
}

/** The file of a capture. */
export interface CaptureFile extends DownloadedFile {
  readonly captureId: string;
  /** Whether the capture costs a unit of the allowance. */
  readonly billable: boolean;
  /** How the cache answered; null if the response does not say it. */
  readonly cache: 'HIT' | 'STALE' | 'MISS' | 'COALESCED' | 'BYPASS' | null;
}

/** A file that was saved under `path`, instead of its bytes. */
export type Saved<File extends DownloadedFile> = Omit<File, 'bytes'> & {
  readonly path: string;
  /** Its size in bytes. */
  readonly size: number;
};

export type SavedFile = Saved<CaptureFile>;

/** Everything about a file but its content. */
export type FileFacts<File extends DownloadedFile> = Omit<File, 'bytes'>;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:;|$)/i;

/** Reads JSON, and refuses everything else: a proxy that asks people to log in answers 200 with a page. */
export const jsonConsumer: Consumer = async (response) => {
  const { status, headers } = response;
  if (status === 204) return new Response(null, { status, headers });
  if (!JSON_TYPE.test(typeOf(response))) throw unexpectedResponse(response, 'JSON');
  const bytes = await bytesOf(response);
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const detail = `The answer of the service is not valid JSON: ${String(cause)}`;
    throw new CaptureError({ code: 'invalid_response', detail, status, cause });
  }
  // Every answer of the service is an object.
  if (typeof answer !== 'object' || answer === null) throw unexpectedResponse(response, 'a JSON object');
  return new Response(bytes, { status, headers });
};

/** A service that is down answers 503 with its health; a problem document says that it could not answer. */
export function isHealthOfOutage(response: Response): boolean {
  return response.status === 503 && /^application\/json(?:;|$)/i.test(typeOf(response));
}

/** Returns the health as a success: the generated functions throw the body of every other response. */
export const healthConsumer: Consumer = async (response) => {
  const { body, headers } = await jsonConsumer(response);
  return new Response(body, { headers });
};

/** @throws CaptureError if the response is not the file that was requested */
export type FileCheck = (response: Response) => void;

/** The file of a capture may be a page: what makes it one of the service is the header with the id. */
export const isCaptureFile: FileCheck = (response) => {
  if (!response.headers.has('x-capture-id')) throw unexpectedResponse(response, 'the file of a capture');
};

export const isCsv: FileCheck = (response) => {
  if (!/^text\/csv(?:;|$)/i.test(typeOf(response))) throw unexpectedResponse(response, 'CSV');
};

export const isZip: FileCheck = (response) => {
  if (!/^application\/zip(?:;|$)/i.test(typeOf(response)))
    throw unexpectedResponse(response, 'a zip archive');
};

/** A page of a proxy that asks people to log in is HTML. */
export const isMarkdown: FileCheck = (response) => {
  if (!/^text\/markdown(?:;|$)/i.test(typeOf(response))) throw unexpectedResponse(response, 'Markdown');
};

export const isSitemap: FileCheck = (response) => {
  if (!/^application\/xml(?:;|$)/i.test(typeOf(response))) throw unexpectedResponse(response, 'a sitemap');
};

export function downloadFacts({ headers }: Response): FileFacts<DownloadedFile> {
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  return { contentType, filename: filenameOf(headers.get('content-disposition')), headers };
}

const CACHE_ANSWERS = ['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS'] as const;

export function captureFacts(response: Response): FileFacts<CaptureFile> {
  const { headers } = response;
  const cache = headers.get('x-cache');
  return {
    ...downloadFacts(response),
    captureId: headers.get('x-capture-id') ?? '',
    billable: headers.get('x-capture-billable') === 'true',
    cache: CACHE_ANSWERS.find((answer) => answer === cache) ?? null,
  };
}

function typeOf({ headers }: Response): string {
  return headers.get('content-type') ?? '';
}

/** The name in Content-Disposition (RFC 6266); a path in it is not followed. */
function filenameOf(disposition: string | null): string {
  const [, encoded] = /filename\*=utf-8''([^;]+)/i.exec(disposition ?? '') ?? [];
  const [, quoted, bare] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition ?? '') ?? [];
  const name = decoded(encoded) ?? quoted?.replace(/\\(.)/g, '$1') ?? bare?.trim() ?? '';
  return name.replace(/^.*[/\\]/, '') || 'capture';
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
