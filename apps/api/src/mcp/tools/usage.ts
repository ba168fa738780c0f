import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';

export const USAGE: Tool = {
  name: 'usage',
  title: 'Show the usage',
  description:
    'Shows the allowance of the account: how many captures it has, has used and has left, and how many can run at once.',
  isOpenWorld: false,
  inputSchema: () => ({ type: 'object', properties: {}, additionalProperties: false }),
  outputSchema: {
    type: 'object',
    properties: {
      total: { type: 'integer' },
      used: { type: 'integer' },
      available: { type: 'integer' },
      concurrency: { type: 'object' },
    },
    required: ['total', 'used', 'available'],
  },
  run: async (_, { client, signal }) => dataResult(await client.usage({ signal })),
};
