import { describe, expect, it } from '@jest/globals';
import type { UsageDays } from '@capture-service/client';
import { daysCsv } from './days-csv.js';

describe('the usage as CSV', () => {
  it('has a row for each day and a column for each source and code', () => {
    const day = {
      day: '2026-11-21',
      total: 7,
      used: 4,
      charged: 3,
      charged_by_source: { sync: 1, job: 2, batch: 0 },
      in_progress: 1,
      cached: 0,
      failed: 3,
      canceled: 0,
      error_code: { internal: 1, capture_timeout: 2 },
    };
    const empty = { ...day, day: '2026-11-22', total: 0, charged: 0, charged_by_source: {}, error_code: {} };
    const range = { from: '2026-11-21', to: '2026-11-23', counted_until: '2026-11-23T00:00:00.000Z' };
    const usage: UsageDays = { ...day, ...range, days: [day, empty] };
    expect(daysCsv(usage)).toBe(
      'day,total,used,in_progress,cached,failed,canceled,charged,charged_sync,charged_job,charged_batch,failed_capture_timeout,failed_internal\r\n' +
        '2026-11-21,7,4,1,0,3,0,3,1,2,0,2,1\r\n' +
        '2026-11-22,0,4,1,0,3,0,0,0,0,0,0,0\r\n',
    );
  });
});
