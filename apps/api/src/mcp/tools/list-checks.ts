import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';
import { checkItem } from './monitor-data.js';

const DEFAULT_CHECKS = 20;
const MAX_CHECKS = 100;

export const LIST_CHECKS: Tool = {
  name: 'list_checks',
  title: 'List the checks of a monitor',
  description: 'Lists what a monitor found, latest first: whether the page changed, and in which words.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      monitor_id: { type: 'string', description: 'The id that list_monitors shows.' },
      outcome: { type: 'string', enum: ['same', 'changed', 'failed', 'ignored', 'skipped'] },
      limit: { type: 'integer', minimum: 1, maximum: MAX_CHECKS, default: DEFAULT_CHECKS },
    },
    required: ['monitor_id'],
    additionalProperties: false,
  }),
  run: async (args, { client, signal }) => {
    const { monitor_id: id, outcome, limit = DEFAULT_CHECKS } = args as unknown as CheckArguments;
    const query = { limit, ...(outcome && { outcome }) };
    const { items } = await client.monitors.checkPage(id, query, { signal });
    return dataResult({ note: UNTRUSTED, checks: items.map(checkItem) });
  },
};

interface CheckArguments {
  readonly monitor_id: string;
  readonly outcome?: 'same' | 'changed' | 'failed' | 'ignored' | 'skipped';
  readonly limit?: number;
}
