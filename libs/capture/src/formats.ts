/** What a capture can produce, once: option rules, content types and file names come from here. */
export const FORMATS = {
  png: { contentType: 'image/png', extension: 'png', image: true },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg', image: true },
  webp: { contentType: 'image/webp', extension: 'webp', image: true },
  pdf: { contentType: 'application/pdf', extension: 'pdf', image: false },
} as const satisfies Record<string, { contentType: string; extension: string; image: boolean }>;

export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
export const IMAGE_FORMATS = FORMAT_NAMES.filter((format) => FORMATS[format].image);
