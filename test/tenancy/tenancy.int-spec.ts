import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALLS_OF_AUTH } from './calls-of-auth.js';
import { CALLS_OF_BULK } from './calls-of-bulk.js';
import { CALLS_OF_JOBS } from './calls-of-jobs.js';
import { CALLS_OF_THE_QUEUE } from './calls-of-the-queue.js';
import { CALLS_OF_USAGE } from './calls-of-usage.js';
import { CALLS_OF_WEBHOOKS } from './calls-of-webhooks.js';
import type { Call } from './calls.js';
import { OF_OTHER, ownedBy } from './owned-rows.js';
import { NO_CHANGES, World } from './two-accounts.js';

const REPOSITORIES = [
  ...CALLS_OF_AUTH,
  ...CALLS_OF_BULK,
  ...CALLS_OF_JOBS,
  ...CALLS_OF_THE_QUEUE,
  ...CALLS_OF_USAGE,
  ...CALLS_OF_WEBHOOKS,
];

const entries = REPOSITORIES.flatMap(({ type, calls }) =>
  Object.entries(calls).map(([method, entry]) => ({ name: `${type.name}.${method}`, type, entry })),
);

/** What a method returns when it finds nothing. */
const NOTHING = /^(nothing|null|false|0|\[\]|\{"items":\[\],.*)$/;

/** The public methods of the repositories, read from their sources. */
function methodsOfSources(): string[] {
  return globSync('libs/*/src/**/*.repository.ts').flatMap((file) => {
    const [body = '', name = ''] = /^export class (\w+)[^]*?\n\}/m.exec(readFileSync(file, 'utf8')) ?? [];
    const methods = [...body.matchAll(/^ {2}(?:async )?\*?(?!constructor\b)([a-z]\w*)(?:<.*>)?\(/gm)];
    return methods.map(([, method = '']) => `${name}.${method}`);
  });
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
