import type { SchemaFault } from './schema-version.js';

/** `slow`: it answers, but not in time. `down`: it does not answer, or accepts no writes. */
export type DatabaseState = 'ok' | 'slow' | 'down' | SchemaFault;

/** What a health check says of each state: what is wrong and how to correct it; null when nothing is. */
export const STATE_TEXTS = {
  ok: null,
  slow: 'responds slowly',
  old_schema: 'its schema is older than this version: run `npm run migrate`',
  unsupported_schema:
    'its schema was made by a commit before version 0.2.0, which cannot be upgraded: use an empty database',
  down: 'does not respond',
} as const satisfies Record<DatabaseState, string | null>;

/** Whether a process can work with a database in this state. A slow one is not down. */
export function isUsable(state: DatabaseState): boolean {
  return state === 'ok' || state === 'slow';
}
