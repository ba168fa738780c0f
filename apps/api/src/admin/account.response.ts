import { ApiProperty } from '@nestjs/swagger';
import { ALLOWANCE_PERIODS, type Account, type AllowancePeriod, type Usage } from '@app/usage';
import { ID, nullable, NULLABLE_TIME, propertyOf, ref, TIME } from '../openapi/schemas.js';

export const ACCOUNT_STATES = ['active', 'paused', 'deleting'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

const limit = (description: string) => nullable('integer', { description, example: null });

export class AccountRecord {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ type: 'string', example: 'acme' })
  name!: string;

  @ApiProperty({
    enum: ACCOUNT_STATES,
    description: '`paused`: it accepts nothing new. `deleting`: it and all that it has are being deleted.',
  })
  state!: AccountState;

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(NULLABLE_TIME)
  paused_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  deleting_at!: string | null;

  @ApiProperty({ type: 'integer', description: 'Captures per period.', example: 10_000 })
  allowance!: number;

  @ApiProperty({ enum: ALLOWANCE_PERIODS })
  allowance_period!: AllowancePeriod;

  @ApiProperty({ type: 'integer', description: 'Captures in progress at once.', example: 10 })
  concurrency!: number;

  @ApiProperty({ type: 'integer', description: 'Requests per minute.', example: 600 })
  rate!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Requests at once before the rate limit applies.',
    example: 100,
  })
  burst!: number;

  @ApiProperty(nullable('string', { description: 'Receives events about the account.', example: null }))
  webhook_url!: string | null;

  @ApiProperty(limit('Captures whose records it may keep; null for any number.'))
  max_captures!: number | null;

  @ApiProperty(limit('Bytes of files that it may keep; null for any number.'))
  max_bytes!: number | null;

  @ApiProperty(limit('Batches in progress; null for any number.'))
  max_batches!: number | null;

  @ApiProperty(limit('Deliveries of webhooks that wait; null for any number.'))
  max_webhooks!: number | null;

  @ApiProperty(limit('Sessions; null for `SESSIONS_PER_ACCOUNT`.'))
  max_sessions!: number | null;

  @ApiProperty(limit('Monitors; null for `MONITORS_PER_ACCOUNT`.'))
  max_monitors!: number | null;

  @ApiProperty(propertyOf(ref('Usage')))
  usage!: Usage;
}

export class AccountList {
  @ApiProperty({ type: [AccountRecord] })
  items!: AccountRecord[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export function toAccountRecord(account: Account, usage: Usage): AccountRecord {
  const { id, name, allowance, allowancePeriod, concurrency, rate, burst, webhookUrl } = account;
  return {
    id,
    name,
    state: stateOf(account),
    created_at: account.createdAt.toISOString(),
    paused_at: account.pausedAt?.toISOString() ?? null,
    deleting_at: account.deletingAt?.toISOString() ?? null,
    allowance,
    allowance_period: allowancePeriod,
    concurrency,
    rate,
    burst,
    webhook_url: webhookUrl,
    max_captures: account.maxCaptures,
    max_bytes: account.maxBytes,
    max_batches: account.maxBatches,
    max_webhooks: account.maxWebhooks,
    max_sessions: account.maxSessions,
    max_monitors: account.maxMonitors,
    usage,
  };
}

export function stateOf({ pausedAt, deletingAt }: Account): AccountState {
  if (deletingAt !== null) return 'deleting';
  return pausedAt === null ? 'active' : 'paused';
}
