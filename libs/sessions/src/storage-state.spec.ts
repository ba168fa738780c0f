import { describe, expect, it } from '@jest/globals';
import { readStateFor, stateFaults } from './storage-state.js';

const ORIGINS = ['https://shop.example.com', 'http://127.0.0.1:8080'];
const cookie = (domain: string, more: object = {}): object => ({ name: 'a', value: 'b', domain, ...more });
const domainsOf = (cookies: object[]): string[] =>
  readStateFor(ORIGINS, { cookies }).cookies.map(({ domain }) => domain);

describe(readStateFor, () => {
  it('keeps the cookies that are sent to the origins, and no others', () => {
    const kept = ['shop.example.com', '.shop.example.com', '.example.com', '127.0.0.1'];
    const dropped = [
      'example.com',
      '.com',
      'com',
      '.other.com',
      'evilshop.example.com',
      '.0.0.1',
      'www.shop.example.com',
    ];
    expect(domainsOf([...dropped, ...kept].map((domain) => cookie(domain)))).toEqual(kept);
  });

  it('keeps every trait of a cookie, and completes those that are left out', () => {
    const whole = {
      name: '__Host-a',
      value: 'b',
      domain: 'shop.example.com',
      path: '/',
      expires: 2_000_000_000.5,
      httpOnly: true,
      secure: true,
      sameSite: 'None',
      partitionKey: { topLevelSite: 'https://example.com', hasCrossSiteAncestor: true },
    };
    const written = [cookie('shop.example.com', { partitionKey: 'https://example.com' }), whole];
    expect(readStateFor(ORIGINS, { cookies: written }).cookies).toEqual([
      {
        name: 'a',
        value: 'b',
        domain: 'shop.example.com',
        path: '/',
        expires: -1,
        httpOnly: false,
        secure: false,
        partitionKey: { topLevelSite: 'https://example.com', hasCrossSiteAncestor: false },
      },
      whole,
    ]);
  });

  it('keeps the storage of the origins alone, with empty databases', () => {
    const [own = ''] = ORIGINS;
    const indexedDB = [{ name: 'empty', version: 1, stores: [] }];
    const origins = [
      { origin: own, localStorage: [], indexedDB },
      { origin: 'https://example.com', localStorage: [] },
    ];
    expect(readStateFor(ORIGINS, { origins }).origins).toEqual([
      { origin: own, localStorage: [], indexedDB },
    ]);
  });

  it('refuses a state that is too large', () => {
    const origins = [{ origin: ORIGINS[0], localStorage: [{ name: 'a', value: 'b'.repeat(1_000_000) }] }];
    expect(() => readStateFor(ORIGINS, { origins })).toThrow('1000000');
  });
});

describe(stateFaults, () => {
  it.each([
    [[], [' wrong_type']],
    [{ cookie: [] }, ['/cookie unknown_field']],
    [{ cookies: {} }, ['/cookies wrong_type']],
    [{ cookies: [cookie('a.b', { sameSite: 'lax' })] }, ['/cookies/0/sameSite wrong_type']],
    [{ cookies: [cookie('a b')] }, ['/cookies/0/domain wrong_type']],
    [
      { origins: [{ origin: 'https://a.b', localStorage: [{ name: 'a' }] }] },
      ['/origins/0/localStorage/0/value required'],
    ],
    [
      {
        origins: [
          {
            origin: 'https://a.b',
            indexedDB: [{ name: 'a', version: 0, stores: [{ name: 'b', records: [1] }] }],
          },
        ],
      },
      ['/origins/0/indexedDB/0/version wrong_type', '/origins/0/indexedDB/0/stores/0/records/0 wrong_type'],
    ],
  ])('names the faults of %j', (state, faults) => {
    expect(stateFaults(state, '').map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
  });

  it('takes what Playwright writes, and what others add to cookies', () => {
    const cookies = [cookie('.a.b', { path: '/', expires: -1, hostOnly: false, storeId: '0' })];
    expect(stateFaults({ cookies, origins: [] }, '')).toEqual([]);
  });
});
