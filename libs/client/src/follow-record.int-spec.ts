import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { eventually } from '../../../test/support/eventually.js';
import { ScriptedProxy } from '../../../test/support/scripted-proxy.js';
import { CaptureClient, type JobRecord } from './index.js';

const PAGE = { url: 'https://example.com/page' };

describe('an event stream', () => {
  let api: TestApi;
  let proxy: ScriptedProxy;
  const opened: TestApi[] = [];

  beforeAll(async () => {
    api = await startApi();
  });

  beforeEach(async () => {
    proxy = await ScriptedProxy.before(api.url);
  });

  afterEach(async () => {
    await proxy.close();
    for (const other of opened.splice(0)) await other.close();
  });

  afterAll(async () => {
    await api.close();
  });

  const newClient = async () => {
    const { accountId, apiKey } = await api.client();
    return { accountId, client: new CaptureClient({ baseUrl: proxy.url, key: apiKey }) };
  };

  /** Reads a stream in the background. */
  const reading = (stream: AsyncIterable<JobRecord>) => {
    const statuses: string[] = [];
    const end = (async () => {
      for await (const { status } of stream) statuses.push(status);
    })();
    return { statuses, end };
  };
  const streams = () => proxy.requests.filter(({ path }) => path.endsWith('/events'));

  it('has the record now, after each change, and at the end', async () => {
    const { client, accountId } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    const { statuses, end } = reading(client.jobs.events(id));
    await eventually('the first record arrives', () => statuses.length === 1);
    const { succeed } = await api.claim({ accountId });
    await eventually('it runs', () => statuses.includes('running'));
    await succeed();
    await end;
    expect([...new Set(statuses)]).toEqual(['queued', 'running', 'succeeded']);
    expect(streams()).toHaveLength(1);
  });

  it('is opened again with its last event after a cut, and repeats no record', async () => {
    const { client, accountId } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    const { statuses, end } = reading(client.jobs.events(id));
    await eventually('the first record arrives', () => statuses.length === 1);
    proxy.cutAll();
    await eventually('it is open again', () => streams().length === 2);
    proxy.cutAll();
    await (await api.claim({ accountId })).succeed();
    await end;
    expect(statuses.filter((status) => status === 'queued')).toHaveLength(1);
    expect(statuses.at(-1)).toBe('succeeded');
    expect(streams()[1]?.headers['last-event-id']).toMatch(/^queued/);
  });

  it('survives a restart of the service, of a batch as well', async () => {
    const first = await startApi({}, api);
    opened.push(first);
    proxy.moveTo(first.url);
    const { client, accountId } = await newClient();
    const batch = await client.bulk.fromRows([PAGE]);
    const seen: number[] = [];
    const end = client.bulk.wait(batch.id, { onProgress: ({ progress }) => seen.push(progress) });
    await eventually('the first record arrives', () => seen.length === 1);
    // The stream ends in order, and then nobody listens for a while.
    await first.close();
    opened.length = 0;
    await eventually('the client has tried in vain', () => streams().length >= 2);
    proxy.moveTo(api.url);
    await (await api.claim({ accountId })).succeed();
    expect(await end).toMatchObject({ status: 'completed', counts: { succeeded: 1 } });
    expect(seen.at(-1)).toBe(1);
  });

  it('is aborted while it waits for a change, and while it waits to be opened again', async () => {
    const { client } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    for (const isCut of [false, true]) {
      const abort = new AbortController();
      const { statuses, end } = reading(client.jobs.events(id, { signal: abort.signal }));
      await eventually('the first record arrives', () => statuses.length === 1);
      if (isCut) {
        proxy.script(...Array<'drop'>(20).fill('drop'));
        proxy.cutAll();
        await eventually('it has tried again', () => streams().length === 2);
      }
      abort.abort(new Error('enough'));
      await expect(end).rejects.toThrow('enough');
    }
  });

  it('closes its connection when the caller stops reading', async () => {
    const { client } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    for await (const { status } of client.jobs.events(id)) {
      expect(status).toBe('queued');
      break;
    }
    await eventually('the connection is closed', () => proxy.inFlight === 0);
  });

  it('fails at once for an unknown job, and after some attempts when nobody is there', async () => {
    const { client } = await newClient();
    await expect(client.jobs.wait('01a1ff78-0343-71d9-8634-8edb4e836c20')).rejects.toMatchObject({
      code: 'not_found',
    });
    proxy.script('drop', 'drop', 'drop');
    const { id } = { id: '01a1ff78-0343-71d9-8634-8edb4e836c20' };
    await expect(client.jobs.wait(id, {}, { retries: 2 })).rejects.toMatchObject({
      code: 'connection_failed',
    });
    expect(proxy.requests).toHaveLength(3);
    proxy.script({ status: 200, headers: { 'content-type': 'text/html' }, body: 'hello' });
    await expect(client.jobs.wait(id)).rejects.toMatchObject({ code: 'invalid_response' });
  });

  it('is waited for as long as the caller says; the job continues', async () => {
    const { client, accountId } = await newClient();
    const { id } = await client.jobs.create(PAGE);
    await expect(client.jobs.wait(id, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining(id),
    });
    const end = client.jobs.wait(id);
    await client.jobs.cancel(id);
    expect(await end).toMatchObject({ status: 'canceled' });
    expect((await client.captures.get(id)).status).toBe('canceled');
    expect(accountId).toMatch(/-/);
  });
});
