/**
 * Usage: accounts, what each may use, what each has used. Its calls run inside the transaction of whoever accepts
 * or finishes a capture; it knows nothing of captures but their ids.
 */
export { Account, ALLOWANCE_PERIODS, type AllowancePeriod } from './account.entity.js';
export type { NewAccount } from './account.repository.js';
export { AccountsService } from './accounts.service.js';
export { UsageModule } from './usage.module.js';
export { UsageService, type Reservation, type Usage } from './usage.service.js';
