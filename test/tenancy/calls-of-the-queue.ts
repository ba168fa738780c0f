import { CacheEntryRepository } from '../../libs/jobs/src/cache/cache-entry.repository.js';
import { CachedAnswerRepository } from '../../libs/jobs/src/cache/cached-answer.repository.js';
import { FollowerRepository } from '../../libs/jobs/src/cache/follower.repository.js';
import { KeptCaptureRepository } from '../../libs/jobs/src/cache/kept-capture.repository.js';
import { SharedFilesRepository } from '../../libs/jobs/src/cache/shared-files.repository.js';
import { DispatchRepository } from '../../libs/jobs/src/dispatch/dispatch.repository.js';
import { JobBacklogRepository } from '../../libs/jobs/src/queue/job-backlog.repository.js';
import { QueueOverviewRepository } from '../../libs/jobs/src/queue/queue-overview.repository.js';
import { AccountJobsRepository } from '../../libs/jobs/src/upkeep/account-jobs.repository.js';
import { JobExpiryRepository } from '../../libs/jobs/src/upkeep/job-expiry.repository.js';
import { RecoveryRepository } from '../../libs/jobs/src/upkeep/recovery.repository.js';
import { WorkerHeartbeatRepository } from '../../libs/jobs/src/workers/worker-heartbeat.repository.js';
import { allRows, callsOf, ownRows } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const UPKEEP = 'The upkeep looks after the rows of all accounts.';
const DISPATCH = 'The dispatcher shares the slots among all accounts.';
const METRIC = 'A metric counts the jobs of all accounts.';
const WORKERS = 'Workers belong to no account.';

const demand = { key: SAME.cacheKey, ttlS: 86_400, staleTtlS: 0, force: false };
const entryOf = ({ accountId }: Owned) => ({ accountId, key: SAME.cacheKey });

const CACHE = [
  callsOf(CacheEntryRepository, {
    find: ownRows((cache, owned) => cache.find(entryOf(owned))),
    lock: ownRows((cache, owned, transaction) => cache.lock(transaction, [entryOf(owned)])),
    setLeaders: ownRows((cache, owned, transaction) =>
      cache.setLeaders(transaction, [{ ...entryOf(owned), jobId: owned.jobs.dispatched }]),
    ),
    claimRenewals: ownRows(async (cache, { jobs }) => cache.claimRenewals([jobs.succeeded])),
  }),
  callsOf(KeptCaptureRepository, {
    keep: ownRows((cache, { accountId, unused }, transaction) => {
      const times = { finishedAt: new Date(), expiresAt: new Date() };
      const job = { id: unused, accountId, cacheKey: SAME.cacheKey, ...times };
      return cache.keep(transaction, job as Parameters<typeof cache.keep>[1], ['captures/9.png']);
    }),
    forget: ownRows((cache, { jobs }, transaction) => cache.forget(jobs.succeeded, transaction)),
    release: ownRows((cache, { jobs: { succeeded } }, transaction) =>
      cache.release(transaction, [{ id: succeeded, originId: succeeded }]),
    ),
    deleteExpired: allRows(UPKEEP),
  }),
  callsOf(CachedAnswerRepository, {
    find: ownRows((answers, owned, transaction) =>
      answers.find(transaction, [{ ...demand, ...entryOf(owned), jobId: owned.jobs.waiting }]),
    ),
    findForBatch: ownRows((answers, { batches }, transaction) =>
      answers.findForBatch(transaction, batches.running),
    ),
    count: ownRows((answers, { accountId }) => answers.count(accountId, [demand])),
    end: ownRows((answers, { jobs }, transaction) =>
      answers.end(transaction, [{ jobId: jobs.waiting, captureId: jobs.succeeded, status: 'hit' }]),
    ),
  }),
  callsOf(FollowerRepository, {
    add: ownRows((followers, owned, transaction) => followers.add(transaction, [entryOf(owned)])),
    listFollowed: allRows(
      'It lists the jobs of one account that others follow, whichever has some; `lockDue` takes their ids.',
    ),
    lockDue: ownRows((followers, { jobs }, transaction) => followers.lockDue(transaction, [jobs.succeeded])),
    fail: ownRows((followers, { jobs }, transaction) => followers.fail(transaction, [jobs.follower])),
    release: ownRows((followers, { jobs }, transaction) => followers.release(transaction, [jobs.follower])),
  }),
  callsOf(SharedFilesRepository, {
    add: ownRows((files, { accountId, unused }, transaction) =>
      files.add(transaction, { id: unused, accountId, expiresAt: new Date() }, ['captures/9.png']),
    ),
    hold: ownRows((files, { jobs }, transaction) => files.hold(transaction, [jobs.succeeded])),
    makeDue: ownRows((files, { jobs }, transaction) => files.makeDue(transaction, [jobs.succeeded])),
    close: ownRows((files, { jobs }, transaction) => files.close(transaction, jobs.succeeded)),
    markUnneeded: ownRows((files, { jobs }) => files.markUnneeded(jobs.succeeded)),
    markDueUnneeded: allRows(UPKEEP),
    remove: ownRows(async (files, { jobs }) => files.remove([jobs.savedRow])),
  }),
];

const QUEUE = [
  callsOf(DispatchRepository, {
    readDemand: allRows(DISPATCH),
    listInFlight: allRows(DISPATCH),
    listLines: allRows(DISPATCH),
    listNextOrBeyond: ownRows((dispatch, { accountId }, transaction) =>
      dispatch.listNextOrBeyond(transaction, [{ accountId, batchId: null, limit: 10, busyHosts: [] }]),
    ),
    lock: ownRows((dispatch, { jobs }, transaction) => dispatch.lock(transaction, [jobs.waiting])),
    dispatch: ownRows((dispatch, { jobs }, transaction) =>
      dispatch.dispatch(transaction, new Map([[jobs.waiting, 1]])),
    ),
    keepPriorities: ownRows((dispatch, { jobs }) =>
      dispatch.keepPriorities([{ job: { id: jobs.dispatched, source: 'job', attempt: 0 }, priority: 7 }]),
    ),
  }),
  callsOf(JobBacklogRepository, {
    readInFlight: allRows(METRIC),
    read: allRows(METRIC),
    readOf: ownRows((backlog, { accountId }) => backlog.readOf(accountId)),
    readNext: allRows('A worker reads which captures of all accounts should start next.'),
  }),
  callsOf(QueueOverviewRepository, {
    listWaitingAccounts: ownRows((queue, { accountId }) => queue.listWaitingAccounts(accountId)),
    listWaitingHosts: ownRows((queue, { accountId }) => queue.listWaitingHosts(accountId)),
    listInFlight: ownRows((queue, { accountId }) => queue.listInFlight(accountId)),
    listRunning: allRows('Only operators see which captures of all accounts the workers run.'),
  }),
];

const OF_UPKEEP = [
  callsOf(AccountJobsRepository, {
    listUnfinished: ownRows((jobs, { accountId }) => jobs.listUnfinished(accountId, 100)),
    // The list has no order.
    listSettled: ownRows(async (jobs, { accountId }) =>
      (await jobs.listSettled(accountId, 600, 100)).map(({ id }) => id).sort(),
    ),
    hasRecords: ownRows((jobs, { accountId }) => jobs.hasRecords(accountId)),
    listShared: ownRows((jobs, { accountId }) => jobs.listShared(accountId, 100)),
    removeShared: ownRows((jobs, owned) => jobs.removeShared([owned.jobs.savedRow])),
    removeRest: ownRows((jobs, { accountId }, transaction) => jobs.removeRest(transaction, accountId)),
  }),
  callsOf(JobExpiryRepository, {
    listExpiredFiles: allRows(UPKEEP),
    forgetFiles: ownRows((jobs, owned) => jobs.forgetFiles([owned.jobs.succeeded])),
    listOrphanedFiles: allRows(UPKEEP),
    markSwept: allRows('It notes how far the upkeep has come, in a row of no account.'),
    listAgedRecords: allRows(UPKEEP),
    deleteRecords: ownRows((jobs, owned, transaction) =>
      jobs.deleteRecords(transaction, [owned.jobs.succeeded]),
    ),
  }),
  callsOf(RecoveryRepository, { listAbandoned: allRows(UPKEEP), listUnclaimed: allRows(UPKEEP) }),
  callsOf(WorkerHeartbeatRepository, {
    save: allRows(WORKERS),
    setDrain: allRows(WORKERS),
    remove: allRows(WORKERS),
    listSeenWithin: allRows(WORKERS),
    listSeenWithinWithFeatures: allRows(WORKERS),
    removeUnseenFor: allRows(WORKERS),
  }),
];

export const CALLS_OF_THE_QUEUE = [...CACHE, ...QUEUE, ...OF_UPKEEP];
