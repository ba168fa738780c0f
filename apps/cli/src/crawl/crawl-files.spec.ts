import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { CrawlFiles } from './crawl-files.js';

describe(CrawlFiles, () => {
  const file = { name: 'result', format: 'png', bytes: 1, sha256: 'a' };
  const record = (row: number, path: string): CaptureRecord =>
    ({ row, url: `https://a.example${path}`, files: [file] }) as unknown as CaptureRecord;
  const pathsOf = (files: CrawlFiles, records: readonly CaptureRecord[]): string[] =>
    records.flatMap((each) => files.filesOf(each).map(({ path }) => path));

  it('gives each page one path, also when the site refused it at first and it has a further row', () => {
    const files = new CrawlFiles(false);
    const rows = [record(1, '/a'), record(2, '/A'), record(3, '/a')];
    files.note(rows.slice(0, 2));
    files.note(rows);
    expect(pathsOf(files, rows)).toEqual(['a.png', 'A-2.png', 'a.png']);
    expect(rows.map((each) => files.firstRowOf(each))).toEqual([1, 2, 1]);
  });
});
