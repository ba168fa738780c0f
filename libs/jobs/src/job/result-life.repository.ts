import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';

/** Changes for how long the files of captures are kept. Files that have expired stay so. */
@Injectable()
export class ResultLifeRepository {
  /** Keeps the files for `seconds` from now, unless they are kept for longer already. */
  async extend(transaction: Transaction, ids: readonly string[], seconds: number): Promise<void> {
    await transaction.query(
      `UPDATE jobs SET expires_at = greatest(expires_at, clock_timestamp() + $2 * interval '1 s')
        WHERE id = ANY($1) AND expires_at > clock_timestamp()`,
      [ids, seconds],
    );
  }

  /** The files expire now. */
  async end(transaction: Transaction, ids: readonly string[]): Promise<void> {
    await transaction.query(
      `UPDATE jobs SET expires_at = clock_timestamp() WHERE id = ANY($1) AND expires_at > clock_timestamp()`,
      [ids],
    );
  }
}
