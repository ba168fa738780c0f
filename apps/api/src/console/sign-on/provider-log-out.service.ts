import { Injectable, Logger } from '@nestjs/common';
import { ConsoleSessionsService } from '@app/auth';
import { AppError } from '@app/kernel';
import type { Request } from 'express';
import { AuthThrottleService } from '../../http/auth/auth-throttle.service.js';
import { clientAddress } from '../../http/auth/client-address.js';
import { bodyOf } from '../../http/body/request-body.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { SignOnRefusal } from './sign-on-refusal.js';

const LIMIT = { bytes: 16_384, name: 'A log-out token' };

/** Ends the sessions of a person who has logged out at the provider, which sends a token that says so. */
@Injectable()
export class ProviderLogOutService {
  private readonly logger = new Logger(ProviderLogOutService.name);

  constructor(
    private readonly provider: IdentityProviderService,
    private readonly sessions: ConsoleSessionsService,
    private readonly throttle: AuthThrottleService,
  ) {}

  /** @throws AppError `invalid_request` for a token that is not valid, `rate_limited` after many of them */
  async receive(request: Request): Promise<void> {
    const address = clientAddress(request);
    const unauthorized = new AppError('unauthorized');
    if (!this.throttle.mayLookUp(address)) throw this.throttle.countFailure(address, unauthorized);
    const chunks: Buffer[] = [];
    for await (const chunk of bodyOf(request, LIMIT)) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    try {
      await this.sessions.endSignOns(await this.provider.readLogOut(form.get('logout_token') ?? ''));
    } catch (error) {
      if (!(error instanceof SignOnRefusal)) throw error;
      this.logger.warn({ reason: error.reason }, 'A log-out by the identity provider was refused');
      this.throttle.countFailure(address, unauthorized);
      throw new AppError('invalid_request', { detail: error.message });
    }
  }
}
