/**
 * Usage: accounts, what each may use, what each has used. Its calls run inside the transaction of whoever accepts
 * or finishes a capture; it knows nothing of captures but their ids. Rates alone are counted outside of transactions,
 * and by no promise: with their store away requests pass.
 */
export { allowanceExhausted } from './allowance-exhausted.js';
export { Account, ALLOWANCE_PERIODS, type AllowancePeriod } from './account.entity.js';
export type { AccountChange, AccountSettings, NewAccount } from './account.repository.js';
export { AccountsService } from './accounts.service.js';
export { DEFAULT_RATE } from './rates/account-rates.service.js';
export { RATE_STORE_TIMEOUT_MS } from './rates/rate-buckets.js';
export { RatesModule } from './rates/rates.module.js';
export { RatesService, type RateVerdict } from './rates/rates.service.js';
export { LedgerService } from './ledger.service.js';
export {
  ALL_ACCOUNT_IDS,
  isChargedSql,
  UsageAuditRepository,
  type Difference,
} from './usage-audit.repository.js';
export { UsageModule } from './usage.module.js';
export { UsageService, type Reservation, type ReservedUnits, type Usage } from './usage.service.js';
export type { FreeSlots, LeasedSlot, Slot } from './slot.repository.js';
export { THRESHOLDS, type ThresholdReached } from './thresholds.js';
