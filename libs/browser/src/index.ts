/**
 * Browser: warm Chromiums and pages of them to capture with; starting, sandboxing, replacing and killing them.
 * It knows nothing of what a capture does to its page, and it never opens a page for the API.
 */
export { BrowserModule } from './browser.module.js';
export { BrowserPoolService, type PoolState } from './browser-pool.service.js';
export { EgressProxyFactory, type Egress, type EgressUsage } from './egress.js';
export type { PageLease } from './page-lease.js';
export { ProxyAuthentication } from './proxy-authentication.js';
export type { UserAgent } from './user-agent.js';
export { WorkerFolder, type BrowserFolder } from './worker-folder.js';
