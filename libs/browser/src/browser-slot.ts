import { Logger } from '@nestjs/common';
import { AppError, pause } from '@app/kernel';
import type { BrowserProcess } from './browser-process.js';
import type { EgressProxyFactory } from './egress.js';
import type { PageLease } from './page-lease.js';
import type { PreparedPage } from './prepared-page.js';
import { setUserAgent, type UserAgent } from './user-agent.js';
import type { Caller, SlotQueue } from './slot-queue.js';
import type { Watchdog } from './watchdog.js';

/** The first relaunch comes at once; a browser that keeps failing is tried again and again, this far apart at most. */
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** A browser that nobody uses proves itself this often: one that was stopped, or hangs, does not show otherwise. */
const PROOF_EVERY_MS = 10_000;

/** Storing a file and finishing a job take some 20 ms, which a browser at work would stretch (measured: by 10 ms). */
const REST_MS = 40;

export interface SlotRules {
  readonly launch: () => Promise<BrowserProcess>;
  readonly egressProxies: EgressProxyFactory;
  /** After this many captures the browser is replaced. */
  readonly maxCaptures: number;
  /** At this age the browser is replaced, once nobody uses it. */
  readonly maxAgeMs: number;
  /** Most bytes that a page may load, after decompression. */
  readonly maxDecodedBytes: number;
  readonly watchdog: Watchdog;
}

/**
 * - `down`: no browser; one is being started, or waited for after a failure
 * - `ready`: a page is prepared, or being prepared
 * - `busy`: a caller has the page
 */
export type SlotMode = 'down' | 'ready' | 'busy';

/**
 * Why a browser is replaced: its time is over; it crashed, hung, passed a limit or had a capture that timed out; it did not
 * start, or made no page.
 */
export type BrowserEnd = 'used_up' | 'lost' | 'failed';

/** The browser cannot serve another capture; the message says why. */
class BrowserLostError extends Error {
  override readonly name = 'BrowserLostError';

  /** `level` is that of its line in the log: a page that takes too long is no news for the operator. */
  constructor(
    message: string,
    readonly level: 'log' | 'warn' = 'warn',
  ) {
    super(message);
  }
}

export interface SlotState {
  readonly mode: SlotMode;
  readonly restarts: number;
  readonly ended: Readonly<Record<BrowserEnd, number>>;
  readonly browser: string | undefined;
}

/**
 * Keeps one browser alive and lends its pages, one at a time. Nothing that happens to it reaches another slot.
 *
 * ```
 * down ──started──▶ ready ──caller──▶ busy ──fine──▶ ready
 *  ▲                  │                 │
 *  └──crashed, due────┴─lost, condemned─┘
 * ```
 * There is no state from which it does not come back: while the browser cannot start it stays `down` and keeps trying.
 */
export class BrowserSlot {
  private mode: SlotMode = 'down';
  private launches = 0;
  private readonly ended: Record<BrowserEnd, number> = { used_up: 0, lost: 0, failed: 0 };
  private browser?: BrowserProcess;
  private failures = 0;
  /** Aborted when the browser is to lend no further page: too old, lost, or the slot closes. */
  private life?: AbortController;
  private readonly closing = new AbortController();
  private readonly first = Promise.withResolvers<void>();
  private readonly logger: Logger;
  private running?: Promise<void>;

  constructor(
    name: string,
    private readonly rules: SlotRules,
    private readonly line: SlotQueue,
  ) {
    this.logger = new Logger(`${BrowserSlot.name} ${name}`);
  }

  /** Starts the slot's work. Settles with its first attempt, rejecting with why it failed; it goes on either way. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.first.promise;
  }

  /** Kills the browser, whoever uses it, and ends the slot's work. */
  async close(): Promise<void> {
    this.closing.abort();
    this.life?.abort();
    // One that prepares a page ends after that: killed in the middle, Puppeteer keeps the process up for 30 s.
    if (this.mode === 'busy') await this.browser?.kill();
    await this.running;
  }

  state(): SlotState {
    return {
      mode: this.mode,
      restarts: Math.max(0, this.launches - 1),
      ended: this.ended,
      browser: this.browser?.version,
    };
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      await this.backOff();
      this.failures += 1;
      try {
        await this.liveOnce();
        this.ended.used_up += 1;
      } catch (error) {
        this.ended[error instanceof BrowserLostError ? 'lost' : 'failed'] += 1;
        this.first.reject(error);
        this.report(error);
      }
      this.mode = 'down';
    }
    this.first.reject(new AppError('unavailable', { detail: 'The worker is shutting down.' }));
  }

  /** The life of one browser. Returns when its time is over, rejects when it failed. */
  private async liveOnce(): Promise<void> {
    const browser = await this.rules.launch();
    this.browser = browser;
    this.launches += 1;
    try {
      await this.lend(browser);
    } finally {
      await browser.kill();
    }
  }

  private async lend(browser: BrowserProcess): Promise<void> {
    const life = new AbortController();
    this.life = life;
    const due = setTimeout(() => life.abort(), this.rules.maxAgeMs).unref();
    try {
      await this.lendUntil(life, browser);
    } finally {
      clearTimeout(due);
    }
  }

  private async lendUntil(life: AbortController, browser: BrowserProcess): Promise<void> {
    let [page] = await Promise.all([browser.prepare(this.rules.egressProxies), browser.prove()]);
    void browser.refused.then(({ message }) => life.abort(new BrowserLostError(message)));
    for (let captures = 1; !this.closing.signal.aborted; captures += 1) {
      void page.lost.then((detail) => life.abort(new BrowserLostError(detail)));
      this.mode = 'ready';
      this.first.resolve();
      const caller = await this.nextCaller(life, browser);
      if (caller === undefined) return throwLoss(life.signal);
      this.mode = 'busy';
      this.failures = 0;
      await this.serve(caller, page, browser);
      if (captures >= this.rules.maxCaptures || life.signal.aborted) return;
      this.mode = 'ready';
      page = await this.replace(page, browser);
    }
  }

  /** Waits for a caller; undefined when the browser is to lend no further page, or proves nothing in time. */
  private async nextCaller(life: AbortController, browser: BrowserProcess): Promise<Caller | undefined> {
    const waiting = this.line.next(life.signal);
    const proofs = setInterval(() => {
      browser.prove().catch((error: unknown) => {
        if (this.mode === 'ready') life.abort(new BrowserLostError(messageOf(error)));
      });
    }, PROOF_EVERY_MS);
    try {
      return await waiting;
    } finally {
      clearInterval(proofs);
    }
  }

  /**
   * Disposes the page and prepares the next one. Meanwhile the browser proves that the page did not hurt it, whatever
   * the capture came to: what a page has begun in the GPU process goes on when its capture is over.
   *
   * @throws BrowserLostError when the page does not close or the browser proves nothing in time
   */
  private async replace(page: PreparedPage, browser: BrowserProcess): Promise<PreparedPage> {
    const [next] = await Promise.all([this.prepareNext(browser), closeAndProve(page, browser)]);
    return next;
  }

  /** What the last capture still takes, its file and its record, comes before the page of a caller not yet here. */
  private async prepareNext(browser: BrowserProcess): Promise<PreparedPage> {
    await this.line.rest(REST_MS);
    return browser.prepare(this.rules.egressProxies);
  }

  /** Lends the page while its browser is watched: nobody else can make it grow. */
  private async serve(caller: Caller, page: PreparedPage, browser: BrowserProcess): Promise<void> {
    const { watchdog, maxDecodedBytes } = this.rules;
    const { pid, decoded, refused } = browser;
    browser.startAnew();
    const watch = watchdog.watch(pid);
    const overloaded = decoded.moreThan(maxDecodedBytes).then(() => {
      const detail = `The page loaded more than ${maxDecodedBytes} bytes.`;
      return new AppError('resource_limit', { detail });
    });
    try {
      const excess = Promise.race([watch.excess, overloaded, refused]);
      const reportContexts = (): Promise<void> => browser.reportContexts(page);
      await serve(caller, page, { excess, reportContexts, browserAnswers: () => browser.answers() });
    } finally {
      browser.startAnew();
      watch.end();
    }
  }

  private report(error: unknown): void {
    if (this.closing.signal.aborted) return;
    const level = error instanceof BrowserLostError ? error.level : 'warn';
    this.logger[level](`Trying another browser: ${messageOf(error)}`);
  }

  /** Only failures in a row count: a browser that served somebody was a good one. */
  private async backOff(): Promise<void> {
    if (this.failures === 0) return;
    const ms = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (this.failures - 1));
    await pause(ms, this.closing.signal);
  }
}

async function closeAndProve(page: PreparedPage, browser: BrowserProcess): Promise<void> {
  try {
    await page.dispose();
    await browser.prove();
  } catch (error) {
    throw new BrowserLostError(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function throwLoss({ reason }: AbortSignal): void {
  if (reason instanceof BrowserLostError) throw reason;
}

/**
 * Lends the page to the caller. Rejects as soon as it is lost or its browser exceeds a limit: a caller that does not
 * notice must not hold the slot.
 */
async function serve(
  caller: Caller,
  prepared: PreparedPage,
  {
    excess,
    ...questions
  }: Pick<PageLease, 'reportContexts' | 'browserAnswers'> & { readonly excess: Promise<AppError> },
): Promise<void> {
  const { page, context, cdp, egress } = prepared;
  let unusable: string | undefined;
  const crashed = prepared.lost.then((detail) => new AppError('browser_crashed', { detail }));
  const lost = Promise.race([crashed, excess]);
  const markUnusable = (reason: string): void => {
    unusable ??= reason;
  };
  const loss = await Promise.race([
    caller.serve({
      ...{ page, context, cdp, egress, lost, ...questions, markUnusable },
      setUserAgent: (agent: UserAgent) => setUserAgent(page, agent),
    }),
    lost,
  ]);
  if (loss !== undefined) throw new BrowserLostError(loss.message);
  if (unusable !== undefined) throw new BrowserLostError(unusable, 'log');
}
