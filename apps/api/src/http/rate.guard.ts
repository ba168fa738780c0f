import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '@app/auth';
import { AppError, Clock, msUntil, TokenBuckets, tokensGranted, type BucketLimit } from '@app/kernel';
import { RatesService, type RateVerdict } from '@app/usage';
import type { Request, Response } from 'express';

/** The name of the only policy. */
const POLICY = '"default"';

/**
 * What people look at in the console does not take from the rate of their programs: it has a bucket of its own, in each
 * process, in which a page full of thumbnails fits.
 */
const CONSOLE_READS: BucketLimit = { rate: 3_000, burst: 600 };
/** Beyond it the account whose last read is the oldest is forgotten; its bucket is full by then. */
const MAX_ACCOUNTS = 10_000;

/** Each of these bytes of a body, after decompression, count as one more request. */
const BYTES_OF_REQUEST = 262_144;
/** So many rows count as one more request when they were checked and nothing of their batch is stored. */
const ROWS_OF_REQUEST = 250;

declare module 'http' {
  interface IncomingMessage {
    /** Counts a body of so many bytes against the rate of the caller; set by RateGuard. Throws AppError `rate_limited`. */
    weighBody?: (bytes: number) => Promise<void>;
    /** Counts so many rows that were checked for nothing; set by RateGuard. */
    weighRows?: (rows: number) => Promise<void>;
  }
}

/** Limits the request rate of an account; runs right after the key guard. Public routes are not limited. */
@Injectable()
export class RateGuard implements CanActivate {
  private readonly consoleReads: TokenBuckets;

  constructor(
    private readonly rates: RatesService,
    clock: Clock,
  ) {
    this.consoleReads = new TokenBuckets(clock, MAX_ACCOUNTS);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { caller, consoleKeyId, method } = request;
    if (!caller) return true;
    request.weighBody = (bytes) => this.weigh(caller, bytes, http.getResponse<Response>());
    request.weighRows = (rows) => this.weighRows(caller, rows);
    if (consoleKeyId !== undefined && method === 'GET') this.countConsoleRead(caller);
    else await this.count(caller, http.getResponse<Response>());
    return true;
  }

  private countConsoleRead({ accountId }: Caller): void {
    const level = this.consoleReads.takeTokens(accountId, CONSOLE_READS, 1);
    if (tokensGranted(level, 1) > 0) return;
    throw new AppError('rate_limited', {
      detail: `The console may read ${CONSOLE_READS.rate} times a minute.`,
      retryAfterS: Math.ceil(msUntil(1, level, CONSOLE_READS) / 1_000),
    });
  }

  /** A body never counts for more than the account may do at once: it could not be sent at all. */
  private async weigh({ accountId }: Caller, bytes: number, response: Response): Promise<void> {
    const requests = Math.floor(bytes / BYTES_OF_REQUEST);
    if (requests === 0) return;
    const counted = Math.min(requests, (await this.rates.burstOf(accountId)) - 1);
    if (counted === 0) return;
    const verdict = await this.rates.checkMore(accountId, counted);
    if (!response.headersSent) response.set(rateLimitHeaders(verdict));
    if (verdict.passes) return;
    throw new AppError('rate_limited', {
      detail: `A body of ${bytes} bytes counts as ${counted + 1} requests: one more for each ${BYTES_OF_REQUEST} bytes. The account may make ${verdict.limit.rate} requests a minute.`,
      retryAfterS: Math.ceil(verdict.waitMs / 1_000),
    });
  }

  /** The next requests wait for it: this one has its answer. */
  private async weighRows({ accountId }: Caller, rows: number): Promise<void> {
    const requests = Math.floor(rows / ROWS_OF_REQUEST);
    if (requests > 0) await this.rates.checkMore(accountId, requests);
  }

  /**
   * Counts one request of the caller.
   *
   * @throws AppError `rate_limited`
   */
  async count({ accountId }: Caller, response: Response): Promise<void> {
    const verdict = await this.rates.check(accountId);
    // Set here, so that every response has them, errors included.
    response.set(rateLimitHeaders(verdict));
    if (verdict.passes) return;
    const { rate, burst } = verdict.limit;
    throw new AppError('rate_limited', {
      detail: `The account may make ${rate} requests a minute, ${burst} of them at once.`,
      retryAfterS: Math.ceil(verdict.waitMs / 1_000),
    });
  }
}

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 (May 2026), which are structured
 * fields (RFC 9651). The draft does not say what the seconds of a token bucket are. Here they are
 *
 *   q, w   the size of the bucket, and the seconds in which it fills up
 *   r, t   the requests that would pass now, and the seconds until as many are available again; if r is 0, until one is
 *
 * so that r/t never exceeds the rate (section 8.5 of the draft), a client that spreads r over t is never refused, and t of
 * a refused request never exceeds its `Retry-After` (section 6).
 */
export function rateLimitHeaders({ limit, remaining, waitMs }: RateVerdict): Record<string, string> {
  const { rate, burst } = limit;
  const seconds = (requests: number): number => Math.ceil((requests * 60) / rate);
  const returnS = remaining > 0 ? seconds(remaining) : Math.ceil(waitMs / 1_000);
  return {
    'RateLimit-Policy': `${POLICY};q=${burst};w=${seconds(burst)}`,
    RateLimit: `${POLICY};r=${remaining};t=${returnS}`,
  };
}
