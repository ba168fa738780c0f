import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ResultsCsvService, type Batch } from '@app/bulk';
import { create } from 'content-disposition';
import type { Response } from 'express';
import { unlessHungUp } from '../http/hang-up.js';

/** Sends the results of a batch as CSV, as fast as the caller reads and no faster. */
@Injectable()
export class ResultsSenderService {
  constructor(private readonly results: ResultsCsvService) {}

  async send({ id }: Batch, response: Response): Promise<void> {
    if (response.req.method === 'HEAD') {
      response.set(headersOf(id)).end();
      return;
    }
    const csv = Readable.from(this.results.write(id));
    // Before anything is sent, so that a database that is away is an error and not a broken file.
    await once(csv, 'readable');
    response.set(headersOf(id));
    await unlessHungUp(pipeline(csv, response));
  }
}

function headersOf(id: string): Record<string, string> {
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': create(`batch-${id}.csv`),
  };
}
