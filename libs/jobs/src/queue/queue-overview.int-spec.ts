import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import type { TestDatabase } from '../../../../test/support/database.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { QueueOverviewRepository } from './queue-overview.repository.js';

describe(QueueOverviewRepository.name, () => {
  let service: StartedModules;
  let client: TestDatabase;
  let overview: QueueOverviewRepository;
  /** In the order of their ids. */
  let accounts: readonly string[];
  const now = Date.now();

  const at = (ageS: number) => new Date(now - ageS * 1_000);
  /** Adds a batch with so many rows for each host. */
  const addLine = async (accountId: string, ageS: number, hosts: Readonly<Record<string, number>>) => {
    const batchId = newId();
    const all = Object.entries(hosts).flatMap(([host, count]) => Array.from({ length: count }, () => host));
    await client.query(
      `INSERT INTO batches (id, account_id, status, total, queued) VALUES ($1, $2, 'queued', $3, $3)`,
      [batchId, accountId, all.length],
    );
    await client.query(
      `INSERT INTO jobs (id, account_id, source, status, format, options, timeout_ms, usage_period, created_at, host, batch_id, batch_row)
       SELECT gen_random_uuid(), $1, 'batch', 'queued', 'png', '{}', 60000, '2026-11', $2, host, $3, number
         FROM unnest($4::text[]) WITH ORDINALITY AS hosts (host, number)`,
      [accountId, at(ageS), batchId, all],
    );
  };

  beforeAll(async () => {
    service = await startJobs();
    client = service.database;
    overview = service.app.get(QueueOverviewRepository, { strict: false });
    accounts = (await Promise.all([1, 2, 3].map(() => client.addAccount()))).sort();
    const [first = '', , last = ''] = accounts;
    // Its line comes first in any order by line, and its rows after those of the other account.
    await addLine(last, 30, { 'a.example': 4 });
    await addLine(first, 50, { 'a.example': 2, 'b.example': 1 });
    await addLine(first, 90, { 'a.example': 1 });
    // More than are read of a line.
    await addLine(first, 20, { 'c.example': 60 });
  });

  afterAll(() => service.close());

  it('lists each account whose jobs wait once, with its own number and oldest', async () => {
    const [first = '', none = '', last = ''] = accounts;
    const ofFirst = { accountId: first, jobs: 64, oldestAt: at(90) };
    const ofLast = { accountId: last, jobs: 4, oldestAt: at(30) };
    expect(await overview.listWaitingAccounts()).toEqual([ofFirst, ofLast]);
    expect(await overview.listWaitingAccounts(first)).toEqual([ofFirst]);
    expect(await overview.listWaitingAccounts(last)).toEqual([ofLast]);
    expect(await overview.listWaitingAccounts(none)).toEqual([]);
  });

  it('lists the hosts of all lines of each account', async () => {
    const [first = '', , last = ''] = accounts;
    const ofFirst = [
      { accountId: first, host: 'a.example', jobs: 3, oldestAt: at(90) },
      { accountId: first, host: 'b.example', jobs: 1, oldestAt: at(50) },
      { accountId: first, host: 'c.example', jobs: 50, oldestAt: at(20) },
    ];
    const ofLast = { accountId: last, host: 'a.example', jobs: 4, oldestAt: at(30) };
    expect(await overview.listWaitingHosts()).toEqual([...ofFirst, ofLast]);
    expect(await overview.listWaitingHosts(first)).toEqual(ofFirst);
    expect(await overview.listWaitingHosts(last)).toEqual([ofLast]);
  });
});
