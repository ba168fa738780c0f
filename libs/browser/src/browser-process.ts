import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Browser, type CDPSession, connect, type Frame } from 'puppeteer';
import { type AppError, StartupError, unlessAborted, withTimeout } from '@app/kernel';
import { Canary } from './canary.js';
import { DecodedBytes } from './decoded-bytes.js';
import type { EgressProxyFactory } from './egress.js';
import { PipeTransport } from './pipe-transport.js';
import { PreparedPage } from './prepared-page.js';

const LAUNCH_TIMEOUT_MS = 15_000;
const PREPARE_TIMEOUT_MS = 10_000;
/** A killed process is gone at once unless the kernel holds it in a read; then its slot does not wait for it. */
const GONE_TIMEOUT_MS = 2_000;
/** For a question that the browser answers from memory; a page that loads much delays the answer. */
const ANSWER_TIMEOUT_MS = 3_000;
/** What was on its way when the browser fell silent has come by then. */
const ECHO_MS = 1_000;
/** What is kept of the browser's own output, to say why it did not start. */
const MAX_OUTPUT_CHARS = 2_000;

/** What to run: a program, its arguments and all of its environment. */
export interface BrowserCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The browser did not come up; the message holds what it printed. */
export class BrowserStartError extends StartupError {
  override readonly name = 'BrowserStartError';
}

/**
 * One Chromium: started, prepared for captures, ended. It knows nothing of slots, callers or recycling.
 *
 * We start the process ourselves and hand Puppeteer the pipes. With `puppeteer.launch({ pipe: true })` a program that
 * cannot be run (no permission, no process left) is an `error` event without a listener, which ends the worker
 * (puppeteer#12025), and what Chromium printed is lost.
 */
export class BrowserProcess {
  private killing?: Promise<void>;

  private readonly browser: Browser;
  /** Such as `HeadlessChrome/156.0.8078.79`. */
  readonly version: string;
  /** What its pages load. */
  readonly decoded: DecodedBytes;
  /** Resolves, never rejects, when the browser says more than it may, or what cannot be read: it is deaf from then on. */
  readonly refused: Promise<AppError>;
  private readonly transport: PipeTransport;
  private readonly canary: Canary;

  private constructor(
    { browser, version, decoded, refused, transport, canary }: AttachedBrowser,
    /** Also the process group: Chromium's processes all live in it. */
    readonly pid: number,
    /** Aborted once the process has ended, for whatever reason. */
    readonly gone: AbortSignal,
  ) {
    this.browser = browser;
    this.version = version;
    this.decoded = decoded;
    this.refused = refused;
    this.transport = transport;
    this.canary = canary;
    // The leader may be a shell script around Chromium: what it leaves behind ends with it.
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

  /** Makes a page ready for a capture. Rejects when the browser does not do it in time. */
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

  /** Resolves when the browser still draws, and rejects when it does not: whatever its pages did, it is unhurt. */
  prove(): Promise<void> {
    return unlessAborted(this.canary.prove(), this.gone);
  }

  /** Whether the browser itself still says anything, whatever its pages do. Behind a flood of theirs its answer comes late. */
  answers(): Promise<boolean> {
    const askedAt = performance.now();
    const answer = unlessAborted(this.canary.answer(), this.gone);
    return withTimeout(answer, ANSWER_TIMEOUT_MS, 'asking the browser').then(
      () => true,
      () => this.transport.heardAt > askedAt + ECHO_MS,
    );
  }

  /** Resets the limit on what a page may make the browser say; called between two captures. */
  startAnew(): void {
    this.transport.startAnew();
  }

  /** See PageLease. */
  async reportContexts({ page }: PreparedPage): Promise<void> {
    this.transport.reportContexts();
    // Puppeteer has this session, but leaves it out of its types; those of frames and workers come later, by themselves.
    const { client } = page.mainFrame() as Frame & { readonly client: CDPSession };
    await client.send('Runtime.enable');
  }

  /**
   * Ends all processes of the browser at once; everything that waits for an answer of it rejects. Never rejects.
   * There is no gentler end: nothing in a browser is worth saving, and one that hangs does not answer a request to
   * close. Done once: later the number of the group may belong to somebody else.
   */
  kill(): Promise<void> {
    return (this.killing ??= killGroup(this.pid, this.gone));
  }
}

interface StartedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly gone: AbortSignal;
  /** The end of what the process printed; ask when it has ended. */
  readonly output: () => Promise<string>;
}

async function start({ file, args, env }: BrowserCommand): Promise<StartedProcess> {
  // `detached` makes it the leader of a process group of its own, which is what we kill.
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
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('The process of the browser ended.')));
  return { child, pid, gone: ended.signal, output: keepOutput(child) };
}

type AttachedBrowser = Pick<BrowserProcess, 'version' | 'decoded' | 'refused'> & {
  readonly browser: Browser;
  readonly transport: PipeTransport;
  readonly canary: Canary;
};

async function attach(child: ChildProcess): Promise<AttachedBrowser> {
  const [, , , toBrowser, fromBrowser] = child.stdio;
  const decoded = new DecodedBytes();
  const { promise: refused, resolve: refuse } = Promise.withResolvers<AppError>();
  const overhear = (message: string): void => decoded.read(message);
  const transport = new PipeTransport(toBrowser as Writable, fromBrowser as Readable, { overhear, refuse });
  const browser = await connect({
    transport,
    // The window most captures ask for: emulating it takes a few ms, which are spent before anybody waits.
    defaultViewport: { width: 1280, height: 800, isLandscape: true },
    // The Audits domain, which nobody reads.
    issuesEnabled: false,
  });
  const [version, canary] = await Promise.all([browser.version(), Canary.open(browser)]);
  return { browser, version, decoded, refused, transport, canary };
}

function keepOutput(child: ChildProcess): () => Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
  });
  // What it printed last may still be on its way when it has ended.
  const printed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    await withTimeout(printed, GONE_TIMEOUT_MS, 'reading what the browser printed').catch(() => undefined);
    return text.trim();
  };
}

function startFailure({ file, args }: BrowserCommand, output: string): string {
  // Behind a wrapper the browser is one of its arguments, the last that is a path.
  const browser = [file, ...args].findLast((part) => path.isAbsolute(part)) ?? file;
  return `The browser did not start (${browser}). It said: ${output === '' ? 'nothing' : output}`;
}

/**
 * Ends the whole process group; resolves when its leader has ended. The others have their signal too: how soon whoever
 * adopted them takes note is not worth waiting for.
 */
async function killGroup(pid: number, gone: AbortSignal): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
  if (gone.aborted) return;
  await withTimeout(once(gone, 'abort'), GONE_TIMEOUT_MS, 'ending the browser').catch(() => undefined);
}
