import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JobHistoryRepository, JobsService, JobStatsRepository, toCaptureRecord } from '@app/jobs';
import { Clock } from '@app/kernel';
import type { Response } from 'express';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { CaptureDeletionService } from './capture-deletion.service.js';
import type { CaptureList, CaptureRecord } from './capture.response.js';
import { DocumentsDelete, DocumentsList, DocumentsRecord, DocumentsStats } from './captures.docs.js';
import { DeleteQuery, filterOf, CapturesQuery } from './captures.query.js';
import { rangeOf, StatsQuery } from './stats.query.js';
import { toStats, type CaptureStats } from './stats.response.js';

/** The history: all captures of the account, from any source, until they are deleted. */
@ApiTags('Captures')
@Controller('v1/captures')
export class CapturesController {
  constructor(
    private readonly history: JobHistoryRepository,
    private readonly stats: JobStatsRepository,
    private readonly jobs: JobsService,
    private readonly deletion: CaptureDeletionService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @NeedsScope('read')
  @DocumentsList()
  async list(
    @AccountId() accountId: string,
    @Query(queryOf(CapturesQuery)) query: CapturesQuery,
  ): Promise<CaptureList> {
    const page = await this.history.list(accountId, filterOf(query), pageOf(query));
    return { items: page.items.map(toCaptureRecord), next_cursor: page.nextCursor };
  }

  // Before `:id`, which would match it as an id.
  @Get('stats')
  @NeedsScope('read')
  @DocumentsStats()
  async statistics(
    @AccountId() accountId: string,
    @Query(queryOf(StatsQuery)) query: StatsQuery,
  ): Promise<CaptureStats> {
    const range = rangeOf(query, this.clock.now());
    return toStats(await this.stats.read(accountId, range, query.bucket), range, query.bucket);
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsRecord()
  async find(@AccountId() accountId: string, @Param('id') id: string): Promise<CaptureRecord> {
    const job = await this.jobs.find(accountId, id);
    return toCaptureRecord(await this.jobs.withPageLists(job));
  }

  @Delete(':id')
  @NeedsScope('capture')
  @DocumentsDelete()
  async delete(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(DeleteQuery)) { record: withRecord }: DeleteQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CaptureRecord | undefined> {
    const job = await this.deletion.delete({ accountId, id, withRecord });
    if (!withRecord) return toCaptureRecord(job);
    response.status(204);
    return undefined;
  }
}
