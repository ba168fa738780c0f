import type { Fault } from '@app/kernel';
import { encodingExcess } from './avif-limits.js';
import { defineFamily } from '../pipeline/family.js';
import { Choice, Flag, Whole } from '../pipeline/option-fields.js';

export class ImageOptions {
  @Whole('Quality of a lossy image. Without it 80, and 60 for `avif`, which looks the same.', {
    exposure: 'public',
    min: 1,
    max: 100,
  })
  quality?: number;

  @Flag('Makes the background transparent where the page has none of its own.', {
    exposure: 'public',
    alsoCalled: ['transparent'],
  })
  omit_background = false;

  @Flag('Encodes the image faster, into a larger file.', { exposure: 'public' })
  optimize_for_speed = false;

  @Whole(
    'Width in px to which the image is scaled down; a smaller image keeps its size. The height follows, unless it is given, too.',
    { exposure: 'public', min: 1, max: 7_680 },
  )
  image_width?: number;

  @Whole(
    'Height in px to which the image is scaled down; a smaller image keeps its size. The width follows, unless it is given, too.',
    { exposure: 'public', min: 1, max: 7_680 },
  )
  image_height?: number;

  @Choice(
    ['inside', 'cover', 'contain'],
    'How an image fits into `image_width` × `image_height`. `inside` scales it down until it fits; the file may be smaller. The others make a file of exactly this size: `cover` fills it, enlarges a smaller image, and cuts the bottom or both sides; `contain` scales as `inside` does and adds a border, white or with `omit_background` transparent.',
    { exposure: 'public' },
  )
  image_fit: 'inside' | 'cover' | 'contain' = 'inside';
}

function check(options: ImageOptions & { readonly format: string }, given: ReadonlySet<string>): Fault[] {
  const { image_width: width, image_height: height, image_fit: fit } = options;
  const conflict = (name: string, detail: string): Fault[] => [
    { pointer: `/${name}`, code: 'conflict', detail },
  ];
  if (width === undefined && height === undefined) {
    const sides = fit === 'inside' ? 'image_width or image_height' : 'image_width and image_height';
    return given.has('image_fit') ? conflict('image_fit', `needs ${sides}`) : [];
  }
  if (fit === 'inside') return [];
  const detail = `is missing: image_fit ${fit} needs both image_width and image_height`;
  if (width === undefined) return conflict('image_width', detail);
  if (height === undefined) return conflict('image_height', detail);
  const excess = encodingExcess(options.format, { width, height }, options.omit_background);
  return excess ? conflict('image_height', `makes the image too large with this image_width: ${excess}`) : [];
}

export const image = defineFamily(
  { name: 'image', doc: 'How an image is scaled and encoded.' },
  ImageOptions,
  { check },
);
