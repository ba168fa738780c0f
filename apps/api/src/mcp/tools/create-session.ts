import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { CaptureError, type NewSession, type SessionRecord } from '@capture-service/client';
import { UNTRUSTED } from '../capture-result.js';
import type { Tool, ToolCall } from '../tool.js';
import { dataResult } from './data-result.js';
import { sessionItem } from './session-data.js';

/** Many clients give up a call after 60 s. */
const MAX_WAIT_MS = 45_000;

const SESSION_ITEM: JsonSchemaType = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'For the option `session` of a capture.' },
    status: { type: 'string' },
    is_logging_in: { type: 'boolean' },
    origins: { type: 'array', items: { type: 'string' } },
    checked_at: { type: ['string', 'null'] },
    expires_at: { type: ['string', 'null'] },
    error: { type: ['string', 'null'] },
  },
  required: ['name', 'status', 'origins'],
};

const TEXT = { type: 'string' } as const;

export const CREATE_SESSION: Tool = {
  name: 'create_session',
  title: 'Log in',
  description:
    'Makes a session, with which pages behind a log-in can be captured. Logs in with steps, as the option `actions` has them, or takes the state of a browser. Waits up to 45 seconds for the log-in; list_sessions shows how it ended.',
  isOpenWorld: true,
  needsPermission: true,
  inputSchema: () => ({
    type: 'object',
    properties: {
      name: TEXT,
      origins: {
        type: 'array',
        items: TEXT,
        description: 'Such as https://shop.example. They never change.',
      },
      login: {
        type: 'object',
        description: 'Steps name passwords: {"type":"fill","selector":"#password","secret":"password"}.',
        properties: {
          url: TEXT,
          actions: { type: 'array', items: { type: 'object' } },
          secrets: { type: 'object', description: 'Passwords by name.', additionalProperties: TEXT },
        },
        required: ['url', 'actions'],
        additionalProperties: false,
      },
      check: {
        type: 'object',
        description: 'A page that only those see who are logged in, and an element of it.',
        properties: { url: TEXT, selector: TEXT },
        required: ['url', 'selector'],
        additionalProperties: false,
      },
      state: { type: 'object', description: 'storageState of Playwright.' },
      keep_alive_s: { type: 'integer', description: 'Seconds after which the check is made again.' },
      expires_in_s: { type: 'integer' },
    },
    required: ['name', 'origins'],
    additionalProperties: false,
  }),
  outputSchema: SESSION_ITEM,
  run: async (args, call) => {
    // The API validates the values.
    const request = args as unknown as NewSession;
    const session = await call.client.sessions.create(request, { signal: call.signal });
    return dataResult({ note: UNTRUSTED, ...sessionItem(await afterLogIn(session, call)) });
  },
};

/** The session after its log-in; as it was before when that takes longer than a client waits. */
async function afterLogIn(
  session: SessionRecord,
  { client, signal, closing }: ToolCall,
): Promise<SessionRecord> {
  if (!session.is_logging_in) return session;
  const ends = AbortSignal.any([signal, closing]);
  try {
    return await client.sessions.wait(session.id, { timeoutMs: MAX_WAIT_MS }, { signal: ends });
  } catch (error) {
    const isLate = error instanceof CaptureError && error.code === 'timeout';
    if (!signal.aborted && (isLate || closing.aborted)) return session;
    throw error;
  }
}
