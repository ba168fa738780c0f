import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { CaptureClient, type MonitorRequest } from './index.js';

const YEARLY: MonitorRequest = {
  schedule: { cron: '0 0 1 1 *' },
  capture: { url: 'https://example.com/', full_page: true },
};

describe('the monitors of an account', () => {
  let api: TestApi;
  let client: CaptureClient;

  beforeAll(async () => {
    api = await startApi();
    const { apiKey } = await api.client();
    client = new CaptureClient({ baseUrl: api.url, key: apiKey });
  });

  afterAll(() => api.close());

  it('are made, listed, changed, paused, resumed, run and deleted', async () => {
    const { monitors } = client;
    const made = await monitors.create({
      ...YEARLY,
      name: 'prices',
      notify: [{ type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/X' }],
    });
    expect(made).toMatchObject({ name: 'prices', state: 'active', capture: { full_page: true } });
    expect(made.notify).toEqual([
      { type: 'slack', url: expect.stringMatching(/^https:\/\/hooks\.slack\.com\/\[redacted\]#/) },
    ]);
    const other = await monitors.create({ ...YEARLY, name: 'other' });
    const names: string[] = [];
    for await (const { name } of monitors.list({ limit: 1 })) names.push(name);
    expect(names).toEqual(['other', 'prices']);
    expect((await monitors.page({ state: 'paused' })).items).toEqual([]);
    expect(await monitors.update(made.id, { name: 'price', notify: [], webhook_url: null })).toMatchObject({
      name: 'price',
      notify: [],
      webhook_url: null,
    });
    expect(await monitors.pause(made.id)).toMatchObject({ state: 'paused', pause_reason: 'request' });
    expect(await monitors.resume(made.id)).toMatchObject({ state: 'active' });
    await monitors.run(made.id);
    await monitors.run(made.id);
    const outcomes: unknown[] = [];
    for await (const { outcome } of monitors.checks(made.id, { limit: 1 })) outcomes.push(outcome);
    expect(outcomes).toEqual(['skipped', null]);
    expect((await monitors.checkPage(made.id, { outcome: 'skipped' })).items).toHaveLength(1);
    expect(await monitors.delete(other.id)).toBeUndefined();
    await expect(monitors.get(other.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are previewed', async () => {
    const next = await client.monitors.preview({ cron: '0 9 * * *', timezone: 'Europe/Paris' });
    expect(next).toHaveLength(5);
    await expect(client.monitors.preview({ every_s: 1 })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
