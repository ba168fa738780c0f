import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '@app/kernel';
import { runKeys } from './keys.js';
import { runWebhooks } from './webhooks.js';
import { createDatabase, type TestDatabase } from '../test/support/database.js';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=\n/;

describe('npm run webhooks', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const accounts: Record<string, string> = {};

  beforeAll(async () => {
    database = await createDatabase();
    process.env.DATABASE_URL = database.url;
    process.env.SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    for (const name of ['default', 'other']) {
      const { account_id } = JSON.parse(await runKeys(['create', '--account', name, '--json'])) as {
        account_id: string;
      };
      accounts[name] = account_id;
    }
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  beforeEach(() => {
    process.env.SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
  });

  afterEach(async () => {
    await client.query('TRUNCATE webhook_deliveries, webhook_stops, webhook_secrets');
  });

  interface DeliveryValues {
    readonly account?: string;
    readonly state?: string;
    readonly path?: string;
    readonly finishedAt?: string | null;
  }

  const aDelivery = async (values: DeliveryValues = {}): Promise<{ id: string; subjectId: string }> => {
    const {
      account = 'default',
      state = 'failed',
      path = '/hook',
      finishedAt = '2026-11-20T12:00:00Z',
    } = values;
    const [id, subjectId] = [newId(), newId()];
    const log = [
      { at: '2026-11-20T11:00:00.000Z', status: 500, error: 'The answer was not a 2xx.', duration_ms: 12 },
    ];
    await client.query(
      `INSERT INTO webhook_deliveries
         (id, account_id, subject_id, type, url, host, body, state, attempts, next_attempt_at, log, finished_at)
       VALUES ($1, $2, $3, 'capture.failed', $4, 'example.com', $5, $6, 10, now() + interval '1 hour', $7, $8)`,
      [
        id,
        accounts[account],
        subjectId,
        `https://example.com${path}`,
        '{"type":"capture.failed"}',
        state,
        JSON.stringify(log),
        finishedAt,
      ],
    );
    return { id, subjectId };
  };

  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await runWebhooks([...args, '--json']));

  const rowOf = async (id: string): Promise<unknown> => {
    const { rows } = await client.query(
      `SELECT state, attempts, next_attempt_at <= now() AS due, finished_at, lease_until FROM webhook_deliveries
        WHERE id = $1`,
      [id],
    );
    return rows[0];
  };

  const AGAIN = { state: 'pending', attempts: 0, due: true, finished_at: null, lease_until: null };

  it('shows its help without a command, and on request', async () => {
    for (const args of [[], ['--help'], ['list', '-h']]) {
      expect(await runWebhooks(args)).toMatch(/^Usage: npm run webhooks/);
    }
  });

  it('lists deliveries newest first, by account, state and number', async () => {
    expect(await runWebhooks(['list'])).toBe('There are no deliveries.\n');
    const first = await aDelivery();
    const second = await aDelivery({ account: 'other', state: 'delivered' });
    const third = await aDelivery({ state: 'pending', finishedAt: null });
    const lines = (await runWebhooks(['list'])).trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 36))).toEqual([third.id, second.id, first.id]);
    expect(lines[2]).toMatch(
      /failed .* default {2}capture\.failed {2}10 attempts {2}https:\/\/example\.com\/hook$/,
    );
    expect(await json('list', '--account', 'other')).toMatchObject([{ id: second.id, account: 'other' }]);
    expect(await json('list', '--state', 'failed')).toMatchObject([
      { id: first.id, last_status: 500, next_attempt_at: null, finished_at: '2026-11-20T12:00:00.000Z' },
    ]);
    expect(await json('list', '--limit', '1')).toMatchObject([{ id: third.id, state: 'pending' }]);
  });

  it('shows a delivery with its attempts and its body, by its own id and by the id of its job', async () => {
    const { id, subjectId } = await aDelivery();
    for (const shown of [id, subjectId, id.toUpperCase()]) {
      const text = await runWebhooks(['show', shown]);
      expect(text).toContain(`webhook:      ${id}\n`);
      expect(text).toContain('2026-11-20T11:00:00.000Z  500  12 ms  The answer was not a 2xx.');
      expect(text).toContain('{"type":"capture.failed"}');
      expect(await json('show', shown)).toMatchObject({ id, subject_id: subjectId, log: [{ status: 500 }] });
    }
  });

  it('replays a delivery under the same id, by its own id and by the id of its job', async () => {
    const [byId, byJob] = [await aDelivery(), await aDelivery({ state: 'delivered' })];
    const notified = listen();
    expect(await runWebhooks(['replay', byId.id])).toBe(
      `${byId.id} will be sent again to https://example.com/hook\n`,
    );
    expect(await json('replay', byJob.subjectId)).toMatchObject({ id: byJob.id, state: 'pending' });
    expect(await rowOf(byId.id)).toEqual(AGAIN);
    expect(await rowOf(byJob.id)).toEqual(AGAIN);
    await notified;
  });

  const listen = async (): Promise<void> => {
    await client.query('LISTEN webhook_waiting');
    await new Promise<void>((resolve) => client.once('notification', () => resolve()));
  };

  it('sends to an endpoint that was gone again when one of its deliveries is replayed', async () => {
    const { id } = await aDelivery({ state: 'stopped' });
    for (const url of ['https://example.com/hook', 'https://example.com/other']) {
      await client.query(`INSERT INTO webhook_stops (account_id, url) VALUES ($1, $2)`, [
        accounts.default,
        url,
      ]);
    }
    await runWebhooks(['replay', id]);
    const { rows } = await client.query(`SELECT url FROM webhook_stops`);
    expect(rows).toEqual([{ url: 'https://example.com/other' }]);
  });

  it('replays all failed deliveries of an account since a time', async () => {
    const old = await aDelivery({ finishedAt: '2026-11-01T00:00:00Z' });
    const late = await aDelivery({ finishedAt: '2026-11-20T12:00:00Z' });
    const others = await aDelivery({ account: 'other' });
    const delivered = await aDelivery({ state: 'delivered' });
    expect(
      await runWebhooks(['replay', '--failed', '--account', 'default', '--since', '2026-11-20T12:00']),
    ).toBe('1 delivery will be sent again.\n');
    expect(await rowOf(late.id)).toEqual(AGAIN);
    expect(await rowOf(old.id)).toMatchObject({ state: 'failed' });
    expect(await json('replay', '--failed')).toEqual({ count: 2 });
    expect(await rowOf(others.id)).toEqual(AGAIN);
    expect(await rowOf(delivered.id)).toMatchObject({ state: 'delivered' });
  });

  it('shows the secret of an account, which stays the same and differs between accounts', async () => {
    const shown = await runWebhooks(['secret']);
    expect(shown).toMatch(SECRET);
    expect(await runWebhooks(['secret', '--account', 'default'])).toBe(shown);
    expect(await runWebhooks(['secret', '--account', 'other'])).not.toBe(shown);
    expect(await json('secret')).toEqual({ account: 'default', secret: shown.trim() });
  });

  it('generates a new secret with --rotate', async () => {
    const before = await runWebhooks(['secret']);
    const rotated = await runWebhooks(['secret', '--rotate']);
    expect(rotated).toMatch(SECRET);
    const [secret] = rotated.split('\n');
    expect(secret).not.toBe(before.trim());
    expect(await runWebhooks(['secret'])).toBe(`${secret}\n`);
  });

  it('neither shows nor replaces a secret with another SECRETS_KEY than it was sealed with', async () => {
    const before = await runWebhooks(['secret']);
    process.env.SECRETS_KEY = Buffer.alloc(32, 8).toString('base64');
    await expect(runWebhooks(['secret'])).rejects.toThrow(/SECRETS_KEY of the service is not the one/);
    await expect(runWebhooks(['secret', '--rotate'])).rejects.toThrow(
      /SECRETS_KEY of the service is not the one/,
    );
    process.env.SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
    expect(await runWebhooks(['secret'])).toBe(before);
  });

  it('needs SECRETS_KEY only for secrets', async () => {
    delete process.env.SECRETS_KEY;
    expect(await runWebhooks(['list'])).toBe('There are no deliveries.\n');
    await expect(runWebhooks(['secret'])).rejects.toThrow(/SECRETS_KEY is not set/);
  });

  it.each([
    [['frobnicate'], /Unknown command: frobnicate/],
    [['toString'], /Unknown command: toString/],
    [['list', 'more'], /Unknown command: list more/],
    [['list', '--state', 'lost'], /--state must be one of pending, delivered, failed, stopped/],
    [['list', '--limit', '0'], /--limit must be a whole number from 1 to 1000/],
    [['list', '--account', 'nobody'], /There is no account "nobody"; npm run keys -- list/],
    [['show'], /Give a webhook id/],
    [['show', 'x'], /There is no webhook x/],
    [['replay', '0190b6f4-0000-7000-8000-000000000001'], /There is no webhook 0190b6f4/],
    [['replay', '--failed', '--since', 'yesterday'], /--since must be a date or time/],
    [['replay', '--failed', 'x'], /Give either an id or --failed/],
    [['replay', 'x', '--since', '2026-11-20'], /require --failed/],
    [['secret', '--account', 'nobody'], /There is no account "nobody"/],
    [['list', '--frob'], /--frob/],
  ])('explains what is wrong with %j', async (args, message) => {
    await expect(runWebhooks(args)).rejects.toThrow(message);
  });
});
