import { describe, expect, it } from '@jest/globals';
import type { CaptureRecord } from '@capture-service/client';
import { comparedFacts } from './facts.js';

const record = (more: Partial<CaptureRecord>): CaptureRecord =>
  ({
    url: 'https://a.example/',
    final_url: 'https://a.example/',
    title: 'A',
    format: 'png',
    status: 'succeeded',
    created_at: '2026-11-22T12:00:00.000Z',
    width: 10,
    height: 20,
    bytes: 5,
    page_height: null,
    timings: null,
    blocked_requests: 0,
    failed_requests: 0,
    options: {},
    error: null,
    verdict: null,
    http_status: 200,
    reference: null,
    sha256: null,
    ...more,
  }) as CaptureRecord;

describe('the facts of two captures', () => {
  it('are marked where they differ, and left out where neither has one', () => {
    const facts = comparedFacts([record({}), record({ title: 'B' })]);
    const marked = facts.filter(({ differs }) => differs);
    expect(marked).toEqual([{ label: 'Title', values: ['A', 'B'], differs: true }]);
    expect(facts.map(({ label }) => label)).not.toContain('Reference');
    expect(facts.find(({ label }) => label === 'HTTP status')?.values).toEqual(['200', '200']);
  });

  it('include only the options that differ', () => {
    const facts = comparedFacts([
      record({ options: { url: 'a', full_page: true, device: 'x', clip: { x: 1 } } }),
      record({ options: { url: 'b', device: 'x', clip: { x: 2 } } }),
    ]);
    const options = facts.filter(({ label }) => label.startsWith('Option'));
    expect(options.map(({ label, values }) => [label, ...values])).toEqual([
      ['Option clip', '{"x":1}', '{"x":2}'],
      ['Option full_page', 'true', '–'],
    ]);
  });
});
