import type { CaptureOptions } from '@app/capture';
import type { Idempotency } from '@app/jobs';
import type { CrawlRules } from './crawl-rules.js';

/** A crawl that a caller asks for; everything in it is valid. */
export interface CrawlRequest {
  readonly accountId: string;
  readonly url: string;
  readonly rules: CrawlRules;
  /** The options of every capture, as the caller wrote them. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The capture of the start with these options. */
  readonly start: CaptureOptions;
  readonly webhookUrl: string | undefined;
  readonly requestId: string | undefined;
  readonly idempotency: Idempotency | undefined;
}
