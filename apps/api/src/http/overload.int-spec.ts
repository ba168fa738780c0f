import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = 'https://example.com/';
const CALLERS = 200;

describe('two hundred callers of one account whose statements wait', () => {
  let api: TestApi;
  let busy: Client & { readonly accountId: string };
  let other: Client & { readonly accountId: string };

  beforeAll(async () => {
    api = await startApi();
    busy = await api.client({ concurrency: 2 * CALLERS });
    other = await api.client();
  });
  afterAll(() => api.close());

  it('leave another account unharmed, and those that are too many are refused at once', async () => {
    const gone = new AbortController();
    const refused: Response[] = [];
    let ended = 0;
    // Each capture of the account waits for this lock, with a connection of the pool.
    await using lock = await api.database.session();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [busy.accountId]);
    const calls = Array.from({ length: CALLERS }, (_, i) =>
      busy.capture({ url: `${PAGE}${i}` }, { signal: gone.signal }).then(
        (response) => (response.status === 429 ? refused.push(response) : ended++),
        () => undefined,
      ),
    );
    await eventually('the others are refused', () => Promise.resolve(refused.length >= CALLERS / 4));
    expect((await other.get('/v1/usage')).status).toBe(200);
    expect((await other.submit({ url: PAGE })).status).toBe(202);
    const capture = other.capture({ url: PAGE });
    await (await api.claim(other)).succeed();
    await (await api.claim(other)).succeed();
    expect((await capture).status).toBe(200);
    // None of the callers had to end for that.
    expect(ended).toBe(0);
    const [first] = refused;
    expect(first?.headers.get('retry-after')).toBe('1');
    expect(await json(first as Response)).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryable: true,
      detail: 'Very many requests of the account wait for an answer. Send fewer of them at a time.',
    });
    gone.abort();
    await lock.query('ROLLBACK');
    await Promise.all(calls);
    // Those that wait still are served first.
    await eventually('the account is served again', async () => (await busy.get('/v1/usage')).ok);
  });
});
