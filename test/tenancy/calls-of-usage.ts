import { AccountRepository } from '../../libs/usage/src/account.repository.js';
import { LedgerRepository } from '../../libs/usage/src/ledger.repository.js';
import { SlotRepository } from '../../libs/usage/src/slot.repository.js';
import { UsageAuditRepository } from '../../libs/usage/src/usage-audit.repository.js';
import { UsageRepository } from '../../libs/usage/src/usage.repository.js';
import { all, callsOf, own } from './calls.js';

const PERIOD = 'ever';
const MONTH = '2027-01';
const OPERATOR = 'Only the operator calls it, by `npm run keys`.';

export const CALLS_OF_USAGE = [
  callsOf(AccountRepository, {
    add: all('It adds an account; the database keeps their names apart.'),
    findByName: own((accounts, { name }) => accounts.findByName(name)),
    findById: own((accounts, { accountId }) => accounts.findById(accountId)),
    change: own((accounts, { accountId }) => accounts.change(accountId, { allowance: 7, webhookUrl: null })),
    findRate: own((accounts, { accountId }) => accounts.findRate(accountId)),
    listByIds: own((accounts, { accountId }) => accounts.listByIds([accountId])),
    list: all(OPERATOR),
  }),
  callsOf(LedgerRepository, {
    add: own((ledger, { accountId, unused }, transaction) =>
      ledger.add(transaction, { jobId: unused, accountId, period: PERIOD }),
    ),
    addMissing: own((ledger, { accountId, unused }, transaction) =>
      ledger.addMissing(transaction, { jobId: unused, accountId, period: PERIOD }),
    ),
    correct: own((ledger, { accountId }, transaction) =>
      ledger.correct(transaction, { accountId, period: PERIOD }, 3),
    ),
    listAged: all('The upkeep folds the ledgers of all accounts, each by `fold`.'),
    fold: own((ledger, { accountId }) => ledger.fold({ accountId, period: PERIOD }, new Date())),
  }),
  callsOf(SlotRepository, {
    takeSlot: own((slots, { accountId, unused }, transaction) =>
      slots.takeSlot(transaction, { accountId, jobId: unused, holdMs: 60_000 }),
    ),
    takeSlots: own((slots, { accountId, unused }, transaction) =>
      slots.takeSlots(transaction, [{ accountId, jobId: unused, holdMs: 60_000 }]),
    ),
    listFree: own((slots, { accountId }, transaction) => slots.listFree(transaction, [accountId])),
    extendSlots: own((slots, { jobs }, transaction) =>
      slots.extendSlots(transaction, [{ jobId: jobs.dispatched, holdMs: 9_000_000 }]),
    ),
    leaseSlots: own((slots, { jobs }) =>
      slots.leaseSlots([{ jobId: jobs.running, leaseMs: 9_000_000, freeMs: 9_000_000 }]),
    ),
    readHeld: own((slots, { accountId }, transaction) => slots.readHeld(transaction, accountId)),
    freeSlots: own((slots, { jobs }, transaction) => slots.freeSlots(transaction, [jobs.running])),
    freeSlot: own((slots, { jobs }, transaction) => slots.freeSlot(transaction, jobs.running)),
  }),
  callsOf(UsageAuditRepository, {
    listDifferences: all('The upkeep compares the counters of all accounts.'),
  }),
  callsOf(UsageRepository, {
    takeUnits: own((usage, { accountId }, transaction) =>
      usage.takeUnits(transaction, new Map([[accountId, 2]]), MONTH),
    ),
    takeRest: own((usage, { accountId }, transaction) =>
      usage.takeRest(transaction, accountId, { units: 9_999, month: MONTH }),
    ),
    markAnnounced: own((usage, { accountId }, transaction) => {
      const taking = { accountId, period: PERIOD, total: 10, used: 9, announced: 0, announcedTotal: 0 };
      return usage.markAnnounced(transaction, { ...taking, webhookUrl: null }, 80);
    }),
    returnUnits: own((usage, { accountId }, transaction) =>
      usage.returnUnits(transaction, accountId, { period: PERIOD, units: 1 }),
    ),
    readCounter: own((usage, { accountId }, transaction) => usage.readCounter(transaction, accountId, MONTH)),
    read: own((usage, { accountId }) => usage.read(accountId, MONTH)),
  }),
];
