import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { CaptureOptions } from '../../request/capture-options.js';
import type { PictureBox } from '../../record/picture-box.js';
import { Capturing, type Captured } from '../../../../../test/support/capturing.js';

/** A page of 2,000 px with two red clocks, and nothing else that is red. */
const PAGE = `<meta name="viewport" content="width=device-width"><style>body { margin: 0; height: 2000px; width: 900px }
  .clock { position: absolute; width: 80px; height: 30px; background: #f00 }</style>
  <p>The first words <b>are<i>joined</i></b> here.</p><div id="part" style="position: absolute; left: 50px; top: 900px; width: 400px; height: 300px">
  <div class="clock" style="left: 110.5px; top: 20px">12:01</div></div>
  <div class="clock" style="left: 200px; top: 100px">12:00</div>
  <div class="clock" style="display: none">never</div><script>document.title = 1</script>`;

const COMPARED = { compare_with: 'previous', compare_ignore_selectors: ['.clock', '#none'] };

describe('what a visit finds out for a comparison', () => {
  let capturing: Capturing;

  beforeAll(async () => {
    capturing = await Capturing.open();
  });

  afterAll(() => capturing.close());

  const capture = (options: Partial<CaptureOptions>, html = PAGE): Promise<Captured> =>
    capturing.capture(null, { html, ...COMPARED, ...options });

  /** The part of the picture that is red. */
  async function redPart(bytes: Uint8Array): Promise<PictureBox[]> {
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const reds = Array.from({ length: info.width * info.height }, (_, i) => i).filter((i) => {
      const [r = 0, g = 0, b = 0] = data.subarray(i * 3, i * 3 + 3);
      return r > 200 && g < 60 && b < 60;
    });
    if (reds.length === 0) return [];
    const [xs, ys] = [reds.map((i) => i % info.width), reds.map((i) => Math.floor(i / info.width))];
    const [x, y] = [xs.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.min(a, b))];
    const [right, bottom] = [xs.reduce((a, b) => Math.max(a, b)), ys.reduce((a, b) => Math.max(a, b))];
    return [{ x, y, width: right - x + 1, height: bottom - y + 1 }];
  }

  const within = (box: PictureBox, outer: PictureBox, margin: number): boolean =>
    box.x >= outer.x &&
    box.y >= outer.y &&
    box.x + box.width <= outer.x + outer.width &&
    box.y + box.height <= outer.y + outer.height &&
    outer.x >= box.x - margin &&
    outer.y >= box.y - margin &&
    outer.x + outer.width <= box.x + box.width + margin &&
    outer.y + outer.height <= box.y + box.height + margin;

  it.each<[string, Partial<CaptureOptions>]>([
    ['the window', {}],
    ['a scrolled window', { scroll_to_selector: '#part' }],
    ['an element', { selector: '#part' }],
    ['an element at twice the density', { selector: '#part', device_scale_factor: 2, selector_padding: 7 }],
    ['a clip', { clip_x: 150, clip_y: 60, clip_width: 300, clip_height: 200, device_scale_factor: 1.5 }],
    ['a smaller file', { image_width: 640 }],
    ['a smaller file with a border', { image_width: 640, image_height: 640, image_fit: 'contain' }],
    ['a phone that zooms out', { device: 'iphone-15-pro' }],
    ['the part of a clock that a clip shows', { clip_x: 220, clip_y: 110, clip_width: 20, clip_height: 200 }],
  ])('has the box of the ignored element in px of the picture: %s', async (_, options) => {
    const { files } = await capture(options);
    const [{ bytes, ignored = [] }] = files;
    const [red] = await redPart(bytes);
    const [right, bottom] = [
      Math.max(...ignored.map((box) => box.x + box.width)),
      Math.max(...ignored.map((box) => box.y + box.height)),
    ];
    const [x, y] = [Math.min(...ignored.map((box) => box.x)), Math.min(...ignored.map((box) => box.y))];
    const box = { x, y, width: right - x, height: bottom - y };
    if (!red) throw new Error('there is no clock');
    // A margin of 1 px, and edges between two px.
    expect([red, box, within(red, box, 3)]).toEqual([red, box, true]);
  });

  it('has the boxes of all matches of a full page, and none without selectors', async () => {
    const { files } = await capture({ full_page: true });
    expect(files[0].ignored).toEqual([
      { x: 159, y: 919, width: 83, height: 32 },
      { x: 199, y: 99, width: 82, height: 32 },
    ]);
    expect((await capture({ compare_ignore_selectors: [] })).files[0].ignored).toEqual([]);
  });

  it('refuses a selector that the browser does not know', async () => {
    await expect(capture({ compare_ignore_selectors: ['p:frob(1)'] })).rejects.toMatchObject({
      code: 'selector_not_found',
      message: expect.stringContaining('compare_ignore_selectors'),
    });
  });

  it('has a hash of the words of the page without those of ignored elements', async () => {
    const { textHash } = await capture({});
    expect(textHash).toHaveLength(32);
    const same = [PAGE.replace('12:00', '13:37'), PAGE.replace('first words', 'first \n words')];
    for (const html of same) expect((await capture({}, html)).textHash).toEqual(textHash);
    const others = [PAGE.replace('first', 'second'), PAGE.replace('are<i>', 'are <i>')];
    for (const html of others) expect((await capture({}, html)).textHash).not.toEqual(textHash);
    expect((await capture({ compare_ignore_selectors: [] })).textHash).not.toEqual(textHash);
    expect((await capturing.capture(null, { html: PAGE })).textHash).toBeNull();
  });
});
