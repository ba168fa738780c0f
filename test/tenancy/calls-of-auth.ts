import { ApiKeyRepository } from '../../libs/auth/src/api-key.repository.js';
import { ConsoleSessionRepository } from '../../libs/auth/src/console-session.repository.js';
import { SigningSecretRepository } from '../../libs/auth/src/signing-secret.repository.js';
import { allRows, callsOf, ownRows } from './calls.js';

const OPERATOR = 'Only the operator calls it, by `npm run keys`.';
const INSERTS = 'It inserts the first secret of the key that it names, and reads no row.';
const secret = Buffer.alloc(32, 1);

export const CALLS_OF_AUTH = [
  callsOf(ApiKeyRepository, {
    add: ownRows((keys, { accountId }) =>
      keys.add({ id: 'another-key', accountId, name: 'laptop', secretSha256: secret }),
    ),
    findValid: ownRows((keys, { keyId }) => keys.findValid(keyId)),
    list: allRows(OPERATOR),
    revoke: ownRows((keys, { keyId }) => keys.revoke(keyId)),
    setMcpUnsafe: ownRows((keys, { accountId }) => keys.setMcpUnsafe({ accountId }, true)),
    hasAny: allRows(OPERATOR),
  }),
  callsOf(ConsoleSessionRepository, {
    findKeys: ownRows((sessions, { session }) => sessions.findKeys(session)),
    begin: ownRows((sessions, { session, keyId }) =>
      sessions.begin(secret, { keyId, lifeS: 60, from: session, maxSessions: 1 }),
    ),
    removeKey: ownRows((sessions, { session, keyId }) => sessions.removeKey(session, keyId)),
    end: ownRows((sessions, { session }) => sessions.end(session)),
    addLogIn: ownRows((sessions, { keyId }) => sessions.addLogIn(secret, keyId, 60)),
    takeLogIn: ownRows((sessions, { logIn }) => sessions.takeLogIn(logIn)),
  }),
  callsOf(SigningSecretRepository, {
    find: ownRows((secrets, { keyId }) => secrets.find(keyId)),
    findAny: allRows('Health reads one secret, of whichever account, to see whether SECRETS_KEY opens it.'),
    add: allRows(INSERTS),
    replace: ownRows((secrets, { secondKeyId }) => secrets.replace(secondKeyId, secret)),
    deletePrevious: ownRows((secrets, { keyId }) => secrets.deletePrevious(keyId)),
    setLinksExpire: ownRows((secrets, { keyId }) => secrets.setLinksExpire(keyId, false)),
  }),
];
