import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { onService, startCli } from '../../../../test/support/cli.js';
import type { Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = 'https://example.com/';

describe('the progress of a capture', () => {
  let api: TestApi;
  let folder: string;
  let client: Client & { readonly accountId: string; readonly apiKey: string };

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    folder = await mkdtemp(path.join(os.tmpdir(), 'cli-progress-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
    await api.close();
  });

  it('is that of this capture, not of a later one of the same page', async () => {
    const { child, ended } = startCli(
      [PAGE, '-o', 'page.png'],
      onService({ url: api.url, key: client.apiKey }, folder, { columns: 120 }),
    );
    let shown = '';
    child.stdout?.on('data', (part) => (shown += String(part)));
    const own = await api.claim({ accountId: client.accountId });
    const later = client.capture({ url: PAGE });
    await eventually('its progress is shown', () => shown.includes(`capturing ${PAGE}: running`));
    await own.succeed();
    expect((await ended).code).toBe(0);
    expect(shown).not.toContain('queued');
    await (await api.claim({ accountId: client.accountId })).succeed();
    expect((await later).status).toBe(200);
  });
});
