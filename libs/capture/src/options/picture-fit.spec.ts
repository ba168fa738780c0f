import { describe, expect, it } from '@jest/globals';
import { boxInFile, fitOf, type Scaling } from './picture-fit.js';

const PAGE = { width: 1280, height: 800 };
const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const scaling = (
  image_width?: number,
  image_height?: number,
  image_fit: Scaling['image_fit'] = 'inside',
) => ({
  image_width,
  image_height,
  image_fit,
});

describe(fitOf.name, () => {
  it.each([
    ['a width', PAGE, [640], [640, 400]],
    ['a height', PAGE, [undefined, 200], [320, 200]],
    ['a box that is too wide', PAGE, [1000, 200], [320, 200]],
    ['a box that is too high', PAGE, [320, 7680], [320, 200]],
    ['the size of the picture', PAGE, [1280, 800], [1280, 800]],
    ['a size beyond that of the picture', PAGE, [7680, 7680], [1280, 800]],
    ['one side beyond that of the picture', PAGE, [7680, 80], [128, 80]],
    ['a side of 1 px', PAGE, [1], [1, 1]],
    ['a tall page', { width: 1280, height: 20_000 }, [400], [400, 6250]],
    ['a tall page in a box', { width: 1280, height: 20_000 }, [400, 300], [19, 300]],
    ['a page so tall that a side rounds to 0', { width: 10, height: 100_000 }, [undefined, 50], [1, 50]],
    ['a shape that has no whole px', { width: 1000, height: 333 }, [500], [500, 167]],
    ['a picture of 1 px', { width: 1, height: 1 }, [5, 5], [1, 1]],
  ] as const)('scales the whole picture down into %s', (_, picture, [width, height], [toWidth, toHeight]) => {
    const size = { width: toWidth, height: toHeight };
    expect(fitOf(picture, scaling(width, height))).toEqual({
      ...size,
      source: { x: 0, y: 0, ...picture },
      target: { x: 0, y: 0, ...size },
    });
  });

  it('changes nothing without a side', () => {
    expect(fitOf(PAGE, scaling())).toEqual({
      ...PAGE,
      source: box(0, 0, 1280, 800),
      target: box(0, 0, 1280, 800),
    });
  });

  it.each([
    ['at both sides', PAGE, [400, 400], box(240, 0, 800, 800)],
    ['at the bottom', PAGE, [800, 200], box(0, 0, 1280, 320)],
    ['nothing of the same shape', PAGE, [640, 400], box(0, 0, 1280, 800)],
    ['most of a tall page', { width: 1280, height: 20_000 }, [400, 300], box(0, 0, 1280, 960)],
    [
      'at both sides of a small picture, which it enlarges',
      { width: 100, height: 50 },
      [400, 400],
      box(25, 0, 50, 50),
    ],
    ['most of a picture for a file of 1 px', PAGE, [1, 1], box(240, 0, 800, 800)],
    ['nothing of a picture of 1 px', { width: 1, height: 1 }, [300, 200], box(0, 0, 1, 1)],
    ['all but one row', { width: 1280, height: 10 }, [7680, 1], box(0, 0, 1280, 1)],
  ] as const)('covers the file and cuts %s', (_, picture, [width, height], source) => {
    expect(fitOf(picture, scaling(width, height, 'cover'))).toEqual({
      width,
      height,
      source,
      target: box(0, 0, width, height),
    });
  });

  it.each([
    ['above and below', PAGE, [400, 400], box(0, 75, 400, 250)],
    ['at both sides', PAGE, [1000, 200], box(340, 0, 320, 200)],
    [
      'around a picture that it does not enlarge',
      { width: 100, height: 51 },
      [300, 200],
      box(100, 74, 100, 51),
    ],
    ['nowhere', PAGE, [640, 400], box(0, 0, 640, 400)],
  ] as const)('contains the whole picture, with a border %s', (_, picture, [width, height], target) => {
    expect(fitOf(picture, scaling(width, height, 'contain'))).toEqual({
      width,
      height,
      source: { x: 0, y: 0, ...picture },
      target,
    });
  });
});

describe(boxInFile.name, () => {
  const part = box(300, 100, 101, 50);

  it.each([
    ['scaled', scaling(320), box(75, 25, 26, 13)],
    ['cut', scaling(400, 400, 'cover'), box(30, 50, 51, 25)],
    ['with a border', scaling(320, 400, 'contain'), box(75, 125, 26, 13)],
    ['cut at the part', scaling(1280, 120, 'cover'), box(300, 100, 101, 20)],
  ])('has the px that show a part of the picture in a file that is %s', (_, asked, expected) => {
    expect(boxInFile(fitOf(PAGE, asked), part)).toEqual(expected);
  });

  it('has none of a part that is cut', () => {
    expect(boxInFile(fitOf(PAGE, scaling(1280, 100, 'cover')), part)).toBeUndefined();
  });
});
