import { describe, expect, it } from '@jest/globals';
import type { CaptureRow } from '../../capture-record/capture-row.js';
import { isComplete, knownRows, listingOf, newRows, pagesOf, renewed, withPage } from './listing.js';

const row = (id: number, more: Partial<CaptureRow> = {}): CaptureRow => ({
  id: String(id),
  status: 'succeeded',
  source: 'sync',
  format: 'png',
  title: null,
  url: null,
  reference: null,
  createdAt: new Date(1e12 - id * 1_000).toISOString(),
  totalMs: 1,
  bytes: 1,
  files: 1,
  errorCode: null,
  verdict: null,
  changed: null,
  kept: 'kept',
  hasPicture: true,
  ...more,
});
const rows = (from: number, number: number) => Array.from({ length: number }, (_, i) => row(from + i));

describe('the list of captures', () => {
  it('grows by pages until the last one', () => {
    const one = listingOf({ rows: rows(0, 100), next: 'b' }, 1);
    expect([knownRows(one), isComplete(one)]).toEqual([100, false]);
    const two = withPage(one, { rows: rows(100, 30), next: null });
    expect([knownRows(two), isComplete(two)]).toEqual([130, true]);
  });

  it('may be empty', () => {
    const none = listingOf({ rows: [], next: null }, 1);
    expect([knownRows(none), isComplete(none)]).toEqual([0, true]);
    expect(pagesOf(none, { from: 0, to: 20, active: 0 })).toEqual([0]);
  });

  it('needs only the pages of the rows that are shown', () => {
    const two = withPage(listingOf({ rows: rows(0, 100), next: 'b' }, 1), {
      rows: rows(100, 100),
      next: 'c',
    });
    expect(pagesOf(two, { from: 10, to: 40, active: 12 })).toEqual([0]);
    expect(pagesOf(two, { from: 90, to: 120, active: 95 })).toEqual([0, 1]);
    // The third page has not been read.
    expect(pagesOf(two, { from: 190, to: 240, active: 199 })).toEqual([1]);
    expect(pagesOf(two, { from: 110, to: 140, active: 5 })).toEqual([1, 0]);
  });

  it('keeps rows at their places when they change or are no longer found', () => {
    const fresh = [row(9), row(1, { status: 'failed' })];
    expect(renewed(rows(0, 3), fresh).map(({ id, status }) => [id, status])).toEqual([
      ['0', 'succeeded'],
      ['1', 'failed'],
      ['2', 'succeeded'],
    ]);
  });

  it('counts what is newer, and not what fills the place of a deleted capture', () => {
    const listing = listingOf({ rows: rows(0, 3), next: null }, 1);
    expect(newRows(listing, [row(-2), row(-1), row(0), row(1)])).toBe(2);
    expect(newRows(listing, [row(1), row(2), row(3)])).toBe(0);
    expect(newRows(listingOf({ rows: [], next: null }, 1), [row(1)])).toBe(1);
  });
});
