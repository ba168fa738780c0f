import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '@app/auth';
import { JobsService } from '@app/jobs';
import type { Response } from 'express';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { DocumentsResult } from '../captures/capture-files.docs.js';
import { cacheHeaderOf } from '../captures/stored-file.js';
import { AccountId, Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { admitTargets } from '../http/auth/target-limits.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { endOf } from '../http/client-disconnect.js';
import { DrainService } from '../http/drain.service.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { queryOf } from '../http/parse.pipe.js';
import { WaitQuery } from '../http/wait.query.js';
import { WebhookTargetService } from '../webhooks/webhook-target.service.js';
import { JobEventsService } from './job-events.service.js';
import { JobRecordsService } from './job-records.service.js';
import { JobRequestPipe, type JobRequest } from './job-request.pipe.js';
import type { JobRecord } from './job.response.js';
import { DocumentsCancel, DocumentsEvents, DocumentsJob, DocumentsSubmit } from './jobs.docs.js';

/** Jobs: captures whose callers do not keep a connection open for them. */
@ApiTags('Jobs')
@Controller('v1/jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecordsService,
    private readonly files: CaptureFileService,
    private readonly webhooks: WebhookTargetService,
    private readonly jobEvents: JobEventsService,
    private readonly drain: DrainService,
  ) {}

  @Post()
  @NeedsScope('capture')
  @HttpCode(202)
  @JsonBody()
  @DocumentsSubmit()
  async submit(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body(JobRequestPipe) { options, extra, given }: JobRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobRecord> {
    admitTargets(sender, options);
    const { record, replayed } = await this.jobs.submit({
      accountId: sender.accountId,
      source: 'job',
      options,
      webhookUrl: this.webhooks.accept(extra),
      requestId: response.get('X-Request-Id'),
      idempotency: toIdempotency(key, 'POST /v1/jobs', given),
    });
    markReplay(response, replayed);
    response.location(`/v1/jobs/${record.id}`).set('X-Cache', cacheHeaderOf(record));
    return record;
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsJob()
  async find(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(WaitQuery)) { wait }: WaitQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobRecord> {
    const job = await this.jobs.find(accountId, id);
    const end = endOf(response, this.drain.closing);
    const last = wait === 0 ? job : await this.jobs.waitForEnd(job.id, wait * 1_000, { signal: end });
    return this.records.recordOf(await this.jobs.withPageLists(last));
  }

  @Delete(':id')
  @NeedsScope('capture')
  @DocumentsCancel()
  async cancel(@AccountId() accountId: string, @Param('id') id: string): Promise<JobRecord> {
    return this.records.recordOf(await this.jobs.cancel(accountId, id, 'client_request'));
  }

  @Get(':id/events')
  @NeedsScope('read')
  @DocumentsEvents()
  async events(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.jobEvents.stream(accountId, id, response);
  }

  @Get(':id/result')
  @NeedsScope('read')
  @DocumentsResult('jobs')
  async result(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.files.send(await this.jobs.find(accountId, id), response);
  }
}
