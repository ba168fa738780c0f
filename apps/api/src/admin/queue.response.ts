import { ApiProperty } from '@nestjs/swagger';
import { UNFINISHED, type BatchStatus } from '@app/bulk';
import { LANES, type Lane } from '@app/jobs';
import { ID, nullable, TIME } from '../openapi/schemas.js';
import { ACCOUNT_STATES, type AccountState } from './account.response.js';

class Load {
  @ApiProperty({ type: 'integer', description: 'Captures that wait.' })
  waiting!: number;

  @ApiProperty({ type: 'integer', description: 'Captures that run.' })
  running!: number;

  @ApiProperty(
    nullable('number', { description: 'Age of the oldest one that waits, in seconds; null when none does.' }),
  )
  oldest_waiting_s!: number | null;
}

export class LaneLoad extends Load {
  @ApiProperty({ enum: LANES, description: '`interactive`: synchronous captures. `background`: the others.' })
  lane!: Lane;
}

export class AccountLoad extends Load {
  @ApiProperty(ID)
  account_id!: string;

  @ApiProperty({ type: 'string', description: 'The name of the account.', example: 'acme' })
  account!: string;

  @ApiProperty({ enum: ACCOUNT_STATES })
  state!: AccountState;
}

export class HostLoad extends Load {
  @ApiProperty(nullable('string', { description: 'Null for captures of HTML.', example: 'example.com' }))
  host!: string | null;
}

export class UnfinishedBatchRecord {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty(ID)
  account_id!: string;

  @ApiProperty({ type: 'string', description: 'The name of the account.', example: 'acme' })
  account!: string;

  @ApiProperty({ enum: UNFINISHED })
  status!: BatchStatus;

  @ApiProperty({ type: 'integer', description: 'All rows.' })
  total!: number;

  @ApiProperty({ type: 'integer', description: 'Rows that wait.' })
  queued!: number;

  @ApiProperty({ type: 'integer', description: 'Rows that run.' })
  running!: number;

  @ApiProperty(TIME)
  created_at!: string;
}

/** The lists of the queue that can be cut off. */
export const QUEUE_LISTS = ['accounts', 'hosts', 'batches'] as const;
export type QueueList = (typeof QUEUE_LISTS)[number];

export class QueueOverview {
  @ApiProperty({ type: [LaneLoad], description: 'The lanes, of all accounts, counted up to 10,000.' })
  lanes!: LaneLoad[];

  @ApiProperty({
    type: [AccountLoad],
    description:
      'The accounts, those with the most captures first. `waiting` is counted up to 10,000 for each.',
  })
  accounts!: AccountLoad[];

  @ApiProperty({
    type: [HostLoad],
    description:
      'The hosts, those with the most captures first. `waiting` counts the first 50 of each batch, and of the single captures of each account.',
  })
  hosts!: HostLoad[];

  @ApiProperty({
    type: [UnfinishedBatchRecord],
    description: 'The batches that have not ended, the oldest first.',
  })
  batches!: UnfinishedBatchRecord[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...QUEUE_LISTS] },
    description: 'The lists that have more entries than the 100 that are shown.',
  })
  truncated!: QueueList[];
}
