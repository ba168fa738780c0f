import { boolean, every, integer, orNull, ref, string } from '@app/kernel';
import { defineFact } from './fact.js';

/** The outcome of one step of `actions` or `recording`. */
export interface ActionReport {
  /** Its position in the list, from 0. */
  readonly index: number;
  readonly type: string;
  /** Time in ms, the load of a page that it opened included. */
  ms: number;
  done: boolean;
  /** What kept it, for one that was not done. */
  problem?: string;
  /** How many windows it opened, which were closed at once. */
  opened_tabs?: number;
}

const { properties, ...OBJECT } = every({
  index: { ...integer, description: 'Position in the list, from 0.', example: 0 },
  type: { ...string, example: 'click' },
  ms: {
    ...integer,
    description: 'Time in ms, the load of a page that the step opened included.',
    example: 84,
  },
  done: {
    ...boolean,
    description: 'False for an optional step that was passed over, and for the one that failed.',
  },
});

const ACTION_REPORT = {
  ...OBJECT,
  properties: {
    ...properties,
    problem: { ...string, description: 'What kept a step that was not done.' },
    opened_tabs: {
      ...integer,
      description:
        'How many windows or tabs the step opened; they were closed, and the first one was captured.',
    },
  },
  description: 'The outcome of one step.',
};

export const ACTION_FACTS = {
  /** The steps that were begun, in order; null without steps. */
  actions: defineFact({
    empty: (): readonly ActionReport[] | null => null,
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: {
      ...orNull('array'),
      items: ref('ActionReport'),
      description: 'The steps of `actions` or `recording` that were begun, in order; null without any.',
    },
    components: { ActionReport: ACTION_REPORT },
  }),
};
