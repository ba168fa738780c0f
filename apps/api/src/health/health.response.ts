import { ApiProperty } from '@nestjs/swagger';
import { nullable } from '../docs/schemas.js';

export class Check {
  @ApiProperty({ enum: ['ok', 'down'] })
  status!: 'ok' | 'down';

  @ApiProperty({ type: 'integer', description: 'Time the check took.' })
  latency_ms!: number;

  @ApiProperty(nullable('string'))
  error!: string | null;
}

export class WorkersCheck extends Check {
  @ApiProperty({ type: 'integer', description: 'Workers that are alive.' })
  count!: number;

  @ApiProperty({ type: 'integer', description: 'Captures they run at once.' })
  slots!: number;

  @ApiProperty({ type: 'integer', description: 'Captures they run now.' })
  busy!: number;
}

class Checks {
  @ApiProperty({ type: Check })
  database!: Check;

  @ApiProperty({ type: Check })
  queue!: Check;

  @ApiProperty({ type: Check })
  storage!: Check;

  @ApiProperty({ type: WorkersCheck })
  workers!: WorkersCheck;
}

export class Health {
  @ApiProperty({
    enum: ['ok', 'degraded', 'down'],
    description:
      '`degraded`: requests are answered, captures may fail or wait. `down`: the database is away.',
  })
  status!: 'ok' | 'degraded' | 'down';

  @ApiProperty({ type: Checks })
  checks!: Checks;
}
