import { DEFAULT_SCOPES, type ApiKey } from '@app/auth';
import type { Account, AccountChange, Usage } from '@app/usage';
import { limitsJson, limitsText } from './key-limits.js';

/** The limits of a key that has none. */
const ALL = DEFAULT_SCOPES.join(',');

/** The settings of an account, by the names of the options. */
export function settingsOf(account: Account) {
  return {
    allowance: account.allowance,
    period: account.allowancePeriod,
    concurrency: account.concurrency,
    rate: account.rate,
    burst: account.burst,
    webhook_url: account.webhookUrl,
  };
}

export function accountJson(
  account: Account,
  { used, available, concurrency }: Usage,
  keys: readonly ApiKey[],
) {
  return {
    account: account.name,
    account_id: account.id,
    ...settingsOf(account),
    used,
    available,
    slots_in_use: concurrency.limit - concurrency.remaining,
    keys: keys.map((key) => ({
      id: key.id,
      name: key.name,
      created_at: key.createdAt.toISOString(),
      revoked_at: key.revokedAt?.toISOString() ?? null,
      mcp_unsafe: key.mcpUnsafe,
      ...limitsJson(key),
    })),
  };
}

export function accountText(account: ReturnType<typeof accountJson>): string {
  const lines = account.keys.map(
    ({ id, name, created_at, revoked_at, mcp_unsafe, ...key }) =>
      `  ${id}  ${revoked_at === null ? 'valid  ' : 'revoked'}  ${created_at.slice(0, 10)}  ${name}` +
      `${mcp_unsafe ? '  (mcp-unsafe)' : ''}${limitsText(key) === ALL ? '' : `  (${limitsText(key)})`}`,
  );
  return [
    `${account.account}: ${account.used} of ${account.allowance} captures used ${periodText(account.period)}, ` +
      `${account.slots_in_use} of ${account.concurrency} slots in use, ` +
      `${account.rate} requests per minute, ${account.burst} at once`,
    ...(account.webhook_url === null ? [] : [`  webhook to ${account.webhook_url}`]),
    ...(lines.length > 0 ? lines : ['  (no keys)']),
  ].join('\n');
}

/** Each setting before and after a change. */
export function changeText({ before, after }: AccountChange): string {
  const old = settingsOf(before);
  return Object.entries(settingsOf(after))
    .map(([name, value]) => {
      const was = old[name as keyof typeof old];
      const change = was === value ? shown(value) : `${shown(was)} → ${shown(value)}`;
      return `  ${name.padEnd(12)} ${change}`;
    })
    .join('\n');
}

/** Consequences of a change that an operator may not expect. */
export function consequences(
  { before, after }: AccountChange,
  { used, available, concurrency }: Usage,
): string[] {
  const slotsInUse = concurrency.limit - concurrency.remaining;
  const isOver = after.concurrency < before.concurrency && slotsInUse >= after.concurrency;
  const end = after.allowancePeriod === 'month' ? 'until the month ends (UTC) or the' : 'until the';
  return [
    ...(available <= 0
      ? [
          `${used} of ${after.allowance} captures are used ${periodText(after.allowancePeriod)}: no other is accepted ${end} ` +
            `allowance is raised. Accepted captures continue.`,
        ]
      : []),
    ...(before.allowancePeriod !== after.allowancePeriod
      ? [`Usage is counted separately for each period: ${used} ${periodText(after.allowancePeriod)}.`]
      : []),
    ...(isOver
      ? ['All slots are in use: captures in progress continue, and others start when some have ended.']
      : []),
  ];
}

function periodText(period: Account['allowancePeriod']): string {
  return period === 'month' ? 'this month' : 'in total';
}

function shown(value: string | number | null): string {
  return value === null ? 'none' : String(value);
}
