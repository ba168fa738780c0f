import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BatchesService, BatchHistoryRepository, BatchResultsService } from '@app/bulk';
import { toCaptureRecord } from '@app/jobs';
import type { Response } from 'express';
import type { CaptureList } from '../captures/capture.response.js';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { endOf } from '../http/client-disconnect.js';
import { DrainService } from '../http/drain.service.js';
import { pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { WaitQuery } from '../http/wait.query.js';
import { BatchEventsService } from './batch-events.service.js';
import { BatchRecordsService } from './batch-records.service.js';
import type { BatchList, BatchRecord } from './batch.response.js';
import {
  DocumentsBatch,
  DocumentsBatchCancel,
  DocumentsBatchEvents,
  DocumentsBatches,
  DocumentsBatchResults,
} from './batches.docs.js';
import { BatchesQuery, batchFilterOf } from './batches.query.js';
import { requestOf, ResultsQuery } from './results.query.js';

/** Accepted batches: their progress, the results of their rows, their cancellation. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchesController {
  constructor(
    private readonly batches: BatchesService,
    private readonly history: BatchHistoryRepository,
    private readonly records: BatchRecordsService,
    private readonly batchEvents: BatchEventsService,
    private readonly batchResults: BatchResultsService,
    private readonly drain: DrainService,
  ) {}

  @Get()
  @NeedsScope('read')
  @DocumentsBatches()
  async list(
    @AccountId() accountId: string,
    @Query(queryOf(BatchesQuery)) query: BatchesQuery,
  ): Promise<BatchList> {
    const { items, nextCursor } = await this.history.list(accountId, batchFilterOf(query), pageOf(query));
    return { items: await this.records.recordsOf(items), next_cursor: nextCursor };
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsBatch()
  async find(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(WaitQuery)) { wait }: WaitQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchRecord> {
    const batch = await this.batches.find(accountId, id);
    if (wait === 0) return this.records.recordOf(batch);
    const end = endOf(response, this.drain.closing);
    return this.records.recordOf(await this.batches.waitForEnd(batch, wait * 1_000, end));
  }

  @Delete(':id')
  @NeedsScope('capture')
  @DocumentsBatchCancel()
  async cancel(@AccountId() accountId: string, @Param('id') id: string): Promise<BatchRecord> {
    return this.records.recordOf(await this.batches.cancel(accountId, id));
  }

  @Get(':id/events')
  @NeedsScope('read')
  @DocumentsBatchEvents()
  async events(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.batchEvents.stream(accountId, id, response);
  }

  @Get(':id/results')
  @NeedsScope('read')
  @DocumentsBatchResults()
  async results(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(ResultsQuery)) query: ResultsQuery,
  ): Promise<CaptureList> {
    const batch = await this.batches.find(accountId, id);
    const { items, nextCursor } = await this.batchResults.list(batch.id, requestOf(query));
    return { items: items.map(toCaptureRecord), next_cursor: nextCursor };
  }
}
