import { KnownCapturesService } from '../../apps/api/src/sync/known-captures.service.js';
import { PostgresBuckets } from '../../libs/usage/src/rates/postgres-buckets.js';
import { all, callsOf, own } from './calls.js';
import { ownedBy, SAME } from './owned-rows.js';

const CONNECTION = 'It opens or closes a connection, and reads no row.';
const demand = { key: SAME.cacheKey, ttlS: 86_400, staleTtlS: 0, force: false };
/** Its capture of the same key is known to the process before this account asks. */
const { accountId: other } = ownedBy('other');

export const CALLS_OF_THE_API = [
  callsOf(KnownCapturesService, {
    onModuleInit: all('It listens for the ids of captures that were deleted.'),
    demandOf: all('It reads no row: the key is made from the account and the options.'),
    find: own(async (known, { accountId }) => {
      await known.find(other, demand);
      return known.find(accountId, demand);
    }),
    findAny: own(async (known, { accountId }) => {
      await known.findAny(other, demand);
      return known.findAny(accountId, demand);
    }),
    remember: own(async (known, { accountId }) => {
      const theirs = await known.find(other, demand);
      if (theirs) known.remember(theirs.job);
      return known.find(accountId, demand);
    }),
    forget: own(async (known, { accountId }) => {
      known.forget(other, demand);
      return known.find(accountId, demand);
    }),
  }),
  callsOf(PostgresBuckets, {
    onModuleInit: all(CONNECTION),
    onApplicationShutdown: all(CONNECTION),
    take: own((buckets, { accountId }) =>
      buckets.take([{ accountId, limit: { rate: 60, burst: 10 }, tokens: 2 }]),
    ),
  }),
];
