import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALLS_OF_AUDIT } from './calls-of-audit.js';
import { CALLS_OF_AUTH } from './calls-of-auth.js';
import { CALLS_OF_BULK } from './calls-of-bulk.js';
import { CALLS_OF_HEALTH } from './calls-of-health.js';
import { CALLS_OF_JOBS } from './calls-of-jobs.js';
import { CALLS_OF_CRAWLS } from './calls-of-crawls.js';
import { CALLS_OF_MONITORS } from './calls-of-monitors.js';
import { CALLS_OF_THE_API } from './calls-of-the-api.js';
import { CALLS_OF_THE_QUEUE } from './calls-of-the-queue.js';
import { CALLS_OF_SESSIONS } from './calls-of-sessions.js';
import { CALLS_OF_USAGE } from './calls-of-usage.js';
import { CALLS_OF_WEBHOOKS } from './calls-of-webhooks.js';
import type { Call } from './calls.js';
import { OF_OTHER, ownedBy } from './owned-rows.js';
import { NO_CHANGES, World } from './two-accounts.js';

const REPOSITORIES = [
  ...CALLS_OF_AUDIT,
  ...CALLS_OF_AUTH,
  ...CALLS_OF_BULK,
  ...CALLS_OF_HEALTH,
  ...CALLS_OF_JOBS,
  ...CALLS_OF_CRAWLS,
  ...CALLS_OF_MONITORS,
  ...CALLS_OF_THE_API,
  ...CALLS_OF_THE_QUEUE,
  ...CALLS_OF_SESSIONS,
  ...CALLS_OF_USAGE,
  ...CALLS_OF_WEBHOOKS,
];

const entries = REPOSITORIES.flatMap(({ type, calls }) =>
  Object.entries(calls).map(([method, entry]) => ({ name: `${type.name}.${method}`, type, entry })),
);

/** What a method returns when it finds nothing. */
const NOTHING = /^(nothing|null|false|0|\[\]|\{"items":\[\],.*)$/;

/** What reads or writes rows of accounts without being named a repository. */
const OTHERS = ['libs/usage/src/rates/postgres-buckets.ts'];

/** What remembers rows of accounts that a repository has read. */
const REMEMBERING = ['libs/jobs/src/cache/sync-cache.service.ts'];

/** What sends statements that concern no row of an account: locks, migrations, notifications, settings and health. */
const WITHOUT_ROWS = [
  'libs/database/src/advisory-lock.ts',
  'libs/database/src/database.service.ts',
  'libs/database/src/listening-client.ts',
  'libs/database/src/migrate.ts',
  'libs/database/src/notifications.service.ts',
  'libs/jobs/src/acceptance/acceptance-transaction.service.ts',
  'libs/jobs/src/signals/signals.ts',
];

const IS_REPOSITORY = /\.repository\.ts$/;

/** The sources of the service that may send statements, without specs, migrations and what runs outside it. */
const SOURCES = globSync(['libs/*/src/**/*.ts', 'apps/{api,worker}/src/**/*.ts']).filter(
  (file) => !/spec\.ts$|\/migrations\/|^libs\/client\//.test(file),
);

/** The public methods of what reads or writes rows of accounts, read from the sources. */
function methodsOfSources(): string[] {
  return [...SOURCES.filter((file) => IS_REPOSITORY.test(file)), ...OTHERS, ...REMEMBERING].flatMap(
    (file) => {
      const [body = '', name = ''] = /^export class (\w+)[^]*?\n\}/m.exec(readFileSync(file, 'utf8')) ?? [];
      const methods = [...body.matchAll(/^ {2}(?:async )?\*?(?!constructor\b)([a-z]\w*)(?:<.*>)?\(/gm)];
      return methods.map(([, method = '']) => `${name}.${method}`);
    },
  );
}

describe('the repositories', () => {
  const mine = ownedBy('own');
  let alone: World;
  let shared: World;

  beforeAll(async () => {
    const now = new Date();
    // PostgreSQL writes no zeros at the end of a fraction.
    now.setUTCMilliseconds(123);
    [alone, shared] = await Promise.all([World.open(['own'], now), World.open(['other', 'own'], now)]);
  });

  afterAll(() => Promise.all([alone.close(), shared.close()]));

  it('have an entry here for each of their methods, which says how it keeps to one account', () => {
    expect(entries.map(({ name }) => name).sort()).toEqual(methodsOfSources().sort());
  });

  it('are the only sources that send statements, except those that concern no row of an account', () => {
    const sending = SOURCES.filter((file) =>
      /\.query(<[^(]*)?\(|createQueryBuilder\(|getRepository\(/.test(readFileSync(file, 'utf8')),
    );
    const others = sending.filter((file) => !IS_REPOSITORY.test(file));
    expect(others.sort()).toEqual([...OTHERS, ...WITHOUT_ROWS].sort());
  });

  it('find the rows of the other account first when they do not say whose they look for', async () => {
    const first = await shared.firstRows();
    expect(first.length).toBeGreaterThan(20);
    expect(first.filter((row) => !OF_OTHER.test(row))).toEqual([]);
  });

  it.each(entries.filter(({ entry }) => entry.kind !== 'all'))(
    '$name returns and changes the same, whether another account has equal rows',
    async ({ type, entry }) => {
      const call = 'call' in entry ? (entry.call as Call<object>) : () => undefined;
      const expected = await alone.observe(type, (repository, transaction) =>
        call(repository, mine, transaction),
      );
      const { own, other, returned } = await shared.observe(type, (repository, transaction) =>
        call(repository, mine, transaction),
      );
      // A call that finds nothing would prove nothing.
      expect({ returned, own }).not.toEqual({ returned: expect.stringMatching(NOTHING), own: NO_CHANGES });
      expect(returned).toBe(expected.returned);
      expect(own).toEqual(expected.own);
      expect(other).toEqual(NO_CHANGES);
    },
  );

  it.each(entries.filter(({ entry }) => entry.kind === 'guarded'))(
    '$name finds nothing of another account by the ids of its rows',
    async ({ type, entry }) => {
      const call = 'call' in entry ? (entry.call as Call<object>) : () => undefined;
      const mixed = { ...ownedBy('other'), accountId: mine.accountId };
      const { own, other, returned } = await shared.observe(type, (repository, transaction) =>
        call(repository, mixed, transaction),
      );
      expect(returned).not.toMatch(OF_OTHER);
      expect([own, other]).toEqual([NO_CHANGES, NO_CHANGES]);
    },
  );
});
