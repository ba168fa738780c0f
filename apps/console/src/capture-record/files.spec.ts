import { describe, expect, it } from '@jest/globals';
import type { FileRecord } from '@capture-service/client';
import { shownFiles } from './files.js';

const file = (name: string, top: number | null): FileRecord => ({
  name,
  format: 'png',
  bytes: 1,
  sha256: '00',
  width: 1,
  height: 1,
  offset_y: top,
  pages: null,
  page_height: 1,
  truncated: false,
  content: null,
  url: `/v1/captures/x/files/${name}`,
});

describe(shownFiles.name, () => {
  it('puts the slices of a picture together, in the place of the first', () => {
    const files = [file('words-1', null), file('page-001', 0), file('page-002', 900), file('diff', null)];
    expect(
      shownFiles(files).map(({ name, isSliced, files: { length } }) => [name, isSliced, length]),
    ).toEqual([
      ['words-1', false, 1],
      ['page', true, 2],
      ['diff', false, 1],
    ]);
  });

  it('shows nothing of a capture without files', () => {
    expect(shownFiles([])).toEqual([]);
  });
});
