import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type Browser, type CDPSession, connect, type Frame } from 'puppeteer';
import { type AppError, unlessAborted, withTimeout } from '@app/kernel';
import { isRunnable, watchAnswers } from '../watchdog/answer-watch.js';
import { SharedWorkers } from '../transport/shared-workers.js';
import { DecodedBytes } from '../transport/decoded-bytes.js';
import type { EgressProxyFactory } from '../page/egress.js';
import { GpuProcess, pidOf } from '../watchdog/gpu-process.js';
import { PipeTransport } from '../transport/pipe-transport.js';
import { drawPixel, PreparedPage } from '../page/prepared-page.js';
import type { Watch } from '../watchdog/watchdog.js';
import {
  type BrowserCommand,
  BrowserStartError,
  killGroup,
  startFailure,
  startProcess,
} from './started-process.js';

const LAUNCH_TIMEOUT_MS = 15_000;
const PREPARE_TIMEOUT_MS = 10_000;
/** A healthy browser takes 20 to 50 ms, and some hundred on a machine at its limit. */
const PROBE_TIMEOUT_MS = 3_000;
/** Drawing a page that no caller needs costs a tenth of a capture. */
const PROBE_EVERY = 20;
/** The browser answers from memory, but a page that loads a lot delays the answer. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Messages that were on their way when the browser hung arrive within this time. */
const IN_FLIGHT_MS = 1_000;

/**
 * One Chromium process: starts it, prepares pages and kills it. It knows nothing of slots, callers or recycling.
 *
 * It spawns the process itself and passes the pipes to Puppeteer. With `puppeteer.launch({ pipe: true })` a program that
 * cannot be run (no permission, no process left) is an `error` event without a listener, which ends the worker
 * (puppeteer#12025), and the output of Chromium is lost.
 */
export class BrowserProcess {
  private killing?: Promise<void>;
  private checks = 0;

  private readonly browser: Browser;
  /** Such as `HeadlessChrome/156.0.8078.79`. */
  readonly version: string;
  /** The bytes that its pages load. */
  readonly decoded: DecodedBytes;
  /** Resolves, never rejects, when the browser sends too much or an invalid message; nothing is read from it afterwards. */
  readonly refused: Promise<AppError>;
  private readonly transport: PipeTransport;
  private readonly session: CDPSession;
  private readonly sharedWorkers: SharedWorkers;
  private readonly gpu: GpuProcess;
  /** Chromium's main process: a child of the leader where that is a shell script, such as Debian's. */
  private readonly mainPid: number;

  private constructor(
    { browser, version, decoded, refused, transport, session, sharedWorkers, mainPid }: AttachedBrowser,
    /** The process that was started, and the process group of all of Chromium's processes. */
    readonly pid: number,
    /** Aborted when the process has ended. */
    readonly gone: AbortSignal,
  ) {
    this.browser = browser;
    this.version = version;
    this.decoded = decoded;
    this.refused = refused;
    this.transport = transport;
    this.session = session;
    this.sharedWorkers = sharedWorkers;
    this.gpu = new GpuProcess(session);
    this.mainPid = mainPid ?? pid;
    // The children of a script must end with it.
    gone.addEventListener('abort', () => void this.kill());
    if (gone.aborted) void this.kill();
  }

  /** @throws BrowserStartError */
  static async launch(command: BrowserCommand): Promise<BrowserProcess> {
    const { child, pid, gone, output } = await startProcess(command);
    try {
      const attaching = unlessAborted(attach(child), gone);
      const attached = await withTimeout(attaching, LAUNCH_TIMEOUT_MS, 'starting the browser');
      return new BrowserProcess(attached, pid, gone);
    } catch (cause) {
      await killGroup(pid, gone);
      throw new BrowserStartError(startFailure(command, await output()), { cause });
    }
  }

  /** Prepares a page for a capture. Rejects when the browser takes too long. */
  async prepare(egressProxies: EgressProxyFactory): Promise<PreparedPage> {
    const egress = await egressProxies.open();
    try {
      const page = unlessAborted(PreparedPage.open(this.browser, egress, this.gone), this.gone);
      return await withTimeout(page, PREPARE_TIMEOUT_MS, 'preparing a page');
    } catch (error) {
      await egress.close();
      throw error;
    }
  }

  /**
   * Resolves when the browser draws this page, and rejects when it fails or takes too long. A page that is drawn for the first
   * time shows whether earlier pages have damaged the browser, such as by an endless shader: the same process draws all of them.
   */
  async probe(page: PreparedPage): Promise<void> {
    const drawing = Promise.all([page.draw(), this.gpu.check()]);
    await withTimeout(unlessAborted(drawing, this.gone), PROBE_TIMEOUT_MS, 'drawing in the browser');
  }

  /**
   * Resolves when the browser can draw the page of the next capture, and rejects as `probe` does. A browser whose GPU process has
   * nothing left to do can. The page is drawn when that is not so, and now and then in any case.
   */
  async check(page: PreparedPage): Promise<void> {
    this.checks += 1;
    if (this.checks % PROBE_EVERY === 0 || !(await this.gpu.comesToRest())) await this.probe(page);
  }

  /** Resolves when the browser draws a page that no capture uses, and that has no network. */
  async drawBlankPage(): Promise<void> {
    const page = await withTimeout(this.browser.newPage(), PREPARE_TIMEOUT_MS, 'opening a page');
    try {
      const drawing = page.createCDPSession().then(drawPixel);
      await withTimeout(unlessAborted(drawing, this.gone), PROBE_TIMEOUT_MS, 'drawing in the browser');
    } finally {
      // A browser that is gone has closed it.
      void page.close().catch(() => undefined);
    }
  }

  /** Whether the browser still starts a process for a page, and draws it. Never rejects. */
  opensPages(): Promise<boolean> {
    return withTimeout(this.drawBlankPage(), ANSWER_TIMEOUT_MS, 'opening a page').then(
      () => true,
      () => false,
    );
  }

  /**
   * Resolves to the value of an expression in a page that no capture uses, and that has no network.
   *
   * @throws Error with what the expression threw
   */
  async evaluate<Result>(expression: string): Promise<Result> {
    const page = await withTimeout(this.browser.newPage(), PREPARE_TIMEOUT_MS, 'opening a page');
    const session = await page.createCDPSession();
    const evaluating = session.send('Runtime.evaluate', { expression, returnByValue: true });
    const { result, exceptionDetails } = await unlessAborted(evaluating, this.gone);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Result;
  }

  /** Whether the browser itself still responds. A flood of messages of a page delays its answer, so any late message counts. */
  answers(): Promise<boolean> {
    const sentAt = performance.now();
    const answer = unlessAborted(this.session.send('Browser.getVersion'), this.gone);
    return withTimeout(answer, ANSWER_TIMEOUT_MS, 'asking the browser').then(
      () => true,
      () => this.transport.lastMessageAt > sentAt + IN_FLIGHT_MS,
    );
  }

  /** Watches whether the browser itself still responds, during a capture. */
  watchAnswers(): Watch {
    return watchAnswers({
      lastMessageAt: () => this.transport.lastMessageAt,
      ask: () => this.session.send('Browser.getVersion').catch(() => undefined),
      isRunnable: () => isRunnable(this.mainPid),
    });
  }

  /** Resets the limits of a capture; called between two captures. */
  reset(): void {
    this.transport.reset();
    this.sharedWorkers.clear();
  }

  /** @see PageLease.isSharedWorker */
  isSharedWorker({ context }: PreparedPage, session: CDPSession): boolean {
    return this.sharedWorkers.has(session.id(), context.id);
  }

  /** @see PageLease.reportContexts */
  async reportContexts({ page }: PreparedPage): Promise<void> {
    this.transport.reportContexts();
    // Puppeteer's types leave this session out; those of frames and workers are enabled as they are created.
    const { client } = page.mainFrame() as Frame & { readonly client: CDPSession };
    await client.send('Runtime.enable');
  }

  /**
   * Kills all processes of the browser; everything that waits for its answers rejects. Never rejects itself. A graceful close
   * would save nothing, and a browser that hangs does not respond to it. It is done once, because later the number of the
   * group may be reused.
   */
  kill(): Promise<void> {
    return (this.killing ??= killGroup(this.pid, this.gone));
  }
}

type AttachedBrowser = Pick<BrowserProcess, 'version' | 'decoded' | 'refused'> & {
  readonly browser: Browser;
  readonly transport: PipeTransport;
  readonly session: CDPSession;
  readonly sharedWorkers: SharedWorkers;
  readonly mainPid: number | undefined;
};

async function attach(child: ChildProcess): Promise<AttachedBrowser> {
  const [, , , toBrowser, fromBrowser] = child.stdio;
  const decoded = new DecodedBytes();
  const { promise: refused, resolve: refuse } = Promise.withResolvers<AppError>();
  const sharedWorkers = new SharedWorkers();
  const onMessage = (message: string): void => {
    decoded.read(message);
    sharedWorkers.read(message);
  };
  const transport = new PipeTransport(toBrowser as Writable, fromBrowser as Readable, { onMessage, refuse });
  const browser = await connect({
    transport,
    // The window of most captures: emulating it takes a few ms, which are spent in advance.
    defaultViewport: { width: 1280, height: 800, isLandscape: true },
    // Nothing reads the Audits domain.
    issuesEnabled: false,
  });
  const [version, session] = await Promise.all([browser.version(), browser.target().createCDPSession()]);
  const mainPid = await pidOf(session, 'browser');
  return { browser, version, decoded, refused, transport, session, sharedWorkers, mainPid };
}
