import { AppError } from '@app/kernel';
import { SessionLifeRepository } from '../../libs/sessions/src/session-life.repository.js';
import { SessionRepository } from '../../libs/sessions/src/session.repository.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const UPKEEP = 'The upkeep ends the sessions of all accounts.';
const UNREADABLE = new AppError('secrets_unreadable').toBody();
const STATE = Buffer.alloc(32, 1);

/** The active session, in its only generation. */
const active = ({ sessions }: Owned) => ({ id: sessions.active, generation: 1 });

export const CALLS_OF_SESSIONS = [
  callsOf(SessionRepository, {
    deleteAllOf: ownRows((sessions, { accountId }, transaction) =>
      sessions.deleteAllOf(transaction, accountId),
    ),
    add: ownRows((sessions, { accountId, unused }, transaction) =>
      sessions.add(
        transaction,
        {
          id: unused,
          accountId,
          name: 'new',
          origins: ['https://a.test'],
          logIn: null,
          check: null,
          keepAliveS: 900,
          expiresInS: 3_600,
          secrets: null,
          state: STATE,
        },
        3,
      ),
    ),
    find: guarded((sessions, { accountId, sessions: { pending } }) => sessions.find(accountId, pending)),
    listNamed: guarded((sessions, { accountId, sessions: { pending } }) =>
      sessions.listNamed(accountId, [pending, SAME.session]),
    ),
    list: ownRows((sessions, { accountId }) => sessions.list(accountId, { limit: 10 })),
    revoke: guarded((sessions, { accountId, sessions: { pending } }) => sessions.revoke(accountId, pending)),
    expire: allRows(UPKEEP),
    purge: allRows(UPKEEP),
  }),
  callsOf(SessionLifeRepository, {
    beginLogIn: ownRows((life, owned, transaction) =>
      life.beginLogIn(transaction, active(owned), owned.unused),
    ),
    reopen: ownRows((life, { sessions: { active: id } }, transaction) => life.reopen(transaction, id)),
    endLogIn: ownRows((life, { sessions: { pending: id }, jobs }, transaction) =>
      life.endLogIn(transaction, { id, jobId: jobs.running }, { kind: 'succeeded', state: STATE }),
    ),
    save: ownRows((life, owned, transaction) => life.save(transaction, active(owned), STATE)),
    beginCheck: ownRows((life, owned) => life.beginCheck(active(owned))),
    passCheck: ownRows((life, owned) => life.passCheck(active(owned))),
    releaseCheck: ownRows((life, owned) => life.releaseCheck(active(owned))),
    fail: ownRows((life, owned) => life.fail(active(owned), UNREADABLE)),
    reinstate: ownRows(async (life, owned) => {
      await life.fail(active(owned), UNREADABLE);
      await life.reinstate(active(owned));
    }),
    end: ownRows((life, owned) => life.end(active(owned), null)),
  }),
];
