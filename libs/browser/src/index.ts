/**
 * Browser: warm Chromiums and pages of them to capture with; starting, sandboxing, replacing and killing them.
 * It knows nothing of what a capture does to its page, and it never opens a page for the API.
 */
export { BrowserModule } from './slots/browser.module.js';
export { BrowserPoolService, type PoolState } from './slots/browser-pool.service.js';
export { EgressProxyFactory, type Egress, type EgressUsage } from './page/egress.js';
export type { PageLease } from './page/page-lease.js';
export { ProxyAuthentication } from './page/proxy-authentication.js';
export type { UserAgent } from './page/user-agent.js';
export { WorkerFolder, type BrowserFolder } from './launch/worker-folder.js';
