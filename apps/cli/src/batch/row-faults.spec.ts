import { describe, expect, it } from '@jest/globals';
import { refusedRows } from './check-plan.js';
import { faultTable, placedFaults } from './row-faults.js';

describe(faultTable, () => {
  const faults = (count: number) =>
    placedFaults(
      Array.from({ length: count }, (_, i) => ({
        row: i + 1,
        pointer: '/url',
        code: 'required',
        detail: 'is missing',
      })),
      Array.from(
        { length: count },
        (_, i) => ({ kind: 'json', row: i + 1, file: 'a.ndjson', line: i + 1, item: {} }) as const,
      ),
    );

  it('says how many faults it leaves out, and whether there may be more', () => {
    expect(faultTable(faults(20), true)).not.toContain('more');
    expect(faultTable(faults(100), false)).toMatch(/… and 80 more$/);
    expect(faultTable(faults(100), true)).toMatch(/… and at least 80 more$/);
    expect(faultTable(faults(1_000), false)).toMatch(/… and at least 980 more$/);
  });

  it('stands above a failure that counts the rows, as far as the service has checked them', () => {
    expect(refusedRows(faults(100), false).message).toMatch(/^100 rows are not valid/);
    expect(refusedRows(faults(100), true).message).toMatch(/^At least 100 rows are not valid/);
  });
});
