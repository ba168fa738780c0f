/**
 * Browser: warm Chromiums and pages of them to capture with; starting, sandboxing, replacing and killing them.
 * It knows nothing of what a capture does to its page, and it never opens a page for the API.
 */
export { BrowserModule } from './browser.module.js';
export { BrowserPool, type PoolState } from './browser-pool.js';
export { Exits, type Exit, type ExitUsage } from './exit.js';
export { showCredential } from './exit-credential.js';
export type { PageLease } from './page-lease.js';
export type { UserAgent } from './user-agent.js';
