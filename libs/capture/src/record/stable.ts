import { boolean, every, integer, refOrNull } from '@app/kernel';
import { defineFact } from './fact.js';
import { PICTURE_BOX, type PictureBox } from './picture-box.js';

/** Whether the pictures of `stable` agreed. */
export interface StableReport {
  readonly agreed: boolean;
  /** Number of pictures that were taken. */
  readonly frames: number;
  /** The parts in which the last two pictures differ; empty when they agree. */
  readonly unstable_boxes: readonly PictureBox[];
}

const STABLE_REPORT = {
  ...every({
    agreed: { ...boolean, description: 'Whether the last two pictures are identical.' },
    frames: { ...integer, description: 'Number of pictures that were taken.' },
    unstable_boxes: {
      type: 'array',
      items: PICTURE_BOX,
      description: 'Parts in which the last two pictures differ, in px of the picture.',
    },
  }),
  description: 'Whether the page could be frozen; null when `stable` is off.',
};

export const STABLE_FACTS = {
  /** Null when `stable` is off. */
  stable: defineFact({
    empty: (): StableReport | null => null,
    column: 'json',
    isOfFile: true,
    isErased: false,
    whenFailed: false,
    schema: refOrNull('StableReport'),
    components: { StableReport: STABLE_REPORT },
  }),
};
