import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JobStatsRepository } from '@app/jobs';
import { Clock } from '@app/kernel';
import { UsageService, type Usage } from '@app/usage';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { queryOf } from '../http/parse.pipe.js';
import { dayRangeOf, DaysQuery } from './days.query.js';
import { toUsageDays, type UsageDays } from './days.response.js';
import { DocumentsUsage, DocumentsUsageDays } from './usage.docs.js';

@ApiTags('Service')
@Controller('v1/usage')
export class UsageController {
  constructor(
    private readonly usage: UsageService,
    private readonly stats: JobStatsRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @NeedsScope('read')
  @DocumentsUsage()
  report(@AccountId() accountId: string): Promise<Usage> {
    return this.usage.report(accountId);
  }

  @Get('days')
  @NeedsScope('read')
  @DocumentsUsageDays()
  async days(
    @AccountId() accountId: string,
    @Query(queryOf(DaysQuery)) query: DaysQuery,
  ): Promise<UsageDays> {
    const range = dayRangeOf(query, this.clock.now());
    return toUsageDays(await this.stats.readDays(accountId, range), range);
  }
}
