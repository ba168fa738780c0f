import { describe, expect, it } from '@jest/globals';
import { BATCH_STATUSES } from '@app/bulk';
import { isFinal, JOB_STATUSES } from '@app/jobs';
import { hasEnded } from './index.js';

describe(hasEnded.name, () => {
  it('is true for the final statuses of the service, and for no other', () => {
    expect(JOB_STATUSES.filter((status) => hasEnded({ status }))).toEqual(JOB_STATUSES.filter(isFinal));
    expect(BATCH_STATUSES.filter((status) => hasEnded({ status }))).toEqual(['completed', 'canceled']);
  });
});
