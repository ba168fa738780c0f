import { Injectable } from '@nestjs/common';
import { isOutage } from '@app/database';
import type { ChangeListener } from '@app/jobs';
import { AppError, WakeUp } from '@app/kernel';
import type { Response } from 'express';
import { CaptureMetrics } from '../metrics/capture.metrics.js';
import { EventStream } from './event-stream.js';
import { endOf } from './hang-up.js';
import { ServingService } from './serving.service.js';

/** Something whose record changes until its end. */
export interface Followed<R extends object> {
  /** Of its events. */
  readonly name: string;
  /** Names the standing, so that a caller who comes back with it is not told the same again. */
  idOf(record: R): string;
  isFinal(record: R): boolean;
  /**
   * The record as it is now.
   *
   * @throws AppError `not_found` when it is deleted
   */
  read(): Promise<R>;
  /** Calls `tell` at changes, with the id of what it is then if that is known, until the result is called. */
  watch(listener: ChangeListener): () => void;
}

/** A record, told anew at every change until its end. */
@Injectable()
export class RecordEventsService {
  constructor(
    private readonly serving: ServingService,
    private readonly metrics: CaptureMetrics,
  ) {}

  /** Answers with events: the record as it is, then at each change; ends after that of a final status. */
  async stream<R extends object>(followed: Followed<R>, response: Response): Promise<void> {
    const record = await followed.read();
    const isKnown = response.req.get('last-event-id') === followed.idOf(record);
    // An EventSource connects again when a stream ends; this is how it is told that nothing more will come.
    if (isKnown && followed.isFinal(record)) response.status(204).end();
    else await this.metrics.streaming(() => this.tell(followed, record, response));
  }

  private async tell<R extends object>(followed: Followed<R>, record: R, response: Response): Promise<void> {
    const end = endOf(response, this.serving.closing);
    const stream = new EventStream(response);
    const wakeUp = new WakeUp();
    const { name } = followed;
    let told = '';
    const unwatch = followed.watch((standing) => {
      if (standing !== told) wakeUp.notify();
    });
    try {
      for (let now: R | null = record; now && !end.aborted; now = await readAgain(followed, now)) {
        const id = followed.idOf(now);
        if (id !== told) stream.send({ name, id: (told = id), data: now });
        if (followed.isFinal(now) || response.req.method === 'HEAD') break;
        await wakeUp.wait(end);
        await stream.ready(end);
      }
    } finally {
      unwatch();
      stream.end();
    }
  }
}

/** The record as it is now; null when it is deleted. While the database is away nothing changes. */
async function readAgain<R extends object>(followed: Followed<R>, last: R): Promise<R | null> {
  try {
    return await followed.read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    if (isOutage(error)) return last;
    throw error;
  }
}
