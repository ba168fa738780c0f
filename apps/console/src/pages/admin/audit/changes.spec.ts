import { describe, expect, it } from '@jest/globals';
import { changesOf } from './changes.js';

describe('what a change has set', () => {
  it('is each field that differs, before and after', () => {
    const before = { concurrency: 10, max_bytes: null, rate: 5, scopes: ['read'] };
    const after = { concurrency: 3, max_bytes: 700, rate: 5, scopes: ['read', 'links'] };
    expect(changesOf({ before, after })).toEqual([
      { field: 'concurrency', before: '10', after: '3' },
      { field: 'max_bytes', before: '–', after: '700' },
      { field: 'scopes', before: 'read', after: 'read, links' },
    ]);
  });

  it('is all that is new, and all that is gone', () => {
    const facts = { name: 'acme', webhook_origin: null, paused: false };
    expect(changesOf({ before: null, after: facts })).toEqual([
      { field: 'name', before: '–', after: 'acme' },
      { field: 'paused', before: '–', after: 'false' },
    ]);
    expect(changesOf({ before: facts, after: null })[0]).toEqual({
      field: 'name',
      before: 'acme',
      after: '–',
    });
  });
});
