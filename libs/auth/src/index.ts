/**
 * Auth: API keys: made, stored as hashes, checked. It says whose key a caller holds, and never what that account
 * may use. A key is readable once, when it is made.
 */
export type { ApiKey } from './api-key.entity.js';
export { ApiKeysService, type NewKey } from './api-keys.service.js';
export { AuthModule } from './auth.module.js';
export { AuthService, type Caller } from './auth.service.js';
export { parseKey } from './key-format.js';
