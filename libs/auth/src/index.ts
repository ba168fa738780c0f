/**
 * Auth: creates API keys, stores their hashes and verifies them, and keeps the secrets that sign links. It knows which
 * account a key belongs to, never what that account may use. A key is readable only once, when it is created; the operator
 * can read a signing secret, because each program that signs links needs it.
 */
export type { ApiKey } from './api-key.entity.js';
export { addressRangeFault, isInRanges } from './address-ranges.js';
export { ApiKeysService, type KeyChange, type KeySettings, type NewKey } from './api-keys.service.js';
export { KEY_CHANGED } from './api-key.repository.js';
export { AuthModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
export type { Caller } from './caller.js';
export { grantsOf, parseGroupGrants, type GroupGrant } from './group-grants.js';
export { DEFAULT_SCOPES, SCOPES, type Scope } from './scopes.js';
export type { ProviderLogOut, SessionKey } from './console-session.repository.js';
export { ConsoleSessionsService, SESSION_LIFE_S, type Session } from './console-sessions.service.js';
export { parseKey } from './key-format.js';
export { LinkKeysService } from './link-keys.service.js';
export { isCurrent, type Lookup } from './lookup-cache.js';
export { PersonKeysService, type AccountGrant } from './person-keys.service.js';
export { SigningModule } from './signing.module.js';
export { SigningSecretsService, type SigningKey, type SigningSecret } from './signing-secrets.service.js';
