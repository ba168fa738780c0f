import { CacheEntryRepository } from '../../libs/jobs/src/cache/cache-entry.repository.js';
import { CachedAnswerRepository } from '../../libs/jobs/src/cache/cached-answer.repository.js';
import { FollowerRepository } from '../../libs/jobs/src/cache/follower.repository.js';
import { KeptCaptureRepository } from '../../libs/jobs/src/cache/kept-capture.repository.js';
import { SharedFilesRepository } from '../../libs/jobs/src/cache/shared-files.repository.js';
import { DispatchRepository } from '../../libs/jobs/src/dispatch/dispatch.repository.js';
import { JobBacklogRepository } from '../../libs/jobs/src/queue/job-backlog.repository.js';
import { JobExpiryRepository } from '../../libs/jobs/src/upkeep/job-expiry.repository.js';
import { RecoveryRepository } from '../../libs/jobs/src/upkeep/recovery.repository.js';
import { ReservationRepository } from '../../libs/jobs/src/upkeep/reservation.repository.js';
import { WorkerHeartbeatRepository } from '../../libs/jobs/src/workers/worker-heartbeat.repository.js';
import { all, callsOf, own } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const UPKEEP = 'The upkeep looks after the rows of all accounts.';
const DISPATCH = 'The dispatcher shares the slots among all accounts.';
const METRIC = 'A metric counts the jobs of all accounts.';
const WORKERS = 'Workers belong to no account.';

const demand = { key: SAME.cacheKey, ttlS: 86_400, staleTtlS: 0, force: false };
const entryOf = ({ accountId }: Owned) => ({ accountId, key: SAME.cacheKey });

const CACHE = [
  callsOf(CacheEntryRepository, {
    find: own((cache, owned) => cache.find(entryOf(owned))),
    lock: own((cache, owned, transaction) => cache.lock(transaction, [entryOf(owned)])),
    setLeaders: own((cache, owned, transaction) =>
      cache.setLeaders(transaction, [{ ...entryOf(owned), jobId: owned.jobs.dispatched }]),
    ),
    claimRenewals: own(async (cache, { jobs }) => cache.claimRenewals([jobs.succeeded])),
  }),
  callsOf(KeptCaptureRepository, {
    keep: own((cache, { accountId, unused }, transaction) => {
      const times = { finishedAt: new Date(), expiresAt: new Date() };
      const job = { id: unused, accountId, cacheKey: SAME.cacheKey, ...times };
      return cache.keep(transaction, job as Parameters<typeof cache.keep>[1], ['captures/9.png']);
    }),
    forget: own((cache, { jobs }, transaction) => cache.forget(jobs.succeeded, transaction)),
    release: own((cache, { jobs: { succeeded } }, transaction) =>
      cache.release(transaction, [{ id: succeeded, originId: succeeded }]),
    ),
    deleteExpired: all(UPKEEP),
  }),
  callsOf(CachedAnswerRepository, {
    find: own((answers, owned, transaction) =>
      answers.find(transaction, [{ ...demand, ...entryOf(owned), jobId: owned.jobs.waiting }]),
    ),
    findForBatch: own((answers, { batches }, transaction) =>
      answers.findForBatch(transaction, batches.running),
    ),
    count: own((answers, { accountId }) => answers.count(accountId, [demand])),
    end: own((answers, { jobs }, transaction) =>
      answers.end(transaction, [{ jobId: jobs.waiting, captureId: jobs.succeeded, status: 'hit' }]),
    ),
  }),
  callsOf(FollowerRepository, {
    add: own((followers, owned, transaction) => followers.add(transaction, [entryOf(owned)])),
    listFollowed: all(
      'It lists the jobs of one account that others follow, whichever has some; `lockDue` takes their ids.',
    ),
    lockDue: own((followers, { jobs }, transaction) => followers.lockDue(transaction, [jobs.succeeded])),
    fail: own((followers, { jobs }, transaction) => followers.fail(transaction, [jobs.follower])),
    release: own((followers, { jobs }, transaction) => followers.release(transaction, [jobs.follower])),
  }),
  callsOf(SharedFilesRepository, {
    add: own((files, { accountId, unused }, transaction) =>
      files.add(transaction, { id: unused, accountId, expiresAt: new Date() }, ['captures/9.png']),
    ),
    hold: own((files, { jobs }, transaction) => files.hold(transaction, [jobs.succeeded])),
    makeDue: own((files, { jobs }, transaction) => files.makeDue(transaction, [jobs.succeeded])),
    close: own((files, { jobs }, transaction) => files.close(transaction, jobs.succeeded)),
    markUnneeded: own((files, { jobs }) => files.markUnneeded(jobs.succeeded)),
    markDueUnneeded: all(UPKEEP),
    remove: own(async (files, { jobs }) => files.remove([jobs.savedRow])),
  }),
];

const QUEUE = [
  callsOf(DispatchRepository, {
    readDemand: all(DISPATCH),
    listInFlight: all(DISPATCH),
    listLines: all(DISPATCH),
    listNextOrBeyond: own((dispatch, { accountId }, transaction) =>
      dispatch.listNextOrBeyond(transaction, [{ accountId, batchId: null, limit: 10, busyHosts: [] }]),
    ),
    lock: own((dispatch, { jobs }, transaction) => dispatch.lock(transaction, [jobs.waiting])),
    dispatch: own((dispatch, { jobs }, transaction) =>
      dispatch.dispatch(transaction, new Map([[jobs.waiting, 1]])),
    ),
    keepPriorities: own((dispatch, { jobs }) =>
      dispatch.keepPriorities([{ job: { id: jobs.dispatched, source: 'job', attempt: 0 }, priority: 7 }]),
    ),
  }),
  callsOf(JobBacklogRepository, {
    readInFlight: all(METRIC),
    read: all(METRIC),
    readNext: all('A worker reads which captures of all accounts should start next.'),
  }),
];

const OF_UPKEEP = [
  callsOf(JobExpiryRepository, {
    listExpiredFiles: all(UPKEEP),
    forgetFiles: own((jobs, owned) => jobs.forgetFiles([owned.jobs.succeeded])),
    listOrphanedFiles: all(UPKEEP),
    markSwept: all('It notes how far the upkeep has come, in a row of no account.'),
    listAgedRecords: all(UPKEEP),
    deleteRecords: own((jobs, owned, transaction) => jobs.deleteRecords(transaction, [owned.jobs.succeeded])),
  }),
  callsOf(RecoveryRepository, { listAbandoned: all(UPKEEP), listUnclaimed: all(UPKEEP) }),
  callsOf(ReservationRepository, {
    listUncharged: all(UPKEEP),
    openReservations: all('It only writes SQL, which the audit of all accounts runs.'),
  }),
  callsOf(WorkerHeartbeatRepository, {
    save: all(WORKERS),
    remove: all(WORKERS),
    listSeenWithin: all(WORKERS),
    removeUnseenFor: all(WORKERS),
  }),
];

export const CALLS_OF_THE_QUEUE = [...CACHE, ...QUEUE, ...OF_UPKEEP];
