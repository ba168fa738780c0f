import { Flag, Whole } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

export class ImageOptions {
  @Whole('Quality of a lossy image.', { min: 1, max: 100 })
  quality = 80;

  @Flag('Makes the background transparent where the page has none of its own.')
  omit_background = false;

  @Flag('Encodes the image faster, into a larger file.')
  optimize_for_speed = false;
}

export const image = defineFamily({ name: 'image', doc: 'How an image is encoded.' }, ImageOptions);
