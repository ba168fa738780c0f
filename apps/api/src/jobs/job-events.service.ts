import { Injectable } from '@nestjs/common';
import { isOutage } from '@app/database';
import { isFinal, JobsService, JobWatch, standingOf, type Job, type JobRecord } from '@app/jobs';
import { AppError } from '@app/kernel';
import type { Response } from 'express';
import { Bell } from '../http/bell.js';
import { EventStream } from '../http/event-stream.js';
import { endOf } from '../http/hang-up.js';
import { Serving } from '../http/serving.js';
import { CaptureMetrics } from '../metrics/capture-metrics.js';
import { JobRecords } from './job-records.service.js';

/** A job's record, told anew at every change until its end. */
@Injectable()
export class JobEvents {
  constructor(
    private readonly jobs: JobsService,
    private readonly records: JobRecords,
    private readonly watch: JobWatch,
    private readonly serving: Serving,
    private readonly metrics: CaptureMetrics,
  ) {}

  /** Answers with events: the record as it is, then at each change; ends after that of a final status. */
  async stream(job: Job, response: Response): Promise<void> {
    const record = await this.records.of(job);
    const isKnown = response.req.get('last-event-id') === idOf(record);
    // An EventSource connects again when a stream ends; this is how it is told that nothing more will come.
    if (isKnown && isFinal(record.status)) response.status(204).end();
    else await this.metrics.streaming(() => this.tell(job, record, response));
  }

  private async tell(job: Job, record: JobRecord, response: Response): Promise<void> {
    const end = endOf(response, this.serving.closing);
    const stream = new EventStream(response);
    const bell = new Bell();
    let told = '';
    const unwatch = this.watch.watch(job.id, (standing) => {
      if (standing !== told) bell.ring();
    });
    try {
      for (let now: JobRecord | null = record; now && !end.aborted; now = await this.read(now, job)) {
        if (idOf(now) !== told) stream.send({ name: 'job', id: (told = idOf(now)), data: now });
        if (isFinal(now.status) || response.req.method === 'HEAD') break;
        await bell.wait(end);
        await stream.ready(end);
      }
    } finally {
      unwatch();
      stream.end();
    }
  }

  /** The record as it is now; null when it is deleted. While the database is away nothing changes. */
  private async read(last: JobRecord, { accountId, id }: Job): Promise<JobRecord | null> {
    try {
      return await this.records.of(await this.jobs.find(accountId, id));
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      if (isOutage(error)) return last;
      throw error;
    }
  }
}

/** Names the standing, so that a caller who comes back with it is not told the same again. */
function idOf({ status, attempts, queue_position }: JobRecord): string {
  return standingOf({ status, attempt: attempts }, queue_position ?? undefined);
}
