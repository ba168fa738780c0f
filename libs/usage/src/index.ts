/**
 * Usage: accounts, their limits and what they have used. Its methods run in the transaction that accepts or ends a capture;
 * it knows captures only by their ids. Only request rates are counted outside of transactions, on a best-effort basis:
 * while their store is down, each process counts by itself.
 */
export { AccountLimitsService, assertBelow } from './account-limits.service.js';
export { allowanceExhausted } from './allowance.js';
export { Account, ALLOWANCE_PERIODS, type AllowancePeriod } from './account.entity.js';
export {
  NEW_ACCOUNT,
  type AccountChange,
  type AccountLimits,
  type AccountSettings,
  type LimitName,
  type NewAccount,
} from './account.repository.js';
export { AccountsService } from './accounts.service.js';
export { DEFAULT_RATE } from './rates/account-rates.service.js';
export { RATE_STORE_TIMEOUT_MS } from './rates/rate-buckets.js';
export { RatesModule } from './rates/rates.module.js';
export { RatesService, type RateVerdict } from './rates/rates.service.js';
export { LedgerService } from './ledger.service.js';
export { ALL_ACCOUNT_IDS, UsageAuditRepository, type Difference } from './usage-audit.repository.js';
export { UsageModule } from './usage.module.js';
export { UsageService, type Reservation, type ReservedUnits, type Usage } from './usage.service.js';
export type { Allowance, KeptLimits } from './usage.repository.js';
export type { FreeSlots, LeasedSlot, Slot } from './slot.repository.js';
export { THRESHOLDS, type ThresholdReached } from './thresholds.js';
