import { Injectable } from '@nestjs/common';
import { GuardedFetchService, type StreamedResponse } from '@app/outbound';

/** RFC 9309 asks for five at least. */
const MAX_REDIRECTS = 5;

/** How the crawler names itself; robots.txt addresses it by this name. */
export const USER_AGENT = 'capture-service';

/** One document, with all redirects. A sitemap of 50 MB needs a while. */
const TIMEOUT_MS = 60_000;

/** A document of a site, or that there is none: `none` by its status, `unreachable` by a failure. */
export type SiteDocument<T> =
  { readonly kind: 'read'; readonly value: T } | { readonly kind: 'none' } | { readonly kind: 'unreachable' };

/** Fetches documents about sites, behind the guard of captures. */
@Injectable()
export class SiteFetchService {
  constructor(private readonly http: GuardedFetchService) {}

  /** @param read reads as much of the body as it needs; what it rejects with counts as unreachable */
  async fetch<T>(
    url: URL,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
    { signal, timeoutMs = TIMEOUT_MS }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<SiteDocument<T>> {
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip', accept: '*/*' };
      const request = { url: at, headers, timeoutMs, signal };
      const answer = await this.http.stream(request, (response) => answerOf(response, read));
      if (answer.kind !== 'answered') return { kind: 'unreachable' };
      if (!('location' in answer.value)) return answer.value;
      const next = URL.parse(answer.value.location, at);
      if (!next) return { kind: 'none' };
      at = next;
    }
    return { kind: 'none' };
  }
}

async function answerOf<T>(
  { status, headers, body }: StreamedResponse,
  read: (body: AsyncIterable<Buffer>) => Promise<T>,
): Promise<SiteDocument<T> | { readonly location: string }> {
  const { location } = headers;
  if (status >= 300 && status < 400 && typeof location === 'string') return { location };
  if (status >= 200 && status < 300) return { kind: 'read', value: await read(body) };
  return { kind: status >= 500 || status === 429 ? 'unreachable' : 'none' };
}
