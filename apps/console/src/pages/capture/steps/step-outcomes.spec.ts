import { describe, expect, it } from '@jest/globals';
import { CaptureError, type JobRecord } from '@capture-service/client';
import { outcomeOf, type StepRun } from './step-outcomes.js';

const NOT_RUN: StepRun = { job: undefined, error: null };
const JOB = { id: 'job_1' } as JobRecord;

function failed(pointer: string): StepRun {
  const error = {
    code: 'action_failed',
    detail: 'It failed.',
    errors: [{ pointer, code: 'covered', detail: 'covered' }],
  };
  return { job: JOB, error: CaptureError.ofCapture(error as never, JOB.id) };
}

const outcomeIn = (runs: readonly StepRun[], index: number, pointers: readonly string[] = []) =>
  outcomeOf(
    {
      runs,
      option: 'actions',
      refused: pointers.map((pointer) => ({ pointer, code: 'invalid_value', detail: 'is wrong' })),
    },
    index,
  );

describe('the outcome of a step', () => {
  it('is the page after it', () => {
    const runs = [NOT_RUN, { job: JOB, error: null }];
    expect(outcomeIn(runs, 1)).toEqual({ faults: [], shown: JOB, failedAt: undefined, failure: undefined });
    expect(outcomeIn(runs, 0).shown).toBeUndefined();
  });

  it('is a failure with its picture, whichever later step was run to', () => {
    const runs = [NOT_RUN, NOT_RUN, failed('/actions/1')];
    expect(outcomeIn(runs, 1)).toMatchObject({ faults: ['covered'], shown: JOB });
    expect(outcomeIn(runs, 2)).toEqual({ faults: [], shown: undefined, failedAt: 1, failure: undefined });
    expect(outcomeIn(runs, 0)).toMatchObject({ faults: [], shown: undefined });
  });

  it('is the failure itself when it is about no step', () => {
    expect(outcomeIn([failed('/url')], 0).failure).toBeInstanceOf(CaptureError);
    expect(outcomeIn([{ job: undefined, error: new Error('lost') }], 0).failure?.message).toBe('lost');
  });

  it('has what the service says against the whole capture, at its step and field', () => {
    expect(outcomeIn([NOT_RUN, NOT_RUN], 1, ['/actions/1/selector', '/actions/11', '/url']).faults).toEqual([
      'selector is wrong',
    ]);
  });
});
