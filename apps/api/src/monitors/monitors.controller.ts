import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '@app/auth';
import {
  MonitorChangeService,
  MonitorControlService,
  MonitorRecordsService,
  MonitorsService,
  upcomingInstants,
  type CheckRecord,
  type MonitorRecord,
  type RecordPage,
} from '@app/monitors';
import { Clock } from '@app/kernel';
import type { Response } from 'express';
import { AccountId, Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { MonitorRequestsService } from './monitor-requests.service.js';
import {
  DocumentsChange,
  DocumentsChecks,
  DocumentsCreate,
  DocumentsDelete,
  DocumentsMonitor,
  DocumentsMonitors,
  DocumentsPause,
  DocumentsPreview,
  DocumentsResume,
  DocumentsRun,
} from './monitors.docs.js';
import { ChecksQuery, MonitorsQuery } from './monitors.query.js';

/** Instants that a preview of a schedule has. */
const PREVIEWED = 5;

/** When a schedule would run. */
interface SchedulePreview {
  readonly next_runs: readonly string[];
}

/** Monitors: pages that are captured on a schedule, with alerts when they change. */
@ApiTags('Monitors')
@Controller('v1/monitors')
export class MonitorsController {
  constructor(
    private readonly monitors: MonitorsService,
    private readonly changes: MonitorChangeService,
    private readonly control: MonitorControlService,
    private readonly records: MonitorRecordsService,
    private readonly requests: MonitorRequestsService,
    private readonly clock: Clock,
  ) {}

  @Post()
  @NeedsScope('capture')
  @HttpCode(201)
  @JsonBody()
  @DocumentsCreate()
  async create(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MonitorRecord> {
    const { accountId } = sender;
    const request = this.requests.readNew(body, sender);
    const idempotency = toIdempotency(key, 'POST /v1/monitors', body);
    const { id, replayed } = await this.monitors.create({ ...request, accountId, idempotency });
    markReplay(response, replayed);
    response.location(`/v1/monitors/${id}`);
    return this.records.show(accountId, id);
  }

  @Post('preview')
  @NeedsScope('capture')
  @HttpCode(200)
  @JsonBody()
  @DocumentsPreview()
  preview(@Body() body: unknown): SchedulePreview {
    const next = upcomingInstants(this.requests.readPreview(body), this.clock.now(), PREVIEWED);
    return { next_runs: next.map((instant) => instant.toISOString()) };
  }

  @Get()
  @NeedsScope('read')
  @DocumentsMonitors()
  list(
    @AccountId() accountId: string,
    @Query(queryOf(MonitorsQuery)) query: MonitorsQuery,
  ): Promise<RecordPage<MonitorRecord>> {
    return this.records.list(accountId, query, pageOf(query));
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsMonitor()
  find(@AccountId() accountId: string, @Param('id') id: string): Promise<MonitorRecord> {
    return this.records.show(accountId, id);
  }

  @Patch(':id')
  @NeedsScope('capture')
  @JsonBody()
  @DocumentsChange()
  async change(
    @Sender() sender: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<MonitorRecord> {
    const { accountId } = sender;
    await this.changes.change(accountId, id, this.requests.readChange(body, sender));
    return this.records.show(accountId, id);
  }

  @Delete(':id')
  @NeedsScope('capture')
  @HttpCode(204)
  @DocumentsDelete()
  remove(@AccountId() accountId: string, @Param('id') id: string): Promise<void> {
    return this.records.remove(accountId, id);
  }

  @Post(':id/run')
  @NeedsScope('capture')
  @HttpCode(202)
  @DocumentsRun()
  async run(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MonitorRecord> {
    const idempotency = toIdempotency(key, `POST /v1/monitors/${id}/run`, {});
    markReplay(response, await this.control.run({ accountId, id, idempotency }));
    return this.records.show(accountId, id);
  }

  @Post(':id/pause')
  @NeedsScope('capture')
  @HttpCode(200)
  @DocumentsPause()
  async pause(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MonitorRecord> {
    const idempotency = toIdempotency(key, `POST /v1/monitors/${id}/pause`, {});
    markReplay(response, await this.control.pause({ accountId, id, idempotency }));
    return this.records.show(accountId, id);
  }

  @Post(':id/resume')
  @NeedsScope('capture')
  @HttpCode(200)
  @DocumentsResume()
  async resume(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MonitorRecord> {
    const idempotency = toIdempotency(key, `POST /v1/monitors/${id}/resume`, {});
    markReplay(response, await this.control.resume({ accountId, id, idempotency }));
    return this.records.show(accountId, id);
  }

  @Get(':id/checks')
  @NeedsScope('read')
  @DocumentsChecks()
  checks(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(ChecksQuery)) query: ChecksQuery,
  ): Promise<RecordPage<CheckRecord>> {
    return this.records.listChecks({ accountId, id }, query, pageOf(query));
  }
}
