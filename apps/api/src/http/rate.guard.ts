import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '@app/auth';
import { AppError } from '@app/kernel';
import { RatesService, type RateVerdict } from '@app/usage';
import type { Request, Response } from 'express';

/** The name of the only policy. */
const POLICY = '"default"';

/** Limits the request rate of an account; runs right after the key guard. Public routes are not limited. */
@Injectable()
export class RateGuard implements CanActivate {
  constructor(private readonly rates: RatesService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (caller) await this.count(caller, context.switchToHttp().getResponse<Response>());
    return true;
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
