import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JobsService } from '@app/jobs';
import type { Request, Response } from 'express';
import { FileSender } from '../captures/file-sender.service.js';
import { DocumentsResult } from '../docs/captures.docs.js';
import { DocumentsJob } from '../docs/jobs.docs.js';
import { AccountId } from '../http/caller.js';
import { hangUpOf } from '../http/hang-up.js';
import { queryOf } from '../http/parsed.js';
import { JobRecords } from './job-records.service.js';
import type { JobRecord } from './job.response.js';
import { WaitQuery } from './wait.query.js';

/** Jobs: captures that nobody waits for on the line. */
@ApiTags('Jobs')
@Controller('v1/jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecords,
    private readonly files: FileSender,
  ) {}

  @Get(':id')
  @DocumentsJob()
  async find(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(WaitQuery)) { wait }: WaitQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobRecord> {
    const job = await this.jobs.find(accountId, id);
    return this.records.of(
      wait === 0 ? job : await this.jobs.waitForEnd(job.id, wait * 1_000, hangUpOf(response)),
    );
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
