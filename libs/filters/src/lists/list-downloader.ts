import { Injectable } from '@nestjs/common';
import { type DownloadOutcome, GuardedFetchService } from '@app/outbound';

/** The largest lists known have 8 MB. */
const MAX_LIST_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 3;

/** What a server wants to be asked with next time, so that it sends a list only when it has changed. */
export interface ListValidators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export type ListDownload =
  | { readonly kind: 'changed'; readonly text: string; readonly validators: ListValidators }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

const failed = (reason: string): ListDownload => ({ kind: 'failed', reason });

const REASONS = {
  forbidden: 'its address is not allowed: it is private, or its port is none of EGRESS_PORTS',
  dns: 'its host was not found',
  connection: 'its server could not be reached, or broke the connection',
  tls: 'its server has no valid certificate',
  timeout: `its server did not send it within ${TIMEOUT_MS / 1_000} s`,
  invalid: 'its server sent no valid HTTP',
  too_large: `it is larger than ${MAX_LIST_BYTES / 1024 / 1024} MB`,
} as const satisfies Record<Exclude<DownloadOutcome['kind'], 'answered'>, string>;

/** Downloads filter lists through the egress guard. */
@Injectable()
export class ListDownloader {
  constructor(private readonly client: GuardedFetchService) {}

  /** @param known validators of the content at hand */
  async download(url: URL, known: ListValidators, signal: AbortSignal): Promise<ListDownload> {
    let place = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const outcome = await this.request(place, known, signal);
      if (outcome.kind !== 'answered') return failed(REASONS[outcome.kind]);
      const { status, headers, body } = outcome;
      if (status === 304) return { kind: 'unchanged' };
      if (status === 200) return contentOf(body, headers);
      if (![301, 302, 303, 307, 308].includes(status)) return failed(`its server answered ${status}`);
      const next = URL.parse(headers.location ?? '', place);
      if (next === null) return failed('its server redirects to nowhere');
      if (place.protocol === 'https:' && next.protocol !== 'https:') {
        return failed('its server redirects from https to something else');
      }
      place = next;
    }
    return failed(`its server redirects more than ${MAX_REDIRECTS} times`);
  }

  private request(url: URL, known: ListValidators, signal: AbortSignal): Promise<DownloadOutcome> {
    const headers = {
      accept: 'text/plain, */*;q=0.5',
      'accept-encoding': 'identity',
      'user-agent': 'capture-service (filter lists)',
      ...(known.etag !== undefined && { 'if-none-match': known.etag }),
      ...(known.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
    };
    return this.client.get({ url, headers, maxBytes: MAX_LIST_BYTES, timeoutMs: TIMEOUT_MS, signal });
  }
}

function contentOf(
  body: Buffer,
  { etag, 'last-modified': lastModified }: { readonly etag?: string; readonly 'last-modified'?: string },
): ListDownload {
  const text = listText(body);
  if (text === undefined) return failed('it is no list of text');
  const validators = {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
  return { kind: 'changed', text, validators };
}

/** The text of a list in UTF-8; undefined when it is binary, compressed, or a page of HTML. */
export function listText(body: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return text.includes('\0') || /^\s*<(?:!doctype|html|head|\?xml)/i.test(text.slice(0, 1_000))
      ? undefined
      : text;
  } catch {
    return undefined;
  }
}
