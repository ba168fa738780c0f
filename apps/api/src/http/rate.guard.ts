import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { RatesService } from '@app/usage';
import type { Request, Response } from 'express';
import { rateLimitHeaders } from './rate-limit-headers.js';

/** Lets a request pass only at the rate of its account; runs right after the key guard. Public routes are free. */
@Injectable()
export class RateGuard implements CanActivate {
  constructor(private readonly rates: RatesService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) return true;
    const verdict = await this.rates.check(caller.accountId);
    // Set here, so that whatever becomes of the request, an error too, is answered with them.
    context.switchToHttp().getResponse<Response>().set(rateLimitHeaders(verdict));
    if (verdict.passes) return true;
    const { rate, burst } = verdict.limit;
    throw new AppError('rate_limited', {
      detail: `The account may make ${rate} requests a minute, ${burst} of them at once.`,
      retryAfterS: Math.ceil(verdict.waitMs / 1_000),
    });
  }
}
