import { CaptureError, type CaptureOptions, type JobRecord } from '@capture-service/client';
import { ToolError } from './tool-errors.js';
import type { ToolCall } from './tool.js';

/** No client waits longer for the answer of a tool; what runs longer goes on, and `get_job` finds it. */
const MAX_WAIT_MS = 5 * 60_000;

/** Work that the service does while a tool waits: a job or a batch. */
interface Work<R> {
  readonly id: string;
  readonly wait: (signal: AbortSignal) => Promise<R>;
  readonly cancel: () => Promise<unknown>;
}

/**
 * Captures a page as a job, which may wait for a free slot where `POST /v1/capture` would be refused, and reports its place
 * in the queue and its phases. Returns the record as it ended, also that of a failure.
 *
 * @throws ToolError when the capture goes on although the tool must answer
 */
export async function runCapture(options: CaptureOptions, call: ToolCall): Promise<JobRecord> {
  // Without the signal: if the call is canceled in between, the id is needed to cancel the job.
  const { id } = await call.client.jobs.create(options);
  return waitFor(
    {
      id,
      wait: (signal) =>
        call.client.jobs.wait(id, { onChange: (job) => call.report(phaseOf(job)) }, { signal }),
      cancel: () => call.client.jobs.cancel(id),
    },
    call,
  );
}

/** Waits for the end of `work`, and cancels it when the caller has canceled the call. */
export async function waitFor<R>(
  { id, wait, cancel }: Work<R>,
  call: ToolCall,
  maxMs = MAX_WAIT_MS,
): Promise<R> {
  const { signal, closing } = call;
  const limit = AbortSignal.timeout(maxMs);
  try {
    return await wait(AbortSignal.any([signal, closing, limit]));
  } catch (error) {
    if (signal.aborted) await cancel().catch(ignoreEnded);
    else if (closing.aborted) throw new ToolError(`The service restarts. ${goesOn(id)}`);
    else if (limit.aborted) throw new ToolError(`The work takes long. ${goesOn(id)}`);
    throw error;
  }
}

function goesOn(id: string): string {
  return `The work goes on: call the tool get_job with {"id":"${id}"} in 10 seconds to see how it ended.`;
}

/** The work may have ended before it could be canceled. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof CaptureError)) throw error;
}

function phaseOf({ status, queue_position: position, attempts }: JobRecord): string {
  switch (status) {
    case 'queued':
      return position === null ? 'Waiting in the queue' : `Waiting in the queue at position ${position}`;
    case 'running':
      return attempts > 1 ? `Capturing the page, attempt ${attempts}` : 'Capturing the page';
    case 'succeeded':
    case 'failed':
    case 'canceled':
      return `The capture has ${status === 'succeeded' ? 'succeeded' : 'ended without a file'}`;
    default:
      return status satisfies never;
  }
}
