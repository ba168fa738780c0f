import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureFirstKey, runKeys } from './keys.js';
import { createDatabase, type TestDatabase } from '../test/support/database.js';

describe('npm run keys', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
    process.env.DATABASE_URL = database.url;
  });

  afterAll(() => database.drop());

  const json = async (...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse(await runKeys([...args, '--json'])) as Record<string, unknown>;

  it('shows its help without a command, and on request', async () => {
    for (const args of [[], ['--help'], ['list', '-h']]) {
      expect(await runKeys(args)).toMatch(/^Usage: npm run keys/);
    }
  });

  it('creates the first key of a service once', async () => {
    expect(await ensureFirstKey({ databaseUrl: database.url })).toMatch(/^cap_/);
    expect(await ensureFirstKey({ databaseUrl: database.url })).toBeUndefined();
  });

  it('creates a key for a new account, lists it without its secret and revokes it', async () => {
    const text = await runKeys(['create', '--account', 'a', '--allowance', '5', '--period', 'ever']);
    const [key = ''] = text.split('\n');
    expect(text).toContain('npm run webhooks -- secret --account "a"');
    const listed = await runKeys(['list']);
    expect(listed).toContain('a: 0 of 5 captures used in total, 0 of 10 slots in use');
    expect(listed).not.toContain(key);
    expect(await runKeys(['revoke', key])).toMatch(/is revoked and stops working within 5 seconds/);
    expect(await runKeys(['list'])).toMatch(/revoked/);
  });

  it('creates another key of an existing account, which keeps its limits', async () => {
    const first = await json('create', '--account', 'b', '--concurrency', '3');
    const second = await json('create', '--account', 'b');
    expect(second.account_id).toBe(first.account_id);
    await expect(runKeys(['create', '--account', 'b', '--concurrency', '4'])).rejects.toThrow(
      /already exists/,
    );
  });

  it.each([
    [['frobnicate'], /Unknown command: frobnicate/],
    [['constructor'], /Unknown command: constructor/],
    [['create', 'x'], /Unknown command: create x/],
    [['create', '--account', 'c', '--allowance', '-1'], /--allowance/],
    [['create', '--account', 'c', '--allowance', 'many'], /--allowance must be a whole number from 0/],
    [['create', '--account', 'c', '--concurrency', '0'], /--concurrency must be a whole number from 1/],
    [['create', '--account', 'c', '--period', 'week'], /--period must be one of month, ever/],
    [['revoke'], /Give the id of the key/],
    [['revoke', 'x'], /There is no key x/],
    [['list', '--frob'], /--frob/],
  ])('explains what is wrong with %j', async (args, message) => {
    await expect(runKeys(args)).rejects.toThrow(message);
  });
});
