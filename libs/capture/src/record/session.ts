import { every, integer, refOrNull, string } from '@app/kernel';
import { defineFact } from './fact.js';

/** The session as the record of a capture names it. */
export interface SessionFact {
  readonly id: string;
  readonly name: string;
  /** Counts the states that the session has had: log-ins, and captures that saved theirs. */
  readonly generation: number;
  /** When the session was last known to work (RFC 3339); null when that was never checked. */
  readonly checked_at: string | null;
}

const SESSION_REPORT = {
  ...every({
    id: { ...string, format: 'uuid' },
    name: { ...string, example: 'shop' },
    generation: {
      ...integer,
      description: 'Counts the states that the session has had: log-ins, and captures that saved theirs.',
      example: 3,
    },
    checked_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the session was last known to work; null when that was never checked.',
    },
  }),
  description: 'The session with which the page was visited.',
};

export const SESSION_FACTS = {
  /** Null without a session. */
  session: defineFact({
    empty: (): SessionFact | null => null,
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: refOrNull('SessionReport'),
    components: { SessionReport: SESSION_REPORT },
  }),
};
