import { ApiKeyRepository } from '../../libs/auth/src/api-key.repository.js';
import { ConsoleSessionRepository } from '../../libs/auth/src/console-session.repository.js';
import { SigningSecretRepository } from '../../libs/auth/src/signing-secret.repository.js';
import { all, callsOf, own } from './calls.js';

const OPERATOR = 'Only the operator calls it, by `npm run keys`.';
const INSERTS = 'It inserts the first secret of the key that it names, and reads no row.';
const secret = Buffer.alloc(32, 1);

export const CALLS_OF_AUTH = [
  callsOf(ApiKeyRepository, {
    add: own((keys, { accountId }) =>
      keys.add({ id: 'another-key', accountId, name: 'laptop', secretSha256: secret }),
    ),
    findValid: own((keys, { keyId }) => keys.findValid(keyId)),
    list: all(OPERATOR),
    revoke: own((keys, { keyId }) => keys.revoke(keyId)),
    setMcpUnsafe: own((keys, { accountId }) => keys.setMcpUnsafe({ accountId }, true)),
    hasAny: all(OPERATOR),
  }),
  callsOf(ConsoleSessionRepository, {
    findKeys: own((sessions, { session }) => sessions.findKeys(session)),
    begin: own((sessions, { session, keyId }) =>
      sessions.begin(secret, { keyId, lifeS: 60, from: session, maxSessions: 1 }),
    ),
    removeKey: own((sessions, { session, keyId }) => sessions.removeKey(session, keyId)),
    end: own((sessions, { session }) => sessions.end(session)),
    addLogIn: own((sessions, { keyId }) => sessions.addLogIn(secret, keyId, 60)),
    takeLogIn: own((sessions, { logIn }) => sessions.takeLogIn(logIn)),
  }),
  callsOf(SigningSecretRepository, {
    find: own((secrets, { keyId }) => secrets.find(keyId)),
    findAny: all('Health reads one secret, of whichever account, to see whether SECRETS_KEY opens it.'),
    add: all(INSERTS),
    replace: own((secrets, { secondKeyId }) => secrets.replace(secondKeyId, secret)),
    deletePrevious: own((secrets, { keyId }) => secrets.deletePrevious(keyId)),
    setLinksExpire: own((secrets, { keyId }) => secrets.setLinksExpire(keyId, false)),
  }),
];
