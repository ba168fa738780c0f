import { Flag } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

export class StabilityOptions {
  @Flag(
    'Makes the same page give the same bytes: time, randomness and animations are frozen, the caret is hidden and media are paused. Pictures are taken until two agree, at most 6 and within `ready_timeout_ms`; the record tells whether they did.',
  )
  stable = false;
}

export const stability = defineFamily(
  { name: 'stability', doc: 'Pictures that are the same every time.' },
  StabilityOptions,
);
