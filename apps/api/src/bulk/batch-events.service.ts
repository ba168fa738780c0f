import { Injectable } from '@nestjs/common';
import { BatchesService, BatchWatchService, isOver, versionOfBatch, type BatchRecord } from '@app/bulk';
import type { Response } from 'express';
import { RecordEventsService } from '../http/events/record-events.service.js';
import { BatchRecordsService } from './batch-records.service.js';

/** Streams a batch's record as its rows progress, at most once a second, and at its end. */
@Injectable()
export class BatchEventsService {
  constructor(
    private readonly batches: BatchesService,
    private readonly records: BatchRecordsService,
    private readonly watch: BatchWatchService,
    private readonly events: RecordEventsService,
  ) {}

  /**
   * @see RecordEventsService.stream
   * @throws AppError `not_found`
   */
  stream(accountId: string, id: string, response: Response): Promise<void> {
    return this.events.stream<BatchRecord>(
      {
        name: 'batch',
        idOf: ({ status, counts }) => versionOfBatch({ status, ...counts }),
        isFinal: ({ status }) => isOver(status),
        read: async () => this.records.recordOf(await this.batches.find(accountId, id)),
        watch: (notify) => this.watch.watch(id, notify),
      },
      response,
    );
  }
}
