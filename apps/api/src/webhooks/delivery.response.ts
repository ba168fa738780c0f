import { ApiProperty } from '@nestjs/swagger';
import {
  CHANNELS,
  DELIVERY_STATES,
  EVENT_TYPES,
  SUBJECT_KINDS,
  subjectKindOf,
  type Channel,
  type DeliveryState,
  type ListedDelivery,
  type SubjectKind,
  type WebhookDelivery,
  type WebhookSecret as Secret,
  type WebhookSummary,
} from '@app/webhooks';
import { ID, nullable, NULLABLE_TIME, ref, TIME } from '../openapi/schemas.js';

const STATE_DOC =
  '`pending`: it is being delivered. `failed`: all attempts have failed. `stopped`: the endpoint responded with 410.';

/** A delivery in a list: all of its record but the log and the body. */
export class DeliveryItem {
  @ApiProperty({ ...ID, description: '`webhook-id` of the event.' })
  id!: string;

  @ApiProperty({ enum: EVENT_TYPES, example: 'capture.succeeded' })
  type!: string;

  @ApiProperty({ enum: CHANNELS, description: 'How it is delivered.', example: 'webhook' })
  channel!: Channel;

  @ApiProperty({
    type: 'string',
    description:
      'The address of a webhook. Of another channel, only the host and a digest of the address, which is a secret.',
    example: 'https://example.com/webhooks/capture',
  })
  url!: string;

  @ApiProperty({ enum: SUBJECT_KINDS, description: 'What the event is about.' })
  subject_kind!: SubjectKind;

  @ApiProperty({ ...ID, description: 'Id of the job, the batch or the account that the event is about.' })
  subject_id!: string;

  @ApiProperty({ enum: DELIVERY_STATES, description: STATE_DOC, example: 'delivered' })
  state!: DeliveryState;

  @ApiProperty({ type: 'integer', description: 'Attempts since the event or the last replay.', example: 1 })
  attempts!: number;

  @ApiProperty(
    nullable('integer', {
      description: 'Last status of the endpoint; null when it did not respond, and before the first attempt.',
      example: 204,
    }),
  )
  last_status!: number | null;

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(
    nullable('string', { format: 'date-time', description: 'Null unless the delivery is pending.' }),
  )
  next_attempt_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  finished_at!: string | null;
}

export class DeliveryList {
  @ApiProperty({ type: [DeliveryItem] })
  items!: DeliveryItem[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export class DeliveryRecord extends DeliveryItem {
  @ApiProperty({
    type: 'array',
    items: ref('DeliveryAttempt'),
    description: 'The latest 30 attempts, oldest first.',
  })
  log!: WebhookSummary['log'];

  @ApiProperty({
    type: 'string',
    description: 'The body of the request as it is sent and signed; of a mail, its subject and its texts.',
    example: '{"type":"capture.succeeded","timestamp":"2026-11-21T10:15:30.123Z","data":{}}',
  })
  body!: string;
}

export class WebhookSecret {
  @ApiProperty({ type: 'string', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' })
  secret!: string;

  @ApiProperty({ ...TIME, description: 'When the secret was created.' })
  created_at!: string;

  @ApiProperty(
    nullable('string', {
      format: 'date-time',
      description: 'Time until which the previous secret also signs; null when it does not.',
      example: TIME.example,
    }),
  )
  previous_until!: string | null;
}

export function toDeliveryItem(delivery: ListedDelivery): DeliveryItem {
  const { id, type, channel, url, state, attempts, nextAttemptAt, finishedAt } = delivery;
  return {
    id,
    type,
    channel,
    url,
    subject_kind: subjectKindOf(type),
    subject_id: delivery.subjectId,
    state,
    attempts,
    last_status: delivery.lastStatus,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: state === 'pending' ? nextAttemptAt.toISOString() : null,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

export function toDeliveryRecord(delivery: WebhookDelivery): DeliveryRecord {
  const { log, body } = delivery;
  return { ...toDeliveryItem({ ...delivery, lastStatus: log.at(-1)?.status ?? null }), log, body };
}

export function toWebhookSecret({ secret, createdAt, previousUntil }: Secret): WebhookSecret {
  return {
    secret,
    created_at: createdAt.toISOString(),
    previous_until: previousUntil?.toISOString() ?? null,
  };
}
