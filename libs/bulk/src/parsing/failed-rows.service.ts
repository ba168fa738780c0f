import { Injectable } from '@nestjs/common';
import { DefaultOptions, statedOptions } from '@app/capture';
import { BatchRowQueryRepository, type FailedRow } from '@app/jobs';
import { AppError, invalidRequest, type Fault } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { isOver } from '../batch-state.js';
import { BatchesService } from '../batches.service.js';
import { ROWS_AT_ONCE } from '../limits.js';
import { RowChecker, type CheckedRow, type RawOptions, type SenderFaults } from './row-checker.js';

/** Reads the failed rows of a batch, to retry them as a new batch. */
@Injectable()
export class FailedRowsService {
  constructor(
    private readonly batches: BatchesService,
    private readonly rows: BatchRowQueryRepository,
    private readonly guard: EgressGuard,
    private readonly operator: DefaultOptions,
  ) {}

  /**
   * The failed rows with their numbers and the options that were stated for them; rows that were not valid are left out.
   * Secrets are deleted when a capture ends, so a row with a secret that the defaults do not repeat is a bad row.
   *
   * @param given defaults without faults
   * @throws AppError `not_found`, `job_not_finished`; on iteration `invalid_request` if no row failed
   */
  async read(
    accountId: string,
    batchId: string,
    given: { readonly defaults: RawOptions; readonly senderFaults?: SenderFaults },
  ): Promise<AsyncIterable<CheckedRow>> {
    const { id, status } = await this.batches.find(accountId, batchId);
    if (!isOver(status)) {
      throw new AppError('job_not_finished', {
        detail:
          'The batch has not finished. Its failed rows can be retried once it is completed or canceled.',
      });
    }
    const { defaults, senderFaults } = given;
    const rules = { operator: this.operator, ...(senderFaults && { senderFaults }) };
    return this.readPages(id, defaults, new RowChecker(this.guard, defaults, rules));
  }

  private async *readPages(
    batchId: string,
    defaults: RawOptions,
    checker: RowChecker,
  ): AsyncGenerator<CheckedRow> {
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

/**
 * Faults point to the defaults, the only options that a caller can state for a retried row. What the operator's defaults had
 * set is left out: today's apply instead.
 */
function check(checker: RowChecker, row: FailedRow, defaults: RawOptions): CheckedRow {
  const { batchRow, options, defaultNames } = row;
  const given = Object.entries(options).filter(([name]) => !defaultNames?.includes(name));
  const { stated, gone } = statedOptions(Object.fromEntries(given));
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
