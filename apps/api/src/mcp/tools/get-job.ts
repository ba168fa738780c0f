import { CaptureError, type JobRecord } from '@capture-service/client';
import { ID_PATTERN } from '../resources.js';
import { shownResult } from '../slice-result.js';
import { failedCaptureResult } from '../tool-errors.js';
import type { Tool, ToolCall } from '../tool.js';
import { batchData } from './batch-data.js';
import { dataResult } from './data-result.js';

const MAX_WAIT_S = 30;

export const GET_JOB: Tool = {
  name: 'get_job',
  title: 'Get a capture or a batch',
  description:
    'Returns how far a capture or a batch is and, when it has ended, its result: the picture, links to the files, or the error.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      id: { type: 'string', pattern: ID_PATTERN, description: 'Id of a capture or of a batch.' },
      wait_s: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_S,
        default: 0,
        description: 'Waits up to so many seconds for the end.',
      },
    },
    required: ['id'],
    additionalProperties: false,
  }),
  run: async (args, call) => {
    const id = String(args.id);
    const waitMs = Number(args.wait_s ?? 0) * 1_000;
    const job = await findJob(id, call);
    if (!job) {
      const batch = await afterWait(
        (signal) => call.client.bulk.wait(id, {}, { signal }),
        () => call.client.bulk.get(id, { signal: call.signal }),
        { call, waitMs },
      );
      return { content: dataResult(await batchData(batch, call)).content };
    }
    const last = await afterWait(
      (signal) => call.client.jobs.wait(id, {}, { signal }),
      () => Promise.resolve(job),
      { call, waitMs },
    );
    return resultOf(last, call);
  },
};

async function findJob(id: string, { client, signal }: ToolCall): Promise<JobRecord | undefined> {
  try {
    return await client.jobs.get(id, { signal });
  } catch (error) {
    if (error instanceof CaptureError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The record at its end, or as it is when the time is over. */
async function afterWait<R>(
  wait: (signal: AbortSignal) => Promise<R>,
  now: () => Promise<R>,
  { call, waitMs }: { readonly call: ToolCall; readonly waitMs: number },
): Promise<R> {
  if (waitMs === 0) return now();
  const limit = AbortSignal.timeout(waitMs);
  try {
    return await wait(AbortSignal.any([limit, call.closing, call.signal]));
  } catch (error) {
    if (call.signal.aborted || !(limit.aborted || call.closing.aborted)) throw error;
    return now();
  }
}

function resultOf(job: JobRecord, call: ToolCall) {
  switch (job.status) {
    case 'succeeded':
      return shownResult(job, call);
    case 'failed':
    case 'canceled':
      return failedCaptureResult(job);
    case 'queued':
    case 'running': {
      const place = job.queue_position === null ? '' : ` at position ${job.queue_position}`;
      const text = `The capture ${job.id} is ${job.status}${place}. Call get_job {"id":"${job.id}","wait_s":${MAX_WAIT_S}} to wait for it.`;
      return { content: [{ type: 'text' as const, text }] };
    }
    default:
      return job.status satisfies never;
  }
}
