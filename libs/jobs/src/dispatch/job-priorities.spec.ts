import { describe, expect, it } from '@jest/globals';
import { JobPriorities, type DispatchedJob } from './job-priorities.js';

/** `a1` is a queued job of account `a`, `A1` a running one. */
const jobsOf = (text: string): DispatchedJob[] =>
  text.split(' ').map((id) => ({
    id,
    accountId: id.slice(0, 1).toLowerCase(),
    status: id === id.toLowerCase() ? 'queued' : 'running',
    source: 'batch',
    attempt: 0,
  }));

const outdated = (priorities: JobPriorities, inFlight: string): string[] =>
  priorities.listOutdated(jobsOf(inFlight)).map(({ job, priority }) => `${job.id}:${priority}`);

const set = (priorities: JobPriorities, ...known: string[]): void => {
  for (const each of known) {
    const [id = '', priority] = each.split(':');
    priorities.set({ job: { id, source: 'batch', attempt: 0 }, priority: Number(priority) });
  }
};

describe(JobPriorities.name, () => {
  it('lists the next job of an account that has fewer running than when it was dispatched', () => {
    const priorities = new JobPriorities();
    set(priorities, 'a3:3', 'a4:4', 'b1:1');
    expect(outdated(priorities, 'A2 a3 a4 b1')).toEqual(['a3:2']);
  });

  it('lists no priority that the queue already has', () => {
    const priorities = new JobPriorities();
    set(priorities, 'a3:3', 'b1:1');
    expect(outdated(priorities, 'A2 a3 b1')).toEqual(['a3:2']);
    set(priorities, 'a3:2');
    expect(outdated(priorities, 'A2 a3 b1')).toEqual([]);
  });

  it('lists nothing while only one account has jobs in flight', () => {
    expect(outdated(new JobPriorities(), 'A2 a3 a4')).toEqual([]);
  });

  it('lists what another process may have set already', () => {
    expect(outdated(new JobPriorities(), 'A2 a3 B1 b2')).toEqual(['a3:2', 'b2:2']);
  });

  it('forgets jobs that are no longer in flight', () => {
    const priorities = new JobPriorities();
    set(priorities, 'a3:2', 'b1:1');
    expect(outdated(priorities, 'A2 b1')).toEqual([]);
    expect(outdated(priorities, 'A2 a3 b1')).toEqual(['a3:2']);
  });
});
