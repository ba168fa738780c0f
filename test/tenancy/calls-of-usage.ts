import { AccountRepository } from '../../libs/usage/src/account.repository.js';
import { LedgerRepository } from '../../libs/usage/src/ledger.repository.js';
import { SlotRepository } from '../../libs/usage/src/slot.repository.js';
import { UsageAuditRepository } from '../../libs/usage/src/usage-audit.repository.js';
import { UsageRepository } from '../../libs/usage/src/usage.repository.js';
import { allRows, callsOf, ownRows } from './calls.js';

const PERIOD = 'ever';
const MONTH = '2027-01';
const OPERATOR = 'Only the operator calls it, by `npm run keys`.';

export const CALLS_OF_USAGE = [
  callsOf(AccountRepository, {
    add: allRows('It adds an account; the database keeps their names apart.'),
    findByName: ownRows((accounts, { name }) => accounts.findByName(name)),
    findById: ownRows((accounts, { accountId }) => accounts.findById(accountId)),
    findIn: ownRows((accounts, { accountId }, transaction) => accounts.findIn(transaction, accountId)),
    lock: ownRows((accounts, { accountId }, transaction) => accounts.lock(transaction, accountId)),
    change: ownRows((accounts, { accountId }, transaction) =>
      accounts.change(transaction, accountId, { allowance: 7, webhookUrl: null }),
    ),
    findLimits: ownRows((accounts, { accountId }, transaction) =>
      accounts.findLimits(accountId, transaction),
    ),
    setPaused: ownRows((accounts, { accountId }, transaction) =>
      accounts.setPaused(transaction, accountId, true),
    ),
    setDeleting: ownRows((accounts, { accountId }, transaction) =>
      accounts.setDeleting(transaction, accountId),
    ),
    remove: allRows(
      'It deletes an account that nothing names any more; the spec of the deletion compares all tables.',
    ),
    listDeleting: allRows('The upkeep deletes what the accounts among these have, each by its id.'),
    listPage: allRows(OPERATOR),
    findRate: ownRows((accounts, { accountId }) => accounts.findRate(accountId)),
    listByIds: ownRows((accounts, { accountId }) => accounts.listByIds([accountId])),
    list: allRows(OPERATOR),
  }),
  callsOf(LedgerRepository, {
    add: ownRows((ledger, { accountId, unused }, transaction) =>
      ledger.add(transaction, { jobId: unused, accountId, period: PERIOD }),
    ),
    correct: ownRows((ledger, { accountId }, transaction) =>
      ledger.correct(transaction, { accountId, period: PERIOD }, 3),
    ),
    listAged: allRows('The upkeep folds the ledgers of all accounts, each by `fold`.'),
    fold: ownRows((ledger, { accountId }) => ledger.fold({ accountId, period: PERIOD }, new Date())),
  }),
  callsOf(SlotRepository, {
    takeSlot: ownRows((slots, { accountId, unused }, transaction) =>
      slots.takeSlot(transaction, { accountId, jobId: unused, holdMs: 60_000 }),
    ),
    takeSlots: ownRows((slots, { accountId, unused }, transaction) =>
      slots.takeSlots(transaction, [{ accountId, jobId: unused, holdMs: 60_000 }]),
    ),
    listFree: ownRows((slots, { accountId }, transaction) => slots.listFree(transaction, [accountId])),
    extendSlots: ownRows((slots, { jobs }, transaction) =>
      slots.extendSlots(transaction, [{ jobId: jobs.dispatched, holdMs: 9_000_000 }]),
    ),
    leaseSlots: ownRows((slots, { jobs }) =>
      slots.leaseSlots([{ jobId: jobs.running, leaseMs: 9_000_000, freeMs: 9_000_000 }]),
    ),
    readHeld: ownRows((slots, { accountId }, transaction) => slots.readHeld(transaction, accountId)),
    freeSlots: ownRows((slots, { jobs }, transaction) => slots.freeSlots(transaction, [jobs.running])),
    freeSlot: ownRows((slots, { jobs }, transaction) => slots.freeSlot(transaction, jobs.running)),
  }),
  callsOf(UsageAuditRepository, {
    listDifferences: allRows('The upkeep compares the counters of all accounts.'),
  }),
  callsOf(UsageRepository, {
    takeUnits: ownRows((usage, { accountId }, transaction) =>
      usage.takeUnits(transaction, new Map([[accountId, 2]]), MONTH),
    ),
    takeRest: ownRows((usage, { accountId }, transaction) =>
      usage.takeRest(transaction, accountId, { units: 9_999, month: MONTH }),
    ),
    markAnnounced: ownRows((usage, { accountId }, transaction) => {
      const taking = { accountId, period: PERIOD, total: 10, used: 9, announced: 0, announcedTotal: 0 };
      const kept = { captures: null, bytes: null, webhooks: null };
      return usage.markAnnounced(transaction, { ...taking, webhookUrl: null, kept }, 80);
    }),
    returnUnits: ownRows((usage, { accountId }, transaction) =>
      usage.returnUnits(transaction, accountId, { period: PERIOD, units: 1 }),
    ),
    readCounter: ownRows((usage, { accountId }, transaction) =>
      usage.readCounter(transaction, accountId, MONTH),
    ),
    read: ownRows((usage, { accountId }) => usage.read(accountId, MONTH)),
  }),
];
