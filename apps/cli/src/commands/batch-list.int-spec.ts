import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { insertBatch } from '../../../../test/support/batch-rows.js';
import { onService, runCli, type CliEnd, type CliSettings } from '../../../../test/support/cli.js';

describe('capture batches list', () => {
  let api: TestApi;
  let key: string;
  const ids: string[] = [];

  beforeAll(async () => {
    api = await startApi();
    const { accountId, apiKey } = await api.client();
    key = apiKey;
    for (const shape of [{ rows: 3, rejected: 1 }, { rows: 0, rejected: 2 }, { rows: 5 }]) {
      ids.unshift((await insertBatch(api.database, { accountId, ...shape })).id);
    }
    await insertBatch(api.database, { accountId: (await api.client()).accountId, rows: 1 });
  });

  afterAll(() => api.close());

  const run = (flags: readonly string[], more: CliSettings = {}): Promise<CliEnd> =>
    runCli(['batches', 'list', ...flags], onService({ url: api.url, key }, os.tmpdir(), more));
  const idsOf = async (...flags: string[]): Promise<unknown[]> =>
    (await run(flags)).stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);

  it('prints a line of JSON for each batch that the flags choose, newest first', async () => {
    expect(await idsOf()).toEqual(ids);
    expect(await idsOf('--json', '--limit', '2')).toEqual(ids.slice(0, 2));
    expect(await idsOf('--status', 'queued', '--all')).toEqual([ids[0], ids[2]]);
    expect(await idsOf('--status', 'completed', '--created-after', '2026-01-01')).toEqual([ids[1]]);
    expect(await run(['--created-before', '2026-01-01'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('prints a table on a terminal', async () => {
    const { code, stdout } = await run([], { columns: 160, env: { NO_COLOR: '1' } });
    const [head, ...rows] = stdout
      .trim()
      .split('\r\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect([code, head]).toEqual([
      0,
      ['ID', 'CREATED', 'STATUS', 'ROWS', 'ENDED', 'SUCCEEDED', 'FAILED', 'CANCELED', 'LEFT'],
    ]);
    const created = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(rows).toEqual([
      [ids[0], created, 'queued', '5', '0 %', '0', '0', '0', '-'],
      [ids[1], created, 'completed', '2', '100 %', '0', '2', '0', '-'],
      [ids[2], created, 'queued', '4', '25 %', '0', '1', '0', '-'],
    ]);
  });

  it.each([
    [['--status', 'failed'], 2, 'queued, running, completed, canceled'],
    [['--limit', '0'], 2, 'whole number from 1'],
    [['--limit', '5', '--all'], 2, '--all'],
    [['--created-after', 'yesterday'], 2, 'created'],
  ])('refuses %j', async (flags, code, message) => {
    expect(await run(flags)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });
});
