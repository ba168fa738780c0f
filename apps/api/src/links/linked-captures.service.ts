import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import { RatesService } from '@app/usage';
import type { Request, Response } from 'express';
import { clientAddress } from '../http/auth/client-address.js';
import { SyncAnswerService } from '../sync/sync-answer.service.js';
import { queryOf } from './link-signature.js';
import { LinkVerifierService } from './link-verifier.service.js';

/** Answers signed links with the files of their captures. */
@Injectable()
export class LinkedCapturesService {
  constructor(
    private readonly links: LinkVerifierService,
    private readonly answers: SyncAnswerService,
    private readonly rates: RatesService,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError of the verification, of the acceptance, and of a capture that failed */
  async answer(request: Request, response: Response): Promise<void> {
    const { caller, options, expires } = await this.links.verify(
      queryOf(request.originalUrl),
      clientAddress(request),
    );
    // For the log.
    request.caller = caller;
    const { accountId } = caller;
    await this.answers.answer(
      {
        request: { accountId, options, requestId: response.get('X-Request-Id') },
        isPublic: true,
        // Nobody shows the file any more when the link has expired.
        lifeS: () => Math.max(0, Math.floor(expires - this.clock.now().getTime() / 1_000)),
        // A page with a picture that is too old is better than one without.
        prefersStale: true,
        beforeVisit: () => this.countVisit(accountId),
      },
      response,
    );
  }

  /**
   * Visitors of a page do not know the account, so that only visits count for its rate, and not the requests that the cache
   * answers. What is left of the rate is not shown to them.
   */
  private async countVisit(accountId: string): Promise<void> {
    const { passes, waitMs } = await this.rates.check(accountId);
    if (passes) return;
    throw new AppError('rate_limited', {
      detail: 'Too many captures are requested by links of this account.',
      retryAfterS: Math.ceil(waitMs / 1_000),
    });
  }
}
