import { Injectable } from '@nestjs/common';
import { DefaultOptions } from '@app/capture';
import { BatchRowRepository, type BatchOrigin, type CacheDemand } from '@app/jobs';
import { EgressGuard } from '@app/outbound';
import { SessionUsesService } from '@app/sessions';
import { toFault } from '../acceptance/acceptable-rows.js';
import { errorOf } from '../acceptance/row-count.js';
import {
  isBad,
  refused,
  RowChecker,
  type CheckedRow,
  type GoodRow,
  type RawOptions,
} from '../parsing/row-checker.js';

/** A row that is added to an open batch. */
export interface FedRow {
  /** Its number in the batch, which no other row has. */
  readonly row: number;
  readonly url: string;
}

/** Rows that are ready to be stored. */
export interface Portion {
  readonly lines: readonly string[];
  /** Rows to run, and rows that are not valid. */
  readonly queued: number;
  readonly rejected: number;
  readonly demands: readonly CacheDemand[];
}

/** Checks rows of an open batch, before the transaction that stores them. */
@Injectable()
export class PortionReaderService {
  constructor(
    private readonly guard: EgressGuard,
    private readonly operator: DefaultOptions,
    private readonly sessions: SessionUsesService,
    private readonly rows: BatchRowRepository,
  ) {}

  /**
   * @param defaults the options of all rows, free of faults
   * @throws AppError `unavailable` when no worker knows the options
   */
  async read(batch: BatchOrigin, defaults: RawOptions, rows: readonly FedRow[]): Promise<Portion> {
    await this.rows.prepare();
    const checker = new RowChecker(this.guard, defaults, { operator: this.operator });
    const checked = rows.map(({ row, url }) => checker.check({ row }, { url }));
    const bound = await this.bindSessions(batch.accountId, checked);
    const demands: CacheDemand[] = [];
    const lines = bound.map((row) => {
      if (isBad(row)) return this.rows.toRejectedLine(batch, { ...row, error: errorOf(row) });
      const { line, cache } = this.rows.toLine(batch, row.row, row.options);
      if (cache) demands.push(cache);
      return line;
    });
    const rejected = bound.filter(isBad).length;
    return { lines, queued: lines.length - rejected, rejected, demands };
  }

  private async bindSessions(accountId: string, rows: readonly CheckedRow[]): Promise<CheckedRow[]> {
    const naming = rows.filter((row): row is GoodRow => !isBad(row) && row.options.session !== undefined);
    const errors = await this.sessions.bindAll(
      accountId,
      naming.map(({ options }) => options),
    );
    const errorOfRow = new Map(naming.map(({ row }, i) => [row, errors[i]]));
    return rows.map((row) => {
      const error = errorOfRow.get(row.row);
      return error && !isBad(row) ? refused(row, toFault(error)) : row;
    });
  }
}
