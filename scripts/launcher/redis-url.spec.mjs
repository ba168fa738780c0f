import { describe, expect, it } from '@jest/globals';
import { freePort } from './ports.mjs';
import { requireRedis } from './redis-url.mjs';

describe('the Redis of npm start', () => {
  it('is not asked for when the queue lives in the database', async () => {
    await expect(requireRedis({})).resolves.toBeUndefined();
  });

  it('is named in one line when it is away', async () => {
    const env = { ...process.env, REDIS_URL: `redis://:secret@127.0.0.1:${await freePort()}` };
    const error = await requireRedis(env).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'StartError' });
    expect(error.message).toMatch(/^The Redis of REDIS_URL cannot be used: connect ECONNREFUSED [^\n]+$/);
    expect(error.message).not.toContain('secret');
  });
});
