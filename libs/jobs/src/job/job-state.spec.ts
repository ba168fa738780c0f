import { describe, expect, it } from '@jest/globals';
import { FINAL_STATUSES, isFinal, JOB_STATUSES, MOVES, sourcesOf } from './job-state.js';

describe('job states', () => {
  it('have no further move exactly when they are final', () => {
    const final = JOB_STATUSES.filter((status) => isFinal(status));
    expect(final).toEqual([...FINAL_STATUSES]);
  });

  it('are all reached from queued', () => {
    const reached = new Set<string>(['queued']);
    for (const status of reached) for (const next of MOVES[status as keyof typeof MOVES]) reached.add(next);
    expect([...reached].sort()).toEqual([...JOB_STATUSES].sort());
  });

  it('list the states that a move may start from', () => {
    expect(sourcesOf('running')).toEqual(['queued']);
    expect(sourcesOf('canceled')).toEqual(['queued', 'running']);
    // A job that the cache answers never runs.
    expect(sourcesOf('succeeded')).toEqual(['queued', 'running']);
  });
});
