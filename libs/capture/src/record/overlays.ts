import { every, orNull, ref, string } from '@app/kernel';
import { defineFact } from './fact.js';
import { PICTURE_BOX, type PictureBox } from './picture-box.js';

export const OVERLAY_ACTIONS = ['closed', 'hidden'] as const;
export const OVERLAY_KINDS = ['dialog', 'popover', 'fixed'] as const;

/** Something that had come over the page and that `block_annoyances` removed. */
export interface OverlayReport {
  /** `closed` by its own control or the Escape key, or `hidden` because its control did not work. */
  readonly action: (typeof OVERLAY_ACTIONS)[number];
  /** A modal dialog, a popover or an element that is fixed to the window. */
  readonly kind: (typeof OVERLAY_KINDS)[number];
  /** Its name for screen readers, its heading or its first words, at most 80 characters. */
  readonly label: string;
  /** Where it was in the window, in CSS px. */
  readonly box: PictureBox;
}

const OVERLAY_REPORT = {
  ...every({
    action: {
      type: 'string',
      enum: OVERLAY_ACTIONS,
      description: '`closed` as a visitor would, or `hidden` because its control did not work.',
    },
    kind: {
      type: 'string',
      enum: OVERLAY_KINDS,
      description: 'A modal dialog, a popover, or an element that is fixed to the window.',
    },
    label: { ...string, description: 'Its name, heading or first words.', example: 'Join our newsletter' },
    box: {
      ...PICTURE_BOX,
      description: 'Where it was in the window, in CSS px.',
    },
  }),
  description: 'Something that had come over the page by itself.',
};

export const OVERLAY_FACTS = {
  /** What `block_annoyances` closed or hid; null when it is off. */
  overlays: defineFact({
    empty: (): readonly OverlayReport[] | null => null,
    column: 'json',
    isErased: true,
    whenFailed: true,
    schema: {
      ...orNull('array'),
      items: ref('OverlayReport'),
      description:
        'What `block_annoyances` removed that had come over the page, at most 20; null when it is off. What the filter lists hide is not listed.',
    },
    components: { OverlayReport: OVERLAY_REPORT },
  }),
};
