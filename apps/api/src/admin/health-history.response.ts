import { ApiProperty } from '@nestjs/swagger';
import type { HealthChange } from '@app/health';
import { nullable, TIME } from '../openapi/schemas.js';

const STATUSES = ['ok', 'down'] as const;

class HealthChangeRecord {
  @ApiProperty({
    ...TIME,
    description: 'When the probes of the API noticed it, which is up to 15 seconds later.',
  })
  at!: string;

  @ApiProperty({ enum: STATUSES, description: 'How it was from then on.' })
  status!: 'ok' | 'down';

  @ApiProperty(nullable('string', { description: 'What was wrong.' }))
  error!: string | null;
}

class DependencyHistory {
  @ApiProperty({
    type: 'string',
    description:
      '`database`, `queue`, `storage`, `workers` or `secrets`, as in `GET /v1/health`; `dns` as workers see it.',
    example: 'storage',
  })
  dependency!: string;

  @ApiProperty({ enum: STATUSES, description: 'How it was last seen.' })
  status!: 'ok' | 'down';

  @ApiProperty({
    type: [HealthChangeRecord],
    description:
      'Its last 200 changes, the latest last. The first one may be older than `since`: it says how it was then.',
  })
  changes!: HealthChangeRecord[];
}

export class HealthHistory {
  @ApiProperty({ ...TIME, description: 'The start of the period.' })
  since!: string;

  @ApiProperty({ ...TIME, description: 'The end of the period: now.' })
  until!: string;

  @ApiProperty({ type: [DependencyHistory] })
  items!: DependencyHistory[];
}

export function toHealthHistory(changes: readonly HealthChange[], since: Date, until: Date): HealthHistory {
  const groups = Map.groupBy(changes, ({ dependency }) => dependency);
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    items: [...groups].map(([dependency, all]) => {
      const own = all.filter(({ status }, index) => status !== all[index - 1]?.status);
      return {
        dependency,
        status: own.at(-1)?.status ?? 'ok',
        changes: own.map(({ at, status, error }) => ({ at: at.toISOString(), status, error })),
      };
    }),
  };
}
