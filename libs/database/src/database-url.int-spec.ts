import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { ConfigModule, loadEnv } from '@app/config';
import { StartupError } from '@app/kernel';
import { createDatabase, type TestDatabase } from '../../../test/support/database.js';
import { freePort } from '../../../test/support/free-port.js';
import { DatabaseModule, migrate } from './index.js';
import { assertReachable, openSession } from './database-url.js';

describe('a database that cannot be used', () => {
  let database: TestDatabase;
  let closedPort: number;

  beforeAll(async () => {
    database = await createDatabase();
    closedPort = await freePort();
  });

  afterAll(() => database.drop());

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  const CASES: [string, (url: URL) => void, RegExp][] = [
    ['is unreachable', (url) => (url.port = String(closedPort)), /ECONNREFUSED/],
    [
      'is unreachable at each of its addresses',
      (url) => (url.host = `localhost:${closedPort}`),
      /ECONNREFUSED/,
    ],
    ['does not exist', (url) => (url.pathname = '/no_such_database'), /"no_such_database" does not exist/],
    ['has no such user', (url) => (url.username = 'nobody-known'), /nobody-known/],
  ];

  it.each(CASES)('%s: the error is one line that names the variable', async (_, change, reason) => {
    const url = changed(change);
    const env = loadEnv({ DATABASE_URL: url });
    const module = Test.createTestingModule({
      imports: [ConfigModule.forEnvironment(env), DatabaseModule.connect('test')],
    });
    for (const start of [() => assertReachable(url), () => migrate(url), () => module.compile()]) {
      const error = await start().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(StartupError);
      const { message } = error as StartupError;
      expect(message).toMatch(/^The database of DATABASE_URL cannot be used: [^\n]+$/);
      expect(message).toMatch(reason);
    }
  });

  it('is not a URL: the error names the variable, too', async () => {
    const opening = openSession('postgres://user:password@[host/capture');
    await expect(opening).rejects.toThrow(StartupError);
    await expect(opening).rejects.toThrow(/^The database of DATABASE_URL cannot be used: .*Invalid URL$/);
  });

  it('is distinguished from one that can', async () => {
    await expect(assertReachable(database.url)).resolves.toBeUndefined();
  });
});
