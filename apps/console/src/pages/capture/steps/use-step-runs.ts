import { CaptureError, type JobOptions } from '@capture-service/client';
import { useQueries } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import type { StepRun } from './step-outcomes.js';
import { stepRequest, type StepsOption } from './step-request.js';
import { useStepsForm } from './steps-context.js';

/** A run that the person starts. */
export interface StartableRun extends StepRun {
  readonly isRunning: boolean;
  readonly start: () => void;
}

/**
 * For each step, the capture that shows the page after it, when the person has asked for it. It is forgotten as soon as a step
 * up to this one, or the page, is another one.
 */
export function useStepRuns(option: StepsOption, count: number): readonly StartableRun[] {
  const { client, keyId } = useApi();
  const { form } = useStepsForm();
  const requests = Array.from({ length: count }, (_, index) => stepRequest(form, option, index));
  const queries = requests.map((request) => ({
    // The request may have secrets: it is held in memory only.
    queryKey: ['capture-step', keyId, request],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { id } = await client.jobs.create(request as unknown as JobOptions, { signal });
      return client.jobs.wait(id, {}, { signal });
    },
    enabled: false,
    retry: false,
    staleTime: Infinity,
  }));
  return useQueries({ queries }).map(({ data: job, error, isFetching, refetch }) => ({
    job,
    error: job?.error ? CaptureError.ofCapture(job.error, job.id) : error,
    isRunning: isFetching,
    start: () => void refetch(),
  }));
}
