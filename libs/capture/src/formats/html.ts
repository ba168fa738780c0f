import type { FramingOptions } from '../options/framing.js';
import type { EmulationOptions } from '../options/emulation.js';
import type { PageChangesOptions } from '../options/page-changes.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat } from '../pipeline/format.js';
import { worldOfPage } from '../pipeline/in-page.js';
import { CHARSET, readMarkup } from './markup/page-markup.js';

type HtmlOptions = Pick<FramingOptions, 'selector'> &
  Pick<EmulationOptions, 'javascript'> &
  Pick<PageChangesOptions, 'mask_selectors'>;

/** Frames in frames in frames: each level escapes the text of those inside once more. */
const MAX_FRAMES = 3;

async function writeHtml(visit: Visit, options: HtmlOptions, maxBytes: number): Promise<Buffer> {
  const world = await worldOfPage(visit);
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
  label: 'HTML',
  kind: 'markup',
  doc: 'The DOM as it stands, or the outer HTML of `selector`, in UTF-8: with shadow roots as declarative templates, style sheets as scripts have left them, absolute URLs, canvases as pictures, what was entered into fields except passwords, and frames that scripts of the page can read. Scripts are kept and run again when the file is opened; a Content-Security-Policy in the document is left out, because the file has another origin. Pictures and linked style sheets stay on their servers. Elements that `mask_selectors` names are written without their content; what other options hide is in the file, with the styles that hide it.',
  contentType: 'text/html; charset=utf-8',
  extension: 'html',
  otherExtensions: ['htm'],
  disposition: 'attachment',
  isLossy: false,
  isCompressed: false,
  isSeenByModels: false,
  comparedAs: null,
  options: ['selector'],
  render: async (visit, options: HtmlOptions, { maxBytes }) => ({
    bytes: await writeHtml(visit, options, maxBytes),
  }),
});
