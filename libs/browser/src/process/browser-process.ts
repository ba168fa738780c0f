import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Browser, type CDPSession, connect, type Frame } from 'puppeteer';
import { type AppError, StartupError, unlessAborted, withTimeout } from '@app/kernel';
import { isRunnable, watchAnswers } from '../watchdog/answer-watch.js';
import { SharedWorkers } from '../transport/shared-workers.js';
import { DecodedBytes } from '../transport/decoded-bytes.js';
import type { EgressProxyFactory } from '../page/egress.js';
import { GpuProcess } from '../watchdog/gpu-process.js';
import { lowerPriority } from '../launch/lower-priority.js';
import { PipeTransport } from '../transport/pipe-transport.js';
import { drawPixel, PreparedPage } from '../page/prepared-page.js';
import type { Watch } from '../watchdog/watchdog.js';

const LAUNCH_TIMEOUT_MS = 15_000;
const PREPARE_TIMEOUT_MS = 10_000;
/** A healthy browser takes 20 to 50 ms, and some hundred on a machine at its limit. */
const PROBE_TIMEOUT_MS = 3_000;
/** Drawing a page that no caller needs costs a tenth of a capture. */
const PROBE_EVERY = 20;
/** A killed process ends at once unless the kernel blocks it in a read, for which its slot does not wait. */
const KILL_TIMEOUT_MS = 2_000;
/** The browser answers from memory, but a page that loads a lot delays the answer. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Messages that were on their way when the browser hung arrive within this time. */
const IN_FLIGHT_MS = 1_000;
/** How much of the browser's output is kept, for the error when it does not start. */
const MAX_OUTPUT_CHARS = 2_000;

/** A program, its arguments, its whole environment and its priority. */
export interface BrowserCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** 0 to 19: how much lower its priority is than that of the worker. */
  readonly niceness: number;
}

/** The browser did not start; the message contains its output. */
export class BrowserStartError extends StartupError {
  override readonly name = 'BrowserStartError';
}

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

  private constructor(
    { browser, version, decoded, refused, transport, session, sharedWorkers }: AttachedBrowser,
    /** Also the process group of all of Chromium's processes. */
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
    // The leader may be a shell script around Chromium, whose children must end with it.
    gone.addEventListener('abort', () => void this.kill());
    if (gone.aborted) void this.kill();
  }

  /** @throws BrowserStartError */
  static async launch(command: BrowserCommand): Promise<BrowserProcess> {
    const { child, pid, gone, output } = await start(command);
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
      isRunnable: () => isRunnable(this.pid),
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

interface StartedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly gone: AbortSignal;
  /** The end of the output; to be called when the process has ended. */
  readonly output: () => Promise<string>;
}

async function start({ file, args, env, niceness }: BrowserCommand): Promise<StartedProcess> {
  // `detached` makes it the leader of a process group, which `kill` ends as a whole.
  const child = spawn(file, args, {
    detached: true,
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new BrowserStartError(`${file} cannot be run`, { cause })));
  });
  const { pid } = child;
  if (pid === undefined) throw new BrowserStartError(`${file} has no process id`);
  void lowerPriority(pid, niceness);
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('The process of the browser ended.')));
  return { child, pid, gone: ended.signal, output: keepOutput(child) };
}

type AttachedBrowser = Pick<BrowserProcess, 'version' | 'decoded' | 'refused'> & {
  readonly browser: Browser;
  readonly transport: PipeTransport;
  readonly session: CDPSession;
  readonly sharedWorkers: SharedWorkers;
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
  return { browser, version, decoded, refused, transport, session, sharedWorkers };
}

function keepOutput(child: ChildProcess): () => Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
  });
  // The last output may arrive after the process has ended.
  const printed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    await withTimeout(printed, KILL_TIMEOUT_MS, 'reading what the browser printed').catch(() => undefined);
    return text.trim();
  };
}

function startFailure({ file, args }: BrowserCommand, output: string): string {
  // With a wrapper the browser is its last argument that is a path.
  const browser = [file, ...args].findLast((part) => path.isAbsolute(part)) ?? file;
  return `The browser did not start (${browser}). Its output: ${output === '' ? 'none' : output}`;
}

/**
 * Kills the whole process group, and resolves when its leader has ended. The others have got the signal, too; their new
 * parent may reap them later.
 */
async function killGroup(pid: number, gone: AbortSignal): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
  if (gone.aborted) return;
  await withTimeout(once(gone, 'abort'), KILL_TIMEOUT_MS, 'killing the browser').catch(() => undefined);
}
