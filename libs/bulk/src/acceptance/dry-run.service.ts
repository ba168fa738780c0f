import { Injectable } from '@nestjs/common';
import { JobCacheService } from '@app/jobs';
import { UsageService } from '@app/usage';
import type { BatchRequest, DryRunReport } from './batch-request.js';
import type { SpooledRows } from './row-spooling.service.js';

/** Reports what would become of a batch, without storing it. */
@Injectable()
export class DryRunService {
  constructor(
    private readonly usage: UsageService,
    private readonly cache: JobCacheService,
  ) {}

  async report(
    { accountId, onInvalid }: BatchRequest,
    { count, demands }: SpooledRows,
  ): Promise<DryRunReport> {
    const { total, valid, rejected, faults: errors, omitted } = count;
    const { available } = await this.usage.report(accountId);
    const needed = valid - (await this.cache.countAnswers(accountId, demands));
    const wouldAccept = (rejected === 0 || onInvalid === 'skip') && needed <= available;
    return {
      dry_run: true,
      would_accept: wouldAccept,
      total,
      valid,
      rejected,
      allowance: { needed, available },
      errors,
      errors_omitted: omitted,
    };
  }
}
