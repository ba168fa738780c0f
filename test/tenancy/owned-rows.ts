import { createHash } from 'node:crypto';

/** The account that calls, and another one that has equal rows. */
export type Owner = 'own' | 'other';

/** The ids of the other account come first in any order by id, so that a query without its account finds them first. */
const FIRST_DIGIT = { own: 'b', other: 'a' } as const;

const uuid = (owner: Owner, place: number): string =>
  `${FIRST_DIGIT[owner].repeat(8)}-0000-4000-8000-${String(place).padStart(12, '0')}`;

/** Matches the ids of the other account's rows, and its texts. */
export const OF_OTHER = /a{8}-0000-4000-8000-\d{12}|key-of-other|name-of-other/;

/** Bytes that the text determines. */
export const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** What both accounts have the same. */
export const SAME = {
  cacheKey: hash('cache'),
  captureKey: hash('capture'),
  idempotencyKey: 'order-1',
  hook: 'https://hooks.test/end',
  host: 'a.test',
  session: 'shop',
  worker: 'w',
} as const;

/** The names of the rows of one account, by which calls refer to them. */
export function ownedBy(owner: Owner) {
  const id = (place: number) => uuid(owner, place);
  return {
    accountId: id(0),
    name: `name-of-${owner}`,
    /** Units that are used. They differ, so that a join finds the counter of the other account only if it may. */
    used: owner === 'own' ? 9 : 4,
    keyId: `key-of-${owner}`,
    secondKeyId: `key-of-${owner}-2`,
    session: hash(`session of ${owner}`),
    logIn: hash(`log-in of ${owner}`),
    batches: { running: id(1), ended: id(2) },
    jobs: {
      waiting: id(11),
      dispatched: id(12),
      running: id(13),
      lost: id(14),
      succeeded: id(15),
      follower: id(16),
      row: id(17),
      failedRow: id(18),
      endedRow: id(19),
      savedRow: id(20),
    },
    sessions: { active: id(41), pending: id(42) },
    deliveries: { pending: id(31), failed: id(32), due: id(33) },
    monitors: { active: id(41), due: id(42), page: id(43), check: id(44), open: id(45) },
    crawls: { open: id(51), lease: id(52) },
    /** An id that nothing has yet. */
    unused: id(99),
  };
}

export type Owned = ReturnType<typeof ownedBy>;
