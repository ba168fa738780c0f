import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ResultsCsvService, type Batch } from '@app/bulk';
import { create } from 'content-disposition';
import type { Response } from 'express';
import { CAPTURED } from '../http/captured-content.js';
import { ignoringDisconnect } from '../http/client-disconnect.js';

/** Sends the results of a batch as CSV, reading rows only as fast as the caller reads. */
@Injectable()
export class BatchDownloadService {
  constructor(private readonly results: ResultsCsvService) {}

  async send({ id }: Batch, response: Response): Promise<void> {
    if (response.req.method === 'HEAD') {
      response.set(headersOf(id)).end();
      return;
    }
    const csv = Readable.from(this.results.write(id));
    // Waits for the first rows before any header is sent, so that an outage is an error and not a truncated file.
    await once(csv, 'readable');
    response.set(headersOf(id));
    await ignoringDisconnect(pipeline(csv, response));
  }
}

function headersOf(id: string): Record<string, string> {
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': create(`batch-${id}.csv`),
    ...CAPTURED,
  };
}
