import { aboutFormat, FORMAT_NAMES, isPicture } from '@app/capture';
import type { CaptureOptions } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { captureResult, PREVIEW } from '../capture-result.js';
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
      },
      {
        listsAll: true,
        required: ['url'],
        without: ['compare_with', 'compare_threshold', 'compare_ignore_selectors'],
      },
      mayUseUnsafe,
    ),
  run: async (args, call) => {
    const record = await runCapture(fitted(args), call);
    return record.status === 'succeeded' ? captureResult(record, call) : failedCaptureResult(record);
  },
};

/** Adds a small copy to a picture that may be too large for the result: both are one visit, and one unit of the allowance. */
function fitted(args: ToolArguments): CaptureOptions {
  const options = optionsOf({ format: STANDARD, ...args });
  const names = Object.keys(options);
  const format = FORMAT_NAMES.find((name) => name === options.format);
  if (format === undefined || !isPicture(format)) return options;
  const { isLossy, isSeenByModels } = aboutFormat(format);
  if (isLossy && isSeenByModels && !names.some((name) => ENLARGING.includes(name))) return options;
  return optionsOf({ options }, { outputs: [{ name: 'result' }, SMALL_COPY] });
}
