import { Logger } from '@nestjs/common';
import { AppError, pause } from '@app/kernel';
import { BrowserLostError, messageOf, throwLoss } from './browser-loss.js';
import type { BrowserProcess } from '../process/browser-process.js';
import type { EgressProxyFactory } from '../page/egress.js';
import { NextPage } from './next-page.js';
import type { PreparedPage } from '../page/prepared-page.js';
import { serveCaller } from './serve-caller.js';
import { SharedContext } from './shared-context.js';
import type { Caller, SlotQueue } from './slot-queue.js';
import type { Watchdog } from '../watchdog/watchdog.js';

/** The first relaunch is immediate; further ones after failures are delayed, by at most MAX_BACKOFF_MS. */
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** An idle browser is probed this often, because nothing else would show that it was stopped or hangs. */
const PROBE_PERIOD_MS = 10_000;

/** Storing a file and finishing a job take some 20 ms; a browser at work would delay them (measured: by 10 ms). */
const PAUSE_MS = 40;

export interface SlotRules {
  readonly launch: () => Promise<BrowserProcess>;
  readonly egressProxies: EgressProxyFactory;
  /** The browser is replaced after this many captures. */
  readonly maxCaptures: number;
  /** The browser is replaced at this age, once it is idle. */
  readonly maxAgeMs: number;
  /** The limit of bytes that a page may load, after decompression. */
  readonly maxDecodedBytes: number;
  readonly watchdog: Watchdog;
  /** The browser is kept without demand; otherwise it starts when callers wait, and ends when none came for a while. */
  readonly isWarm: boolean;
  /** A browser that is not kept warm ends after this time in ms without a caller. */
  readonly idleMs: number;
}

/**
 * - `asleep`: no browser, because no caller needs one
 * - `down`: no browser; one is being started, or will be after a delay
 * - `ready`: a page is prepared, or being prepared
 * - `busy`: the page is leased
 */
export type SlotMode = 'asleep' | 'down' | 'ready' | 'busy';

/**
 * Why a browser ended: it reached its age or number of captures; it crashed, hung, exceeded a limit or had a capture that
 * timed out; it did not start, or opened no page; no caller needed it.
 */
export type BrowserEnd = 'used_up' | 'lost' | 'failed' | 'idle';

export interface SlotState {
  readonly mode: SlotMode;
  readonly restarts: number;
  readonly ended: Readonly<Record<BrowserEnd, number>>;
  readonly browser: string | undefined;
}

/**
 * Keeps one browser alive and leases its pages, one at a time. Slots do not affect each other.
 *
 * ```
 * down ──started──▶ ready ──caller──▶ busy ──fine──▶ ready
 *  ▲                  │                 │
 *  └──crashed, due────┴──lost, unusable─┘
 * ```
 * A slot that is not kept warm goes from `down` to `asleep` until callers wait. Every other state is left again:
 * while the browser cannot start, the slot stays `down` and keeps trying.
 */
export class BrowserSlot {
  private mode: SlotMode = 'down';
  private launches = 0;
  private readonly ended: Record<BrowserEnd, number> = { used_up: 0, lost: 0, failed: 0, idle: 0 };
  private browser?: BrowserProcess;
  private next?: NextPage;
  private failures = 0;
  /** Aborted when the browser may lease no further page: it is too old or lost, or the slot closes. */
  private life?: AbortController;
  /** The browser ends because no caller needed it. */
  private isIdle = false;
  private readonly closing = new AbortController();
  private readonly first = Promise.withResolvers<void>();
  private readonly logger: Logger;
  private running?: Promise<void>;

  constructor(
    name: string,
    private readonly rules: SlotRules,
    private readonly queue: SlotQueue,
  ) {
    this.logger = new Logger(`${BrowserSlot.name} ${name}`);
  }

  /** Starts the slot. Settles with the first attempt to start a browser, after whose failure the slot keeps trying. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.first.promise;
  }

  /** Kills the browser, even during a lease, and stops the slot. */
  async close(): Promise<void> {
    this.closing.abort();
    this.life?.abort();
    // A browser that prepares a page ends afterwards: if it were killed, Puppeteer would keep this process alive for 30 s.
    await this.next?.stop();
    if (this.mode === 'busy') await this.browser?.kill();
    await this.running;
  }

  state(): SlotState {
    return {
      mode: this.mode,
      restarts: Math.max(0, this.launches - this.ended.idle - 1),
      ended: this.ended,
      browser: this.browser?.version,
    };
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      await this.backOff();
      await this.sleep();
      if (this.closing.signal.aborted) break;
      this.failures += 1;
      try {
        await this.runBrowser();
        this.ended[this.isIdle ? 'idle' : 'used_up'] += 1;
      } catch (error) {
        this.ended[error instanceof BrowserLostError ? 'lost' : 'failed'] += 1;
        this.first.reject(error);
        this.report(error);
      }
      this.mode = 'down';
    }
    this.first.reject(new AppError('unavailable', { detail: 'The worker is shutting down.' }));
  }

  /** Waits until callers need one more browser. */
  private async sleep(): Promise<void> {
    if (this.rules.isWarm) return;
    this.mode = 'asleep';
    await this.queue.demand(this.closing.signal);
    this.mode = 'down';
  }

  /** Runs one browser. Resolves when it is due to be replaced, and rejects when it fails. */
  private async runBrowser(): Promise<void> {
    const browser = await this.rules.launch();
    this.browser = browser;
    this.launches += 1;
    try {
      await this.leaseUntilDue(browser);
    } finally {
      await browser.kill();
    }
  }

  private async leaseUntilDue(browser: BrowserProcess): Promise<void> {
    const life = new AbortController();
    this.life = life;
    this.isIdle = false;
    const due = setTimeout(() => life.abort(), this.rules.maxAgeMs).unref();
    try {
      await this.leasePages(life, browser);
    } finally {
      clearTimeout(due);
    }
  }

  private async leasePages(life: AbortController, browser: BrowserProcess): Promise<void> {
    const open = (): Promise<PreparedPage> => browser.prepare(this.rules.egressProxies);
    const sharedContext = new SharedContext();
    let page = await open();
    await browser.probe(page);
    void browser.refused.then(({ message }) => life.abort(new BrowserLostError(message)));
    for (let captures = 1; !this.closing.signal.aborted; captures += 1) {
      void page.lost.then((detail) => life.abort(new BrowserLostError(detail)));
      this.mode = 'ready';
      this.first.resolve();
      const caller = await this.nextCaller(life, { page, browser });
      if (caller === undefined) return throwLoss(life.signal);
      this.mode = 'busy';
      this.failures = 0;
      const [unused, shared] = [page, sharedContext.takePage(caller.share)];
      const leased = shared ?? unused;
      const next = new NextPage(shared ? () => Promise.resolve(unused) : open);
      this.next = next;
      const isKept = await this.serve(caller, leased, browser).finally(() => {
        next.postpone();
      });
      if (captures >= this.rules.maxCaptures || life.signal.aborted) return;
      this.mode = 'ready';
      const { share } = caller;
      const ending = isKept && share !== undefined ? sharedContext.keep(share, leased) : leased.dispose();
      page = await this.replace(ending, next, browser);
    }
  }

  /** Waits for a caller; undefined when the browser may lease no further page, or fails a probe. */
  private async nextCaller(
    life: AbortController,
    { page, browser }: { page: PreparedPage; browser: BrowserProcess },
  ): Promise<Caller | undefined> {
    const waiting = this.queue.nextCaller(life.signal);
    const probes = setInterval(() => {
      browser.probe(page).catch((error: unknown) => {
        if (this.mode === 'ready') life.abort(new BrowserLostError(messageOf(error)));
      });
    }, PROBE_PERIOD_MS);
    const idling = setTimeout(() => {
      this.isIdle = !this.rules.isWarm;
      if (this.isIdle) life.abort();
    }, this.rules.idleMs);
    try {
      return await waiting;
    } finally {
      clearInterval(probes);
      clearTimeout(idling);
    }
  }

  /**
   * Takes the next page while the last one is `ending`, whatever the outcome of the capture: the work of a page in the GPU process goes
   * on after it, so that the next one cannot be drawn.
   *
   * @throws BrowserLostError when the page does not close, or no other can be prepared and drawn
   */
  private async replace(
    ending: Promise<void>,
    next: NextPage,
    browser: BrowserProcess,
  ): Promise<PreparedPage> {
    // Storing the file and record of the last capture takes precedence while no caller waits.
    const taking = next.takePage(() => this.queue.pauseWhileIdle(PAUSE_MS));
    try {
      const [taken] = await Promise.all([taking, ending]);
      await browser.check(taken);
      return taken;
    } catch (error) {
      throw new BrowserLostError(messageOf(error));
    }
  }

  /** Leases the page while its browser is watched. Resolves to whether the caller keeps its context. */
  private async serve(caller: Caller, page: PreparedPage, browser: BrowserProcess): Promise<boolean> {
    const { watchdog, maxDecodedBytes } = this.rules;
    const { pid, decoded, refused } = browser;
    browser.reset();
    const watches = [watchdog.watch(pid), browser.watchAnswers()];
    const overloaded = decoded.watch(maxDecodedBytes).then(() => {
      const detail = `The page loaded more than ${maxDecodedBytes} bytes.`;
      return new AppError('resource_limit', { detail });
    });
    try {
      const excess = Promise.race([...watches.map((watch) => watch.excess), overloaded, refused]);
      const reportContexts = (): Promise<void> => {
        // A page that is opened now would report its own.
        this.next?.postpone();
        return browser.reportContexts(page);
      };
      return await serveCaller(caller, page, {
        excess,
        reportContexts,
        isSharedWorker: (session) => browser.isSharedWorker(page, session),
        browserAnswers: () => browser.answers(),
        browserOpensPages: () => browser.opensPages(),
      });
    } finally {
      browser.reset();
      for (const watch of watches) watch.end();
    }
  }

  private report(error: unknown): void {
    if (this.closing.signal.aborted) return;
    const level = error instanceof BrowserLostError ? error.level : 'warn';
    this.logger[level](`Trying another browser: ${messageOf(error)}`);
  }

  /** Only consecutive failures count: a browser that has served a caller resets them. */
  private async backOff(): Promise<void> {
    if (this.failures === 0) return;
    const ms = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (this.failures - 1));
    await pause(ms, this.closing.signal);
  }
}
