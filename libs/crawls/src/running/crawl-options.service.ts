import { Injectable } from '@nestjs/common';
import { DefaultOptions } from '@app/capture';
import { SecretBox } from '@app/kernel';
import type { Crawl } from '../crawl.entity.js';

/** Statuses by which a site says that it has no time now. */
export const BUSY_STATUSES: readonly number[] = [429, 503];

/** Rules that `fail_on_status` may have. */
const MAX_RULES = 50;

/** The options of the captures of a crawl. */
@Injectable()
export class CrawlOptionsService {
  constructor(
    private readonly operator: DefaultOptions,
    private readonly secretBox: SecretBox,
  ) {}

  optionsOf({ id, defaults, rules }: Pick<Crawl, 'id' | 'defaults' | 'rules'>): Record<string, unknown> {
    const options: Readonly<Record<string, unknown>> = defaults ? this.secretBox.open(defaults, id) : {};
    return {
      ...options,
      fail_on_status: this.statusesOf(options),
      // The links of a page are part of what it says about itself.
      ...(rules.source !== 'sitemap' && { metadata: true }),
    };
  }

  /** A capture of a refusal costs nothing when it fails, so that the page can be captured again. */
  private statusesOf({
    fail_on_status: own = this.operator.toJSON().fail_on_status,
  }: Readonly<Record<string, unknown>>): readonly unknown[] {
    const rules: readonly unknown[] = Array.isArray(own) ? own : [];
    const all = [...new Set([...rules, ...BUSY_STATUSES.map(String)])];
    return all.length > MAX_RULES ? rules : all;
  }
}
