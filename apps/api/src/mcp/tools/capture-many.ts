import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { FORMAT_NAMES } from '@app/capture';
import type { BatchRecord } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { waitFor } from '../run-capture.js';
import { ToolError } from '../tool-errors.js';
import type { Tool, ToolCall } from '../tool.js';
import { BATCH_OUTPUT, batchData } from './batch-data.js';
import { dataResult } from './data-result.js';

/** Many clients give up a call after 60 s; what takes longer is asked for with `get_job`. */
const MAX_WAIT_MS = 45_000;
const MAX_URLS = 1_000;

const URLS: JsonSchemaType = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: MAX_URLS,
  description: 'URLs of the pages, http or https.',
};

export const CAPTURE_MANY: Tool = {
  name: 'capture_many',
  title: 'Capture many web pages',
  description:
    'Captures up to 1,000 web pages with the same options as one batch. Waits up to 45 seconds for the end and returns what is known then; get_job with the id of the batch returns the rest. ' +
    'The pictures are not shown: the files are links.',
  isOpenWorld: true,
  inputSchema: (mayUseUnsafe) =>
    captureSchema(
      {
        urls: URLS,
        format: {
          type: 'string',
          enum: FORMAT_NAMES,
          default: 'png',
          description: 'Format of the files.',
        },
        wait: { type: 'boolean', default: true, description: 'false returns the id of the batch at once.' },
      },
      { required: ['urls'] },
      mayUseUnsafe,
    ),
  outputSchema: BATCH_OUTPUT,
  run: async (args, call) => {
    const urls = args.urls as string[];
    const { id } = await call.client.bulk.fromRows(
      urls.map((url) => ({ url })),
      { defaults: optionsOf(args) },
    );
    const batch = args.wait === false ? undefined : await endOf(id, call);
    return dataResult(await batchData(batch ?? (await call.client.bulk.get(id)), call));
  },
};

/** The batch at its end; undefined if it takes longer than a client waits. */
async function endOf(id: string, call: ToolCall): Promise<BatchRecord | undefined> {
  const onProgress = ({ counts, total }: BatchRecord): void => {
    const done = total - counts.queued - counts.running;
    call.report(`${done} of ${total} pages are captured`, { done, total });
  };
  try {
    return await waitFor(
      {
        id,
        wait: (signal) => call.client.bulk.wait(id, { onProgress }, { signal }),
        cancel: () => call.client.bulk.cancel(id),
      },
      call,
      MAX_WAIT_MS,
    );
  } catch (error) {
    if (error instanceof ToolError && !call.closing.aborted) return undefined;
    throw error;
  }
}
