import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { Logger } from '@nestjs/common';

/** So close to the limit the next connections may fail, and those that the kernel refuses are never reported. */
const RESERVE = 8;

/** Measured: the worker itself, and for each of its captures a page with 64 images on 8 hosts. */
const OWN_NEED = 60;
const NEED_PER_CAPTURE = 90;

/**
 * The file descriptors of this process (RLIMIT_NOFILE). Each connection of a page takes two. Without any left, pages lack
 * pictures for a reason that is ours, and a page cannot show it: the proxy has to know.
 */
export class Descriptors {
  private readonly logger = new Logger(Descriptors.name);
  private shortAt = -Infinity;

  constructor(private readonly limit = limitOfProcess()) {}

  /** Warns when there are too few for so many captures at once. */
  warnIfFew(captures: number): void {
    const need = OWN_NEED + NEED_PER_CAPTURE * captures;
    if (this.limit >= need) return;
    this.logger.warn(
      `The process may open ${this.limit} files; ${captures} captures at once need about ${need}. Raise it (ulimit -n).`,
    );
  }

  /** Looks whether they are running out; costs some microseconds. */
  look(): void {
    if (lowestFree() >= this.limit - RESERVE) this.noteShortage();
  }

  /** A connection failed for the lack of one. */
  noteShortage(): void {
    const now = performance.now();
    if (now - this.shortAt > 60_000) {
      this.logger.error(
        `The process has no file descriptor left (limit ${this.limit}); captures are tried again.`,
      );
    }
    this.shortAt = now;
  }

  /** Whether they ran out since this moment of `performance.now()`. */
  wereShortSince(moment: number): boolean {
    return this.shortAt >= moment;
  }
}

/** The kernel gives out the lowest number that is free. */
function lowestFree(): number {
  try {
    const descriptor = openSync(devNull, 'r');
    closeSync(descriptor);
    return descriptor;
  } catch {
    return Infinity;
  }
}

function limitOfProcess(): number {
  // Otherwise the report looks up the name of each connection's other end.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
