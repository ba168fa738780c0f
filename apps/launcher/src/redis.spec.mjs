import { describe, expect, it } from '@jest/globals';
import { freePort } from './addresses.mjs';
import { requireRedis } from './redis.mjs';

describe('the Redis of npm start', () => {
  it('is not needed when the queue lives in the database', async () => {
    await expect(requireRedis({})).resolves.toBeUndefined();
  });

  it('is named in one line when it does not answer', async () => {
    const env = { ...process.env, REDIS_URL: `redis://:secret@127.0.0.1:${await freePort()}` };
    const error = await requireRedis(env).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'StartError' });
    expect(error.message).toMatch(/^The Redis of REDIS_URL cannot be used: connect ECONNREFUSED [^\n]+$/);
    expect(error.message).not.toContain('secret');
  });
});
