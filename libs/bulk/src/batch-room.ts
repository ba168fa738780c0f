import { lockForAccount, type Transaction } from '@app/database';
import { assertBelow } from '@app/usage';
import type { BatchRepository } from './batch.repository.js';

/**
 * @param max null for no limit, which costs no statement
 * @throws AppError `limit_reached` when as many batches of the account are in progress
 */
export async function assertRoomForBatch(
  transaction: Transaction,
  batches: BatchRepository,
  { accountId, max }: { readonly accountId: string; readonly max: number | null },
): Promise<void> {
  if (max === null) return;
  // Two requests at once would both find the last place free.
  await lockForAccount(transaction, 'batches', accountId);
  assertBelow(max, await batches.countOpen(transaction, accountId), 'batches in progress');
}
