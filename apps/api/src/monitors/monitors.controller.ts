import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  MonitorControlService,
  MonitorRecordsService,
  MonitorsService,
  type CheckRecord,
  type MonitorRecord,
  type RecordPage,
} from '@app/monitors';
import type { Response } from 'express';
import { AccountId } from '../http/auth/caller.js';
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
  DocumentsResume,
  DocumentsRun,
} from './monitors.docs.js';
import { ChecksQuery, MonitorsQuery } from './monitors.query.js';

/** Monitors: pages that are captured on a schedule, with alerts when they change. */
@ApiTags('Monitors')
@Controller('v1/monitors')
export class MonitorsController {
  constructor(
    private readonly monitors: MonitorsService,
    private readonly control: MonitorControlService,
    private readonly records: MonitorRecordsService,
    private readonly requests: MonitorRequestsService,
  ) {}

  @Post()
  @HttpCode(201)
  @JsonBody()
  @DocumentsCreate()
  async create(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MonitorRecord> {
    const request = this.requests.readNew(body);
    const idempotency = toIdempotency(key, 'POST /v1/monitors', body);
    const { id, replayed } = await this.monitors.create({ ...request, accountId, idempotency });
    markReplay(response, replayed);
    response.location(`/v1/monitors/${id}`);
    return this.records.show(accountId, id);
  }

  @Get()
  @DocumentsMonitors()
  list(
    @AccountId() accountId: string,
    @Query(queryOf(MonitorsQuery)) query: MonitorsQuery,
  ): Promise<RecordPage<MonitorRecord>> {
    return this.records.list(accountId, query, pageOf(query));
  }

  @Get(':id')
  @DocumentsMonitor()
  find(@AccountId() accountId: string, @Param('id') id: string): Promise<MonitorRecord> {
    return this.records.show(accountId, id);
  }

  @Patch(':id')
  @JsonBody()
  @DocumentsChange()
  async change(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<MonitorRecord> {
    await this.control.change(accountId, id, this.requests.readChange(body));
    return this.records.show(accountId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @DocumentsDelete()
  remove(@AccountId() accountId: string, @Param('id') id: string): Promise<void> {
    return this.records.remove(accountId, id);
  }

  @Post(':id/run')
  @HttpCode(202)
  @DocumentsRun()
  async run(@AccountId() accountId: string, @Param('id') id: string): Promise<MonitorRecord> {
    await this.control.run(accountId, id);
    return this.records.show(accountId, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @DocumentsPause()
  async pause(@AccountId() accountId: string, @Param('id') id: string): Promise<MonitorRecord> {
    await this.control.pause(accountId, id);
    return this.records.show(accountId, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @DocumentsResume()
  async resume(@AccountId() accountId: string, @Param('id') id: string): Promise<MonitorRecord> {
    await this.control.resume(accountId, id);
    return this.records.show(accountId, id);
  }

  @Get(':id/checks')
  @DocumentsChecks()
  checks(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(ChecksQuery)) query: ChecksQuery,
  ): Promise<RecordPage<CheckRecord>> {
    return this.records.listChecks({ accountId, id }, query, pageOf(query));
  }
}
