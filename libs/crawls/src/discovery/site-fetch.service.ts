import { Injectable } from '@nestjs/common';
import { matchesHost, pause, retryAfterS, SecretBox } from '@app/kernel';
import { GuardedFetchService, type StreamedResponse } from '@app/outbound';
import type { Crawl } from '../crawl.entity.js';

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

/** The crawl that needs a document, and until when. */
export interface SiteVisit {
  readonly crawl: Pick<Crawl, 'id' | 'defaults'>;
  readonly signal: AbortSignal;
}

/** What a host that must not be asked has. */
const REFUSED = { kind: 'unreachable', afterMs: Infinity } as const;

interface FetchRules {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Patterns of the hosts that may be asked; none stands for all. */
  readonly hosts: readonly string[];
}

/** Fetches documents about sites, behind the guard of captures and from the hosts to which those of the crawl are held. */
@Injectable()
export class SiteFetchService {
  constructor(
    private readonly http: GuardedFetchService,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * @param read reads as much of the body as it needs; what it rejects with counts as unreachable
   * @param timeoutMs of one request
   */
  async fetch<T>(
    url: URL,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
    { crawl, signal, timeoutMs = TIMEOUT_MS }: SiteVisit & { readonly timeoutMs?: number },
  ): Promise<SiteDocument<T>> {
    const hosts = this.hostsOf(crawl);
    const until = performance.now() + TIMEOUT_MS;
    for (let tries = 0; ; tries++) {
      const leftMs = until - performance.now();
      const rules = { signal, hosts, timeoutMs: Math.min(timeoutMs, leftMs) };
      const document = await this.follow(url, read, rules);
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
    { signal, timeoutMs, hosts }: FetchRules,
  ): Promise<SiteDocument<T>> {
    const until = performance.now() + timeoutMs;
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (hosts.length > 0 && !matchesHost(hosts, at.hostname)) return REFUSED;
      const headers = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip', accept: '*/*' };
      const leftMs = Math.max(1, until - performance.now());
      const request = { url: at, headers, timeoutMs: leftMs, signal };
      const answer = await this.http.stream(request, (response) => answerOf(response, read));
      if (answer.kind === 'forbidden') return REFUSED;
      if (answer.kind !== 'answered') return { kind: 'unreachable', afterMs: 0 };
      if (!('location' in answer.value)) return answer.value;
      const next = URL.parse(answer.value.location, at);
      if (!next) return { kind: 'none' };
      at = next;
    }
    return { kind: 'none' };
  }

  /** The option `allowed_hosts` of the captures of a crawl, which a key that is limited to hosts sets. */
  private hostsOf({ id, defaults }: Pick<Crawl, 'id' | 'defaults'>): readonly string[] {
    const { allowed_hosts: hosts } = defaults ? this.secretBox.open(defaults, id) : {};
    return (hosts ?? []) as readonly string[];
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
