import { ApiProperty } from '@nestjs/swagger';
import { nullable } from '../openapi/schemas.js';

export class HealthCheck {
  @ApiProperty({ enum: ['ok', 'down'] })
  status!: 'ok' | 'down';

  @ApiProperty({ type: 'integer', description: 'Duration of the check.' })
  latency_ms!: number;

  @ApiProperty({
    ...nullable('string'),
    description: 'What is wrong. A database that responds slowly is `ok` and has an `error`.',
  })
  error!: string | null;
}

export class WorkersHealthCheck extends HealthCheck {
  @ApiProperty({ type: 'integer', description: 'Workers that are alive.' })
  count!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that they can run at once.' })
  slots!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that they run now.' })
  busy!: number;
}

class HealthChecks {
  @ApiProperty({ type: HealthCheck })
  database!: HealthCheck;

  @ApiProperty({ type: HealthCheck })
  queue!: HealthCheck;

  @ApiProperty({ type: HealthCheck })
  storage!: HealthCheck;

  @ApiProperty({ type: WorkersHealthCheck })
  workers!: WorkersHealthCheck;

  @ApiProperty({ type: HealthCheck, description: 'Whether SECRETS_KEY opens the secrets in the database.' })
  secrets!: HealthCheck;
}

export class Health {
  @ApiProperty({
    enum: ['ok', 'degraded', 'down'],
    description:
      '`degraded`: requests are answered, but captures may fail or wait. `down`: the database is unavailable, or its schema is older than the API.',
  })
  status!: 'ok' | 'degraded' | 'down';

  @ApiProperty({ type: HealthChecks })
  checks!: HealthChecks;
}
