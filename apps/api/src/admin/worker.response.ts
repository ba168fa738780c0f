import { ApiProperty } from '@nestjs/swagger';
import {
  backgroundSlots,
  LANES,
  parseWorkerName,
  WORKER_STATES,
  type Lane,
  type LiveWorker,
  type RunningJob,
  type WorkerOutage,
  type WorkerState,
} from '@app/jobs';
import { ID, nullable, NULLABLE_TIME, TIME } from '../openapi/schemas.js';

export class WorkerLane {
  @ApiProperty({ enum: LANES, description: '`interactive`: synchronous captures. `background`: the others.' })
  lane!: Lane;

  @ApiProperty({ type: 'integer', description: 'Captures of the lane that run.' })
  running!: number;

  @ApiProperty({ type: 'integer', description: 'Slots that the lane may use; some are for both.' })
  slots!: number;
}

export class WorkerCapture {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty(ID)
  account_id!: string;

  @ApiProperty({ type: 'string', description: 'The name of the account.', example: 'acme' })
  account!: string;

  @ApiProperty(
    nullable('string', { description: 'The host of the page; null for HTML.', example: 'example.com' }),
  )
  host!: string | null;

  @ApiProperty({ enum: LANES })
  lane!: Lane;

  @ApiProperty(TIME)
  started_at!: string;
}

export class WorkerRecord {
  @ApiProperty({ ...ID, description: 'Identifies the process; a restarted worker is another one.' })
  id!: string;

  @ApiProperty({ type: 'string', description: 'The machine or the container.', example: 'worker-7d9f' })
  host!: string;

  @ApiProperty(
    nullable('string', { description: 'Version of the service; null for an earlier one.', example: '0.2.0' }),
  )
  version!: string | null;

  @ApiProperty({ type: 'string', description: 'Its browser.', example: 'Chrome/156.0.7000.10' })
  browser!: string;

  @ApiProperty({
    enum: WORKER_STATES,
    description:
      '`draining`: it takes no captures, and ends those that it has. `drained`: it has ended them, and can be stopped. A worker follows a request within 5 seconds.',
  })
  state!: WorkerState;

  @ApiProperty({ type: 'boolean', description: 'Whether an operator wants it to drain.' })
  drain!: boolean;

  @ApiProperty(NULLABLE_TIME)
  started_at!: string | null;

  @ApiProperty({ ...TIME, description: 'When it last reported.' })
  seen_at!: string;

  @ApiProperty({ type: 'integer', description: 'Captures that it can run at once.' })
  slots!: number;

  @ApiProperty({ type: 'integer', description: 'Slots that are in use.' })
  busy!: number;

  @ApiProperty({ type: 'integer', description: 'Slots with a running browser.' })
  healthy!: number;

  @ApiProperty({ type: [WorkerLane] })
  lanes!: WorkerLane[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: ['dns', 'store'] },
    description: 'What it cannot use; until it can, it takes synchronous captures only.',
  })
  outages!: WorkerOutage[];

  @ApiProperty({ type: [WorkerCapture], description: 'What it captures, the longest first.' })
  captures!: WorkerCapture[];
}

export class WorkerList {
  @ApiProperty({ type: [WorkerRecord], description: 'All workers that are alive.' })
  items!: WorkerRecord[];
}

/** @param accounts the names of accounts by id */
export function toWorkerRecord(
  worker: LiveWorker,
  jobs: readonly RunningJob[],
  accounts: ReadonlyMap<string, string>,
): WorkerRecord {
  const { version, browser, drain, slots, busy, healthy, outages } = worker;
  const { id, host, startedAt } = parseWorkerName(worker.id);
  return {
    id,
    host,
    version,
    browser,
    state: stateOf(worker),
    drain,
    started_at: startedAt?.toISOString() ?? null,
    seen_at: worker.seenAt.toISOString(),
    slots,
    busy,
    healthy,
    lanes: LANES.map((lane) => ({
      lane,
      running: jobs.filter((job) => job.lane === lane).length,
      slots: lane === 'interactive' ? slots : backgroundSlots(slots),
    })),
    outages: [...outages],
    captures: jobs.map(({ accountId, startedAt: since, ...job }) => ({
      id: job.id,
      account_id: accountId,
      account: accounts.get(accountId) ?? accountId,
      host: job.host,
      lane: job.lane,
      started_at: since.toISOString(),
    })),
  };
}

/** A worker that has not read yet that it shall drain is draining: it gets no captures any more. */
export function stateOf({ drain, state }: Pick<LiveWorker, 'drain' | 'state'>): WorkerState {
  return drain && state === 'active' ? 'draining' : state;
}
