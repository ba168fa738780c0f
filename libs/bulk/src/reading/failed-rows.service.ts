import { Injectable } from '@nestjs/common';
import { statedOptions } from '@app/capture';
import { BatchRowRepository, type FailedRow } from '@app/jobs';
import { AppError, invalidRequest, type Fault } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { isOver } from '../batch-state.js';
import { BatchesService } from '../batches.service.js';
import { ROWS_AT_ONCE } from '../limits.js';
import type { CheckedRow } from './checked-row.js';
import { RowChecker, type Given } from './row-checker.js';

/** Reads the rows of a batch that have failed, to be tried again as a batch of their own. */
@Injectable()
export class FailedRowsService {
  constructor(
    private readonly batches: BatchesService,
    private readonly rows: BatchRowRepository,
    private readonly guard: EgressGuard,
  ) {}

  /**
   * The rows with their numbers and what was stated for them; those that were not valid are left out. Secrets are
   * deleted when a capture ends: a row that had one which the defaults do not give is not valid.
   *
   * @param defaults have no faults
   * @throws AppError `not_found`, `job_not_finished`; when it is iterated `invalid_request`, if there is no such row
   */
  async read(accountId: string, batchId: string, defaults: Given): Promise<AsyncIterable<CheckedRow>> {
    const { id, status } = await this.batches.find(accountId, batchId);
    if (!isOver(status)) {
      throw new AppError('job_not_finished', {
        detail:
          'The batch has not finished. Its failed rows can be retried once it is completed or canceled.',
      });
    }
    return this.each(id, defaults);
  }

  private async *each(batchId: string, defaults: Given): AsyncGenerator<CheckedRow> {
    const checker = new RowChecker(this.guard, defaults);
    let last = 0;
    let page: FailedRow[];
    do {
      page = await this.rows.listFailed(batchId, last, ROWS_AT_ONCE);
      for (const row of page) yield check(checker, row, defaults);
      last = page.at(-1)?.batchRow ?? last;
    } while (page.length === ROWS_AT_ONCE);
    if (last === 0) throw invalidRequest([NOTHING_FAILED]);
  }
}

const NOTHING_FAILED: Fault = {
  pointer: '/retry_failed_of',
  code: 'nothing_failed',
  detail: 'is a batch without failed rows; rows that were not valid are not retried',
};

/** Faults point to the defaults: nothing else can be stated for a row that is tried again. */
function check(checker: RowChecker, { batchRow, options }: FailedRow, defaults: Given): CheckedRow {
  const { stated, gone } = statedOptions(options);
  const missing = gone.filter((name) => !Object.hasOwn(defaults, name));
  return checker.check({ row: batchRow ?? 0, item: '/defaults' }, stated, missing.map(secretGone));
}

function secretGone(name: string): Fault {
  return {
    pointer: `/${name}`,
    code: 'secret_gone',
    detail: 'is secret and was deleted when the capture ended; send it again in defaults',
  };
}
