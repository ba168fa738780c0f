import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { rowAgain } from './again.js';

const record = (fields: Partial<CaptureRecord>): CaptureRecord =>
  ({ url: 'https://a.example', reference: null, options: {}, ...fields }) as CaptureRecord;

describe('a row of an earlier batch', () => {
  it('is submitted with its options and its reference', () => {
    const again = rowAgain(record({ reference: 'home', options: { format: 'webp' } }));
    expect(again).toEqual({
      item: { url: 'https://a.example', format: 'webp', reference: 'home' },
      lost: [],
    });
  });

  it('is submitted without its secrets, which are named', () => {
    const options = { headers: { cookie: '[redacted]' }, basic_auth_password: '[redacted]', format: 'png' };
    expect(rowAgain(record({ options }))).toEqual({
      item: { url: 'https://a.example', format: 'png' },
      lost: ['headers', 'basic_auth_password'],
    });
  });

  it('is left out if it was not valid, its HTML was cut, or its record was deleted', () => {
    expect(rowAgain(record({ url: null, options: { html: 'x'.repeat(1_000) } }))).toBeNull();
    expect(rowAgain(record({ url: null }))).toBeNull();
    const error = { code: 'invalid_request' } as CaptureRecord['error'];
    expect(rowAgain(record({ error }))).toBeNull();
    expect(rowAgain(record({ url: null, options: { html: '<p>' } }))?.item).toEqual({ html: '<p>' });
  });
});
