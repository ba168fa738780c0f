import { ApiProperty } from '@nestjs/swagger';
import type { JobRecord as Contract } from '@app/jobs';
import { CaptureRecord } from '../captures/capture.response.js';
import { nullable, nullableRef } from '../openapi/schemas.js';

/** A job's record, as the OpenAPI document describes it. */
export class JobRecord extends CaptureRecord implements Contract {
  @ApiProperty(
    nullable('integer', {
      description:
        "Place among the account's waiting jobs, from 1; 1,000 stands for that and all places behind. Null when it is not queued.",
    }),
  )
  queue_position!: number | null;

  @ApiProperty(nullableRef('WebhookDelivery'))
  webhook!: Contract['webhook'];
}
