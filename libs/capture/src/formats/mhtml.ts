import { AppError } from '@app/kernel';
import type { EmulationOptions } from '../options/emulation.js';
import type { PageChangesOptions } from '../options/page-changes.js';
import type { StabilityOptions } from '../options/stability.js';
import type { Visit } from '../pipeline/family.js';
import { defineFormat } from '../pipeline/format.js';
import { withDeadline } from '../pipeline/wait.js';
import { EPOCH_MS } from '../stability/clock-script.js';
import { MimeMessage } from './archive/mime-message.js';
import { addResources } from './archive/page-archive.js';
import { openFrames, SVG, type PageFrame } from './archive/page-frames.js';
import { PageResources } from './archive/page-resources.js';
import { CHARSET, readMarkup, readTitle, type Markup } from './markup/page-markup.js';

type MhtmlOptions = Pick<EmulationOptions, 'javascript'> &
  Pick<PageChangesOptions, 'mask_selectors'> &
  Pick<StabilityOptions, 'stable'>;

/** Maximum time for the frames in the page, and for the resources. */
const FRAMES_MS = 10_000;
const RESOURCES_MS = 15_000;

/** Chromium shows the controls of all videos where no scripts run. */
const HEAD = `${CHARSET}<style>video:not([controls])::-webkit-media-controls { display: none !important }</style>`;

/** A longer URL does not fit on a line of a header. */
const MAX_URL_LENGTH = 8_192;

/** @throws AppError `resource_limit` */
async function writeMhtml(visit: Visit, options: MhtmlOptions, maxBytes: number): Promise<Buffer> {
  const within = (ms: number): number => performance.now() + Math.min(ms, visit.remainingMs() / 3);
  const frames = await openFrames(visit);
  const [page] = frames;
  if (!page) throw new Error('The page has no frame.');
  const message = new MimeMessage(
    {
      title: await readTitle(page.world),
      url: page.url,
      date: new Date(options.stable ? EPOCH_MS : Date.now()),
    },
    maxBytes,
  );
  const until = within(FRAMES_MS);
  const shown: string[] = [];
  const locations = new Set<string>();
  for (const frame of frames) {
    if (frame !== page && frame.mimeType === SVG) shown.push(frame.url);
    else {
      const reading = readFrame(frame, options, message.left);
      const markup = frame === page ? await reading : await unlessLost(reading, until);
      if (!markup) continue;
      // A frame without an address of its own has that of the frame around it.
      const isNamed =
        /^https?:/.test(frame.url) && frame.url.length <= MAX_URL_LENGTH && !locations.has(frame.url);
      locations.add(frame.url);
      const id = frame.contentId;
      const location = isNamed ? { location: frame.url } : {};
      message.add({ type: 'text/html', ...location, id, body: markup.bytes, isText: true });
      shown.push(...markup.resources);
    }
  }
  const resources = await PageResources.collect(frames, within(RESOURCES_MS));
  await addResources(message, shown, { resources, until: within(RESOURCES_MS) });
  return message.toBuffer();
}

function readFrame({ world }: PageFrame, options: MhtmlOptions, maxChars: number): Promise<Markup> {
  return readMarkup(world, {
    selector: null,
    masks: options.mask_selectors,
    hasScripts: options.javascript,
    maxChars,
    maxFrames: 0,
    isArchive: true,
    head: HEAD,
  });
}

/** Undefined when the frame is gone or does not answer in time. */
async function unlessLost(reading: Promise<Markup>, until: number): Promise<Markup | undefined> {
  try {
    return await withDeadline({ until, message: 'a frame' }, reading);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return undefined;
  }
}

export const mhtml = defineFormat({
  name: 'mhtml',
  label: 'MHTML',
  kind: 'markup',
  doc: 'The page with its frames, style sheets, pictures and fonts in one file (RFC 2557), which Chromium-based browsers open without a network. It has the DOM as `html` has it, but no scripts, and only what the page has loaded: `scroll` loads what comes later. Media and files that scripts fetch are not in it. Browsers show the fields of such files as disabled.',
  // The type by which Chromium, which alone makes and opens these files, knows them; `message/rfc822` is opened as mail.
  contentType: 'multipart/related',
  extension: 'mhtml',
  otherExtensions: ['mht'],
  disposition: 'attachment',
  isLossy: false,
  isCompressed: false,
  isSeenByModels: false,
  comparedAs: null,
  options: [],
  render: async (visit, options: MhtmlOptions, { maxBytes }) => ({
    bytes: await writeMhtml(visit, options, maxBytes),
  }),
});
