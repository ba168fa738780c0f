import { VERDICTS } from '@app/capture';
import { JOB_STATUSES } from '@app/jobs';
import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { captureItem } from './batch-data.js';
import { dataResult } from './data-result.js';

const MAX_LIMIT = 50;

export const LIST_CAPTURES: Tool = {
  name: 'list_captures',
  title: 'List captures',
  description: 'Lists the captures of the account, newest first, with their files.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      status: { type: 'string', enum: JOB_STATUSES },
      format: { type: 'string', description: 'Such as png or markdown.' },
      verdict: { type: 'string', enum: VERDICTS },
      host: { type: 'string', description: 'Host of the page, such as example.com.' },
      batch_id: { type: 'string' },
      reference: { type: 'string' },
      created_after: { type: 'string', description: 'RFC 3339, such as 2026-11-22T00:00:00Z.' },
      created_before: { type: 'string', description: 'RFC 3339.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 20 },
      cursor: { type: 'string', description: 'next_cursor of the page before.' },
    },
    additionalProperties: false,
  }),
  outputSchema: {
    type: 'object',
    properties: {
      captures: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            status: { type: 'string' },
            url: { type: ['string', 'null'] },
            files: { type: 'array', items: { type: 'string' }, description: 'For resources/read.' },
          },
        },
      },
      next_cursor: { type: ['string', 'null'] },
    },
    required: ['captures', 'next_cursor'],
  },
  run: async (args, { client, signal }) => {
    // The API validates the values.
    const { items, next_cursor } = await client.captures.page(args, { signal });
    return dataResult({ note: UNTRUSTED, captures: items.map(captureItem), next_cursor });
  },
};
