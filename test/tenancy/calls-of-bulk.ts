import { BatchBacklogRepository } from '../../libs/bulk/src/batch-backlog.repository.js';
import { BatchHistoryRepository } from '../../libs/bulk/src/batch-history.repository.js';
import { BatchRepository } from '../../libs/bulk/src/batch.repository.js';
import { BatchAnnouncementRepository } from '../../libs/bulk/src/upkeep/batch-announcement.repository.js';
import { BatchCountsRepository } from '../../libs/bulk/src/upkeep/batch-counts.repository.js';
import { BatchExpiryRepository } from '../../libs/bulk/src/upkeep/batch-expiry.repository.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';

const METRIC = 'A metric counts the batches of all accounts.';
const UPKEEP = 'The upkeep looks after the batches of all accounts.';

export const CALLS_OF_BULK = [
  callsOf(BatchBacklogRepository, {
    read: allRows(METRIC),
    listUnfinished: ownRows((batches, { accountId }) => batches.listUnfinished(10, accountId)),
    readEnded: allRows(METRIC),
  }),
  callsOf(BatchHistoryRepository, {
    list: ownRows((history, { accountId }) => history.list(accountId, {}, { limit: 10 })),
  }),
  callsOf(BatchRepository, {
    add: ownRows((batches, { accountId, unused }, transaction) =>
      batches.add(transaction, { id: unused, accountId, total: 1, rejected: 1, queued: 0 }),
    ),
    read: ownRows((batches, { batches: { running } }, transaction) => batches.read(transaction, running)),
    countOpen: ownRows((batches, { accountId }, transaction) => batches.countOpen(transaction, accountId)),
    findOfAccount: guarded((batches, { accountId, batches: { running } }) =>
      batches.findOfAccount(accountId, running),
    ),
    list: ownRows((batches, { batches: { running } }) => batches.list([running])),
    open: ownRows((batches, { accountId, unused }, transaction) =>
      batches.open(transaction, { id: unused, accountId }),
    ),
    grow: ownRows((batches, { batches: { running } }, transaction) =>
      batches.grow(transaction, running, { queued: 1, rejected: 0 }),
    ),
    close: ownRows((batches, { batches: { running } }, transaction) => batches.close(transaction, running)),
    refuseRows: ownRows((batches, { batches: { running } }) => batches.refuseRows(running)),
    cancel: ownRows((batches, { batches: { running } }, transaction) => batches.cancel(transaction, running)),
  }),
  callsOf(BatchAnnouncementRepository, {
    lock: allRows(UPKEEP),
    markAnnounced: ownRows((batches, { batches: { ended } }, transaction) =>
      batches.markAnnounced(transaction, [ended]),
    ),
  }),
  callsOf(BatchCountsRepository, {
    listComparable: allRows(UPKEEP),
    listDifferences: ownRows((counts, { batches: { running, ended } }) =>
      counts.listDifferences([running, ended]),
    ),
    correct: ownRows((counts, { batches: { ended } }, transaction) => counts.correct(transaction, ended)),
  }),
  callsOf(BatchExpiryRepository, {
    listDue: allRows(UPKEEP),
    deleteAllOf: allRows('It deletes batches without rows; the spec of the deletion compares all tables.'),
    delete: ownRows((batches, { batches: { ended } }, transaction) => batches.delete(transaction, [ended])),
  }),
];
