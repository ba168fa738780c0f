import { Injectable } from '@nestjs/common';
import { BatchesService, BatchWatch, isOver, standingOfBatch, type BatchRecord } from '@app/bulk';
import type { Response } from 'express';
import { RecordEvents } from '../http/record-events.service.js';
import { BatchRecords } from './batch-records.service.js';

/** A batch's record, told anew as its rows go on, once a second at the most, and at its end. */
@Injectable()
export class BatchEvents {
  constructor(
    private readonly batches: BatchesService,
    private readonly records: BatchRecords,
    private readonly watch: BatchWatch,
    private readonly events: RecordEvents,
  ) {}

  /**
   * @see RecordEvents.stream
   * @throws AppError `not_found`
   */
  stream(accountId: string, id: string, response: Response): Promise<void> {
    return this.events.stream<BatchRecord>(
      {
        name: 'batch',
        idOf: ({ status, counts }) => standingOfBatch({ status, ...counts }),
        isFinal: ({ status }) => isOver(status),
        read: async () => this.records.of(await this.batches.find(accountId, id)),
        watch: (tell) => this.watch.watch(id, tell),
      },
      response,
    );
  }
}
