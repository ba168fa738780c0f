import { describe, expect, it } from '@jest/globals';
import { planOf } from './batch-plan.js';
import {
  optionsFingerprint,
  readState,
  sourceFingerprint,
  writeState,
  type BatchState,
  formatRows,
  parseRows,
} from './batch-state.js';
import { rowsOf, type ListFormat } from './source-rows.js';
import { UnreadableStateError } from './work-folder.js';

const STATE: BatchState = {
  baseUrl: 'https://capture.example.com',
  source: 'aa',
  options: ['bb', 'cc'],
  batches: [
    { key: 'k1', submittedAt: '2026-01-01T00:00:00.000Z', rows: [1, 2, 3, 5], id: 'b1' },
    { key: 'k2', submittedAt: '2026-01-02T00:00:00.000Z', rows: [5], retryOf: 'b1' },
  ],
};

describe('the state of a folder', () => {
  it('is read as it was written', () => {
    expect(readState(writeState(STATE))).toEqual(STATE);
    expect(writeState(STATE)).toContain('"rows": "1-3,5"');
  });

  it.each([
    ['', 'it is not JSON'],
    ['{"version":1', 'it is not JSON'],
    ['null', 'another version'],
    [writeState(STATE).replace('"version": 1', '"version": 2'), 'another version'],
    [writeState(STATE).replace('"source"', '"sauce"'), 'fields are missing'],
    [writeState(STATE).replace('"1-3,5"', '"3-1"'), 'a batch is incomplete'],
    [writeState(STATE).replace('"k1"', '1'), 'a batch is incomplete'],
  ])('is refused when it is damaged: %#', (text, message) => {
    expect(() => readState(text)).toThrow(UnreadableStateError);
    expect(() => readState(text)).toThrow(message);
  });
});

describe('row ranges', () => {
  it.each([
    [[1], '1'],
    [[1, 2, 3], '1-3'],
    [[2, 4, 5, 9], '2,4-5,9'],
    [Array.from({ length: 10_000 }, (_, i) => i + 1), '1-10000'],
  ])('are short: %#', (rows, text) => {
    expect(formatRows(rows)).toBe(text);
    expect(parseRows(text)).toEqual(rows);
  });

  it.each(['', '0', '1-', '-1', '2-1', '1,1', '3,1-2', 'a', '1 2'])('are refused: %j', (text) => {
    expect(parseRows(text)).toBeUndefined();
  });
});

describe('fingerprints', () => {
  const source = (text: string, format: ListFormat = 'text'): string =>
    sourceFingerprint(planOf(rowsOf([{ name: 'list', bytes: Buffer.from(text), format }]), 0));

  it('of the rows change with each of them and with their order, and not with comments', () => {
    expect(source('a\nb')).toBe(source('# x\na\n\nb\n'));
    const all = ['a\nb', 'b\na', 'a', 'a\nb\nc', 'ab'].map((text) => source(text));
    expect(new Set([...all, source('url\na\nb', 'csv'), source('html\na\nb', 'csv')]).size).toBe(7);
  });

  it('of options do not change with their order', () => {
    expect(optionsFingerprint({ format: 'pdf', url: 'x' })).toBe(
      optionsFingerprint({ url: 'x', format: 'pdf' }),
    );
    expect(optionsFingerprint({ format: 'pdf' })).not.toBe(optionsFingerprint({ format: 'png' }));
    expect(optionsFingerprint({ basic_auth_password: 'hunter2' })).not.toContain('hunter2');
  });
});
