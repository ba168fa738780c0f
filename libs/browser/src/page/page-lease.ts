import type { BrowserContext, CDPSession, Page } from 'puppeteer';
import type { AppError } from '@app/kernel';
import type { Egress } from './egress.js';
import type { DialogAnswer } from './prepared-page.js';
import type { ProxyAuthentication } from './proxy-authentication.js';
import type { UserAgent } from './user-agent.js';

/** A page for one capture, in a context of its own unless the caller shares one. */
export interface PageLease {
  readonly page: Page;
  readonly context: BrowserContext;
  /** A session of the page, opened in advance. */
  readonly cdp: CDPSession;
  /** The outcome of the page's requests, and which hosts they may not reach. */
  readonly egress: Pick<Egress, 'usage' | 'netErrorOf' | 'screen'>;
  /** The page has no network before it has authenticated. */
  readonly proxyAuthentication: ProxyAuthentication;
  /**
   * Resolves, never rejects, during the lease: with `browser_crashed` when the page or its browser dies or falls mute, or with
   * `resource_limit` when the page makes the browser exceed a limit.
   */
  readonly lost: Promise<AppError>;
  /**
   * Makes the browser report execution contexts (`Runtime.executionContextCreated`) in Puppeteer's sessions of the page, its
   * frames and its workers. To be called before navigation.
   */
  reportContexts(this: void): Promise<void>;
  /** Whether this is the session of a shared worker of the page, as soon as it is attached. */
  isSharedWorker(this: void, session: CDPSession): boolean;
  /** Sets the user agent and languages of the page, its frames and its workers. To be called before navigation. */
  setUserAgent(this: void, agent: UserAgent): Promise<void>;
  /** Says how the next dialog of the page is answered; all others are dismissed. */
  answerNextDialog(this: void, answer: DialogAnswer): void;
  /** Whether the browser process still responds, however slow the page is. Never rejects. */
  browserAnswers(this: void): Promise<boolean>;
  /** Whether the browser still has all processes that it needs to open and draw a page. Never rejects. */
  browserOpensPages(this: void): Promise<boolean>;
  /** Whether earlier callers with the same `share` have used the context, and what it holds. */
  readonly isContextUsed: boolean;
  /** Keeps the context for the next caller with the same `share`; it is deleted otherwise. */
  keepContext(this: void): void;
  /** Has the browser killed and replaced when the lease ends, because it can no longer be trusted. */
  markUnusable(reason: string): void;
}
