import { every, integer, orNull, refOrNull, string } from '@app/kernel';
import { defineFact, type FoundFacts } from './fact.js';

/** Why a capture is not complete. */
export const INCOMPLETE_REASONS = [
  'wait_timed_out',
  'document_cut_off',
  'still_loading',
  'end_not_reached',
  'sections_not_revealed',
] as const;

export type IncompleteReason = (typeof INCOMPLETE_REASONS)[number];

/** What the file does not show although the page has it. Each list has at most 20 items. */
export interface MissingReport {
  /** Why `complete` is false, each reason once; empty when it is true. */
  reasons: readonly IncompleteReason[];
  /** Scripts with letters that no font has, which are boxes, and how many of those the text has. */
  glyphs: readonly { readonly script: string; readonly count: number }[];
  /** Embedded pages that did not load. */
  frames: readonly { readonly url: string }[];
  /** Images that are broken, or have not loaded. */
  images: readonly { readonly url: string }[];
  /** Number of sections of the page that were never revealed. */
  sections: number;
}

export function nothingMissing(): MissingReport {
  return { reasons: [], glyphs: [], frames: [], images: [], sections: 0 };
}

export function isAnythingMissing({ sections, ...lists }: MissingReport): boolean {
  return sections > 0 || Object.values(lists).some((list) => list.length > 0);
}

const MISSING_REPORT = {
  ...every({
    reasons: {
      type: 'array',
      items: { type: 'string', enum: INCOMPLETE_REASONS },
      description:
        'Why `complete` is false; empty when it is true. `wait_timed_out` and `document_cut_off` under `on_timeout: "capture"`; `still_loading`: requests of a click, `js` or scrolling; `end_not_reached`: the page was not scrolled through to its end; `sections_not_revealed`: see `sections`.',
    },
    glyphs: {
      type: 'array',
      items: every({ script: { ...string, example: 'Tibetan' }, count: integer }),
      description:
        'Scripts with letters that no font has, neither of the page nor of the service, and how many such letters the text has: they are boxes. `Emoji`, `Private use` (icons of a font that did not load) and `Symbols` stand for what has no script.',
    },
    frames: {
      type: 'array',
      items: every({ url: string }),
      description:
        'Embedded pages that did not load: no connection, a refusal, a status from 400 on, or no response in time.',
    },
    images: {
      type: 'array',
      items: every({ url: string }),
      description: 'Images that are broken or had not loaded. A `data:` URL is cut after its media type.',
    },
    sections: { ...integer, description: 'Number of sections of a full page that were never revealed.' },
  }),
  description:
    'What the file does not show although the page has it, within the part that the file shows; each list has at most 20 items, and URLs are cut after 500 characters. What is hidden, what has at most 2 px, and what an option blocked is not missing. Null when nothing is known to be missing, and for captures that failed. Files that are no picture and no PDF have `reasons` alone.',
};

/** Whether the file shows what the page has. */
export const COMPLETENESS_FACTS = {
  /**
   * False when a wait timed out and `on_timeout` is `capture`, and when something that a click, `js` or scrolling
   * requested did not arrive in time. Set by `markIncomplete`.
   */
  complete: defineFact({
    empty: (): boolean => true,
    column: 'boolean',
    isErased: false,
    whenFailed: false,
    schema: orNull(
      'boolean',
      'False when a wait timed out under `on_timeout: "capture"`, when the page was still loading what a click, `js` or scrolling requested, or when parts of it were never revealed; `missing.reasons` says which.',
    ),
  }),
  missing: defineFact({
    empty: nothingMissing,
    store: (missing): MissingReport | null => (isAnythingMissing(missing) ? missing : null),
    column: 'json',
    isErased: true,
    whenFailed: false,
    schema: refOrNull('MissingReport'),
    components: { MissingReport: MISSING_REPORT },
  }),
};

type Completeness = FoundFacts<typeof COMPLETENESS_FACTS>;

/** Notes that the file lacks something that the page would have shown, and why. */
export function markIncomplete(facts: Completeness, reason: IncompleteReason): void {
  facts.complete = false;
  facts.missing.reasons = [...new Set([...facts.missing.reasons, reason])];
}

/**
 * Notes how many sections of the page were never revealed, so that the file shows nothing in their place. To be called at most
 * once for a page; 0 changes nothing.
 */
export function noteSections(facts: Completeness, sections: number): void {
  facts.missing.sections = sections;
  if (sections > 0) markIncomplete(facts, 'sections_not_revealed');
}
