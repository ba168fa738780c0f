import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { decodeCursor, newId, type Cursor } from '@app/kernel';
import { startModules, type StartedModules } from '../../../test/support/modules.js';
import { rowsRead } from '../../../test/support/rows-read.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import {
  DeliveryHistoryRepository,
  deliveryPageQuery,
  type DeliveryHistoryFilter,
} from './delivery-history.repository.js';
import { EVENT_TYPES } from './event-types.js';
import { DELIVERY_STATES } from './webhook-delivery.entity.js';
import { WebhooksModule } from './webhooks.module.js';

interface Row {
  readonly id: string;
  readonly accountId: string;
  readonly subjectId: string;
  readonly type: string;
  readonly state: string;
  readonly createdAt: Date;
}

const START_MS = Date.parse('2026-05-01T00:00:00Z');
const SUBJECTS = [newId(), newId(), newId()];
const PAGE = 40;

const random = seededRandom(17);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
/** Several rows in most milliseconds. */
const time = (): Date => new Date(START_MS + Math.floor(random() * 100));

describe(DeliveryHistoryRepository.name, () => {
  let service: StartedModules;
  let source: DataSource;
  let history: DeliveryHistoryRepository;
  let account: string;
  let uniform: string;
  let rows: Row[];

  beforeAll(async () => {
    service = await startModules({ imports: [WebhooksModule] });
    source = service.app.get(DataSource);
    history = service.app.get(DeliveryHistoryRepository);
    account = await service.database.addAccount();
    uniform = await service.database.addAccount();
    const other = await service.database.addAccount();
    rows = Array.from({ length: 600 }, (_, i) => ({
      id: newId(),
      accountId: i % 10 === 0 ? other : account,
      subjectId: pick(SUBJECTS),
      type: pick(EVENT_TYPES),
      state: pick(DELIVERY_STATES),
      createdAt: time(),
    }));
    await insert(rows);
    await addUniformRows();
    await source.query(`ANALYZE webhook_deliveries`);
  });

  afterAll(() => service.close());

  async function insert(all: readonly Row[]): Promise<void> {
    await source.query(
      `INSERT INTO webhook_deliveries (id, account_id, subject_id, type, state, created_at, url, host, body)
       SELECT id, "accountId", "subjectId", type, state, "createdAt", 'https://a.example/', 'a.example', '{}'
         FROM json_to_recordset($1) AS row (id uuid, "accountId" uuid, "subjectId" uuid, type text, state text,
                                            "createdAt" timestamptz)`,
      [JSON.stringify(all)],
    );
  }

  /** Inserts 20,000 rows that differ only in their time, for which the planner's statistics favour reading all of them. */
  async function addUniformRows(): Promise<void> {
    await source.query(
      `INSERT INTO webhook_deliveries (id, account_id, subject_id, type, state, url, host, body, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'capture.succeeded', 'delivered', 'https://a.example/', 'a.example',
              '{}', $2::timestamptz + n * interval '1 s'
         FROM generate_series(1, 20000) AS n`,
      [uniform, new Date(START_MS)],
    );
  }

  async function readAll(filter: DeliveryHistoryFilter): Promise<string[]> {
    const ids: string[] = [];
    let cursor: Cursor | undefined;
    do {
      const page = await history.list(account, filter, { limit: PAGE, cursor });
      // Every page but the last one is full.
      expect(page.items).toHaveLength(page.nextCursor === null ? page.items.length : PAGE);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor === null ? undefined : decodeCursor(page.nextCursor);
    } while (cursor);
    return ids;
  }

  const maybe = <T>(chance: number, value: () => T): T | undefined =>
    random() < chance ? value() : undefined;

  const randomFilter = (): DeliveryHistoryFilter => ({
    state: maybe(0.4, () => pick(DELIVERY_STATES)),
    type: maybe(0.3, () => pick(EVENT_TYPES)),
    subjectId: maybe(0.3, () => pick([...SUBJECTS, newId()])),
    createdAfter: maybe(0.3, () => time().toISOString()),
    createdBefore: maybe(0.3, () => time().toISOString()),
  });

  const matches = (row: Row, { createdAfter, createdBefore, ...equal }: DeliveryHistoryFilter): boolean =>
    row.accountId === account &&
    Object.entries(equal).every(([name, value]) => value === undefined || row[name as keyof Row] === value) &&
    (createdAfter === undefined || row.createdAt.getTime() > Date.parse(createdAfter)) &&
    (createdBefore === undefined || row.createdAt.getTime() < Date.parse(createdBefore));

  it('returns the same rows as filtering all does, for 100 random filters', async () => {
    for (let i = 0; i < 100; i++) {
      const filter = randomFilter();
      const expected = rows
        .filter((row) => matches(row, filter))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      expect({ filter, found: await readAll(filter) }).toEqual({ filter, found: expected });
    }
  });

  const hours = { createdAfter: '2026-05-01T00:00:00Z', createdBefore: '2026-05-01T03:00:00Z' };

  it.each<DeliveryHistoryFilter>([
    {},
    { state: 'delivered' },
    { state: 'failed' },
    { type: 'capture.succeeded' },
    { type: 'capture.failed', state: 'delivered' },
    { subjectId: newId() },
    hours,
    { ...hours, state: 'delivered' },
  ])('reads few of 20,000 rows for %j, on the first page and on a deep one', async (filter) => {
    const deep = { createdAtMs: START_MS + 600_000, id: newId() };
    for (const cursor of [undefined, deep]) {
      const { sql, values } = deliveryPageQuery(uniform, filter, { limit: 21, cursor });
      // A row of a page is read from the index of its kind, from that of the ids, and from the table.
      expect(await rowsRead(source, sql, values)).toBeLessThanOrEqual(4 * 21);
    }
  });
});
