import { describe, expect, it } from '@jest/globals';
import { VisitCallers } from './visit-callers.js';

describe(VisitCallers.name, () => {
  it('says that nobody waits for a job when the last of its callers leaves, and each caller leaves once', () => {
    const callers = new VisitCallers();
    const [first, second] = [callers.join('job', true), callers.join('job', false)];
    const alone = callers.join('another job', true);
    expect(first.leave()).toBe(false);
    expect(first.leave()).toBe(false);
    expect(second.leave()).toBe(true);
    expect(alone.leave()).toBe(true);
  });

  it('lets a job go on that was submitted for none of its callers, or that one of them has kept', () => {
    const callers = new VisitCallers();
    expect(callers.join('of another process', false).leave()).toBe(false);
    const own = callers.join('kept', true);
    callers.keep('kept');
    expect(own.leave()).toBe(false);
  });

  it('forgets a job that all its callers have left', () => {
    const callers = new VisitCallers();
    callers.join('job', true).leave();
    expect(callers.join('job', false).leave()).toBe(false);
  });
});
