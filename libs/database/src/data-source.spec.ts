import { describe, expect, it } from '@jest/globals';
import { connectMsOf, dataSourceOptions } from './data-source.js';

describe(connectMsOf.name, () => {
  const url = 'postgres://user@host/database';

  it('is what the URL says in seconds, as for libpq', () => {
    expect(connectMsOf(`${url}?sslmode=require&connect_timeout=30`)).toBe(30_000);
    expect(dataSourceOptions({ url: `${url}?connect_timeout=30`, poolSize: 4, name: 'test' })).toMatchObject({
      connectTimeoutMS: 30_000,
    });
  });

  it.each(['', '?connect_timeout=', '?connect_timeout=0', '?connect_timeout=-1', '?connect_timeout=soon'])(
    'is 5 s for a URL with %j',
    (query) => {
      expect(connectMsOf(`${url}${query}`)).toBe(5_000);
    },
  );

  it('is 5 s for what is not a URL, which fails when it is used', () => {
    expect(connectMsOf('postgres://user@[host/database')).toBe(5_000);
  });
});
