import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import {
  DeliveryRepository,
  OutboxService,
  WebhookSecretsService,
  WebhooksService,
  WebhooksModule,
  WebhookSendingModule,
  type WebhookSummary,
} from '@app/webhooks';
import { Canaries } from '../../../../test/egress/canaries.js';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { startModules } from '../../../../test/support/modules.js';
import { WebhookReceiver } from '../../../../test/support/webhook-receiver.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { WebhookSenderModule } from './webhook-sender.module.js';

describe(WebhookSenderService.name, () => {
  let client: TestDatabase;
  let receiver: WebhookReceiver;
  /** Announces events, but sends none. */
  let app: INestApplicationContext;
  let senders: INestApplicationContext[];

  beforeAll(async () => {
    client = await createDatabase();
    app = await start([WebhooksModule, WebhookSendingModule]);
  });

  afterAll(async () => {
    await app.close();
    await client.drop();
  });

  beforeEach(async () => {
    senders = [];
    receiver = new WebhookReceiver();
    await receiver.open();
  });

  afterEach(async () => {
    await Promise.all(senders.map((sender) => sender.close()));
    await receiver.close();
    await client.query('TRUNCATE webhook_deliveries, webhook_stops, webhook_secrets');
  });

  const start = async (imports: Type[], allow = ''): Promise<INestApplicationContext> => {
    const settings = { EGRESS_ALLOW: allow, SHUTDOWN_GRACE_MS: '0' };
    const started = await startModules({ database: client, imports, settings });
    started.app.useLogger(false);
    return started.app;
  };

  const startSender = async (): Promise<INestApplicationContext> => {
    const sender = await start([WebhookSenderModule], `127.0.0.1:${receiver.port}`);
    senders.push(sender);
    return sender;
  };

  interface Announced {
    readonly subjectId: string;
    readonly url: string;
  }

  const announce = async (accountId: string, url: string, data: object = { id: 1 }): Promise<Announced> => {
    const subjectId = newId();
    await app
      .get(DatabaseService)
      .transaction((transaction) =>
        app
          .get(WebhooksService)
          .announce(transaction, { accountId, subjectId, url, type: 'capture.succeeded', data }),
      );
    return { subjectId, url };
  };

  const summaryOf = ({ subjectId, url }: Announced): Promise<WebhookSummary> =>
    app.get(WebhooksService).summaryOf(subjectId, url);

  const becomes = async (
    announced: Announced,
    expected: Partial<WebhookSummary>,
  ): Promise<WebhookSummary> => {
    const wanted = Object.entries(expected);
    await eventually(`the delivery becomes ${JSON.stringify(expected)}`, async () => {
      const found = new Map(Object.entries(await summaryOf(announced)));
      return wanted.every(([name, value]) => found.get(name) === value);
    });
    return summaryOf(announced);
  };

  /** Makes all pending deliveries due. */
  const makeDue = async (): Promise<void> => {
    await client.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
    await client.query(`NOTIFY webhook_waiting`);
  };

  const verify = async (accountId: string, { body, headers }: WebhookReceiver['received'][number]) =>
    new Webhook(await app.get(WebhookSecretsService).current(accountId)).verify(
      body,
      headers as Record<string, string>,
    );

  it('delivers an event after its transaction has committed, signed with the secret of its account', async () => {
    await startSender();
    const accountId = await client.addAccount();
    const announced = await announce(accountId, receiver.url('/hook?token=a'), {
      id: 'x',
      title: 'ü\u2028"',
    });
    const summary = await becomes(announced, { state: 'delivered' });
    expect(summary).toMatchObject({ attempts: 1, last_status: 204, next_attempt_at: null });
    expect(summary.log).toEqual([
      { at: expect.any(String), status: 204, error: null, duration_ms: expect.any(Number) },
    ]);
    const [received, ...more] = receiver.received;
    if (!received) throw new Error('nothing came');
    expect(more).toEqual([]);
    expect(received.id).toBe(summary.id);
    expect(received.headers['content-type']).toBe('application/json');
    expect(await verify(accountId, received)).toEqual({
      type: 'capture.succeeded',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { id: 'x', title: 'ü\u2028"' },
    });
  });

  it('sends nothing from a transaction that was rolled back', async () => {
    await startSender();
    const accountId = await client.addAccount();
    const url = receiver.url('/rolled-back');
    const undone = app.get(DatabaseService).transaction(async (transaction) => {
      const data = {};
      await app
        .get(WebhooksService)
        .announce(transaction, { accountId, subjectId: newId(), url, type: 'capture.failed', data });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await becomes(await announce(accountId, receiver.url('/after')), { state: 'delivered' });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/after']);
  });

  it('retries while the receiver is down, with the same id and body and a new signature', async () => {
    const { port } = receiver;
    await startSender();
    const accountId = await client.addAccount();
    receiver.answer('/hook', 500);
    const announced = await announce(accountId, receiver.url('/hook'));
    await becomes(announced, { attempts: 1, last_status: 500, state: 'pending' });
    await receiver.close();
    await makeDue();
    const down = await becomes(announced, { attempts: 2, last_status: null, state: 'pending' });
    expect(down.log.at(-1)).toMatchObject({ status: null, error: 'The connection failed.' });
    await receiver.open(port);
    receiver.answer('/hook', 200);
    // Signatures have timestamps in whole seconds.
    await eventually('a second has passed', () => Date.now() - Date.parse(down.log[0]?.at ?? '') > 1_000);
    await makeDue();
    await becomes(announced, { attempts: 3, last_status: 200, state: 'delivered' });
    const [first, last] = receiver.received;
    if (!first || !last) throw new Error('too little came');
    expect([last.id, last.body]).toEqual([first.id, first.body]);
    for (const name of ['webhook-timestamp', 'webhook-signature']) {
      expect(last.headers[name]).not.toBe(first.headers[name]);
    }
    await verify(accountId, last);
  });

  it('gives up after ten attempts, which are all in the log', async () => {
    await startSender();
    receiver.answer('/hook', 503);
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await becomes(announced, { attempts, state: 'pending' });
      await makeDue();
    }
    const summary = await becomes(announced, { attempts: 10, state: 'failed' });
    expect(summary.log.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503));
    expect(new Set(receiver.received.map(({ id, body }) => id + body)).size).toBe(1);
  });

  it('waits 5 s and then 5 min, as scheduled', async () => {
    await startSender();
    receiver.answer('/hook', 500);
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    for (const [attempts, seconds] of [
      [1, 5],
      [2, 300],
    ] as const) {
      const { log, next_attempt_at: next } = await becomes(announced, { attempts });
      const waits = (Date.parse(next ?? '') - Date.parse(log.at(-1)?.at ?? '')) / 1_000;
      expect(waits).toBeGreaterThan(seconds * 0.89);
      expect(waits).toBeLessThan(seconds * 1.11 + 15);
      await makeDue();
    }
  });

  it('waits as long as Retry-After asks', async () => {
    await startSender();
    receiver.answer('/hook', 429, { 'retry-after': '3600' });
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    const { next_attempt_at: next } = await becomes(announced, { attempts: 1, state: 'pending' });
    expect(Date.parse(next ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('counts a redirect as a failure, and does not follow it', async () => {
    await startSender();
    receiver.answer('/hook', 308, { location: receiver.url('/elsewhere') });
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    const { log } = await becomes(announced, { attempts: 1, last_status: 308, state: 'pending' });
    expect(log[0]?.error).toBe('A redirect is not followed.');
    expect(receiver.receivedAt('/elsewhere')).toEqual([]);
  });

  it('sends nothing more to an endpoint that is gone, and continues with the others of its account', async () => {
    const [accountId, other] = [await client.addAccount(), await client.addAccount()];
    const waiting = await announce(accountId, receiver.url('/gone'));
    await client.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`);
    await startSender();
    receiver.answer('/gone', 410);
    const gone = await announce(accountId, receiver.url('/gone'));
    expect(await becomes(gone, { state: 'stopped' })).toMatchObject({ attempts: 1, last_status: 410 });
    expect(await summaryOf(waiting)).toMatchObject({ state: 'stopped', attempts: 0 });
    const later = await announce(accountId, receiver.url('/gone'));
    expect(await summaryOf(later)).toMatchObject({ state: 'stopped', attempts: 0 });
    await becomes(await announce(accountId, receiver.url('/alive')), { state: 'delivered' });
    await becomes(await announce(other, receiver.url('/gone')), { state: 'stopped', attempts: 1 });
    expect(receiver.receivedAt('/gone')).toHaveLength(2);
  });

  it('reaches no private address, and reveals none', async () => {
    const canaries = new Canaries();
    await canaries.open();
    await startSender();
    const [place = ''] = canaries.places;
    const announced = await announce(await client.addAccount(), `http://${place}/admin`);
    const { log } = await becomes(announced, { attempts: 1, state: 'pending' });
    expect(log[0]).toMatchObject({ status: null, error: 'The URL is not a public web address.' });
    expect(canaries.songs).toEqual([]);
    canaries.close();
  });

  it('delivers to others at once while an endpoint with a thousand deliveries hangs', async () => {
    receiver.answerOn('/hangs', () => undefined);
    const [slow, quick] = [await client.addAccount(), await client.addAccount()];
    await client.query(
      `INSERT INTO webhook_deliveries (id, account_id, subject_id, type, url, host, body)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'capture.failed', $2, $3, '{}' FROM generate_series(1, 1000)`,
      [slow, receiver.url('/hangs'), new URL(receiver.url('/')).host],
    );
    await startSender();
    await eventually('the slow endpoint is busy', () => receiver.receivedAt('/hangs').length > 0);
    await Promise.all(
      Array.from({ length: 50 }, async () =>
        becomes(await announce(quick, receiver.url('/quick')), { state: 'delivered', attempts: 1 }),
      ),
    );
    // None of the hanging attempts has ended, so nothing above waited for one.
    const waiting = await app.get(DeliveryRepository).list({ accountId: slow, limit: 2_000 });
    expect(waiting.filter(({ attempts }) => attempts === 0)).toHaveLength(1_000);
    expect(receiver.receivedAt('/hangs').length).toBeLessThanOrEqual(8);
  });

  it('makes 64 attempts at once, and begins another one when one of them ends', async () => {
    const hanging: ServerResponse[] = [];
    receiver.answerOn('/hangs', (response) => void hanging.push(response));
    // Eight to one host are the limit of an account, so that these of ten accounts are more than a sender makes.
    const accountIds = await Promise.all(Array.from({ length: 10 }, () => client.addAccount()));
    await client.query(
      `INSERT INTO webhook_deliveries (id, account_id, subject_id, type, url, host, body)
       SELECT gen_random_uuid(), account_id, gen_random_uuid(), 'capture.failed', $2, $3, '{}'
         FROM unnest($1::uuid[]) AS account_id, generate_series(1, 8)`,
      [accountIds, receiver.url('/hangs'), new URL(receiver.url('/')).host],
    );
    const inProgress = async (): Promise<number | null> =>
      (await client.query(`SELECT FROM webhook_deliveries WHERE lease_until > now()`)).rowCount;
    await startSender();
    await eventually('a sender is busy', () => hanging.length >= 64);
    expect(await inProgress()).toBe(64);
    hanging[0]?.writeHead(204).end();
    await eventually('it begins another attempt', () => hanging.length >= 65);
    expect(await inProgress()).toBe(64);
  });

  it('delivers each event once with two senders', async () => {
    const accountId = await client.addAccount();
    await Promise.all([startSender(), startSender()]);
    await Promise.all(Array.from({ length: 200 }, () => announce(accountId, receiver.url('/hook'))));
    // One query at a time: a poll for each of the deliveries would take the time that the senders need.
    await eventually('all deliveries have ended', async () => {
      const { rowCount } = await client.query(
        `SELECT FROM webhook_deliveries WHERE state = 'pending' LIMIT 1`,
      );
      return rowCount === 0;
    });
    const { rows } = await client.query(
      `SELECT state, attempts, count(*)::int AS deliveries FROM webhook_deliveries GROUP BY 1, 2`,
    );
    expect(rows).toEqual([{ state: 'delivered', attempts: 1, deliveries: 200 }]);
    expect(receiver.received).toHaveLength(200);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(200);
  });

  it('sends the deliveries of a dead sender again with the same id, and ignores its late results', async () => {
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    const outbox = app.get(OutboxService);
    const [held] = await outbox.claim(1);
    if (!held) throw new Error('nothing was due');
    expect(await outbox.claim(10)).toEqual([]);
    await client.query(`UPDATE webhook_deliveries SET lease_until = now() - interval '1 ms'`);
    await startSender();
    const { id } = await becomes(announced, { state: 'delivered', attempts: 1 });
    expect(receiver.received.map((received) => received.id)).toEqual([id]);
    const late = { at: new Date(), durationMs: 1, outcome: { kind: 'timeout' } } as const;
    expect(await outbox.finalize(held, late)).toBeNull();
    const gone = { kind: 'answered', status: 410, headers: {} } as const;
    expect(await outbox.finalize(held, { ...late, outcome: gone })).toBeNull();
    await outbox.release(held);
    expect(await summaryOf(announced)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      log: [{ status: 204 }],
    });
    expect((await client.query(`SELECT FROM webhook_stops`)).rowCount).toBe(0);
  });

  it('returns hanging deliveries at shutdown without counting an attempt', async () => {
    receiver.answerOn('/hook', () => undefined);
    const announced = await announce(await client.addAccount(), receiver.url('/hook'));
    const first = await startSender();
    await eventually('the attempt is in progress', () => receiver.received.length === 1);
    await first.close();
    senders.pop();
    expect(await summaryOf(announced)).toMatchObject({ state: 'pending', attempts: 0, log: [] });
    receiver.answer('/hook', 200);
    await startSender();
    await becomes(announced, { state: 'delivered', attempts: 1 });
    expect(new Set(receiver.received.map(({ id, body }) => id + body)).size).toBe(1);
  });

  describe('a replay', () => {
    it('sends with the same id, and restarts the schedule', async () => {
      await startSender();
      const announced = await announce(await client.addAccount(), receiver.url('/hook'));
      const { id } = await becomes(announced, { state: 'delivered', attempts: 1 });
      await client.query(`UPDATE webhook_deliveries SET attempts = 10, state = 'failed'`);
      expect(await app.get(DeliveryRepository).replay(id ?? '')).toBe(true);
      const { log } = await becomes(announced, { state: 'delivered', attempts: 1 });
      expect(log).toHaveLength(2);
      expect(receiver.received.map((received) => received.id)).toEqual([id, id]);
      expect(await app.get(DeliveryRepository).replay(newId())).toBe(false);
    });

    it('sends to an endpoint again that was gone', async () => {
      await startSender();
      const accountId = await client.addAccount();
      receiver.answer('/hook', 410);
      const announced = await announce(accountId, receiver.url('/hook'));
      const { id } = await becomes(announced, { state: 'stopped' });
      receiver.answer('/hook', 200);
      await app.get(DeliveryRepository).replay(id ?? '');
      await becomes(announced, { state: 'delivered' });
      await becomes(await announce(accountId, receiver.url('/hook')), { state: 'delivered' });
    });

    it('keeps the latest thirty attempts in the log after any number of replays', async () => {
      await startSender();
      const announced = await announce(await client.addAccount(), receiver.url('/hook'));
      const { id } = await becomes(announced, { state: 'delivered' });
      const entry = JSON.stringify({ at: 'before', status: 500, error: null, duration_ms: 1 });
      await client.query(
        `UPDATE webhook_deliveries SET log = (SELECT jsonb_agg($1::jsonb) FROM generate_series(1, 30))`,
        [entry],
      );
      await app.get(DeliveryRepository).replay(id ?? '');
      const { log } = await becomes(announced, { state: 'delivered' });
      expect(log).toHaveLength(30);
      expect(log.at(-1)).toMatchObject({ status: 204 });
    });
  });
});
