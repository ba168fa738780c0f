import { parseOptions } from '@app/capture';
import { AppError } from '@app/kernel';
import { IdempotencyKeyRepository } from '../../libs/jobs/src/acceptance/idempotency-key.repository.js';
import { KeptCapturesRepository } from '../../libs/jobs/src/acceptance/kept-captures.repository.js';
import { NewJobRepository } from '../../libs/jobs/src/acceptance/new-job.repository.js';
import { BatchRowExportRepository } from '../../libs/jobs/src/batches/batch-row-export.repository.js';
import { BatchRowQueryRepository } from '../../libs/jobs/src/batches/batch-row-query.repository.js';
import { BatchRowRepository } from '../../libs/jobs/src/batches/batch-row.repository.js';
import { OpenRowRepository } from '../../libs/jobs/src/batches/open-row.repository.js';
import { JobDeletionRepository } from '../../libs/jobs/src/history/job-deletion.repository.js';
import { JobHistoryRepository } from '../../libs/jobs/src/history/job-history.repository.js';
import { JobStatsRepository } from '../../libs/jobs/src/history/job-stats.repository.js';
import { JobSumsRepository } from '../../libs/jobs/src/history/job-sums.repository.js';
import { EarlierCaptureRepository } from '../../libs/jobs/src/job/earlier-capture.repository.js';
import { EndedJobRepository } from '../../libs/jobs/src/job/ended-job.repository.js';
import { JobRepository } from '../../libs/jobs/src/job/job.repository.js';
import { QueuePositionRepository } from '../../libs/jobs/src/job/queue-position.repository.js';
import { SUCCESS } from '../support/jobs.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const ERROR = new AppError('capture_timeout').toBody();
const DAY_MS = 86_400_000;
/** The hours around now, from whole ones. */
const span = () => {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return { from: today - 2 * DAY_MS, to: today + DAY_MS };
};
const keyOf = ({ accountId, jobs }: Owned) => {
  return { accountId, key: SAME.idempotencyKey, subjectId: jobs.succeeded, fingerprint: Buffer.alloc(32) };
};
const jobOf = ({ accountId, unused }: Owned) => ({
  id: unused,
  accountId,
  source: 'job' as const,
  webhookUrl: null,
  requestId: null,
  batchId: null,
  batchRow: null,
  reference: 'order',
  url: `https://${SAME.host}/`,
  host: SAME.host,
  format: 'png' as const,
  options: {},
  otherExtensions: null,
  defaultNames: null,
  secrets: null,
  timeoutMs: 60_000,
  captureKey: null,
  traceContext: null,
  cache: null,
  needs: null,
});
const running = ({ jobs }: Owned) => ({ id: jobs.running, attempt: 1 });
const lost = ({ jobs }: Owned) => ({ id: jobs.lost, attempt: 1 });

const ACCEPTANCE = [
  callsOf(IdempotencyKeyRepository, {
    claim: ownRows((keys, owned, transaction) => keys.claim(transaction, [keyOf(owned)])),
    keepAnswers: ownRows((keys, owned, transaction) =>
      keys.keepAnswers(transaction, [{ ...keyOf(owned), answer: { id: 1 } }]),
    ),
    assign: ownRows((keys, owned, transaction) =>
      keys.assign(transaction, { ...keyOf(owned), answer: { id: 1 } }),
    ),
    release: ownRows((keys, owned, transaction) => keys.release(transaction, [keyOf(owned)])),
    forgetAnswers: ownRows((keys, { jobs }, transaction) => keys.forgetAnswers(transaction, jobs.succeeded)),
    purge: allRows('The upkeep deletes old keys of all accounts.'),
  }),
  callsOf(KeptCapturesRepository, {
    count: ownRows((kept, { accountId }, transaction) => kept.count(transaction, accountId)),
  }),
  callsOf(NewJobRepository, {
    insert: ownRows((jobs, owned, transaction) => jobs.insert(transaction, [jobOf(owned)], () => 'ever')),
    remove: ownRows((jobs, owned, transaction) => jobs.remove(transaction, [owned.jobs.waiting])),
  }),
];

const BATCHES = [
  callsOf(BatchRowExportRepository, {
    pages: ownRows((rows, { batches }) => rows.pages(batches.running)),
    files: ownRows((rows, { batches }) => rows.files(batches.ended)),
  }),
  callsOf(BatchRowQueryRepository, {
    list: ownRows((rows, { batches }) => rows.list(batches.running, { after: 0, limit: 10 })),
    listFailed: ownRows((rows, { batches }) => rows.listFailed(batches.ended, 0, 10)),
    readPaces: ownRows((rows, { batches }) =>
      rows.readPaces([{ id: batches.running, startedAt: new Date() }]),
    ),
  }),
  callsOf(BatchRowRepository, {
    prepare: allRows('It reads no rows of accounts.'),
    toLine: allRows('It reads no rows of accounts.'),
    toRejectedLine: allRows('It reads no rows of accounts.'),
    addAll: ownRows((rows, owned, transaction) => {
      const batch = { id: owned.batches.running, accountId: owned.accountId };
      const { line } = rows.toLine(batch, 3, parseOptions({ url: 'https://a.test/' }));
      const lines = JSON.stringify({ ...(JSON.parse(line) as object), id: owned.unused });
      return rows.addAll(transaction, lines, { period: 'ever', createdAt: new Date() });
    }),
    moveToPeriod: ownRows((rows, { batches }, transaction) =>
      rows.moveToPeriod(transaction, batches.running, '2027-02'),
    ),
    signalWaiting: allRows('It notifies the dispatcher, which reads the rows of all accounts.'),
  }),
  callsOf(OpenRowRepository, {
    lockOpen: ownRows((rows, { batches }, transaction) => rows.lockOpen(transaction, batches.running)),
    cancelOpen: ownRows((rows, { batches }, transaction) =>
      rows.cancelOpen(transaction, batches.running, 'client_request'),
    ),
  }),
];

const HISTORY = [
  callsOf(JobDeletionRepository, {
    erase: ownRows((jobs, owned, transaction) => jobs.erase(transaction, owned.jobs.succeeded, true)),
    forgetFiles: ownRows((jobs, owned, transaction) => {
      const job = { originId: owned.jobs.succeeded } as Parameters<typeof jobs.forgetFiles>[1];
      return jobs.forgetFiles(transaction, job);
    }),
  }),
  callsOf(JobHistoryRepository, {
    list: ownRows(async (jobs, { accountId }) => [
      await jobs.list(accountId, { host: SAME.host, reference: 'order' }, { limit: 50 }),
      await jobs.list(accountId, { idempotencyKey: SAME.idempotencyKey }, { limit: 50 }),
    ]),
  }),
  callsOf(JobStatsRepository, {
    read: ownRows((stats, { accountId }) => stats.read(accountId, span(), 'hour')),
    readDays: ownRows((stats, { accountId }) => stats.readDays(accountId, span())),
  }),
  callsOf(JobSumsRepository, {
    bringUpToDate: allRows('The upkeep sums up the jobs of all accounts, each by itself.'),
  }),
];

const JOB = [
  callsOf(EarlierCaptureRepository, {
    findPrevious: ownRows((jobs, { accountId, unused }) =>
      jobs.findPrevious({ id: unused, accountId, captureKey: SAME.captureKey }),
    ),
    listOfAccount: guarded((jobs, { accountId, jobs: { succeeded } }) =>
      jobs.listOfAccount(accountId, [succeeded]),
    ),
  }),
  callsOf(EndedJobRepository, {
    list: ownRows((jobs, owned, transaction) => jobs.list(transaction, [owned.jobs.succeeded])),
    listWithWebhook: ownRows((jobs, owned, transaction) =>
      jobs.listWithWebhook(transaction, [owned.jobs.succeeded]),
    ),
  }),
  callsOf(JobRepository, {
    findById: ownRows((jobs, owned) => jobs.findById(owned.jobs.succeeded)),
    findOfAccount: guarded((jobs, { accountId, jobs: { succeeded } }) =>
      jobs.findOfAccount(accountId, succeeded),
    ),
    findPageLists: ownRows((jobs, owned) => jobs.findPageLists(owned.jobs.succeeded)),
    listProgress: ownRows((jobs, owned) => jobs.listProgress([owned.jobs.running])),
    listFinal: ownRows((jobs, owned) => jobs.listFinal([owned.jobs.succeeded, owned.jobs.running])),
    claim: ownRows((jobs, owned) => jobs.claim(owned.jobs.dispatched, SAME.worker, 60_000)),
    renewLeases: ownRows((jobs, owned) => jobs.renewLeases(SAME.worker, [owned.jobs.running], 60_000)),
    listRunning: ownRows((jobs, owned) => jobs.listRunning(SAME.worker, [owned.jobs.running])),
    succeed: ownRows((jobs, owned, transaction) => jobs.succeed(transaction, running(owned), SUCCESS)),
    fail: ownRows((jobs, owned, transaction) => jobs.fail(transaction, running(owned), { error: ERROR })),
    failLost: ownRows((jobs, owned, transaction) => jobs.failLost(transaction, lost(owned), ERROR)),
    retry: ownRows((jobs, owned, transaction) => jobs.retry(transaction, running(owned))),
    retryLost: ownRows((jobs, owned, transaction) => jobs.retryLost(transaction, lost(owned))),
    handBack: ownRows((jobs, owned, transaction) => jobs.handBack(transaction, running(owned), 1)),
    cancel: ownRows((jobs, owned, transaction) =>
      jobs.cancel(transaction, owned.jobs.waiting, 'client_request'),
    ),
    countInFlight: ownRows((jobs, { accountId }, transaction) => jobs.countInFlight(transaction, accountId)),
  }),
  callsOf(QueuePositionRepository, {
    read: ownRows((positions, { accountId, jobs }) => {
      const job = { accountId, batchId: null, status: 'queued' as const, dispatchedAt: null };
      return positions.read([{ ...job, id: jobs.waiting, createdAt: new Date() }]);
    }),
  }),
];

export const CALLS_OF_JOBS = [...ACCEPTANCE, ...BATCHES, ...HISTORY, ...JOB];
