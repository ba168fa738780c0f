import type { FramingOptions } from '../options/framing.js';
import type { EmulationOptions } from '../options/emulation.js';
import type { PageChangesOptions } from '../options/page-changes.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat } from '../pipeline/format.js';
import { openWorld } from '../pipeline/in-page.js';
import { CHARSET, readMarkup } from './markup/page-markup.js';

type HtmlOptions = Pick<FramingOptions, 'selector'> &
  Pick<EmulationOptions, 'javascript'> &
  Pick<PageChangesOptions, 'mask_selectors'>;

/** Frames in frames in frames: each level escapes the text of those inside once more. */
const MAX_FRAMES = 3;

async function writeHtml(visit: Visit, options: HtmlOptions, maxBytes: number): Promise<Buffer> {
  const { frameTree } = await visit.cdp.send('Page.getFrameTree');
  const world = await openWorld(visit.cdp, frameTree.frame.id);
  const { bytes } = await readMarkup(world, {
    selector: options.selector ?? null,
    masks: options.mask_selectors,
    hasScripts: options.javascript,
    maxChars: maxBytes,
    maxFrames: MAX_FRAMES,
    isArchive: false,
    head: CHARSET,
  });
  return bytes;
}

export const html = defineFormat({
  name: 'html',
  doc: 'The DOM.',
  contentType: 'text/html; charset=utf-8',
  extension: 'html',
  otherExtensions: ['htm'],
  disposition: 'attachment',
  options: ['selector'],
  render: async (visit, options: HtmlOptions, { maxBytes }) => ({
    bytes: await writeHtml(visit, options, maxBytes),
  }),
});
