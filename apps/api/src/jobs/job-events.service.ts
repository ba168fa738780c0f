import { Injectable } from '@nestjs/common';
import { isFinal, JobsService, JobWatchService, versionOf, type JobRecord } from '@app/jobs';
import type { Response } from 'express';
import { RecordEventsService } from '../http/events/record-events.service.js';
import { JobRecordsService } from './job-records.service.js';

/** Streams a job's record at every change until its end. */
@Injectable()
export class JobEventsService {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecordsService,
    private readonly watch: JobWatchService,
    private readonly events: RecordEventsService,
  ) {}

  /**
   * @see RecordEventsService.stream
   * @throws AppError `not_found`
   */
  stream(accountId: string, id: string, response: Response): Promise<void> {
    return this.events.stream<JobRecord>(
      {
        name: 'job',
        idOf: ({ status, attempts, queue_position: position, phase }) =>
          versionOf({ status, attempt: attempts }, { position: position ?? undefined, phase }),
        isFinal: ({ status }) => isFinal(status),
        read: async () => this.records.recordOf(await this.jobs.find(accountId, id)),
        watch: (notify) => this.watch.watch(id, notify),
      },
      response,
    );
  }
}
