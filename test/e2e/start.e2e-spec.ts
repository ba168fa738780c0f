import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app-process.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';

describe('an application that cannot start', () => {
  let database: TestDatabase;
  let unusedPort: number;

  beforeAll(async () => {
    database = await createDatabase();
    unusedPort = await freePort();
  });

  afterAll(() => database.drop());

  const REASONS: [string, 'api' | 'worker', () => Record<string, string>, RegExp][] = [
    [
      'a database that does not answer',
      'api',
      () => ({ DATABASE_URL: `postgres://a:b@localhost:${unusedPort}/c` }),
      /DATABASE_URL/,
    ],
    [
      'a database that does not answer, with a queue in Redis',
      'worker',
      () => ({
        DATABASE_URL: `postgres://a:b@127.0.0.1:${unusedPort}/c`,
        REDIS_URL: `redis://127.0.0.1:${unusedPort}`,
      }),
      /DATABASE_URL/,
    ],
    [
      'half of the credentials of S3',
      'api',
      () => ({ DATABASE_URL: database.url, S3_BUCKET: 'bucket', S3_ACCESS_KEY_ID: 'id' }),
      /S3_SECRET_ACCESS_KEY/,
    ],
  ];

  it.each(REASONS)(
    'prints one line that names the variable, for %s (%s)',
    async (_, name, settings, line) => {
      const port = await freePort();
      const env = {
        PORT: String(port),
        WORKER_PORT: String(port),
        METRICS_PORT: '0',
        WORKER_METRICS_PORT: '0',
        SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...settings(),
      };
      const app = startApp({ name, port, env, checkout: '.' });
      expect(await app.ended()).toBe(1);
      expect(app.log().trim()).toMatch(line);
      expect(app.log().trim().split('\n')).toHaveLength(1);
    },
  );

  it('says what to do with a database that a commit before version 0.2.0 made (migrate)', async () => {
    await using earlier = await createDatabase();
    await earlier.query(`UPDATE migrations SET timestamp = 1795000000000`);
    const env = { ...process.env, DATABASE_URL: earlier.url };
    const migrating = promisify(execFile)(process.execPath, ['scripts/migrate.mjs'], { env });
    await expect(migrating).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/before version 0\.2\.0.*Use an empty database/s),
    });
  });

  it('names each invalid option of DEFAULT_OPTIONS (api)', async () => {
    const port = await freePort();
    const app = startApp({
      name: 'api',
      port,
      checkout: '.',
      env: {
        PORT: String(port),
        METRICS_PORT: '0',
        DATABASE_URL: database.url,
        SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
        DEFAULT_OPTIONS: '{"clean":"yes","url":"https://example.com"}',
      },
    });
    expect(await app.ended()).toBe(1);
    expect(app.log().trim().split('\n')).toEqual([
      'The environment is not valid:',
      '  DEFAULT_OPTIONS url belongs to one capture and cannot be a default',
      '  DEFAULT_OPTIONS clean must be true or false',
    ]);
  });
});
