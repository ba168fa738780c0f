import { aboutFormat, FORMAT_NAMES, isPicture } from '@app/capture';
import type { CaptureOptions } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { PREVIEW } from '../capture-result.js';
import { shownResult } from '../slice-result.js';
import { runCapture } from '../run-capture.js';
import { failedCaptureResult } from '../tool-errors.js';
import type { Tool, ToolArguments } from '../tool.js';
import { URL_ARGUMENT } from './url-argument.js';

/** The format without `format`: small, and shown by every client. */
const STANDARD = 'webp';
const FORMATS = [STANDARD, ...FORMAT_NAMES.filter((name) => name !== STANDARD)];

/** A copy that fits into a result whatever the page is like. */
const SMALL_COPY = {
  name: PREVIEW,
  format: STANDARD,
  quality: 70,
  image_width: 1_280,
  image_height: 3_840,
  image_fit: 'inside',
} as const;

/** Options of which tools have arguments of their own. */
const OF_COMPARE = ['compare_with', 'compare_threshold', 'compare_ignore_selectors'];
const OF_SLICES = ['slice_height', 'slice_overlap', 'max_slices', 'slice_at'];

/** Sides of slices in px. A tenth less is asked for, because a gap in the page may be that much further down. */
const MIN_SLICE_SIDE = 400;
const MAX_SLICE_SIDE = 8_000;
const LEEWAY = 1.1;
/** The maximum of `image_width`. */
const MAX_WIDTH = 7_680;

/** With any of these a picture can be too large for a result. */
const ENLARGING = [
  ...['full_page', 'selector', 'device', 'device_scale_factor', 'viewport_width', 'viewport_height'],
  ...['clip_width', 'clip_height', 'quality', 'image_fit', 'optimize_for_speed'],
];

export const CAPTURE: Tool = {
  name: 'capture',
  title: 'Capture a web page',
  description:
    'Opens a web page in a real browser and shows it as a picture. Use it to see what a page looks like; to read its text use read_page. ' +
    'With another format (pdf, html, mhtml) the result is a link to the file.',
  isOpenWorld: true,
  inputSchema: (mayUseUnsafe) =>
    captureSchema(
      {
        url: URL_ARGUMENT,
        format: { type: 'string', enum: FORMATS, description: 'Format of the file.', default: STANDARD },
        slices: {
          type: 'integer',
          minimum: MIN_SLICE_SIDE,
          maximum: MAX_SLICE_SIDE,
          description:
            'Shows the whole page as pictures of at most so many px a side, such as 1568, from top to bottom. The first are in the result; show_slices has the next ones.',
        },
      },
      {
        listsAll: true,
        required: ['url'],
        without: [...OF_COMPARE, ...OF_SLICES],
      },
      mayUseUnsafe,
    ),
  run: async (args, call) => {
    const record = await runCapture(fitted(args), call);
    return record.status === 'succeeded' ? shownResult(record, call) : failedCaptureResult(record);
  },
};

/** The options for slices of this side. */
function slicesOf({ slices: side }: ToolArguments): ToolArguments {
  if (typeof side !== 'number') return {};
  const slice_height = Math.floor(side / LEEWAY);
  return { full_page: true, image_width: Math.min(side, MAX_WIDTH), slice_height };
}

/** Adds a small copy to a picture that may be too large for the result: both are one visit, and one unit of the allowance. */
function fitted(args: ToolArguments): CaptureOptions {
  const options = optionsOf({ format: STANDARD, ...args }, slicesOf(args));
  if (typeof options.slice_height === 'number') return options;
  const names = Object.keys(options);
  const format = FORMAT_NAMES.find((name) => name === options.format);
  if (format === undefined || !isPicture(format)) return options;
  const { isLossy, isSeenByModels } = aboutFormat(format);
  if (isLossy && isSeenByModels && !names.some((name) => ENLARGING.includes(name))) return options;
  return optionsOf({ options }, { outputs: [{ name: 'result' }, SMALL_COPY] });
}
