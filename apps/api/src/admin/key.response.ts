import { ApiProperty } from '@nestjs/swagger';
import { SCOPES, type ApiKey, type Scope } from '@app/auth';
import { ID, nullable, NULLABLE_TIME, TIME } from '../openapi/schemas.js';

const KEY_ID = { type: 'string', example: '4kZ81lQmZ0bV2cXn' } as const;
const texts = (description: string, example: readonly string[] | null) =>
  nullable('array', { items: { type: 'string' }, description, example });

export class KeyRecord {
  @ApiProperty({ ...KEY_ID, description: 'The public part of the key.' })
  id!: string;

  @ApiProperty(ID)
  account_id!: string;

  @ApiProperty({ type: 'string', example: 'shop' })
  name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...SCOPES] },
    description: 'What it may do.',
  })
  scopes!: readonly Scope[];

  @ApiProperty({
    type: 'boolean',
    description:
      'Whether single sign-on made it for a person, whose groups decide what it may do: it cannot be changed or rotated.',
  })
  is_single_sign_on!: boolean;

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(nullable('string', { format: 'date-time', description: 'Null for a key that never expires.' }))
  expires_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  revoked_at!: string | null;

  @ApiProperty(nullable('string', { format: 'date', description: 'The day (UTC) of its last request.' }))
  last_used_on!: string | null;

  @ApiProperty(texts('Hosts that it may capture; null for all.', null))
  allowed_hosts!: readonly string[] | null;

  @ApiProperty(texts('CIDRs from which it may be used; null for all.', null))
  allowed_ips!: readonly string[] | null;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether MCP tools accept options that run code or carry secrets.',
  })
  mcp_unsafe!: boolean;

  @ApiProperty(
    nullable('string', {
      format: 'date-time',
      description: 'Until when the secret before the last rotation works.',
    }),
  )
  previous_until!: string | null;
}

/** The only answer that has the key itself. */
export class NewKeyRecord extends KeyRecord {
  @ApiProperty(
    nullable('string', {
      description:
        'The key, which is shown once: null when an earlier request with the same Idempotency-Key was answered with it.',
      example: 'cap_4kZ81lQmZ0bV2cXn_…',
    }),
  )
  key!: string | null;
}

export class KeyList {
  @ApiProperty({ type: [KeyRecord] })
  items!: KeyRecord[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export function toKeyRecord(key: ApiKey): KeyRecord {
  const { id, accountId, name, scopes, createdAt, expiresAt, revokedAt, previousUntil } = key;
  return {
    id,
    account_id: accountId,
    name,
    scopes,
    is_single_sign_on: key.person !== null,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
    last_used_on: key.lastUsedOn,
    allowed_hosts: key.allowedHosts,
    allowed_ips: key.allowedIps,
    mcp_unsafe: key.mcpUnsafe,
    previous_until: previousUntil?.toISOString() ?? null,
  };
}
