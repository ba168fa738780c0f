import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';

/** What the captures of an account take. */
export interface KeptCaptures {
  /** Records, those of captures in progress included. */
  readonly captures: number;
  /** Bytes of files that are not deleted. */
  readonly bytes: number;
}

/** Counts what accounts with a limit keep; the others are never counted. */
@Injectable()
export class KeptCapturesRepository {
  async count(transaction: Transaction, accountId: string): Promise<KeptCaptures> {
    const [row] = await transaction.query<KeptCaptures[]>(
      `SELECT count(*) FILTER (WHERE NOT record_deleted)::int AS captures,
              coalesce(sum(coalesce(total_bytes, bytes)) FILTER (WHERE result_key IS NOT NULL), 0)::float8 AS bytes
         FROM jobs WHERE account_id = $1`,
      [accountId],
    );
    return row ?? { captures: 0, bytes: 0 };
  }
}
