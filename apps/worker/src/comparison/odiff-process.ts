import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { withTimeout } from '@app/kernel';

const START_TIMEOUT_MS = 5_000;

/** One comparison. The paths lead to PNG, JPEG or WebP files of the same size. */
export interface OdiffRequest {
  readonly base: string;
  readonly compare: string;
  /** Where a PNG is written when there is a difference: `base` faded to white, with the pixels that differ in red. */
  readonly output: string;
  readonly threshold: number;
  /** Edges in px, all of them inside of the region and of the picture. */
  readonly ignoreRegions: readonly { x1: number; y1: number; x2: number; y2: number }[];
}

/** The result of a comparison: the rows that hold a difference; none when the pictures are equal. */
export interface OdiffResult {
  readonly rows: readonly number[];
}

/** odiff could not compare these files. Its process goes on. */
export class OdiffError extends Error {
  override readonly name = 'OdiffError';
}

/** The process ended, or was ended because it took too long. */
export class OdiffProcessError extends Error {
  override readonly name = 'OdiffProcessError';
}

interface Pending {
  resolve(result: OdiffResult): void;
  reject(error: Error): void;
}

/** How much of a picture still shows in the file of differences: white is added to make the marks visible. */
const FADING = 0.7;

/**
 * A process of `odiff --server`: one line of JSON for each request and each answer. It reads from a pipe of this process and
 * exits when that closes, so that it ends with this process, however that ends.
 */
export class OdiffProcess {
  private pending: Pending | undefined;
  private requests = 0;
  private readonly ready = Promise.withResolvers<void>();
  private hasEnded = false;

  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, null>) {
    child.once('error', (error) => this.end(error.message));
    child.once('exit', (code, signal) => this.end(`exit code ${code}, signal ${signal}`));
    // A process that has ended reports so by `exit`.
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => this.handleLine(line));
    this.ready.promise.catch(() => undefined);
  }

  /** @throws Error when odiff is not installed for this platform or does not start */
  static async start(): Promise<OdiffProcess> {
    const { findBinary } = await import('odiff-bin/binary.js');
    // It needs nothing of the environment, which holds secrets.
    const child = spawn(findBinary(), ['--server'], { stdio: ['pipe', 'pipe', 'ignore'], env: {}, cwd: '/' });
    const odiff = new OdiffProcess(child);
    try {
      await withTimeout(odiff.ready.promise, START_TIMEOUT_MS, 'starting odiff');
      return odiff;
    } catch (error) {
      odiff.kill();
      throw error;
    }
  }

  get isAlive(): boolean {
    return !this.hasEnded;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Compares two files. There must be no other request at the same time.
   *
   * @throws OdiffError, OdiffProcessError
   */
  compare(request: OdiffRequest): Promise<OdiffResult> {
    if (this.hasEnded || this.pending) throw new OdiffProcessError('odiff does not take requests');
    const { base, compare, output, threshold, ignoreRegions } = request;
    const options = {
      threshold,
      ignoreRegions,
      antialiasing: true,
      captureDiffLines: true,
      diffOverlay: FADING,
    };
    const { promise, resolve, reject } = Promise.withResolvers<OdiffResult>();
    this.pending = { resolve, reject };
    this.requests += 1;
    this.child.stdin.write(
      `${JSON.stringify({ requestId: this.requests, base, compare, output, options })}\n`,
    );
    return promise;
  }

  kill(): void {
    this.end('it was killed');
    this.child.kill('SIGKILL');
  }

  private handleLine(line: string): void {
    const answer = parse(line);
    if (answer.ready === true) {
      this.ready.resolve();
      return;
    }
    const { pending } = this;
    if (!pending || (answer.requestId !== undefined && answer.requestId !== this.requests)) return;
    this.pending = undefined;
    if (typeof answer.error === 'string') pending.reject(new OdiffError(answer.error));
    else if (answer.match === true) pending.resolve({ rows: [] });
    else if (answer.reason === 'pixel-diff' && Array.isArray(answer.diffLines)) {
      pending.resolve({ rows: answer.diffLines.filter((row) => typeof row === 'number') });
    } else pending.reject(new OdiffError('odiff gave an answer of an unknown form'));
  }

  private end(reason: string): void {
    this.hasEnded = true;
    const error = new OdiffProcessError(`odiff has ended: ${reason}`);
    this.ready.reject(error);
    this.pending?.reject(error);
    this.pending = undefined;
  }
}

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { error: 'odiff gave an answer that is not JSON' };
  }
}
