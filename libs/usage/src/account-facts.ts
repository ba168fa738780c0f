import type { Facts } from '@app/audit';
import type { Account } from './account.entity.js';

/** What the audit trail says of an account. The address of its webhook may hold a secret in its path, so that its origin stands for it. */
export function factsOf(account: Account): Facts {
  return {
    name: account.name,
    allowance: account.allowance,
    allowance_period: account.allowancePeriod,
    concurrency: account.concurrency,
    rate: account.rate,
    burst: account.burst,
    webhook_origin: account.webhookUrl === null ? null : new URL(account.webhookUrl).origin,
    max_captures: account.maxCaptures,
    max_bytes: account.maxBytes,
    max_batches: account.maxBatches,
    max_webhooks: account.maxWebhooks,
    max_sessions: account.maxSessions,
    max_monitors: account.maxMonitors,
    paused: account.pausedAt !== null,
  };
}
