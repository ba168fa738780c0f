import { DeliveryHistoryRepository } from '../../libs/webhooks/src/delivery-history.repository.js';
import { DeliveryRepository } from '../../libs/webhooks/src/delivery.repository.js';
import { OutboxRepository } from '../../libs/webhooks/src/outbox.repository.js';
import { WebhookSecretRepository } from '../../libs/webhooks/src/webhook-secret.repository.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const SENDER = 'A sender takes the deliveries of all accounts, and sends each to the address of its own.';
const INSERTS = 'It inserts the first secret of the account that it names, and reads no row.';
const ATTEMPT = { at: '2027-01-01T00:00:00.000Z', status: 410, error: null, duration_ms: 1 };
const secret = Buffer.alloc(32, 1);

/** The pending delivery, as a sender holds it. */
const claimed = ({ accountId, deliveries, jobs }: Owned) => ({
  id: deliveries.pending,
  accountId,
  subjectId: jobs.succeeded,
  type: 'capture.succeeded',
  url: SAME.hook,
  channel: 'webhook' as const,
  address: null,
  host: 'hooks.test',
  body: '{}',
  attempts: 1,
  claims: 1,
  traceContext: null,
});

export const CALLS_OF_WEBHOOKS = [
  callsOf(DeliveryHistoryRepository, {
    list: guarded((history, { accountId, jobs }) =>
      history.list(accountId, { subjectId: jobs.succeeded }, { limit: 10 }),
    ),
    find: guarded((history, { accountId, deliveries }) => history.find(accountId, deliveries.pending)),
  }),
  callsOf(DeliveryRepository, {
    countPending: ownRows((deliveries, { accountId }, transaction) =>
      deliveries.countPending(transaction, accountId),
    ),
    deleteAllOf: ownRows((deliveries, { accountId }, transaction) =>
      deliveries.deleteAllOf(transaction, accountId),
    ),
    add: ownRows((deliveries, owned, transaction) =>
      deliveries.add(transaction, { ...claimed(owned), id: owned.unused }),
    ),
    findOfSubject: ownRows((deliveries, { jobs }) => deliveries.findOfSubject(jobs.succeeded)),
    listOfSubjects: ownRows((deliveries, { jobs }) => deliveries.listOfSubjects([jobs.succeeded])),
    list: ownRows((deliveries, { accountId }) => deliveries.list({ accountId, limit: 10 })),
    find: ownRows((deliveries, { jobs }) => deliveries.find(jobs.succeeded)),
    replay: ownRows((deliveries, { deliveries: { failed } }) => deliveries.replay(failed)),
    replayOnce: guarded((deliveries, { accountId, deliveries: { failed } }) =>
      deliveries.replayOnce(accountId, failed),
    ),
    revive: ownRows((deliveries, { accountId }, transaction) =>
      deliveries.revive(transaction, accountId, SAME.hook),
    ),
    replayFailed: ownRows((deliveries, { accountId }) => deliveries.replayFailed(accountId, null)),
    backlog: allRows('A metric counts the deliveries of all accounts.'),
    removeFinished: ownRows((deliveries, { jobs }, transaction) =>
      deliveries.removeFinished(transaction, [jobs.failedRow]),
    ),
    replaceData: ownRows((deliveries, { jobs }, transaction) =>
      deliveries.replaceData(transaction, jobs.succeeded, { deleted: true }),
    ),
    purge: allRows('The upkeep deletes old deliveries of all accounts.'),
  }),
  callsOf(OutboxRepository, {
    claim: allRows(SENDER),
    finish: ownRows((outbox, owned) => outbox.finish(claimed(owned), { state: 'pending', attempt: ATTEMPT })),
    stop: ownRows((outbox, owned) => outbox.stop(claimed(owned), ATTEMPT)),
    release: ownRows((outbox, owned) => outbox.release(claimed(owned))),
  }),
  callsOf(WebhookSecretRepository, {
    find: ownRows((secrets, { accountId }) => secrets.find(accountId)),
    findAny: allRows('Health reads one secret, of whichever account, to see whether SECRETS_KEY opens it.'),
    add: allRows(INSERTS),
    replace: ownRows((secrets, { accountId }, transaction) =>
      secrets.replace(transaction, accountId, { secret, overlapS: 60, pauseS: 0 }),
    ),
  }),
];
