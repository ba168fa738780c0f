import { ApiProperty } from '@nestjs/swagger';
import type { JobRecord as Contract } from '@app/jobs';
import { PHASES } from '@app/kernel';
import { CaptureRecord } from '../captures/capture.response.js';
import { nullable, refOrNull } from '../openapi/schemas.js';

/** A job, as the OpenAPI document describes it. */
export class JobRecord extends CaptureRecord implements Contract {
  @ApiProperty(
    nullable('integer', {
      description:
        "Position among the account's queued jobs, from 1; 1,000 means 1,000 or more. Null when the job is not queued.",
    }),
  )
  queue_position!: number | null;

  @ApiProperty(
    nullable('string', {
      enum: [...PHASES.filter((phase) => phase !== 'queue'), null],
      description:
        'What a running capture does now. It is for display: it may be null for a moment, or late. Null when the capture does not run.',
    }),
  )
  phase!: Contract['phase'];

  @ApiProperty(refOrNull('WebhookDelivery'))
  webhook!: Contract['webhook'];
}
