/**
 * Auth: creates API keys, stores their hashes and verifies them. It knows which account a key belongs to, never what that
 * account may use. A key is readable only once, when it is created.
 */
export type { ApiKey } from './api-key.entity.js';
export { ApiKeysService, type NewKey } from './api-keys.service.js';
export { AuthModule } from './auth.module.js';
export { AuthService, type Caller } from './auth.service.js';
export { parseKey } from './key-format.js';
