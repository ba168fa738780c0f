import { Injectable } from '@nestjs/common';
import robotsModule from 'robots-parser';
import { samePercents } from '../addresses/normalise.js';
import type { Crawl } from '../crawl.entity.js';
import { decodedBody } from './decoded-body.js';
import { RobotsRepository } from './robots.repository.js';
import { SiteFetchService, USER_AGENT, type SiteVisit } from './site-fetch.service.js';

/** RFC 9309 asks for 500 KiB at least; what is beyond is not read. */
const MAX_BYTES = 512_000;

/** A server that sends robots.txt without an end, or one byte a second, is not waited for. What has arrived counts. */
const TIMEOUT_MS = 15_000;

/** Origins of one crawl: a domain may have any number of hosts. */
const MAX_ORIGINS = 100;

/** Rules that a process keeps in memory. */
const MAX_RECENT = 20;

/** The types of the package name a default export of a module that is itself the function. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

const ALLOW_ALL = '';
const FORBID_ALL = 'User-agent: *\nDisallow: /\n';

/** What robots.txt of an origin says to this crawler. */
export interface RobotsRules {
  allows(url: string): boolean;
  /** Seconds; 0 without one. */
  readonly delayS: number;
  readonly sitemaps: readonly string[];
}

const IGNORED: RobotsRules = { allows: () => true, delayS: 0, sitemaps: [] };

/** Reads robots.txt, once for each origin of a crawl. */
@Injectable()
export class RobotsService {
  /** The latest rules that were used, by crawl and origin: reading 500 kB of them takes a while. */
  private readonly recent = new Map<string, RobotsRules>();

  constructor(
    private readonly site: SiteFetchService,
    private readonly robots: RobotsRepository,
  ) {}

  /** The rules of an origin; null beyond the number of origins that a crawl may have. */
  async rulesOf(
    crawl: Pick<Crawl, 'id' | 'defaults' | 'rules'>,
    origin: string,
    signal: AbortSignal,
  ): Promise<RobotsRules | null> {
    const name = `${crawl.id} ${origin}`;
    const rules = this.recent.get(name) ?? (await this.read(origin, { crawl, signal }));
    if (!rules) return null;
    this.recent.delete(name);
    this.recent.set(name, rules);
    const [oldest] = this.recent.keys();
    if (this.recent.size > MAX_RECENT && oldest !== undefined) this.recent.delete(oldest);
    return crawl.rules.robots === 'ignore' ? { ...IGNORED, sitemaps: rules.sitemaps } : rules;
  }

  private async read(origin: string, visit: SiteVisit): Promise<RobotsRules | null> {
    const { crawl } = visit;
    const known = await this.robots.find(crawl.id, origin);
    if (known === null && (await this.robots.count(crawl.id)) >= MAX_ORIGINS) return null;
    const content = known ?? (await this.fetch(origin, visit));
    if (known === null) await this.robots.add(crawl.id, origin, content);
    return parseRobots(origin, content);
  }

  private async fetch(origin: string, visit: SiteVisit): Promise<string> {
    const url = new URL('/robots.txt', origin);
    const document = await this.site.fetch(url, readStart, { ...visit, timeoutMs: TIMEOUT_MS });
    if (document.kind === 'read') return document.value;
    return document.kind === 'none' ? ALLOW_ALL : FORBID_ALL;
  }
}

/** What a robots.txt says to this crawler. */
export function parseRobots(origin: string, content: string): RobotsRules {
  // The addresses that are asked for have this spelling, too.
  const robots = robotsParser(new URL('/robots.txt', origin).href, samePercents(content));
  return {
    allows: (url) => robots.isAllowed(url, USER_AGENT) !== false,
    delayS: Math.max(0, Math.ceil(Number(robots.getCrawlDelay(USER_AGENT) ?? 0)) || 0),
    sitemaps: robots.getSitemaps(),
  };
}

/** The beginning of the body, without what PostgreSQL cannot store. A body that stops half way counts as far as it came. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  const decoded = decodedBody(body, MAX_BYTES);
  for (;;) {
    const next = await decoded.next().catch(() => ({ done: true, value: undefined }) as const);
    if (next.done === true) break;
    parts.push(next.value);
  }
  return Buffer.concat(parts).toString('utf8').replaceAll('\0', '').toWellFormed();
}
