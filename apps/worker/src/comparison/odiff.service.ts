import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { unlessAborted, withTimeout } from '@app/kernel';
import { OdiffProcess, OdiffProcessError, type OdiffRequest, type OdiffResult } from './odiff-process.js';

/** Pixels of one request. It takes 12 bytes for each: two pictures and their differences. */
export const MAX_REQUEST_PIXELS = 26_000_000;

/**
 * Pixels after which the process is replaced: version 4.5.0 frees nothing that it has read (12 bytes a pixel, measured). A new
 * process starts within milliseconds, and this one never takes more than about 350 MB.
 */
const MAX_PROCESS_PIXELS = MAX_REQUEST_PIXELS;

/** A request of the largest pictures takes 2 s on a slow machine. */
const REQUEST_TIMEOUT_MS = 20_000;

/** Compares pictures in one resident process, which starts with the first comparison. Requests take turns. */
@Injectable()
export class OdiffService implements OnApplicationShutdown {
  private readonly logger = new Logger(OdiffService.name);
  private process: OdiffProcess | undefined;
  /** Pixels that the process has compared. */
  private pixels = 0;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Compares two files of `pixels` pixels each. An abort of the signal ends the process.
   *
   * @throws OdiffError when a file cannot be read; OdiffProcessError, TimeoutError; the reason of the signal
   */
  async compare(request: OdiffRequest, pixels: number, signal: AbortSignal): Promise<OdiffResult> {
    const before = this.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last = promise;
    try {
      await unlessAborted(before, signal);
      return await this.run(request, pixels, signal).catch((error: unknown) => {
        // The process may have died of anything, such as a lack of memory. A second death is blamed on the pictures.
        if (!(error instanceof OdiffProcessError) || signal.aborted) throw error;
        this.logger.warn({ err: error }, 'odiff ended during a comparison; it is started again');
        return this.run(request, pixels, signal);
      });
    } finally {
      void before.then(() => resolve());
    }
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  /** The id of the process; undefined when none runs. */
  get pid(): number | undefined {
    return this.process?.isAlive === true ? this.process.pid : undefined;
  }

  private async run(request: OdiffRequest, pixels: number, signal: AbortSignal): Promise<OdiffResult> {
    const process = await this.processFor(pixels);
    this.pixels += pixels;
    try {
      const result = withTimeout(process.compare(request), REQUEST_TIMEOUT_MS, 'comparing pictures');
      return await unlessAborted(result, signal);
    } catch (error) {
      // It may still be at work.
      if (signal.aborted || !(error instanceof Error) || error.name !== 'OdiffError') this.stop();
      throw error;
    }
  }

  private async processFor(pixels: number): Promise<OdiffProcess> {
    if (this.process?.isAlive !== true || this.pixels + pixels > MAX_PROCESS_PIXELS) {
      this.stop();
      this.process = await OdiffProcess.start();
    }
    return this.process;
  }

  private stop(): void {
    this.process?.kill();
    this.process = undefined;
    this.pixels = 0;
  }
}
