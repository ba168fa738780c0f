import { SyncCacheService } from '../../libs/jobs/src/cache/sync-cache.service.js';
import { PostgresBuckets } from '../../libs/usage/src/rates/postgres-buckets.js';
import { allRows, callsOf, ownRows } from './calls.js';
import { ownedBy, SAME } from './owned-rows.js';

const CONNECTION = 'It opens or closes a connection, and reads no row.';
const demand = { key: SAME.cacheKey, ttlS: 86_400, staleTtlS: 0, force: false };
/** Its capture of the same key is known to the process before this account asks. */
const { accountId: other } = ownedBy('other');

export const CALLS_OF_THE_API = [
  callsOf(SyncCacheService, {
    onModuleInit: allRows('It listens for the ids of captures that were deleted.'),
    demandOf: allRows('It reads no row: the key is made from the account and the options.'),
    findAnswer: ownRows(async (cache, { accountId }) => {
      await cache.findAnswer(other, demand);
      return cache.findAnswer(accountId, demand);
    }),
    findLatest: ownRows(async (cache, { accountId }) => {
      await cache.findLatest(other, demand);
      return cache.findLatest(accountId, demand);
    }),
    elect: ownRows((cache, { accountId }, transaction) => cache.elect(transaction, accountId, demand)),
    makeLeader: ownRows((cache, { accountId, jobs }, transaction) =>
      cache.makeLeader(transaction, { id: jobs.dispatched, accountId }, demand),
    ),
    remember: ownRows(async (cache, { accountId }) => {
      const theirs = await cache.findAnswer(other, demand);
      if (theirs) cache.remember(theirs.job);
      return cache.findAnswer(accountId, demand);
    }),
    forget: ownRows(async (cache, { accountId }) => {
      cache.forget(other, demand);
      return cache.findAnswer(accountId, demand);
    }),
  }),
  callsOf(PostgresBuckets, {
    onModuleInit: allRows(CONNECTION),
    onApplicationShutdown: allRows(CONNECTION),
    takeTokens: ownRows((buckets, { accountId }) =>
      buckets.takeTokens([{ accountId, limit: { rate: 60, burst: 10 }, tokens: 2 }]),
    ),
  }),
];
