import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { Logger } from '@nestjs/common';

/** Within this distance of the limit connections may fail, and Node does not report those that the kernel refuses. */
const RESERVE = 8;

/** Measured for the worker itself, and for each capture of a page with 64 images on 8 hosts. */
const OWN_NEED = 60;
const NEED_PER_CAPTURE = 90;

/**
 * Watches the file descriptors of this process (RLIMIT_NOFILE). Each connection of a page needs two. Without them pages lack
 * pictures through no fault of theirs, which only the proxy can detect.
 */
export class Descriptors {
  private readonly logger = new Logger(Descriptors.name);
  private shortAt = -Infinity;

  constructor(private readonly limit = limitOfProcess()) {}

  /** Logs a warning when there are too few for this number of concurrent captures. */
  warnIfFew(captures: number): void {
    const need = OWN_NEED + NEED_PER_CAPTURE * captures;
    if (this.limit >= need) return;
    this.logger.warn(
      `The process may open ${this.limit} files; ${captures} concurrent captures need about ${need}. Raise the limit (ulimit -n).`,
    );
  }

  /** Checks whether they are running out; takes some microseconds. */
  check(): void {
    if (lowestFree() >= this.limit - RESERVE) this.noteShortage();
  }

  /** To be called when a connection failed for lack of a descriptor. */
  noteShortage(): void {
    const now = performance.now();
    if (now - this.shortAt > 60_000) {
      this.logger.error(
        `The process has no file descriptor left (limit ${this.limit}); its captures are retried.`,
      );
    }
    this.shortAt = now;
  }

  /** Whether they ran out after this moment of `performance.now()`. */
  ranOutSince(moment: number): boolean {
    return this.shortAt >= moment;
  }
}

/** The kernel assigns the lowest free number. */
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
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return limitOfReport();
  }
}

/** On other systems than Linux: a report takes a tenth of a second, as it also has a stack. */
function limitOfReport(): number {
  // By default the report resolves the peer name of every connection.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
