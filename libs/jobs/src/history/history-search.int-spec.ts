import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { decodeCursor, newId, type Cursor } from '@app/kernel';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { rowsRead } from '../../../../test/support/rows-read.js';
import { SEARCHED_ROWS, searchQuery, type JobSearch } from './history-search.js';
import { JobHistoryModule } from './job-history.module.js';
import { JobHistoryRepository } from './job-history.repository.js';

const [ACCOUNT, OTHER] = [newId(), newId()] as const;
const ROWS = 100_000;
/** The places of the rows that are found, from the newest one. */
const FOUND = [3, 4_999, 5_000, 5_001, 61_234, 99_999];

describe(searchQuery.name, () => {
  let service: StartedModules;
  let source: DataSource;
  let history: JobHistoryRepository;

  beforeAll(async () => {
    service = await startModules({ imports: [JobHistoryModule] });
    source = service.app.get(DataSource);
    history = service.app.get(JobHistoryRepository);
    for (const id of [ACCOUNT, OTHER])
      await source.query(
        `INSERT INTO accounts (id, name, allowance, allowance_period, concurrency) VALUES ($1, $2, 1, 'ever', 1)`,
        [id, id],
      );
    await source.query(
      `INSERT INTO jobs (id, account_id, source, status, format, host, options, timeout_ms, usage_period, created_at, url, title)
       SELECT gen_random_uuid(), $1, 'job', 'succeeded', 'png', 'a.example', '{}', 1, 'ever',
              now() - n * interval '1 s', 'https://a.example/products/' || n || '?color=blue', 'The product number ' || n
         FROM generate_series(1, $2::int) AS n`,
      [ACCOUNT, ROWS],
    );
    await source.query(
      `UPDATE jobs SET url = 'https://a.example/Pricing%20100_' || id
         FROM (SELECT id AS found, row_number() OVER (ORDER BY created_at DESC) - 1 AS place FROM jobs) AS placed
        WHERE found = id AND place = ANY($1)`,
      [FOUND],
    );
    await source.query(`ANALYZE jobs`);
  }, 120_000);

  afterAll(() => service.close());

  /** Reads all pages one after the other; returns how many rows each of them has. */
  async function sizesOf(filter: JobSearch, limit: number): Promise<number[]> {
    const sizes: number[] = [];
    let cursor: Cursor | undefined;
    do {
      const page = await history.list(ACCOUNT, filter, { limit, cursor });
      sizes.push(page.items.length);
      cursor = page.nextCursor === null ? undefined : decodeCursor(page.nextCursor);
    } while (cursor);
    return sizes;
  }

  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

  it('finds each row once, however the pages end', async () => {
    expect(sum(await sizesOf({ contains: 'pricing' }, 100))).toBe(FOUND.length);
    expect(sum(await sizesOf({ contains: 'PRICING', host: 'a.example' }, 1))).toBe(FOUND.length);
    expect(sum(await sizesOf({ contains: 'pricing', status: 'failed' }, 100))).toBe(0);
  });

  it('ends a page without matches where it has read enough, and goes on there', async () => {
    const sizes = await sizesOf({ contains: 'nowhere' }, 100);
    expect(sizes).toHaveLength(ROWS / SEARCHED_ROWS + 1);
    expect(sum(sizes)).toBe(0);
  });

  it.each([
    ['Product Number 99999', 1],
    ['products/4711?', 1],
    ['%20100_', FOUND.length],
    ['%', FOUND.length],
    ['100.', 0],
  ])('takes %s as it is', async (text, matches) => {
    expect(sum(await sizesOf({ contains: text }, 100))).toBe(matches);
  });

  it('finds nothing of another account', async () => {
    expect(await history.list(OTHER, { contains: 'product' }, { limit: 100 })).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it.each<JobSearch>([
    { contains: 'nowhere' },
    { contains: 'product' },
    { contains: 'nowhere', host: 'a.example' },
    { contains: 'nowhere', status: 'failed' },
  ])('reads a bounded number of 100,000 rows for %j', async (filter) => {
    for (const cursor of [undefined, { createdAtMs: Date.now() - 50_000_000, id: newId() }]) {
      const { sql, parameters } = searchQuery(ACCOUNT, filter, { limit: 101, cursor });
      const [statement, values] = source.driver.escapeQueryWithParameters(sql, parameters);
      // Each is read from the index of the history, from that of the ids and from the table.
      expect(await rowsRead(source, statement, values)).toBeLessThanOrEqual(3 * SEARCHED_ROWS + 10);
    }
  });
});
