import { Injectable } from '@nestjs/common';
import { pause, retryAfterS } from '@app/kernel';
import { GuardedFetchService, type StreamedResponse } from '@app/outbound';

/** RFC 9309 asks for five at least. */
const MAX_REDIRECTS = 5;

/** How the crawler names itself; robots.txt addresses it by this name. */
export const USER_AGENT = 'capture-service';

/** One document, with all redirects and tries: shorter than a lease. A sitemap of 50 MB needs a while. */
const TIMEOUT_MS = 60_000;

/** Before each further try. */
const PAUSES_MS = [1_000, 3_000] as const;

/** A site that asks for a longer wait is asked no more. */
const MAX_PAUSE_MS = 20_000;

/** A document of a site, or that there is none: `none` by its status, `unreachable` by a failure. */
export type SiteDocument<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'unreachable';
      /** When a further try may succeed, as far as the answer says; infinite if none can. */
      readonly afterMs: number;
    };

interface FetchRules {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Fetches documents about sites, behind the guard of captures. */
@Injectable()
export class SiteFetchService {
  constructor(private readonly http: GuardedFetchService) {}

  /**
   * @param read reads as much of the body as it needs; what it rejects with counts as unreachable
   * @param timeoutMs of one request
   */
  async fetch<T>(
    url: URL,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
    { signal, timeoutMs = TIMEOUT_MS }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<SiteDocument<T>> {
    const until = performance.now() + TIMEOUT_MS;
    for (let tries = 0; ; tries++) {
      const leftMs = until - performance.now();
      const document = await this.follow(url, read, { signal, timeoutMs: Math.min(timeoutMs, leftMs) });
      const pauseMs = PAUSES_MS[tries];
      if (document.kind !== 'unreachable' || pauseMs === undefined) return document;
      const waitMs = Math.max(pauseMs, document.afterMs);
      if (waitMs > MAX_PAUSE_MS || performance.now() + waitMs > until) return document;
      await pause(waitMs, signal);
    }
  }

  private async follow<T>(
    url: URL,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
    { signal, timeoutMs }: FetchRules,
  ): Promise<SiteDocument<T>> {
    const until = performance.now() + timeoutMs;
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip', accept: '*/*' };
      const leftMs = Math.max(1, until - performance.now());
      const request = { url: at, headers, timeoutMs: leftMs, signal };
      const answer = await this.http.stream(request, (response) => answerOf(response, read));
      if (answer.kind !== 'answered')
        return { kind: 'unreachable', afterMs: answer.kind === 'forbidden' ? Infinity : 0 };
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
  const { location, 'retry-after': after } = headers;
  if (status >= 300 && status < 400 && typeof location === 'string') return { location };
  if (status >= 200 && status < 300) return { kind: 'read', value: await read(body) };
  if (status < 500 && status !== 429) return { kind: 'none' };
  return { kind: 'unreachable', afterMs: 1_000 * retryAfterS(after, new Date(Date.now())) };
}
