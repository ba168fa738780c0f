import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { nameOf, reasonOf } from './row-text.js';

const row = (fields: object): CaptureRecord =>
  ({ status: 'succeeded', files: [], deleted_at: null, error: null, ...fields }) as unknown as CaptureRecord;

describe('a row of a batch', () => {
  it('fails for the reason in its record, or for its faults', () => {
    expect(reasonOf(row({ error: { detail: 'The target answered 404.' } }))).toBe('The target answered 404.');
    const errors = [
      { pointer: '/viewport_width', detail: 'must be a number' },
      { pointer: 'url', column: 'url', detail: 'is not a URL' },
    ];
    expect(reasonOf(row({ error: { detail: 'x', errors } }))).toBe(
      'viewport_width must be a number; url is not a URL',
    );
    expect(reasonOf(row({}))).toBe('');
  });

  it('is called by its reference, its URL, or what it is', () => {
    expect(nameOf(row({ reference: 'home', url: 'https://a.example' }))).toBe('home');
    expect(nameOf(row({ reference: null, url: 'https://a.example' }))).toBe('https://a.example');
    expect(nameOf(row({ reference: null, url: null }))).toBe('HTML');
  });
});
