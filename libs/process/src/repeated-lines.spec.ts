import { describe, expect, it } from '@jest/globals';
import { repeatedLines } from './repeated-lines.js';

const WARN = 40;
const ERROR = 50;

describe(repeatedLines, () => {
  let time = 0;
  const line = (facts: object = {}) => [{ context: 'Loop', ...facts }, 'a run failed'];
  const refused = () => ({ err: new Error('connect ECONNREFUSED') });

  it('leaves out what was said in the last half minute, and counts it', () => {
    const decide = repeatedLines(() => time);
    expect(decide(line(refused()), WARN)).toBe('write');
    expect(decide(line(refused()), WARN)).toBe('drop');
    expect(decide(line(refused()), WARN)).toBe('drop');
    time += 30_000;
    const next = line(refused());
    expect(decide(next, WARN)).toBe('write');
    expect(next[0]).toMatchObject({ context: 'Loop', repeated: 2 });
    expect(decide(line(refused()), WARN)).toBe('drop');
  });

  it('writes another message, another reason and another writer', () => {
    const decide = repeatedLines(() => time);
    expect(decide(line(refused()), WARN)).toBe('write');
    expect(decide(line({ err: new Error('timeout') }), WARN)).toBe('write');
    expect(decide(line({ ...refused(), context: 'Other' }), WARN)).toBe('write');
    expect(decide([{ context: 'Loop', ...refused() }, 'another'], WARN)).toBe('write');
  });

  it('writes every line about a capture, and every error', () => {
    const decide = repeatedLines(() => time);
    for (let i = 0; i < 2; i += 1) {
      expect(decide(line({ ...refused(), job_id: 'a' }), WARN)).toBe('write');
      expect(decide(line(refused()), ERROR)).toBe('write');
    }
  });

  it('remembers a bounded number of lines', () => {
    const decide = repeatedLines(() => time);
    for (let i = 0; i <= 500; i += 1) decide([{ context: 'Loop' }, `line ${i}`], WARN);
    expect(decide([{ context: 'Loop' }, 'line 0'], WARN)).toBe('write');
    expect(decide([{ context: 'Loop' }, 'line 500'], WARN)).toBe('drop');
  });
});
