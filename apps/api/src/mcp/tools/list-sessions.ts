import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';
import { sessionItem } from './session-data.js';

/** Few accounts may have more; a model could not choose among them. */
const MAX_SESSIONS = 100;

export const LIST_SESSIONS: Tool = {
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Lists the sessions of the account, newest first, with which pages behind a log-in can be captured: {"options":{"session":"name"}}.',
  isOpenWorld: false,
  inputSchema: () => ({ type: 'object', properties: {}, additionalProperties: false }),
  outputSchema: {
    type: 'object',
    properties: { sessions: { type: 'array', items: { type: 'object' } } },
    required: ['sessions'],
  },
  run: async (_, { client, signal }) => {
    const { items } = await client.sessions.page({ limit: MAX_SESSIONS }, { signal });
    return dataResult({ note: UNTRUSTED, sessions: items.map(sessionItem) });
  },
};
