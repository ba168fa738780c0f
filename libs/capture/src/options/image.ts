import { Choice, Flag, Whole } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

export class ImageOptions {
  @Whole('Quality of a lossy image.', { min: 1, max: 100 })
  quality = 80;

  @Flag('Makes the background transparent where the page has none of its own.')
  omit_background = false;

  @Flag('Encodes the image faster, into a larger file.')
  optimize_for_speed = false;

  @Whole('Width to which the image is scaled down, in px. The height follows unless it is given, too.', {
    min: 1,
    max: 7_680,
  })
  image_width?: number;

  @Whole('Height to which the image is scaled down, in px. The width follows unless it is given, too.', {
    min: 1,
    max: 7_680,
  })
  image_height?: number;

  @Choice(
    ['inside', 'cover', 'contain'],
    'How an image fits into `image_width` × `image_height`: `inside` scales it down until it fits, `cover` fills them and cuts what is beyond, `contain` adds a border.',
  )
  image_fit: 'inside' | 'cover' | 'contain' = 'inside';
}

export const image = defineFamily(
  { name: 'image', doc: 'How an image is scaled and encoded.' },
  ImageOptions,
);
