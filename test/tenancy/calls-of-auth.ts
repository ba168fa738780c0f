import { ApiKeyRepository } from '../../libs/auth/src/api-key.repository.js';
import { ConsoleSessionRepository } from '../../libs/auth/src/console-session.repository.js';
import { SigningSecretRepository } from '../../libs/auth/src/signing-secret.repository.js';
import { allRows, callsOf, ownRows } from './calls.js';

const OPERATOR = 'Only the operator calls it, by `npm run keys`.';
const INSERTS = 'It inserts the first secret of the key that it names, and reads no row.';
const secret = Buffer.alloc(32, 1);

export const CALLS_OF_AUTH = [
  callsOf(ApiKeyRepository, {
    add: ownRows((keys, { accountId }, transaction) =>
      keys.add(transaction, {
        id: 'another-key',
        accountId,
        name: 'laptop',
        secretSha256: secret,
        scopes: ['read'],
        expiresAt: null,
        allowedHosts: null,
        allowedIps: null,
        person: null,
      }),
    ),
    findValid: ownRows((keys, { keyId }) => keys.findValid(keyId)),
    find: ownRows((keys, { keyId }) => keys.find(keyId)),
    lock: ownRows((keys, { keyId }, transaction) => keys.lock(transaction, keyId)),
    lockValid: ownRows((keys, { keyId }, transaction) => keys.lockValid(transaction, keyId)),
    lockUnrevoked: ownRows((keys, { accountId }, transaction) =>
      keys.lockUnrevoked(transaction, { accountId }),
    ),
    lockAdmins: allRows('It counts the keys with the scope admin of all accounts, of which one must stay.'),
    list: allRows(OPERATOR),
    listPage: ownRows((keys, { accountId }) => keys.listPage(accountId, { limit: 10, cursor: undefined })),
    revoke: ownRows((keys, { keyId }, transaction) => keys.revoke(transaction, [keyId])),
    change: ownRows((keys, { keyId }, transaction) => keys.change(transaction, keyId, { name: 'changed' })),
    replaceSecret: ownRows((keys, { keyId }, transaction) =>
      keys.replaceSecret(transaction, keyId, { sha256: secret, overlapS: 60 }),
    ),
    setMcpUnsafe: ownRows((keys, { keyId }, transaction) => keys.setMcpUnsafe(transaction, [keyId], true)),
    markUsed: ownRows((keys, { keyId }) => keys.markUsed(keyId)),
    hasAny: allRows(OPERATOR),
  }),
  callsOf(ConsoleSessionRepository, {
    findKeys: ownRows((sessions, { session }) => sessions.findKeys(session)),
    begin: ownRows((sessions, { session, keyId }) =>
      sessions.begin(secret, { keyId, lifeS: 60, from: session, maxSessions: 1, provider: null }),
    ),
    removeKey: ownRows((sessions, { session, keyId }) => sessions.removeKey(session, keyId)),
    end: ownRows((sessions, { session }) => sessions.end(session)),
    endSignOns: allRows('It ends the sessions of a person, who may have keys of several accounts.'),
    addLogIn: ownRows((sessions, { keyId }) => sessions.addLogIn(secret, keyId, 60)),
    takeLogIn: ownRows((sessions, { logIn }) => sessions.takeLogIn(logIn)),
  }),
  callsOf(SigningSecretRepository, {
    find: ownRows((secrets, { keyId }) => secrets.find(keyId)),
    findAny: allRows('Health reads one secret, of whichever account, to see whether SECRETS_KEY opens it.'),
    add: allRows(INSERTS),
    replace: ownRows((secrets, { secondKeyId }, transaction) =>
      secrets.replace(transaction, secondKeyId, secret),
    ),
    deletePrevious: ownRows((secrets, { keyId }, transaction) => secrets.deletePrevious(transaction, keyId)),
    setLinksExpire: ownRows((secrets, { keyId }, transaction) =>
      secrets.setLinksExpire(transaction, keyId, false),
    ),
  }),
];
