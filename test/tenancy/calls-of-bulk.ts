import { BatchBacklogRepository } from '../../libs/bulk/src/batch-backlog.repository.js';
import { BatchHistoryRepository } from '../../libs/bulk/src/batch-history.repository.js';
import { BatchRepository } from '../../libs/bulk/src/batch.repository.js';
import { BatchAnnouncementRepository } from '../../libs/bulk/src/upkeep/batch-announcement.repository.js';
import { BatchCountsRepository } from '../../libs/bulk/src/upkeep/batch-counts.repository.js';
import { BatchExpiryRepository } from '../../libs/bulk/src/upkeep/batch-expiry.repository.js';
import { all, callsOf, guarded, own } from './calls.js';

const METRIC = 'A metric counts the batches of all accounts.';
const UPKEEP = 'The upkeep looks after the batches of all accounts.';

export const CALLS_OF_BULK = [
  callsOf(BatchBacklogRepository, { read: all(METRIC), readEnded: all(METRIC) }),
  callsOf(BatchHistoryRepository, {
    list: own((history, { accountId }) => history.list(accountId, {}, { limit: 10 })),
  }),
  callsOf(BatchRepository, {
    add: own((batches, { accountId, unused }, transaction) =>
      batches.add(transaction, { id: unused, accountId, total: 1, rejected: 1, queued: 0 }),
    ),
    read: own((batches, { batches: { running } }, transaction) => batches.read(transaction, running)),
    findOfAccount: guarded((batches, { accountId, batches: { running } }) =>
      batches.findOfAccount(accountId, running),
    ),
    list: own((batches, { batches: { running } }) => batches.list([running])),
    cancel: own((batches, { batches: { running } }, transaction) => batches.cancel(transaction, running)),
  }),
  callsOf(BatchAnnouncementRepository, {
    lock: all(UPKEEP),
    markAnnounced: own((batches, { batches: { ended } }, transaction) =>
      batches.markAnnounced(transaction, [ended]),
    ),
  }),
  callsOf(BatchCountsRepository, {
    listComparable: all(UPKEEP),
    listDifferences: own((counts, { batches: { running, ended } }) =>
      counts.listDifferences([running, ended]),
    ),
    correct: own((counts, { batches: { ended } }, transaction) => counts.correct(transaction, ended)),
  }),
  callsOf(BatchExpiryRepository, {
    listDue: all(UPKEEP),
    delete: own((batches, { batches: { ended } }, transaction) => batches.delete(transaction, [ended])),
  }),
];
