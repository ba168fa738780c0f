import { Injectable } from '@nestjs/common';
import { isFinal, JobsService, JobWatch, standingOf, type JobRecord } from '@app/jobs';
import type { Response } from 'express';
import { RecordEvents } from '../http/record-events.service.js';
import { JobRecords } from './job-records.service.js';

/** A job's record, told anew at every change until its end. */
@Injectable()
export class JobEvents {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecords,
    private readonly watch: JobWatch,
    private readonly events: RecordEvents,
  ) {}

  /**
   * @see RecordEvents.stream
   * @throws AppError `not_found`
   */
  stream(accountId: string, id: string, response: Response): Promise<void> {
    return this.events.stream<JobRecord>(
      {
        name: 'job',
        idOf: ({ status, attempts, queue_position }) =>
          standingOf({ status, attempt: attempts }, queue_position ?? undefined),
        isFinal: ({ status }) => isFinal(status),
        read: async () => this.records.of(await this.jobs.find(accountId, id)),
        watch: (tell) => this.watch.watch(id, tell),
      },
      response,
    );
  }
}
