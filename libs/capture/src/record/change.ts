import { every, list, orNull, refOrNull, string } from '@app/kernel';
import { defineFact, deriveColumn } from './fact.js';
import { PICTURE_BOX, type PictureBox } from './picture-box.js';

/** Why two files could not be compared. */
export const COMPARISON_FAILURES = ['timed_out', 'file_missing', 'not_comparable'] as const;
export type ComparisonFailure = (typeof COMPARISON_FAILURES)[number];

/** What changed since an earlier capture. Where `failure` is not null, what it could not find out is null. */
export interface ChangeReport {
  /** The id of the earlier capture. */
  readonly compared_with: string;
  readonly failure: ComparisonFailure | null;
  readonly changed: boolean | null;
  /** The part that changed, from 0 to 1: of the pixels of a picture, or of the words of a text. */
  readonly ratio: number | null;
  /** The parts of a picture that changed, at most 100; none for a text. */
  readonly boxes: readonly PictureBox[];
  /** Whether the pictures have different sizes. */
  readonly size_changed: boolean | null;
  /** Whether the visible text changed; null when it is not known of the earlier capture. */
  readonly text_changed: boolean | null;
  /** The parts of a picture that differ between two captures of the same moment, and were left out. */
  readonly noise: readonly PictureBox[];
  /** The lines of text that changed, at most 20; none when there are no texts to compare. */
  readonly lines: readonly ChangedLine[];
  /** The first changed line in a few words; null without any. */
  readonly summary: string | null;
}

/** A line of text that changed. Long lines are cut. */
export interface ChangedLine {
  /** The line as it was; null for a new one. */
  readonly before: string | null;
  /** The line as it is; null for one that is gone. */
  readonly after: string | null;
  /** The words that only one of both has. */
  readonly removed: string;
  readonly added: string;
}

const CHANGED_LINE = {
  ...every({
    before: orNull('string', 'The line as it was; null for a new one.'),
    after: orNull('string', 'The line as it is; null for one that is gone.'),
    removed: { ...string, description: 'The words that it lost.' },
    added: { ...string, description: 'The words that it got.' },
  } satisfies Record<keyof ChangedLine, object>),
  description: 'A line of text that changed. What is longer than 300 characters is cut.',
};

const CHANGE_REPORT = {
  ...every({
    compared_with: { ...string, format: 'uuid', description: 'Id of the earlier capture.' },
    failure: {
      ...orNull(
        'string',
        'Why the files could not be compared; the fields below that it leaves open are null then. `timed_out`: not within 45 s or the rest of `timeout_ms`. `file_missing`: the earlier file has expired or was deleted. `not_comparable`: a file cannot be read, or takes too much memory.',
      ),
      enum: [...COMPARISON_FAILURES, null],
    },
    changed: orNull('boolean'),
    ratio: {
      type: ['number', 'null'],
      minimum: 0,
      maximum: 1,
      description:
        'The part that changed: of the pixels of a picture that are not ignored, or of the words of both texts.',
    },
    boxes: {
      ...list(PICTURE_BOX),
      description:
        'The parts of the picture that changed, at most 100, in px of the larger of both pictures. None for a text.',
    },
    size_changed: orNull('boolean'),
    text_changed: orNull('boolean', 'Null when the text of the earlier capture is not known.'),
    noise: {
      ...list(PICTURE_BOX),
      description:
        'The parts of the picture that were left out, because they differ from the capture of `compare_confirms`.',
    },
    lines: {
      ...list(CHANGED_LINE),
      description:
        'The lines that changed, at most 20: of the text that was compared, or of the first output of text when both captures have one.',
    },
    summary: orNull('string', 'The first changed line in a few words, such as `Price: €149 → €139`.'),
  }),
  description: 'What changed since the capture of `compare_with`; null when nothing was compared.',
};

/** What the comparison with an earlier capture adds to the facts of the visit. */
export const COMPARISON_FACTS = {
  /** Null when nothing was compared. */
  change: defineFact({
    empty: (): ChangeReport | null => null,
    column: 'json',
    isErased: true,
    whenFailed: false,
    schema: refOrNull('ChangeReport'),
    components: { ChangeReport: CHANGE_REPORT },
  }),
  /** `changed` of `change`, for the index. */
  changed: deriveColumn({
    from: 'change',
    store: (change: ChangeReport | null): boolean | null => change?.changed ?? null,
    column: 'boolean',
    isErased: true,
    schema: null,
  }),
  /** A hash of the visible text, for later comparisons; null unless this capture was to be compared. */
  textHash: defineFact({
    empty: (): Buffer | null => null,
    column: 'bytea',
    isErased: true,
    whenFailed: false,
    schema: null,
  }),
};
