import { describe, expect, it } from '@jest/globals';
import { Job } from '../job/job.entity.js';
import { LEASE_MS } from './attempts.service.js';
import { queueTimesOf } from './queue-times.js';

const timeAt = (ms: number): Date => new Date(1_000_000 + ms);

const claimed = (facts: Partial<Job>): Job => Object.assign(new Job(), facts);

describe(queueTimesOf.name, () => {
  it('counts the first attempt from the acceptance', () => {
    const job = claimed({
      attempt: 1,
      createdAt: timeAt(0),
      dispatchedAt: timeAt(300),
      leaseUntil: timeAt(350 + LEASE_MS),
    });
    expect(queueTimesOf(job)).toEqual({ waitedMs: 350, dispatchedAfterMs: 300 });
  });

  it('counts a later attempt from the end of the one before', () => {
    const job = claimed({
      attempt: 2,
      createdAt: timeAt(0),
      dispatchedAt: timeAt(9_000),
      leaseUntil: timeAt(9_100 + LEASE_MS),
    });
    expect(queueTimesOf(job)).toEqual({ waitedMs: 100, dispatchedAfterMs: 9_000 });
  });
});
