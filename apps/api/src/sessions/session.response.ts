import { ApiProperty } from '@nestjs/swagger';
import type { ErrorBody, ListPage } from '@app/kernel';
import { SESSION_STATUSES, type Session, type SessionCheck, type SessionStatus } from '@app/sessions';
import { ID, nullable, NULLABLE_TIME, propertyOf, refOrNull, TIME } from '../openapi/schemas.js';

const STATUS_DOC =
  '`pending`: it is to be logged in. `active`: captures use it. `expired`: its time has passed. `failed`: three log-ins in a row failed, or its check did. `revoked`: it was deleted.';

/** A session without anything secret. */
export class SessionRecord {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ type: 'string', example: 'shop' })
  name!: string;

  @ApiProperty({ enum: SESSION_STATUSES, description: STATUS_DOC, example: 'active' })
  status!: SessionStatus;

  @ApiProperty({ type: [String], example: ['https://shop.example'] })
  origins!: string[];

  @ApiProperty({ type: 'integer', description: 'Counts the states that the session has had.', example: 1 })
  generation!: number;

  @ApiProperty(
    nullable('string', {
      description: 'Address of the log-in; null for a session that cannot log in.',
      example: 'https://shop.example/login',
    }),
  )
  login_url!: string | null;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether a log-in is queued or running, for which captures wait.',
  })
  is_logging_in!: boolean;

  @ApiProperty(propertyOf(refOrNull('SessionCheck')))
  check!: SessionCheck | null;

  @ApiProperty({ type: 'integer', example: 900 })
  keep_alive_s!: number;

  @ApiProperty({ type: 'integer', example: 86_400 })
  expires_in_s!: number;

  @ApiProperty({ type: 'integer', description: 'Log-ins that failed in a row.', example: 0 })
  failures!: number;

  @ApiProperty(propertyOf(refOrNull('CaptureFailure')))
  error!: ErrorBody | null;

  @ApiProperty(
    nullable('string', {
      format: 'uuid',
      description: 'The capture that was the last log-in. Null before one has ended.',
    }),
  )
  capture_id!: string | null;

  @ApiProperty(nullable('string', { description: 'Path of the picture of what the last log-in saw.' }))
  picture_url!: string | null;

  @ApiProperty({ ...TIME })
  created_at!: string;

  @ApiProperty(NULLABLE_TIME)
  logged_in_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  checked_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  expires_at!: string | null;
}

export class SessionList {
  @ApiProperty({ type: [SessionRecord] })
  items!: SessionRecord[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export function toSessionRecord(session: Session): SessionRecord {
  const { id, name, status, origins, generation, logIn, check, failures, error, lastJobId } = session;
  return {
    id,
    name,
    status,
    origins,
    generation,
    login_url: logIn?.url ?? null,
    is_logging_in: session.logInJobId !== null && status !== 'revoked',
    check: check && { url: check.url, selector: check.selector },
    keep_alive_s: session.keepAliveS,
    expires_in_s: session.expiresInS,
    failures,
    error,
    capture_id: lastJobId,
    picture_url: lastJobId === null || status === 'revoked' ? null : `/v1/sessions/${id}/picture`,
    created_at: session.createdAt.toISOString(),
    logged_in_at: session.loggedInAt?.toISOString() ?? null,
    checked_at: session.checkedAt?.toISOString() ?? null,
    expires_at: session.expiresAt?.toISOString() ?? null,
  };
}

export function toSessionList({ items, nextCursor }: ListPage<Session>): SessionList {
  return { items: items.map(toSessionRecord), next_cursor: nextCursor };
}
