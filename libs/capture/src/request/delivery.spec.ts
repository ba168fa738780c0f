import { describe, expect, it } from '@jest/globals';
import { fileNameOf } from './delivery.js';

describe(fileNameOf.name, () => {
  it.each([
    ['example.com', 'png', 'example.com.png'],
    ['front page', 'pdf', 'front page.pdf'],
    ['front.png', 'png', 'front.png'],
    ['front.PNG', 'png', 'front.PNG'],
    ['front.png', 'webp', 'front.png.webp'],
    ['front', 'jpeg', 'front.jpg'],
    ['front.jpeg', 'jpeg', 'front.jpeg'],
    ['front.jpeg', 'png', 'front.jpeg.png'],
  ] as const)('makes of %j as %s %s', (filename, format, expected) => {
    expect(fileNameOf(filename, format)).toBe(expected);
  });
});
