import { Injectable } from '@nestjs/common';
import { BatchRowQueryRepository, type Pace } from '@app/jobs';
import type { Batch } from '../batch.entity.js';
import { isOver } from '../batch-state.js';

/** The pace of a batch of which no row has run. */
const NO_PACE: Pace = { rows: 0, spanS: 0 };

/** Estimates when batches end. */
@Injectable()
export class BatchEtaService {
  constructor(private readonly rows: BatchRowQueryRepository) {}

  /** Seconds to the end at the pace of the latest rows; null while no row has run, 0 at the end. */
  async etaS(batch: Batch): Promise<number | null> {
    return (await this.etasOf([batch])).get(batch.id) ?? null;
  }

  /** The same for many batches in one query, by the id of the batch. */
  async etasOf(batches: readonly Batch[]): Promise<Map<string, number | null>> {
    const started = batches.flatMap(({ id, status, startedAt }) =>
      isOver(status) || startedAt === null ? [] : [{ id, startedAt }],
    );
    const paces = await this.rows.readPaces(started);
    return new Map(
      batches.map(({ id, status, queued, running }) => {
        const pace = paces.get(id) ?? NO_PACE;
        return [id, isOver(status) ? 0 : etaAt(pace, queued + running)];
      }),
    );
  }
}

/** Seconds until this many rows have ended at a pace; null while there is no pace. */
export function etaAt({ rows, spanS }: Pace, left: number): number | null {
  if (left === 0) return 0;
  if (rows === 0) return null;
  return Math.max(1, Math.ceil((left * spanS) / rows));
}
