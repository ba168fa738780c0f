import { ApiProperty } from '@nestjs/swagger';
import { AUDIT_ACTIONS, type Actor, type AuditAction, type AuditEvent, type AuditPage } from '@app/audit';
import { ID, nullable, TIME } from '../openapi/schemas.js';

const text = (description: string) => nullable('string', { description });
const facts = (description: string) => nullable('object', { additionalProperties: true, description });

class AuditActor {
  @ApiProperty({
    enum: ['key', 'command', 'service', 'sign_on'],
    description:
      '`key`: over HTTP. `command`: on the machine, by `npm run keys` or `npm run webhooks`. `service`: in the background. `sign_on`: the log-in of a person by single sign-on.',
  })
  kind!: Actor['kind'];

  @ApiProperty(text('Id of the key.'))
  key_id!: string | null;

  @ApiProperty(text('Name of the key; of `sign_on`, that of the person.'))
  key_name!: string | null;

  @ApiProperty(text('Id of the account of the key.'))
  account_id!: string | null;

  @ApiProperty(text('Address of the client.'))
  address!: string | null;

  @ApiProperty(text('`X-Request-Id` of the request.'))
  request_id!: string | null;
}

export class AuditRecord {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty(TIME)
  at!: string;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action!: AuditAction;

  @ApiProperty(nullable('string', { format: 'uuid', description: 'The account that it concerns.' }))
  account_id!: string | null;

  @ApiProperty({ type: 'string', description: 'Id of the account, key, worker or batch that was changed.' })
  subject_id!: string;

  @ApiProperty({ type: AuditActor })
  actor!: AuditActor;

  @ApiProperty(facts('How it was, without secrets; null for what is new.'))
  before!: Readonly<Record<string, unknown>> | null;

  @ApiProperty(facts('How it is since, without secrets; null for what is gone.'))
  after!: Readonly<Record<string, unknown>> | null;
}

export class AuditList {
  @ApiProperty({ type: [AuditRecord] })
  items!: AuditRecord[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export function toAuditList({ items, nextCursor }: AuditPage): AuditList {
  return { items: items.map(toAuditRecord), next_cursor: nextCursor };
}

function toAuditRecord({ accountId, subjectId, at, ...event }: AuditEvent): AuditRecord {
  return { ...event, at: at.toISOString(), account_id: accountId, subject_id: subjectId };
}
