import { describe, expect, it } from '@jest/globals';
import { listOutdatedPriorities, type DispatchedJob } from './job-priorities.js';

/** `a1:3` is a queued row of account `a` with priority 3, `sa1:3` a synchronous capture, `A1` a running job. */
const jobsOf = (text: string): DispatchedJob[] =>
  text.split(' ').map((word) => {
    const [id = '', priority] = word.split(':');
    return {
      id,
      accountId: (id.length === 3 ? id.slice(1, 2) : id.slice(0, 1)).toLowerCase(),
      status: id === id.toLowerCase() ? 'queued' : 'running',
      source: id.length === 3 ? 'sync' : 'batch',
      attempt: 0,
      priority: priority === undefined ? null : Number(priority),
    };
  });

const outdated = (inFlight: string): string[] =>
  listOutdatedPriorities(jobsOf(inFlight)).map(({ job, priority }) => `${job.id}:${priority}`);

describe(listOutdatedPriorities, () => {
  it('lists the next job of an account that has fewer running than when it was added', () => {
    expect(outdated('A2 a3:3 a4:4 b1:1')).toEqual(['a3:2']);
  });

  it('lists no priority that the queue already has', () => {
    expect(outdated('A2 a3:2 b1:1')).toEqual([]);
  });

  it('lists nothing while only one account has jobs in flight', () => {
    expect(outdated('A2 a3:3 a4:4')).toEqual([]);
  });

  it('lists jobs whose priority is not known', () => {
    expect(outdated('A2 a3 B1 b2')).toEqual(['a3:2', 'b2:2']);
  });

  it('lists the next job of each lane, and counts what runs in both', () => {
    expect(outdated('A1 SA2 a3:2 a4:3 sa5:5 sa6:6 b1:1')).toEqual(['sa5:3', 'a3:3']);
  });
});
