import { describe, expect, it } from '@jest/globals';
import { JobPriorities, type Dispatched } from './job-priorities.js';

/** `a1` is a job of account `a` in the queue, `A1` one that runs. */
const jobsOf = (text: string): Dispatched[] =>
  text.split(' ').map((id) => ({
    id,
    accountId: id.slice(0, 1).toLowerCase(),
    status: id === id.toLowerCase() ? 'queued' : 'running',
    source: 'batch',
    attempt: 0,
  }));

const overtaken = (turns: JobPriorities, inFlight: string): string[] =>
  turns.listOvertaken(jobsOf(inFlight)).map(({ job, priority }) => `${job.id}:${priority}`);

const tell = (turns: JobPriorities, ...told: string[]): void => {
  for (const each of told) {
    const [id = '', priority] = each.split(':');
    turns.tell({ job: { id, source: 'batch', attempt: 0 }, priority: Number(priority) });
  }
};

describe(JobPriorities.name, () => {
  it('finds the next job of an account that has less running than when it was dispatched', () => {
    const turns = new JobPriorities();
    tell(turns, 'a3:3', 'a4:4', 'b1:1');
    expect(overtaken(turns, 'A2 a3 a4 b1')).toEqual(['a3:2']);
  });

  it('says nothing twice', () => {
    const turns = new JobPriorities();
    tell(turns, 'a3:3', 'b1:1');
    expect(overtaken(turns, 'A2 a3 b1')).toEqual(['a3:2']);
    tell(turns, 'a3:2');
    expect(overtaken(turns, 'A2 a3 b1')).toEqual([]);
  });

  it('leaves one account alone, which has nobody to take turns with', () => {
    expect(overtaken(new JobPriorities(), 'A2 a3 a4')).toEqual([]);
  });

  it('tells again what another process may have told', () => {
    expect(overtaken(new JobPriorities(), 'A2 a3 B1 b2')).toEqual(['a3:2', 'b2:2']);
  });

  it('forgets what is no longer in flight', () => {
    const turns = new JobPriorities();
    tell(turns, 'a3:2', 'b1:1');
    expect(overtaken(turns, 'A2 b1')).toEqual([]);
    expect(overtaken(turns, 'A2 a3 b1')).toEqual(['a3:2']);
  });
});
