import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JobsService, type JobRecord } from '@app/jobs';
import type { Request, Response } from 'express';
import { FileSenderService } from '../captures/file-sender.service.js';
import { DocumentsResult } from '../docs/captures.docs.js';
import { DocumentsCancel, DocumentsEvents, DocumentsJob, DocumentsSubmit } from '../docs/jobs.docs.js';
import { AccountId } from '../http/caller.js';
import { endOf } from '../http/hang-up.js';
import { markReplay, toIdempotency } from '../http/idempotency.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { JsonBody } from '../http/json-body.interceptor.js';
import { Parsed, queryOf } from '../http/parsed.js';
import { ServingService } from '../http/serving.service.js';
import { JobEventsService } from './job-events.service.js';
import { JobRecordsService } from './job-records.service.js';
import { parseJobRequest, type JobRequest } from './job-request.js';
import { WaitQuery } from './wait.query.js';
import { WebhookTargetService } from './webhook-target.service.js';

/** Jobs: captures that nobody waits for on the line. */
@ApiTags('Jobs')
@Controller('v1/jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecordsService,
    private readonly files: FileSenderService,
    private readonly webhooks: WebhookTargetService,
    private readonly jobEvents: JobEventsService,
    private readonly serving: ServingService,
  ) {}

  @Post()
  @HttpCode(202)
  @JsonBody()
  @DocumentsSubmit()
  async submit(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Body(new Parsed(parseJobRequest)) { options, beside, given }: JobRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobRecord> {
    const { record, replayed } = await this.jobs.submit({
      accountId,
      source: 'job',
      options,
      webhookUrl: this.webhooks.admit(beside),
      requestId: response.get('X-Request-Id'),
      idempotency: toIdempotency(key, 'POST /v1/jobs', given),
    });
    markReplay(response, replayed);
    response.location(`/v1/jobs/${record.id}`);
    return record;
  }

  @Get(':id')
  @DocumentsJob()
  async find(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(WaitQuery)) { wait }: WaitQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobRecord> {
    const job = await this.jobs.find(accountId, id);
    if (wait === 0) return this.records.of(job);
    const end = endOf(response, this.serving.closing);
    return this.records.of(await this.jobs.waitForEnd(job.id, wait * 1_000, end));
  }

  @Delete(':id')
  @DocumentsCancel()
  async cancel(@AccountId() accountId: string, @Param('id') id: string): Promise<JobRecord> {
    return this.records.of(await this.jobs.cancel(accountId, id, 'client_request'));
  }

  @Get(':id/events')
  @DocumentsEvents()
  async events(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.jobEvents.stream(accountId, id, response);
  }

  @Get(':id/result')
  @DocumentsResult('jobs')
  async result(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.files.send(await this.jobs.find(accountId, id), request, response);
  }
}
