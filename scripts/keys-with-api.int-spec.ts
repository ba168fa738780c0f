import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explain } from './cli/command.js';
import { runKeys } from './keys.js';
import { startApi, type TestApi } from '../test/support/api.js';
import type { Client, Json } from '../test/support/client.js';
import { SECRETS_KEY } from '../test/support/database.js';
import { eventually } from '../test/support/eventually.js';

describe('npm run keys with a running API', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await startApi();
    process.env.DATABASE_URL = String(api.database.options.connectionString);
    process.env.SECRETS_KEY = SECRETS_KEY;
    client = await api.client();
  });

  afterAll(async () => {
    await api.close();
  });

  const keys = (...args: string[]) => runKeys(args);
  const inJson = async <T = Json>(...args: string[]): Promise<T> =>
    JSON.parse(await keys(...args, '--json')) as T;
  const refusal = async (...args: string[]): Promise<string> => {
    const error: unknown = await keys(...args).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return explain(error, false);
  };
  const statusOf = async (key: string): Promise<number> =>
    (await client.withKey(key).get('/v1/usage')).status;
  const usageOf = async (key: string) => (await (await client.withKey(key).get('/v1/usage')).json()) as Json;

  interface NewKey {
    readonly key: string;
    readonly id: string;
  }

  it('creates accounts, and several keys of one account', async () => {
    const first = await inJson<NewKey>('create', '--account', 'acme', '--allowance', '20', '--rate', '50');
    const second = await inJson<NewKey>('create', '--account', 'acme', '--name', 'laptop');
    expect([await statusOf(first.key), await statusOf(second.key)]).toEqual([200, 200]);
    expect(await usageOf(second.key)).toMatchObject({ total: 20, concurrency: { limit: 10 } });
    const text = await keys('create', '--account', 'acme');
    expect(await statusOf(text.split('\n')[0] ?? '')).toBe(200);
  });

  it('lists accounts with their usage and their keys, without secrets', async () => {
    const { key, id } = await inJson<NewKey>(
      'create',
      '--account',
      'listed',
      '--webhook-url',
      'https://a.example/x',
    );
    const listed = (await inJson<Json[]>('list')).find(({ account }) => account === 'listed');
    expect(listed).toEqual({
      account: 'listed',
      account_id: expect.any(String),
      allowance: 10_000,
      period: 'month',
      concurrency: 10,
      rate: 600,
      burst: 100,
      webhook_url: 'https://a.example/x',
      used: 0,
      available: 10_000,
      slots_in_use: 0,
      keys: [
        {
          id,
          name: 'listed',
          created_at: expect.any(String),
          revoked_at: null,
          mcp_unsafe: false,
          scopes: ['capture', 'read', 'links'],
          expires_at: null,
          last_used_on: null,
          allowed_hosts: null,
          allowed_ips: null,
        },
      ],
    });
    const text = await keys('list');
    expect(text).toContain(
      'listed: 0 of 10000 captures used this month, 0 of 10 slots in use, 600 requests per minute, 100 at once\n' +
        '  webhook to https://a.example/x\n' +
        `  ${id}  valid    `,
    );
    expect(text + JSON.stringify(listed)).not.toContain(key);
  });

  it('revokes a key everywhere, and leaves the others valid', async () => {
    const [first, second] = [
      await inJson<NewKey>('create', '--account', 'revoked'),
      await inJson<NewKey>('create', '--account', 'revoked'),
    ];
    expect([await statusOf(first.key), await statusOf(second.key)]).toEqual([200, 200]);
    expect(await inJson('revoke', first.id)).toMatchObject({
      id: first.id,
      account: 'revoked',
      valid_keys_left: 1,
    });
    await eventually('the key is refused', async () => (await statusOf(first.key)) === 401);
    expect(await statusOf(second.key)).toBe(200);
    expect(await keys('revoke', second.key)).toBe(
      `${second.id} of account "revoked" is revoked and stops working within 5 seconds.\n` +
        'The account has no valid key left. Create one: npm run keys -- create --account "revoked"\n',
    );
  });

  it('changes an account, and shows the settings before and after', async () => {
    await keys('create', '--account', 'changed');
    const text = await keys(
      ...['set', '--account', 'changed', '--allowance', '5', '--period', 'ever', '--concurrency', '3'],
      ...['--rate', '60', '--burst', '7', '--webhook-url', 'https://b.example'],
    );
    expect(text).toBe(
      `Account "changed", effective within 5 seconds:
  allowance    10000 → 5
  period       month → ever
  concurrency  10 → 3
  rate         600 → 60
  burst        100 → 7
  webhook_url  none → https://b.example/
Usage is counted separately for each period: 0 in total.
`,
    );
    const { before, after } = await inJson('set', '--account', 'changed', '--webhook-url', 'none');
    expect(before).toMatchObject({ webhook_url: 'https://b.example/' });
    expect(after).toEqual({
      allowance: 5,
      period: 'ever',
      concurrency: 3,
      rate: 60,
      burst: 7,
      webhook_url: null,
    });
  });

  it('changes the rate limit of running processes', async () => {
    const { key } = await inJson<NewKey>('create', '--account', 'slow', '--rate', '1', '--burst', '1');
    expect([await statusOf(key), await statusOf(key)]).toEqual([200, 429]);
    await keys('set', '--account', 'slow', '--rate', '1000000', '--burst', '1000');
    await eventually('the new rate applies', async () => (await statusOf(key)) === 200);
    const answer = await client.withKey(key).get('/v1/usage');
    expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=1000;w=1');
  });

  it('lowers an allowance below its usage, and explains the consequences', async () => {
    const { key } = await inJson<NewKey>('create', '--account', 'spent');
    const { account_id: id } = await inJson('set', '--account', 'spent', '--allowance', '100');
    await api.database.query(
      `INSERT INTO usage_counters (account_id, period, used) VALUES ($1, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'), 40)`,
      [id],
    );
    expect(await keys('set', '--account', 'spent', '--allowance', '10')).toContain(
      '40 of 10 captures are used this month: no other is accepted until the month ends (UTC) or the allowance is raised.',
    );
    expect(await usageOf(key)).toMatchObject({ total: 10, used: 40, available: -30 });
    const capture = await client.withKey(key).capture({ url: 'https://example.com/' });
    expect(capture.status).toBe(402);
  });

  it('shows, rotates and retires the secrets that sign links', async () => {
    const { key, id } = await inJson<NewKey>('create', '--account', 'linked');
    const first = await inJson('signing', id);
    expect(first).toEqual({
      id,
      account: 'linked',
      account_id: expect.any(String),
      secret: expect.stringMatching(/^cls_/),
      created_at: expect.any(String),
      previous: null,
      links_expire: true,
    });
    // The whole key is accepted, too.
    expect(await inJson('signing', key)).toEqual(first);
    const rotated = await inJson('signing', id, '--rotate', '--allow-no-expiry');
    expect(rotated).toMatchObject({ previous: { secret: first.secret }, links_expire: false });
    expect(rotated.secret).not.toBe(first.secret);
    const text = await keys('signing', id);
    expect(text.split('\n')[0]).toBe(rotated.secret);
    expect(text).toContain(String(first.secret));
    expect(text).toContain(`npm run keys -- signing ${id} --retire`);
    expect(await refusal('signing', id, '--rotate')).toContain('Two secrets are valid already');
    expect(await inJson('signing', id, '--retire', '--require-expiry')).toMatchObject({
      secret: rotated.secret,
      previous: null,
      links_expire: true,
    });
    expect(await refusal('signing', id, '--retire')).toContain('There is no previous secret to retire');
    const replaced = await inJson('signing', id, '--rotate', '--retire');
    expect(replaced).toMatchObject({ previous: null });
    expect(replaced.secret).not.toBe(rotated.secret);
    const { rows } = await api.database.query<{ action: string; kind: string; links: string | null }>(
      `SELECT action, actor->>'kind' AS kind, after->>'links_expire' AS links FROM audit_events
        WHERE subject_id = '${id}' AND action NOT IN ('key.created', 'key.revoked') ORDER BY at, id`,
    );
    expect(rows.map(({ action, kind, links }) => `${kind} ${action} ${links ?? ''}`.trim())).toEqual([
      ...['command key.signing_secret_rotated', 'command key.changed false'],
      ...['command key.signing_secret_retired', 'command key.changed true'],
      ...['command key.signing_secret_rotated', 'command key.signing_secret_retired'],
    ]);
    await keys('revoke', id);
    expect(await refusal('signing', id)).toContain(`There is no valid key ${id}`);
  });

  it('creates keys with scopes and limits, of which the scope admin comes from here only', async () => {
    const { key, id } = await inJson<NewKey>(
      ...[
        'create',
        '--account',
        'operators',
        '--scopes',
        'admin,read',
        '--expires-at',
        '2999-01-01T00:00:00Z',
      ],
      ...['--allowed-hosts', 'example.com,*.example.com', '--allowed-ips', '127.0.0.0/8'],
    );
    const admin = client.withKey(key);
    expect((await admin.get('/v1/admin/accounts')).status).toBe(200);
    expect((await admin.submit({ url: 'https://example.com/' })).status).toBe(403);
    expect(await keys('list')).toContain(
      `(admin,read; until 2999-01-01T00:00:00.000Z; hosts example.com,*.example.com; from 127.0.0.0/8)`,
    );
    const rotated = await inJson<NewKey>('rotate', id, '--overlap', '600');
    expect(rotated.id).toBe(id);
    await eventually('the new secret works', async () => (await statusOf(rotated.key)) === 200);
    expect(await statusOf(key)).toBe(200);
    const { items } = (await (await admin.get(`/v1/admin/audit?subject_id=${id}`)).json()) as {
      items: Json[];
    };
    expect(items.map(({ action, actor }) => [action, (actor as Json).kind])).toEqual([
      ['key.rotated', 'command'],
      ['key.created', 'command'],
    ]);
  });

  it('permits the unsafe options of MCP tools, for one key and for all of an account', async () => {
    const first = await inJson<NewKey>('create', '--account', 'agents');
    const second = await inJson<NewKey>('create', '--account', 'agents');
    const gone = await inJson<NewKey>('create', '--account', 'agents');
    await keys('revoke', gone.id);
    const permitted = async (): Promise<unknown> => {
      const listed = (await inJson<Json[]>('list')).find(({ account }) => account === 'agents');
      return (listed?.keys as Json[]).filter(({ mcp_unsafe }) => mcp_unsafe === true).map(({ id }) => id);
    };
    expect(await permitted()).toEqual([]);
    expect(await inJson('set', '--key', first.key, '--mcp-unsafe')).toEqual({
      id: first.id,
      mcp_unsafe: true,
    });
    expect(await permitted()).toEqual([first.id]);
    expect(await keys('list')).toMatch(new RegExp(`${first.id} .*\\(mcp-unsafe\\)`));
    expect(await keys('set', '--key', first.id, '--no-mcp-unsafe')).toBe(
      `Key ${first.id}, effective within 5 seconds: the tools of POST /mcp refuse options that run code or carry secrets.\n`,
    );
    expect(await permitted()).toEqual([]);
    const all = await inJson('set', '--account', 'agents', '--mcp-unsafe', '--rate', '70');
    expect(all).toMatchObject({ mcp_unsafe: true, after: { rate: 70 } });
    expect(new Set(all.keys as string[])).toEqual(new Set([first.id, second.id]));
    expect(await keys('set', '--account', 'agents', '--no-mcp-unsafe')).toContain(
      'For 2 valid keys of the account, the tools of POST /mcp refuse options that run code or carry secrets.\n',
    );
    expect(await refusal('set', '--key', gone.id, '--mcp-unsafe')).toContain('There is no valid key');
  });

  it.each([
    [['set', '--rate', '5'], 'Name the account: --account NAME'],
    [
      ['set', '--account', 'acme'],
      'Give the settings to change: --allowance, --period, --concurrency, --rate, --burst, --webhook-url, --mcp-unsafe, --no-mcp-unsafe',
    ],
    [
      ['set', '--account', 'nobody', '--rate', '5'],
      'There is no account "nobody"; npm run keys -- list shows all accounts',
    ],
    [
      ['set', '--account', 'acme', '--rate', '0'],
      '--rate must be a whole number from 1 to 1000000; it is "0"',
    ],
    [['set', '--account', 'acme', '--burst', '1e3'], '--burst must be a whole number'],
    [
      ['set', '--account', 'acme', '--concurrency', '0'],
      '--concurrency must be a whole number from 1 to 2147483647',
    ],
    [['set', '--account', 'acme', '--allowance', '2147483648'], '--allowance must be a whole number from 0'],
    [['set', '--account', 'acme', '--allowance='], '--allowance must be a whole number'],
    [['set', '--account', 'acme', '--period', 'day'], '--period must be one of month, ever; it is "day"'],
    [
      ['set', '--account', 'acme', '--webhook-url', 'ftp://x'],
      '--webhook-url must be a URL such as https://example.com/hooks',
    ],
    [
      ['set', '--account', 'acme', '--webhook-url', 'http://x.example'],
      'for plain http set WEBHOOK_HTTP=true',
    ],
    [['set', '--account', 'acme', '--webhook-url', 'https://u:p@x.example'], 'without a password'],
    [['set', '--account', 'acme', '--mcp-unsafe', '--no-mcp-unsafe'], 'not both'],
    [
      ['set', '--key', 'nope', '--mcp-unsafe'],
      'There is no valid key nope; npm run keys -- list shows all keys',
    ],
    [['set', '--key', 'nope', '--rate', '5'], 'For one key give --mcp-unsafe or --no-mcp-unsafe'],
    [['set', '--key', 'nope', '--account', 'acme', '--mcp-unsafe'], 'and nothing else'],
    [['set', '--key', 'nope'], 'For one key give --mcp-unsafe or --no-mcp-unsafe'],
    [['create', '--mcp-unsafe'], 'create has no option --mcp-unsafe'],
    [['create', '--account', 'acme', '--rate', '5'], 'npm run keys -- set --account "acme"'],
    [['create', '--account', ''], '--account must be 1 to 100 characters'],
    [['create', '--name', 'a\nb'], '--name must be 1 to 100 characters'],
    [['list', '--rate', '5'], 'list has no option --rate (--help lists'],
    [['list', 'all'], 'Unknown command: list all'],
    [['create', '--scopes', 'root'], '--scopes must be one of capture, read, links, admin'],
    [['create', '--expires-at', '2020-01-01'], '--expires-at must be a later time'],
    [['create', '--allowed-hosts', 'https://x'], '--allowed-hosts must be a host such as example.com'],
    [['create', '--allowed-ips', '10.0.0.1'], '--allowed-ips must be a CIDR'],
    [['rotate'], 'npm run keys -- rotate <key id>'],
    [['rotate', 'nope'], 'There is no valid key nope'],
    [['revoke'], 'npm run keys -- revoke <key id>'],
    [['revoke', 'nope'], 'There is no key nope; npm run keys -- list shows all keys'],
    [['signing'], 'npm run keys -- signing <key id>'],
    [['signing', 'nope'], 'There is no valid key nope; npm run keys -- list shows all keys'],
    [['signing', 'nope', '--rate', '5'], 'signing has no option --rate'],
    [['signing', 'nope', '--allow-no-expiry', '--require-expiry'], 'not both'],
    [['list', '--rotate'], 'list has no option --rotate'],
    [['revoke', 'a', 'b'], 'Unknown command: revoke a b'],
    [['list', '--al'], "Unknown option '--al'"],
  ])('refuses %j and explains how to correct it', async (args, text) => {
    expect(await refusal(...args)).toContain(text);
  });

  it('prints errors as JSON with --json', async () => {
    const error: unknown = await keys('set', '--json').catch((reason: unknown) => reason);
    expect(JSON.parse(explain(error, true))).toEqual({ error: 'Name the account: --account NAME' });
  });
});
