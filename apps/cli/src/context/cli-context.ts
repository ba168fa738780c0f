import { CaptureClient, VERSION } from '@capture-service/client';
import { CliError } from './cli-error.js';
import { connectionOf, type Connection, type GlobalFlags } from './connection.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { Interrupted } from './interrupted.js';

/** What a command reads and writes. `process` is one. */
export interface CliIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  exit(code: number): void;
}

type Cleanup = () => void | Promise<void>;

/** npm and the terminal both pass on one Ctrl-C, so two signals within this time are one. */
const SAME_SIGNAL_MS = 300;
/** What was started is canceled within this time, or left to itself. */
const CLEANUP_MS = 5_000;

/** Everything a command needs of its surroundings: streams, environment, the client, and what to do on Ctrl-C. */
export class CliContext {
  flags: GlobalFlags = {};
  /** How the command ends unless it throws: what it did may have failed in part. */
  exitCode: ExitCode = EXIT.ok;
  private readonly controller = new AbortController();
  private readonly cleanups = new Set<Cleanup>();
  private interruptedAt = Number.NEGATIVE_INFINITY;
  private cleaned: Promise<void> = Promise.resolve();

  constructor(readonly io: CliIo) {}

  /** Aborts when the user interrupts the command; its reason is an `Interrupted`. Pass it to every call of the client. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get stdin(): CliIo['stdin'] {
    return this.io.stdin;
  }

  get stdout(): CliIo['stdout'] {
    return this.io.stdout;
  }

  get stderr(): CliIo['stderr'] {
    return this.io.stderr;
  }

  get env(): CliIo['env'] {
    return this.io.env;
  }

  /** Whether the output is JSON, also that of an error. */
  get json(): boolean {
    return this.flags.json === true;
  }

  /** Makes the output JSON, as `--json` does. */
  printJson(): void {
    this.flags = { ...this.flags, json: true };
  }

  /** Whether a person reads the output: it goes to a terminal. */
  get isTTY(): boolean {
    return this.stdout.isTTY === true;
  }

  /** Whether progress may be drawn: a person watches stderr, on a terminal that can clear a line. */
  get showsProgress(): boolean {
    return this.stderr.isTTY === true && this.env.TERM !== 'dumb' && !this.json;
  }

  /** The service and the key of flags, environment and log-in, in this order. */
  connection(): Connection {
    return connectionOf(this.flags, this.env);
  }

  /**
   * A client for the service.
   *
   * @throws CliError without a service, or without a key unless `needsKey` is false
   */
  client({ needsKey = true }: { readonly needsKey?: boolean } = {}): CaptureClient {
    const { url, key } = this.connection();
    if (url === undefined) {
      throw new CliError(
        'No service is set. Run `capture login <url>`, or set CAPTURE_URL and CAPTURE_API_KEY.',
      );
    }
    if (key === undefined && needsKey) {
      throw new CliError(
        `No API key is set for ${url}. Run \`capture login ${url}\`, or set CAPTURE_API_KEY.`,
        { exitCode: EXIT.notAllowed, code: 'unauthorized' },
      );
    }
    return new CaptureClient({
      baseUrl: url,
      ...(key !== undefined && { key }),
      userAgent: `capture-cli/${VERSION}`,
    });
  }

  /** Runs `cleanup` when the user interrupts the command, as to cancel what it started. Returns a function that forgets it. */
  onInterrupt(cleanup: Cleanup): () => void {
    this.cleanups.add(cleanup);
    return () => void this.cleanups.delete(cleanup);
  }

  /** Handles a signal: the first one aborts the command and cancels what it started, a second one exits at once. */
  interrupt(signal: Interrupted['signal']): void {
    const now = performance.now();
    if (this.signal.aborted) {
      if (now - this.interruptedAt > SAME_SIGNAL_MS) this.io.exit(new Interrupted(signal).exitCode);
      return;
    }
    this.interruptedAt = now;
    const cleanups = [...this.cleanups].map(async (cleanup) => cleanup());
    this.cleaned = Promise.race([
      Promise.allSettled(cleanups).then(() => undefined),
      new Promise<void>((resolve) => setTimeout(resolve, CLEANUP_MS).unref()),
    ]);
    this.controller.abort(new Interrupted(signal));
  }

  /** Resolves when what was started has been canceled; at once when nothing was interrupted. */
  async settled(): Promise<void> {
    await this.cleaned;
  }
}
