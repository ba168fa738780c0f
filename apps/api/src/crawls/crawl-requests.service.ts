import { Injectable } from '@nestjs/common';
import {
  DefaultOptions,
  deferredFaults,
  optionFaults,
  parseOptionsOver,
  type CaptureOptions,
} from '@app/capture';
import { Env } from '@app/config';
import type { CrawlRequest } from '@app/crawls';
import { AppError, faultsOf, instantiate, invalidRequest, isPlainObject, type Fault } from '@app/kernel';
import { holdToTargets, refuseTargets, type TargetLimits } from '../http/auth/target-limits.js';
import { WebhookTargetService } from '../webhooks/webhook-target.service.js';
import { CrawlBody } from './crawl.fields.js';

type Raw = Readonly<Record<string, unknown>>;
export type ReadCrawl = Omit<CrawlRequest, 'accountId' | 'idempotency' | 'requestId'>;

/** Options that each page has for itself, and those that the crawl sets. */
const OWN_OPTIONS = ['url', 'html', 'base_url', 'reference', 'metadata', 'compare_with', 'compare_confirms'];

/** Reads requests for crawls, and finds every fault in them. */
@Injectable()
export class CrawlRequestsService {
  constructor(
    private readonly operator: DefaultOptions,
    private readonly webhooks: WebhookTargetService,
    private readonly env: Env,
  ) {}

  /**
   * @throws AppError `invalid_request` with every fault; `target_forbidden` for the address of the webhook, and for pages that the key
   * of the sender does not allow
   */
  read(raw: unknown, sender: TargetLimits): ReadCrawl {
    const body = bodyOf(raw);
    const { defaults = {} } = body;
    const outline = isPlainObject(defaults) ? { ...body, defaults: {} } : body;
    const faults = [...faultsOf(CrawlBody, outline), ...defaultsFaults(defaults), ...this.ruleFaults(body)];
    if (faults.length > 0) throw invalidRequest(faults);
    const { url = '', webhook_url, defaults: _, ...rules } = instantiate(CrawlBody, outline);
    const options = defaults as Raw;
    const start = this.startOf(url, options);
    refuseTargets([...holdToTargets(sender, start), ...scopeFaults(sender, rules)]);
    // Each page that is found is made of the defaults.
    const held = sender.allowedHosts === null ? options : { ...options, allowed_hosts: start.allowed_hosts };
    return { url, rules, defaults: held, start, webhookUrl: this.webhooks.accept({ webhook_url }) };
  }

  /** Rules over several options that only show once the address is there. */
  private startOf(url: string, defaults: Raw): CaptureOptions {
    try {
      return parseOptionsOver(defaults, { url }, this.operator);
    } catch (error) {
      const { code, facts } = AppError.from(error);
      if (code !== 'invalid_request') throw error;
      throw invalidRequest(
        (facts.errors ?? []).map((fault) => ({ ...fault, pointer: `/defaults${fault.pointer}` })),
      );
    }
  }

  private ruleFaults({ url, robots }: Raw): Fault[] {
    return [
      ...(url === undefined
        ? [{ pointer: '/url', code: 'required', detail: 'is missing: send where the crawl begins' }]
        : []),
      ...(robots === 'ignore' && !this.env.CRAWL_ROBOTS_IGNORABLE
        ? [
            {
              pointer: '/robots',
              code: 'not_allowed',
              detail: 'must be obey: the operator does not allow ignore',
            },
          ]
        : []),
    ];
  }
}

/** A crawl of a whole domain finds hosts that nobody has named. */
function scopeFaults({ allowedHosts }: TargetLimits, { same }: Pick<CrawlBody, 'same'>): Fault[] {
  if (allowedHosts === null || same !== 'domain') return [];
  const detail = 'must be host or prefix, because the key may capture pages of some hosts only';
  return [{ pointer: '/same', code: 'not_for_key', detail }];
}

function bodyOf(raw: unknown): Raw {
  if (isPlainObject(raw)) return raw;
  throw invalidRequest([{ pointer: '', code: 'wrong_type', detail: 'must be a JSON object' }]);
}

/** What is no object is a fault of the body. */
function defaultsFaults(defaults: unknown): Fault[] {
  if (!isPlainObject(defaults)) return [];
  const own = OWN_OPTIONS.filter((name) => Object.hasOwn(defaults, name)).map((name) => {
    return {
      pointer: `/defaults/${name}`,
      code: 'not_for_route',
      detail: 'must not be set: each page has its own',
    };
  });
  const others = [...optionFaults(defaults, '/defaults'), ...deferredFaults(defaults, '/defaults')];
  const named = new Set(own.map(({ pointer }) => pointer));
  return [...own, ...others.filter(({ pointer }) => !named.has(pointer))];
}
