import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';
import { monitorItem } from './monitor-data.js';

/** A model could not choose among more. */
const MAX_MONITORS = 100;

export const LIST_MONITORS: Tool = {
  name: 'list_monitors',
  title: 'List monitors',
  description:
    'Lists the monitors of the account: which pages are watched, when, and what the latest check found.',
  isOpenWorld: false,
  inputSchema: () => ({ type: 'object', properties: {}, additionalProperties: false }),
  run: async (_, { client, signal }) => {
    const { items } = await client.monitors.page({ limit: MAX_MONITORS }, { signal });
    return dataResult({ note: UNTRUSTED, monitors: items.map(monitorItem) });
  },
};
