import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { rowOf } from './capture-row.js';

const EMPTY = { files: [], title: null, url: null, reference: null, deleted_at: null, result_url: null };
const record = (fields: object): CaptureRecord =>
  ({ status: 'succeeded', ...EMPTY, ...fields }) as unknown as CaptureRecord;

describe('a row of a list of captures', () => {
  it('has a picture as long as a file is one that is kept', () => {
    const hasPicture = (...files: object[]) => rowOf(record({ files })).hasPicture;
    expect(hasPicture({ format: 'pdf', url: '/a' }, { format: 'webp', url: '/b' })).toBe(true);
    expect(hasPicture({ format: 'pdf', url: '/a' })).toBe(false);
    expect(hasPicture({ format: 'png', url: null })).toBe(false);
  });

  it('tells deleted files from expired ones', () => {
    expect(rowOf(record({ result_url: '/a' })).kept).toBe('kept');
    expect(rowOf(record({})).kept).toBe('expired');
    expect(rowOf(record({ deleted_at: '2026-01-01T00:00:00.000Z' })).kept).toBe('deleted');
    expect(rowOf(record({ status: 'failed' })).kept).toBe('kept');
  });
});
