import { Injectable } from '@nestjs/common';
import { isOutage } from '@app/database';
import type { ChangeListener } from '@app/jobs';
import { AppError, WakeUp } from '@app/kernel';
import type { Response } from 'express';
import { CaptureMetrics } from '../../metrics/capture.metrics.js';
import { CallerService } from '../auth/caller.service.js';
import { endOf } from '../client-disconnect.js';
import { DrainService } from '../drain.service.js';
import { EventStream } from './event-stream.js';

/** A record that changes until it is final. */
export interface RecordSource<R extends object> {
  /** The name of its events. */
  readonly name: string;
  /** Identifies a version of the record, so that a caller who reconnects does not receive it twice. */
  idOf(record: R): string;
  isFinal(record: R): boolean;
  /**
   * The current record.
   *
   * @throws AppError `not_found` when it is deleted
   */
  read(): Promise<R>;
  /** Calls `notify` at changes, with the id of the new version if it is known, until the returned function is called. */
  watch(notify: ChangeListener): () => void;
}

/** Streams a record as server-sent events, at every change until it is final. */
@Injectable()
export class RecordEventsService {
  constructor(
    private readonly drain: DrainService,
    private readonly metrics: CaptureMetrics,
    private readonly callers: CallerService,
  ) {}

  /** Sends the current record, then the record after each change; ends after the final one. */
  async stream<R extends object>(source: RecordSource<R>, response: Response): Promise<void> {
    const record = await source.read();
    const isKnown = response.req.get('last-event-id') === source.idOf(record);
    // An EventSource reconnects when a stream ends; 204 is how the standard makes it stop.
    if (isKnown && source.isFinal(record)) response.status(204).end();
    else await this.metrics.streaming(() => this.send(source, record, response));
  }

  private async send<R extends object>(source: RecordSource<R>, first: R, response: Response): Promise<void> {
    const end = endOf(response, this.drain.closing);
    const stream = new EventStream(response);
    const change = new WakeUp();
    let sentId = '';
    // A stream may outlive its key, or the session that it belongs to.
    const own = { ...source, read: () => this.callers.identify(response.req).then(() => source.read()) };
    const unwatch = source.watch((id) => {
      if (id !== sentId) change.notify();
    });
    try {
      for (let record: R | null = first; record && !end.aborted; record = await readAgain(own, record)) {
        const id = source.idOf(record);
        if (id !== sentId) stream.send({ name: source.name, id: (sentId = id), data: record });
        if (source.isFinal(record) || response.req.method === 'HEAD') break;
        await change.wait(end);
        await stream.ready(end);
      }
    } finally {
      unwatch();
      stream.end();
    }
  }
}

/** Errors that end a stream; the next request of the caller is answered with them. */
const ENDS: ReadonlySet<string> = new Set(['not_found', 'unauthorized', 'address_forbidden']);

/** The current record; null when it is deleted or its caller may no longer read it, and the last one during an outage of the database. */
async function readAgain<R extends object>(source: RecordSource<R>, last: R): Promise<R | null> {
  try {
    return await source.read();
  } catch (error) {
    if (error instanceof AppError && ENDS.has(error.code)) return null;
    if (isOutage(error)) return last;
    throw error;
  }
}
