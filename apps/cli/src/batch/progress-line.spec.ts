import { describe, expect, it } from '@jest/globals';
import type { BatchRecord } from '@capture-service/client';
import { BatchProgress } from './batch-progress.js';
import { duration, lineOf } from './progress-line.js';

const batch = (id: string, fields: Partial<BatchRecord>): BatchRecord =>
  ({ id, status: 'running', eta_s: null, ...fields }) as BatchRecord;

const counts = (succeeded: number, failed = 0) => ({ succeeded, failed, canceled: 0 });

describe(BatchProgress.name, () => {
  it('has the estimate of the service, which counts down between its events', () => {
    let now = 0;
    const progress = new BatchProgress(100, 0, () => now);
    progress.batch(batch('a', { eta_s: null }));
    expect(progress.etaS).toBeUndefined();
    progress.batch(batch('a', { eta_s: 60 }));
    now = 10_000;
    expect(progress.etaS).toBe(50);
    progress.batch(batch('b', { eta_s: 90 }));
    expect(progress.etaS).toBe(90);
    progress.batch(batch('b', { status: 'completed', eta_s: 0 }));
    now = 100_000;
    expect(progress.etaS).toBe(0);
  });

  it('adds the rows that are not submitted yet, at the pace of the others', () => {
    let now = 0;
    const progress = new BatchProgress(300, 200, () => now);
    progress.batch(batch('a', { eta_s: 10 }));
    expect(progress.etaS).toBeUndefined();
    for (now = 0; now <= 10_000; now += 1_000) progress.row(counts(now / 100));
    now = 10_000;
    expect(progress.pace).toBe(10);
    progress.batch(batch('a', { eta_s: 10 }));
    expect(progress.etaS).toBe(30);
    progress.submitted(200);
    expect(progress.etaS).toBe(10);
  });

  it('forgets the pace of long ago', () => {
    let now = 0;
    const progress = new BatchProgress(1_000, 0, () => now);
    progress.row(counts(0));
    progress.row(counts(500));
    for (now = 60_000; now <= 80_000; now += 10_000) progress.row(counts(500 + (now - 60_000) / 1_000));
    now = 80_000;
    expect(progress.pace).toBe(1);
  });
});

describe(lineOf.name, () => {
  const downloads = new Set(['00413-shop.png', '00414-about.png']);
  const shown = (columns: number): string => {
    let now = 0;
    const progress = new BatchProgress(1_000, 0, () => now);
    progress.row(counts(400));
    now = 1_000;
    progress.row(counts(406, 6));
    progress.batch(batch('a', { eta_s: 41 }));
    return lineOf({ progress, downloads }, columns);
  };

  it('shows how far the list is', () => {
    expect(shown(120)).toBe(
      '[#########...............] 412/1,000  6 failed  12.0/s  ETA 0:41  00413-shop.png 00414-about.png',
    );
  });

  it.each([80, 40, 20, 5, 1])('fits into %i columns', (columns) => {
    expect(shown(columns).length).toBeLessThan(columns === 1 ? 1 + Number.EPSILON : columns);
  });

  it('counts characters that take two columns', () => {
    const progress = new BatchProgress(1, 0, () => 0);
    const line = lineOf({ progress, downloads: new Set(['00001-東京東京東京.png']) }, 24);
    expect(line).toBe('[......] 0/1  00001-東');
  });

  it('says that there may be more to come, and not when it ends', () => {
    const progress = new BatchProgress(0, 0, () => 0);
    progress.batch(batch('a', { eta_s: 41 }));
    progress.isGrowing = true;
    expect(lineOf({ progress, downloads: new Set() }, 80)).toBe('[....................] 0/0+');
    progress.total = 20;
    progress.isGrowing = false;
    expect(lineOf({ progress, downloads: new Set() }, 80)).toBe('[....................] 0/20  ETA 0:41');
  });

  it('says when the service is away', () => {
    const progress = new BatchProgress(1, 0, () => 0);
    progress.isAway = true;
    expect(lineOf({ progress, downloads: new Set() }, 80)).toContain('the service does not answer');
  });
});

describe(duration.name, () => {
  it.each([
    [0, '0:00'],
    [0.2, '0:01'],
    [59.5, '1:00'],
    [61, '1:01'],
    [3_599, '59:59'],
    [3_723, '1:02:03'],
  ])('writes %d s as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
