import { Injectable } from '@nestjs/common';
import { BatchRowQueryRepository, type Pace } from '@app/jobs';
import type { Batch } from '../batch.entity.js';
import { isOver } from '../batch-state.js';

/** Estimates when batches end. */
@Injectable()
export class BatchEtaService {
  constructor(private readonly rows: BatchRowQueryRepository) {}

  /** Seconds to the end at the pace of the latest rows; null while no row has run, 0 at the end. */
  async etaS({ id, status, startedAt, queued, running }: Batch): Promise<number | null> {
    if (isOver(status)) return 0;
    if (startedAt === null) return null;
    return etaAt(await this.rows.readPace(id, startedAt), queued + running);
  }
}

/** Seconds until this many rows have ended at a pace; null while there is no pace. */
export function etaAt({ rows, spanS }: Pace, left: number): number | null {
  if (left === 0) return 0;
  if (rows === 0) return null;
  return Math.max(1, Math.ceil((left * spanS) / rows));
}
