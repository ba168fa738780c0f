import { describe, expect, it } from '@jest/globals';
import type { ChangeReport } from '@app/capture';
import type { AlertRules } from '../monitor-state.js';
import { decide, type EndedCapture } from './decision.js';

const RULES: AlertRules = { on: [], min_ratio: 0.01, confirm: 2, ignore_selectors: [] };
const report = (more: Partial<ChangeReport>): ChangeReport => ({
  compared_with: 'before',
  failure: null,
  changed: false,
  ratio: 0,
  boxes: [],
  size_changed: false,
  text_changed: null,
  noise: [],
  lines: [],
  summary: null,
  ...more,
});
const ended = (change: Partial<ChangeReport> | null, more: Partial<EndedCapture> = {}): EndedCapture => ({
  rules: RULES,
  baselineId: 'before',
  captures: 1,
  history: { checks: 10, noise: [] },
  isPicture: true,
  job: { status: 'succeeded', verdict: null, error: null, change: change && report(change) },
  ...more,
});
const CHANGED = { changed: true, ratio: 0.5 };

describe(decide.name, () => {
  it.each([
    ['the third capture of all', ended({}, { baselineId: null, captures: 3 }), 'same', 'first', true],
    ['the first text of all', ended(null, { baselineId: null, isPicture: false }), 'same', 'first', true],
    ['an equal page', ended({}), 'same', null, false],
    ['a small change', ended({ changed: true, ratio: 0.001 }), 'same', 'small', false],
    ['a change that is gone', ended({}, { captures: 2 }), 'same', 'unconfirmed', false],
    ['a confirmed change', ended(CHANGED, { captures: 2 }), 'changed', null, true],
    [
      'a file that is gone',
      ended({ failure: 'file_missing', changed: null }),
      'ignored',
      'baseline_missing',
      true,
    ],
    ['a capture that is gone', ended(null), 'ignored', 'baseline_missing', true],
    ['another comparison', ended({ compared_with: 'other' }), 'ignored', 'baseline_missing', true],
    [
      'a comparison that failed',
      ended({ failure: 'timed_out', changed: null }),
      'ignored',
      'not_compared',
      false,
    ],
    ['a record that is gone', ended(null, { job: null }), 'failed', null, false],
  ])('ends with %s', (_, capture, outcome, reason, becomesBaseline) => {
    expect(decide(capture)).toMatchObject({ kind: 'ends', outcome, reason, becomesBaseline });
  });

  it('captures a change again until it is confirmed', () => {
    expect(decide(ended(CHANGED))).toEqual({ kind: 'confirm' });
    const rules = { ...RULES, confirm: 1 };
    expect(decide(ended(CHANGED, { rules }))).toMatchObject({ outcome: 'changed' });
  });

  it.each([
    [1, 'confirm'],
    [2, 'confirm'],
    [3, 'ends'],
  ])('captures a page whose noise is not known yet once more: after %i it %s', (captures, kind) => {
    const history = { checks: 4, noise: [] };
    expect(decide(ended(CHANGED, { captures, history }))).toMatchObject({ kind });
    const rules = { ...RULES, confirm: 1 };
    expect(decide(ended(CHANGED, { captures, history, rules }))).toMatchObject({ outcome: 'changed' });
  });

  it('captures a page three times at first, unless nothing confirms a change', () => {
    const first = ended(null, { baselineId: null });
    expect(decide(first)).toEqual({ kind: 'confirm' });
    expect(decide({ ...first, captures: 2 })).toEqual({ kind: 'confirm' });
    expect(decide({ ...first, rules: { ...RULES, confirm: 1 } })).toMatchObject({ reason: 'first' });
  });

  it('takes a change for one from the smallest ratio on that the rules name', () => {
    expect(decide(ended({ changed: true, ratio: RULES.min_ratio }))).toEqual({ kind: 'confirm' });
  });

  it('reports no change in a place of noise, and others', () => {
    const [slide, price] = [
      { x: 0, y: 0, width: 400, height: 100 },
      { x: 0, y: 300, width: 40, height: 12 },
    ];
    const change = (boxes: ChangeReport['boxes']): EndedCapture =>
      ended({ ...CHANGED, boxes }, { captures: 2, history: { checks: 10, noise: [slide] } });
    expect(decide(change([slide]))).toMatchObject({ outcome: 'same', reason: 'unconfirmed' });
    expect(decide(change([slide, price]))).toMatchObject({ outcome: 'changed' });
  });

  it('ignores what is no page, whatever differs', () => {
    const job = {
      ...ended(CHANGED).job,
      verdict: { kind: 'bot_wall', evidence: [] },
    } as unknown as EndedCapture['job'];
    expect(decide(ended(CHANGED, { job }))).toMatchObject({ outcome: 'ignored', reason: 'verdict' });
  });

  it('names the error of a capture that was canceled', () => {
    const job = { ...ended(null).job, status: 'canceled' } as EndedCapture['job'];
    expect(decide(ended(null, { job }))).toMatchObject({
      outcome: 'failed',
      error: { code: 'job_canceled' },
    });
  });
});
