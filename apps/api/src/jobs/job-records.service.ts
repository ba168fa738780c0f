import { Injectable } from '@nestjs/common';
import { JobHistory, type Job } from '@app/jobs';
import { toJobRecord, type JobRecord } from './job.response.js';

/** Job records with what is not in their row. */
@Injectable()
export class JobRecords {
  constructor(private readonly history: JobHistory) {}

  async of(job: Job): Promise<JobRecord> {
    return toJobRecord(job, job.status === 'queued' ? await this.history.queuePosition(job) : null);
  }
}
