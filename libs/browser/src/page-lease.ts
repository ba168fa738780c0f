import type { BrowserContext, CDPSession, Page } from 'puppeteer';
import type { AppError } from '@app/kernel';
import type { Egress } from './egress.js';
import type { UserAgent } from './user-agent.js';

/** A page of its own, in a context of its own, for one capture. */
export interface PageLease {
  readonly page: Page;
  readonly context: BrowserContext;
  /** A session on the page, opened ahead. */
  readonly cdp: CDPSession;
  /** What became of the page's requests. */
  readonly egress: Pick<Egress, 'usage' | 'netErrorOf'>;
  /**
   * Resolves, never rejects, while it is leased: with `browser_crashed` when the page or its browser dies, with
   * `resource_limit` when what the page does to the browser passes a limit.
   */
  readonly lost: Promise<AppError>;
  /**
   * Makes the browser report execution contexts (`Runtime.executionContextCreated`) on Puppeteer's sessions on the page, its
   * frames and its workers. To be called before navigation; without it the browser does not.
   */
  reportContexts(this: void): Promise<void>;
  /** Sets what the page, its frames and its workers tell servers and scripts of their browser. To be called before navigation. */
  setUserAgent(this: void, agent: UserAgent): Promise<void>;
  /** Whether the browser itself still answers, however slow the page is. Never rejects. */
  browserAnswers(this: void): Promise<boolean>;
  /** Says that the browser can no longer be trusted: its process group is killed when the lease ends. */
  markUnusable(reason: string): void;
}
