import { Choice, Flag, Whole } from '@app/kernel';
import { FORMAT_NAMES, type Format } from '../formats.js';
import { defineFamily } from '../pipeline/family.js';

export class ImageOptions {
  @Choice(FORMAT_NAMES, 'What to make of the page.')
  format: Format = 'png';

  @Whole('Quality of a lossy image.', { min: 1, max: 100, formats: ['jpeg', 'webp'] })
  quality = 80;

  @Flag('Leaves out the white that a page without a background of its own is drawn on.', {
    formats: ['png', 'webp'],
  })
  omit_background = false;

  @Flag('Trades size for speed when the image is written.', { formats: ['png'] })
  optimize_for_speed = false;
}

export const image = defineFamily('output', 'What the capture is written as.', ImageOptions);
