import { ApiProperty } from '@nestjs/swagger';
import type { Job } from '@app/jobs';
import { CaptureRecord, toCaptureRecord } from '../captures/capture.response.js';
import { nullable } from '../docs/schemas.js';

/** A job: the record of its capture and where it stands. */
export class JobRecord extends CaptureRecord {
  @ApiProperty(nullable('integer', { description: 'Place in the queue, from 1; null when not queued.' }))
  queue_position!: number | null;

  @ApiProperty(nullable('object', { description: 'State of the webhook; null when none was asked for.' }))
  webhook!: null;
}

export function toJobRecord(job: Job, queuePosition: number | null): JobRecord {
  return { ...toCaptureRecord(job), queue_position: queuePosition, webhook: null };
}
