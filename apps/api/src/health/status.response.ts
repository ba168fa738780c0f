import { ApiProperty } from '@nestjs/swagger';
import { WORKER_STATES, type WorkerState } from '@app/jobs';
import { Health } from './health.response.js';
import { nullable } from '../openapi/schemas.js';
import { ServiceVersion } from '../version/version.response.js';

export class WorkerStatus {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Identifies the process; a restarted worker is another one.',
  })
  id!: string;

  @ApiProperty({ type: 'string', description: 'Its browser.', example: 'Chrome/156.0.7000.10' })
  browser!: string;

  @ApiProperty({
    enum: WORKER_STATES,
    description:
      '`draining`: it takes no captures, and ends those that it has. `drained`: it has ended them.',
  })
  state!: WorkerState;

  @ApiProperty({ type: 'integer', description: 'Captures that it can run at once.' })
  slots!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that it runs now.' })
  busy!: number;

  @ApiProperty({ type: 'integer', description: 'Slots with a running browser.' })
  healthy!: number;

  @ApiProperty(nullable('string', { format: 'date-time', description: 'Null when it is not known.' }))
  started_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'When it last reported.' })
  seen_at!: string;
}

export class QueueStatus {
  @ApiProperty({
    type: 'integer',
    description: 'Captures that wait, counted up to 10,000 in the background.',
  })
  waiting!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that run.' })
  active!: number;

  @ApiProperty(
    nullable('number', {
      description: 'Age of the capture that waits the longest, in seconds; null when none waits.',
    }),
  )
  oldest_waiting_s!: number | null;
}

export class ServiceStatus {
  @ApiProperty({ type: Health })
  health!: Health;

  @ApiProperty({ type: ServiceVersion })
  version!: ServiceVersion;

  @ApiProperty({
    type: [WorkerStatus],
    description:
      'Workers that are alive; empty while the database is unavailable, and for keys without the scope `admin`.',
  })
  workers!: WorkerStatus[];

  @ApiProperty({
    type: QueueStatus,
    nullable: true,
    description:
      'The captures of the account, or of all accounts for the scope `admin`; null while the database is unavailable.',
  })
  queue!: QueueStatus | null;
}
