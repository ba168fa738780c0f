import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BATCH_STATUSES, type BatchRecord as Contract } from '@app/bulk';
import { JOB_STATUSES } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { ID, nullable, NULLABLE_TIME, nullableRef, TIME } from '../openapi/schemas.js';

/** A batch, as the OpenAPI document describes it. */
export class BatchRecord implements Contract {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: BATCH_STATUSES })
  status!: Contract['status'];

  @ApiProperty(nullable('string', { format: 'uuid', description: 'The batch whose failed rows these are.' }))
  retry_of!: string | null;

  @ApiProperty({ type: 'integer', description: 'Rows in all, rejected ones included.', example: 1_000 })
  total!: number;

  @ApiProperty({
    type: 'object',
    required: [...JOB_STATUSES],
    selfRequired: true,
    properties: Object.fromEntries(JOB_STATUSES.map((status) => [status, { type: 'integer' }])),
    description: 'Rows by status; together `total`, at every moment.',
  })
  counts!: Contract['counts'];

  @ApiProperty({ type: 'integer', description: 'Rows that were not valid; they are among the failed ones.' })
  rejected!: number;

  @ApiProperty({
    type: 'number',
    description: 'The part of the rows that has ended, 0 to 1.',
    example: 0.096,
  })
  progress!: number;

  @ApiProperty(
    nullable('integer', {
      description: 'Seconds to the end at the pace of the latest rows; null while there is no pace yet.',
    }),
  )
  eta_s!: number | null;

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(NULLABLE_TIME)
  started_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  finished_at!: string | null;

  @ApiProperty({ type: 'string', description: 'Where the records of its rows are.' })
  results_url!: string;

  @ApiProperty({ type: 'string', description: 'Where its rows are as one CSV.' })
  download_url!: string;

  @ApiProperty(nullableRef('WebhookDelivery'))
  webhook!: Contract['webhook'];
}

/** The record in the webhook of its end, which cannot contain the state of its own delivery. */
export class EndedBatchRecord extends OmitType(BatchRecord, ['webhook'] as const) {}

/** A batch as it was accepted, with the faults of its invalid rows. */
export type AcceptedBatch = BatchRecord & { readonly errors: readonly Fault[] };
