import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BATCH_STATUSES, type BatchRecord as Contract } from '@app/bulk';
import { JOB_STATUSES } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { ID, nullable, NULLABLE_TIME, refOrNull, TIME } from '../openapi/schemas.js';

/** A batch, as the OpenAPI document describes it. */
export class BatchRecord implements Contract {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: BATCH_STATUSES })
  status!: Contract['status'];

  @ApiProperty(
    nullable('string', { format: 'uuid', description: 'The batch whose failed rows this one retries.' }),
  )
  retry_of!: string | null;

  @ApiProperty({ type: 'integer', description: 'Number of rows, including rejected ones.', example: 1_000 })
  total!: number;

  @ApiProperty({
    type: 'object',
    required: [...JOB_STATUSES],
    selfRequired: true,
    properties: Object.fromEntries(JOB_STATUSES.map((status) => [status, { type: 'integer' }])),
    description: 'Rows by status; the sum is always `total`.',
  })
  counts!: Contract['counts'];

  @ApiProperty({ type: 'integer', description: 'Invalid rows; they are included in the failed ones.' })
  rejected!: number;

  @ApiProperty({
    type: 'number',
    description: 'Share of the rows that have ended, 0 to 1.',
    example: 0.096,
  })
  progress!: number;

  @ApiProperty(
    nullable('integer', {
      description:
        'Estimated seconds to the end, at the pace of the latest rows; null while there is no estimate.',
    }),
  )
  eta_s!: number | null;

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(NULLABLE_TIME)
  started_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  finished_at!: string | null;

  @ApiProperty({ type: 'string', description: 'Path of the records of its rows.' })
  results_url!: string;

  @ApiProperty({ type: 'string', description: 'Path of its results as CSV.' })
  download_url!: string;

  @ApiProperty(refOrNull('WebhookDelivery'))
  webhook!: Contract['webhook'];
}

export class BatchList {
  @ApiProperty({ type: [BatchRecord] })
  items!: BatchRecord[];

  @ApiProperty(nullable('string', { description: '`cursor` of the next page; null on the last.' }))
  next_cursor!: string | null;
}

/** The record in the webhook of its end, which cannot contain the state of its own delivery. */
export class EndedBatchRecord extends OmitType(BatchRecord, ['webhook'] as const) {}

/** A batch as it was accepted, with the faults of its invalid rows. */
export type AcceptedBatch = BatchRecord & { readonly errors: readonly Fault[] };
