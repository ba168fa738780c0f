import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { startModules, type StartedModules } from '../../../test/support/modules.js';
import {
  DeliveryRepository,
  OutboxService,
  WebhookSecretsService,
  WebhooksService,
  WebhooksModule,
  WebhookSendingModule,
} from './index.js';

describe('webhooks', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let accountId: string;
  /** Another account, which has deliveries to the same addresses. */
  let otherId: string;

  beforeAll(async () => {
    service = await startModules({ imports: [WebhooksModule, WebhookSendingModule] });
    ({ app, database: client } = service);
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    [accountId, otherId] = [await client.addAccount(), await client.addAccount()];
  });

  afterEach(async () => {
    await client.query('TRUNCATE webhook_deliveries, webhook_stops, webhook_secrets');
  });

  const announce = (url: string, of = accountId): Promise<string> =>
    app.get(DatabaseService).transaction((transaction) =>
      app.get(WebhooksService).announce(transaction, {
        accountId: of,
        subjectId: newId(),
        url,
        type: 'capture.succeeded',
        data: {},
      }),
    );

  describe(WebhookSecretsService.name, () => {
    const secrets = () => app.get(WebhookSecretsService);

    it('generates one secret for an account, also for concurrent first uses', async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => secrets().current(accountId)));
      expect(new Set(made).size).toBe(1);
      expect(await secrets().signing(accountId)).toEqual([made[0]]);
      expect(await secrets().current(otherId)).not.toBe(made[0]);
    });

    it('stores a secret sealed and bound to its account', async () => {
      const secret = await secrets().current(accountId);
      const { rows } = await client.query<{ secret: Buffer }>(`SELECT secret FROM webhook_secrets`);
      const sealed = rows[0]?.secret.toString('latin1') ?? '';
      expect(sealed).not.toContain('whsec_');
      expect(sealed).not.toContain(secret.slice('whsec_'.length));
      await client.query(
        `INSERT INTO webhook_secrets (account_id, secret) SELECT $1, secret FROM webhook_secrets`,
        [otherId],
      );
      await expect(secrets().current(otherId)).rejects.toThrow();
    });

    it('signs with the previous secret as well for a day', async () => {
      const before = await secrets().current(accountId);
      const after = await secrets().rotate(accountId);
      expect(after).not.toBe(before);
      expect(await secrets().current(accountId)).toBe(after);
      expect(await secrets().signing(accountId)).toEqual([after, before]);
      const { rows } = await client.query(
        `SELECT extract(epoch FROM previous_until - now())::int / 3600 AS hours FROM webhook_secrets`,
      );
      expect([23, 24]).toContain(rows[0]?.hours);
      await client.query(`UPDATE webhook_secrets SET previous_until = now() - interval '1 s'`);
      expect(await secrets().signing(accountId)).toEqual([after]);
    });

    it('counts rotations within a minute as one; a later one ends the secret before the previous', async () => {
      const first = await secrets().current(accountId);
      const second = await secrets().rotate(accountId);
      expect(await secrets().rotate(accountId)).toBe(second);
      expect(await secrets().signing(accountId)).toEqual([second, first]);
      await client.query(`UPDATE webhook_secrets SET created_at = now() - interval '1 min'`);
      const third = await secrets().rotate(accountId);
      expect(await secrets().signing(accountId)).toEqual([third, second]);
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM audit_events
          WHERE action = 'account.webhook_secret_rotated' AND account_id = $1 AND actor->>'kind' = 'command'`,
        [accountId],
      );
      expect(rows).toEqual([{ count: 2 }]);
    });
  });

  describe('the summary of a job', () => {
    it('is that of its newest event, alone and in a list of jobs', async () => {
      const [subjectId, another, url] = [newId(), newId(), 'https://a.example/'];
      const announced = (type: string, about = subjectId): Promise<string> =>
        app
          .get(DatabaseService)
          .transaction((transaction) =>
            app
              .get(WebhooksService)
              .announce(transaction, { accountId, subjectId: about, url, type, data: {} }),
          );
      await announced('capture.succeeded');
      const newest = await announced('capture.changed');
      const other = await announced('capture.succeeded', another);
      const waits = newId();
      const webhooks = app.get(WebhooksService);
      expect(await webhooks.summaryOf(subjectId, url)).toMatchObject({ id: newest, state: 'pending' });
      const urls = new Map([subjectId, another, waits].map((id) => [id, url]));
      const summaries = await webhooks.summariesOf(urls);
      expect([...summaries].map(([id, summary]) => [id, summary.id, summary.state])).toEqual([
        [subjectId, newest, 'pending'],
        [another, other, 'pending'],
        [waits, null, 'waiting'],
      ]);
    });
  });

  describe('a replay for a caller', () => {
    it('leaves a delivery alone whose first attempt is still to come or in progress', async () => {
      await announce('https://a.example/');
      const [held] = await app.get(OutboxService).claim(1);
      if (!held) throw new Error('Nothing was claimed.');
      const { id } = held;
      await app.get(DeliveryRepository).replayOnce(accountId, id);
      const finished = { at: new Date(), durationMs: 1, outcome: { kind: 'timeout' } } as const;
      expect(await app.get(OutboxService).finalize(held, finished)).toBe('pending');
      await app.get(DeliveryRepository).replayOnce(accountId, id);
      expect(await app.get(DeliveryRepository).find(id)).toMatchObject({ state: 'pending', attempts: 0 });
    });
  });

  it('are sent again by a replay whatever the attempt in progress says', async () => {
    await announce('https://a.example/');
    const [held] = await app.get(OutboxService).claim(1);
    if (!held) throw new Error('Nothing was claimed.');
    expect(await app.get(DeliveryRepository).replay(held.id)).toBe(true);
    const outcome = { kind: 'answered', status: 204, headers: {} } as const;
    const finished = { at: new Date(), durationMs: 1, outcome };
    expect(await app.get(OutboxService).finalize(held, finished)).toBeNull();
    expect(await app.get(OutboxService).claim(1)).toMatchObject([{ id: held.id, attempts: 0 }]);
  });

  it('are sent again by an operator where they have failed, and nowhere else', async () => {
    for (const host of ['failed', 'old', 'delivered', 'stopped', 'pending'])
      await announce(`https://${host}.example/`);
    await announce('https://failed.example/', otherId);
    await client.query(
      `UPDATE webhook_deliveries SET finished_at = now() - CASE host WHEN 'old.example' THEN interval '1 day' ELSE '0' END,
              state = CASE split_part(host, '.', 1) WHEN 'old' THEN 'failed' ELSE split_part(host, '.', 1) END`,
    );
    const deliveries = app.get(DeliveryRepository);
    expect(await deliveries.replayFailed(accountId, new Date(Date.now() - 3_600_000))).toBe(1);
    expect(await deliveries.replayFailed(accountId, null)).toBe(1);
    expect(await deliveries.replayFailed(null, null)).toBe(1);
    expect(await deliveries.replayFailed(null, null)).toBe(0);
  });

  describe('the backlog', () => {
    const backlog = () => app.get(WebhooksService).backlog();

    it('counts unfinished deliveries, and measures for how long the oldest has been due', async () => {
      expect(await backlog()).toEqual({ pending: 0, oldestDueS: 0 });
      await announce('https://a.example/');
      await announce('https://b.example/');
      await announce('https://c.example/');
      await client.query(
        `UPDATE webhook_deliveries SET next_attempt_at = now() +
           CASE host WHEN 'a.example' THEN interval '-90 s' WHEN 'b.example' THEN interval '1 hour' ELSE '0' END`,
      );
      const { pending, oldestDueS } = await backlog();
      expect(pending).toBe(3);
      expect(oldestDueS).toBeGreaterThanOrEqual(90);
      expect(oldestDueS).toBeLessThan(120);
      await client.query(`UPDATE webhook_deliveries SET state = 'delivered' WHERE host <> 'b.example'`);
      expect(await backlog()).toEqual({ pending: 1, oldestDueS: 0 });
    });
  });

  describe('the purge', () => {
    it('deletes old finished deliveries, and no unfinished ones', async () => {
      for (const host of ['old', 'new', 'waits']) await announce(`https://${host}.example/`);
      await client.query(
        `UPDATE webhook_deliveries SET created_at = now() - interval '1 year',
           state = CASE host WHEN 'waits.example' THEN 'pending' ELSE 'failed' END,
           finished_at = CASE host WHEN 'old.example' THEN now() - interval '2 hours'
                                   WHEN 'new.example' THEN now() - interval '10 min' END`,
      );
      expect(await app.get(WebhooksService).purge(3_600)).toBe(1);
      expect(await app.get(WebhooksService).purge(3_600)).toBe(0);
      const { rows } = await client.query(`SELECT host FROM webhook_deliveries ORDER BY host`);
      expect(rows).toEqual([{ host: 'new.example' }, { host: 'waits.example' }]);
    });
  });

  describe(OutboxService.name, () => {
    const claimed = async (limit: number): Promise<Record<string, number>> => {
      const held = await app.get(OutboxService).claim(limit);
      const byHost = Object.groupBy(held, ({ accountId: of, url }) => `${of} ${new URL(url).host}`);
      return Object.fromEntries(Object.entries(byHost).map(([lane, some]) => [lane, some?.length ?? 0]));
    };

    it('limits deliveries in progress to 8 per host and 16 per account over all senders', async () => {
      for (const host of ['a', 'b', 'c']) {
        for (let i = 0; i < 10; i += 1) await announce(`https://${host}.example/${i}`);
      }
      await announce('https://a.example/', otherId);
      expect(await claimed(64)).toEqual({
        [`${accountId} a.example`]: expect.any(Number),
        [`${accountId} b.example`]: expect.any(Number),
        [`${accountId} c.example`]: expect.any(Number),
        [`${otherId} a.example`]: 1,
      });
      const { rows } = await client.query(
        `SELECT count(*)::int AS held FROM webhook_deliveries WHERE lease_until > now() AND account_id = $1`,
        [accountId],
      );
      expect(rows).toEqual([{ held: 16 }]);
      await announce('https://b.example/', otherId);
      expect(await claimed(64)).toEqual({ [`${otherId} b.example`]: 1 });
    });

    it('shares claims evenly between accounts', async () => {
      for (let i = 0; i < 10; i += 1) await announce(`https://a.example/${i}`);
      for (let i = 0; i < 2; i += 1) await announce(`https://a.example/${i}`, otherId);
      expect(await claimed(4)).toEqual({ [`${accountId} a.example`]: 2, [`${otherId} a.example`]: 2 });
    });

    it('gives no delivery to two concurrent senders', async () => {
      for (let i = 0; i < 8; i += 1) await announce(`https://${i}.example/`);
      const all = await Promise.all(Array.from({ length: 8 }, () => app.get(OutboxService).claim(3)));
      const ids = all.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const rest = await app.get(OutboxService).claim(64);
      expect(ids.length + rest.length).toBe(8);
    });

    it('stops all deliveries of an account to an endpoint that is gone, and none of another account', async () => {
      const url = 'https://shared.example/hook';
      await announce(url);
      const [claimedNow] = await app.get(OutboxService).claim(1);
      if (!claimedNow) throw new Error('Nothing was claimed.');
      await announce(url);
      await announce('https://shared.example/another');
      await announce(url, otherId);
      const outcome = { kind: 'answered', status: 410, headers: {} } as const;
      const finished = { at: new Date(), durationMs: 1, outcome };
      expect(await app.get(OutboxService).finalize(claimedNow, finished)).toBe('stopped');
      await announce(url);
      await announce(url, otherId);
      const { rows } = await client.query(
        `SELECT account_id, url, array_agg(state ORDER BY state) AS states FROM webhook_deliveries
          GROUP BY account_id, url`,
      );
      expect(rows).toHaveLength(3);
      expect(rows).toEqual(
        expect.arrayContaining([
          { account_id: accountId, url, states: ['stopped', 'stopped', 'stopped'] },
          { account_id: accountId, url: 'https://shared.example/another', states: ['pending'] },
          { account_id: otherId, url, states: ['pending', 'pending'] },
        ]),
      );
    });

    it('leaves deliveries in progress to their senders when their endpoint is gone, and retries none', async () => {
      for (let i = 0; i < 3; i += 1) await announce('https://gone.example/hook');
      const [gone, late, lost] = await app.get(OutboxService).claim(3);
      if (!gone || !late || !lost) throw new Error('Too little was claimed.');
      const answered = (status: number) => ({ kind: 'answered', status, headers: {} }) as const;
      const end = (held: typeof gone, outcome: ReturnType<typeof answered> | { kind: 'timeout' }) =>
        app.get(OutboxService).finalize(held, { at: new Date(), durationMs: 1, outcome });
      expect(await end(gone, answered(410))).toBe('stopped');
      expect(await end(late, answered(204))).toBe('delivered');
      expect(await end(lost, { kind: 'timeout' })).toBe('stopped');
    });

    it('ignores the result and the release of a sender whose delivery another one has claimed since', async () => {
      await announce('https://a.example/');
      const [first] = await app.get(OutboxService).claim(1);
      await client.query(`UPDATE webhook_deliveries SET lease_until = now() - interval '1 ms'`);
      const [second] = await app.get(OutboxService).claim(1);
      if (!first || !second) throw new Error('Nothing was claimed.');
      const answered = { kind: 'answered', status: 204, headers: {} } as const;
      const finished = { at: new Date(), durationMs: 1, outcome: answered };
      expect(await app.get(OutboxService).finalize(first, finished)).toBeNull();
      await app.get(OutboxService).release(first);
      expect(await app.get(OutboxService).claim(1)).toEqual([]);
      expect(await app.get(OutboxService).finalize(second, finished)).toBe('delivered');
    });

    it('sends a test once, and an event again after the same failure', async () => {
      const url = 'https://a.example/';
      const outcomes = [];
      for (const begin of [
        () => app.get(WebhooksService).announceTest(accountId, url),
        () => announce(url),
      ]) {
        await begin();
        const [held] = await app.get(OutboxService).claim(1);
        if (!held) throw new Error('Nothing was claimed.');
        const finished = { at: new Date(), durationMs: 1, outcome: { kind: 'timeout' } } as const;
        outcomes.push(await app.get(OutboxService).finalize(held, finished));
      }
      expect(outcomes).toEqual(['failed', 'pending']);
    });

    it('claims only due deliveries', async () => {
      await announce('https://a.example/');
      await client.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 min'`);
      expect(await app.get(OutboxService).claim(1)).toEqual([]);
    });
  });
});
