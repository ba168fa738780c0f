import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { boundText } from '@app/kernel';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { statusAndCode } from '../../../../test/support/client.js';
import { ToolUser } from '../../../../test/support/mcp.js';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HIDDEN = /[^\P{Cc}\n\t]|\u202e|\u200b|\u{e0041}|\\u00/u;

describe('POST /mcp, abused', () => {
  let api: TestApi;
  let account: Awaited<ReturnType<TestApi['client']>>;
  let user: ToolUser;

  beforeAll(async () => {
    api = await startApi();
    account = await api.client();
    user = await ToolUser.overHttp({ url: api.url, key: account.apiKey });
  });

  afterAll(async () => {
    await user.close();
    await api.close();
  });

  it('counts each message of a batch as a request', async () => {
    const { apiKey } = await api.client({ rate: 1, burst: 4 });
    const batch = (size: number): Promise<Response> =>
      fetch(`${api.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: `[${Array.from({ length: size }, () => PING).join()}]`,
      });
    expect(await statusAndCode(batch(21))).toEqual([400, 'invalid_request']);
    expect((await batch(2)).status).toBe(200);
    const response = await batch(2);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await statusAndCode(response)).toEqual([429, 'rate_limited']);
  });

  it('takes ids for nothing but ids', async () => {
    for (const id of ['.', '..', '../captures', 'x/../..', '%2e', '\u0000', '?limit=1', '']) {
      for (const [tool, name] of [
        ['get_job', 'id'],
        ['read_page', 'capture_id'],
      ] as const) {
        const { isError, text } = await user.call(tool, { [name]: id });
        expect([id, isError, text]).toEqual([id, true, expect.stringContaining(`\`${name}\` is not an id`)]);
      }
    }
    for (const uri of ['capture://captures/./files/x', 'capture://captures/%2e/files/x']) {
      await expect(user.client.readResource({ uri })).rejects.toThrow(/not found/i);
    }
  });

  it('loads no text of any length', async () => {
    const call = user.call('read_page', { url: 'https://example.com/long' });
    const job = await api.claim({ accountId: account.accountId });
    await job.succeed([{ name: 'result', format: 'markdown', bytes: Buffer.alloc(8_000_001, 'a ') }]);
    const { isError, text } = await call;
    expect([isError, text]).toEqual([true, expect.stringContaining('has 8000001 bytes, which is too long')]);
  });

  it('passes on no characters that act on a terminal or hide text', async () => {
    const title = boundText('title', 'A\u001b]0;x\u202eB\u009b31m\u{e0041}\u200bC');
    const bytes = Buffer.from('one\u001b[2Jtwo\n\tthree\u202e\u{e0041}\u0000 👩‍🚀');
    const call = user.call('read_page', { url: 'https://example.com/' });
    const job = await api.claim({ accountId: account.accountId });
    await job.succeed([{ name: 'result', format: 'markdown', bytes }], { title });
    const { text } = await call;
    expect(text).toContain('\none[2Jtwo\n\tthree 👩‍🚀\n');
    const listed = await user.call('list_captures', { limit: 1 });
    for (const each of [text, listed.text, JSON.stringify(listed.structuredContent)]) {
      expect(each).toMatch(/A ?\]0;x ?B ?31mC/);
      expect(each).not.toMatch(HIDDEN);
    }
  });
});
