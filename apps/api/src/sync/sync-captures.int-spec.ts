import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptions } from '@app/capture';
import { AttemptsService, type Job } from '@app/jobs';
import { AppError } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { eventually } from '../../../../test/support/eventually.js';
import { SUCCESS } from '../../../../test/support/jobs.js';
import {
  SyncCapturesService,
  WAIT_LIMITS,
  type WaitLimits,
  type WaitOptions,
} from './sync-captures.service.js';

/** Long enough for the test to claim a capture on a busy machine. */
const PATIENT: WaitLimits = { startMs: 2_000, endSlackMs: 500 };
/** For captures that no worker takes. */
const IMPATIENT: WaitLimits = { startMs: 100, endSlackMs: 100 };

const KEY = { key: 'order-1', fingerprint: Buffer.alloc(32) };

/** The callers wait in this process; the test claims and ends their captures in the place of a worker. */
describe(SyncCapturesService.name, () => {
  let api: TestApi;
  let accountId: string;
  const limits = { ...PATIENT };

  beforeAll(async () => {
    api = await startApi({}, undefined, [[WAIT_LIMITS, limits]]);
  });

  afterAll(() => api.close());

  beforeEach(async () => {
    ({ accountId } = await api.client());
    Object.assign(limits, PATIENT);
  });

  const disconnect = (): AbortController => new AbortController();
  const outcome = (wait: Partial<WaitOptions> = {}, idempotency?: typeof KEY) =>
    api.app.get(SyncCapturesService, { strict: false }).run(
      {
        accountId,
        options: parseOptions({ url: 'https://example.com', timeout_ms: 1_000 }),
        ...(idempotency && { idempotency }),
      },
      { disconnect: disconnect().signal, ...wait },
    );
  const run = async (wait?: Partial<WaitOptions>, idempotency?: typeof KEY): Promise<Job> =>
    (await outcome(wait, idempotency)).job;
  const claim = () => api.claim({ accountId });
  const attempts = () => api.app.get(AttemptsService, { strict: false });

  /** The only capture of the account. */
  async function stored(): Promise<Pick<Job, 'id' | 'status' | 'cancelReason'> | undefined> {
    const { rows } = await api.database.query<Pick<Job, 'id' | 'status' | 'cancelReason'>>(
      `SELECT id, status, cancel_reason AS "cancelReason" FROM jobs WHERE account_id = $1`,
      [accountId],
    );
    return rows[0];
  }

  /** Puts the capture back into the queue, as the upkeep does after the death of its worker. */
  async function lose(id: string): Promise<void> {
    await api.database.query(`UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1`, [id]);
    expect(await attempts().endLost({ id, attempt: 1 }, new AppError('worker_lost'))).toBe('again');
  }

  /** Waits until a worker would have to have taken a capture whose wait began before this. */
  async function startIsOver(): Promise<void> {
    const end = performance.now() + PATIENT.startMs;
    await eventually('the time to start is over', () => performance.now() > end);
  }

  it('waits for a worker, and then for the timeout of the capture plus some slack', async () => {
    const running = run();
    const { succeed } = await claim();
    await startIsOver();
    await succeed();
    expect((await running).status).toBe('succeeded');
  });

  it('cancels the capture when no worker starts it', async () => {
    Object.assign(limits, IMPATIENT);
    await expect(run()).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(await stored()).toMatchObject({ status: 'canceled', cancelReason: 'overloaded' });
  });

  it('keeps waiting for a capture that is queued again after its worker died', async () => {
    const running = run();
    await lose((await claim()).id);
    await startIsOver();
    await (await claim()).succeed();
    expect((await running).status).toBe('succeeded');
  });

  it('cancels a capture that workers keep losing', async () => {
    const running = run();
    running.catch(() => undefined);
    await lose((await claim()).id);
    await expect(running).rejects.toMatchObject({ code: 'overloaded' });
    expect(await stored()).toMatchObject({ status: 'canceled' });
  });

  it('returns a capture that finished before it could be canceled', async () => {
    const running = run();
    const { id } = await claim();
    await using session = await api.database.session();
    await session.query('BEGIN');
    await session.query(`SELECT FROM jobs WHERE id = $1 FOR UPDATE`, [id]);
    const ending = attempts().succeed({ id, attempt: 1 }, SUCCESS);
    await eventually('the end waits for the row', async () => (await api.database.waitingForLocks()) === 1);
    await eventually(
      'the cancellation waits behind it',
      async () => (await api.database.waitingForLocks()) === 2,
    );
    await session.query('COMMIT');
    expect(await ending).toBe(true);
    expect((await running).status).toBe('succeeded');
  });

  it('returns the capture as it is after waitMs, and a worker still makes it', async () => {
    expect((await run({ waitMs: 100 })).status).toBe('queued');
    await (await claim()).succeed();
    expect(await stored()).toMatchObject({ status: 'succeeded' });
  });

  it.each([undefined, 60_000])(
    'cancels the capture when the caller disconnects, with waitMs %s',
    async (waitMs) => {
      const caller = disconnect();
      const running = run({ waitMs, disconnect: caller.signal });
      await claim();
      caller.abort();
      expect(await running).toMatchObject({ status: 'canceled', cancelReason: 'client_disconnected' });
    },
  );

  it('releases the Idempotency-Key of a capture that it cancels, so that the request can be repeated', async () => {
    Object.assign(limits, IMPATIENT);
    await expect(run({}, KEY)).rejects.toMatchObject({ code: 'overloaded' });
    Object.assign(limits, PATIENT);
    const caller = disconnect();
    const abandoned = run({ disconnect: caller.signal }, KEY);
    await claim();
    caller.abort();
    expect((await abandoned).status).toBe('canceled');
    const repeated = outcome({}, KEY);
    await (await claim()).succeed();
    expect(await repeated).toMatchObject({ job: { status: 'succeeded' }, replayed: false });
  });

  it('returns the capture of the request that is repeated', async () => {
    const first = run({}, KEY);
    const { id, succeed } = await claim();
    await expect(outcome({}, KEY)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    await succeed();
    await first;
    expect(await outcome({}, KEY)).toMatchObject({ job: { id, status: 'succeeded' }, replayed: true });
  });
});
