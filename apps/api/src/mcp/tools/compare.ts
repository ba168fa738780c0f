import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { CaptureRecord, ChangeReport } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { isShowable, pictureOf, summaryOf } from '../capture-result.js';
import { fileLink } from '../resources.js';
import { runCapture } from '../run-capture.js';
import { failedCaptureResult } from '../tool-errors.js';
import type { Tool, ToolCall } from '../tool.js';
import { URL_ARGUMENT } from './url-argument.js';

const MAX_BOXES = 20;

/** A lossless picture of a size whose differences usually fit into a result. */
const PICTURE = { format: 'png', image_width: 1_280 } as const;

export const COMPARE: Tool = {
  name: 'compare',
  title: 'Compare a web page with an earlier capture',
  description:
    'Captures a web page and reports what changed since an earlier capture, with a picture that marks the changes. By default it compares with the previous call of this tool with the same arguments; ' +
    'the first call has nothing to compare with.',
  isOpenWorld: true,
  inputSchema: (mayUseUnsafe) =>
    captureSchema(
      {
        url: URL_ARGUMENT,
        compare_with: {
          type: 'string',
          default: 'previous',
          description: 'previous, or the id of an earlier capture of the account.',
        },
        compare_threshold: {
          type: 'number',
          minimum: 0,
          maximum: 1,
          description: 'How much a colour must differ to count, 0 to 1.',
          default: 0.1,
        },
        compare_ignore_selectors: {
          type: 'array',
          items: { type: 'string' },
          description: 'CSS selectors of elements that do not count, such as clocks and advertisements.',
        },
      },
      { required: ['url'] },
      mayUseUnsafe,
    ),
  run: async (args, call) => {
    const record = await runCapture(
      optionsOf(
        { compare_with: 'previous', ...args, options: { stable: true, ...(args.options as object) } },
        PICTURE,
      ),
      call,
    );
    return record.status === 'succeeded' ? changeResult(record, call) : failedCaptureResult(record);
  },
};

async function changeResult(record: CaptureRecord, call: ToolCall): Promise<CallToolResult> {
  const diff = record.files.find(({ name }) => name === 'diff');
  const shown = diff && isShowable(diff) ? diff : undefined;
  const notes = [
    ...(shown
      ? ['The picture below is the new one, faded, with changed pixels in red and their boxes in yellow.']
      : []),
    ...(diff && !shown
      ? ['The picture of the changes is too large to be shown here. Compare a part of the page (`selector`).']
      : []),
  ];
  const text = [changeText(record), ...notes, summaryOf(record, call)].join('\n');
  const content: ContentBlock[] = [{ type: 'text', text }];
  if (shown) content.push(await pictureOf(record, shown, call));
  return { content: [...content, ...record.files.map((file) => fileLink(record, file))] };
}

const FAILURES = {
  timed_out:
    'it took too long. Ask for a smaller part of the page (`selector`), or for a longer `timeout_ms`.',
  file_missing:
    'its file has expired or was deleted. Call compare again later: that compares with this capture.',
  not_comparable: 'one of the files cannot be read as a picture or text, or is too large to be compared.',
} as const satisfies Record<NonNullable<ChangeReport['failure']>, string>;

function changeText({ change, id }: CaptureRecord): string {
  if (!change) {
    return `There is no earlier capture to compare with. This capture, ${id}, is the first one: call compare again later with the same arguments.`;
  }
  const {
    compared_with: earlier,
    failure,
    changed,
    ratio,
    boxes,
    size_changed: sizeChanged,
    text_changed: textChanged,
  } = change;
  if (failure !== null) return `It could not be compared with capture ${earlier}: ${FAILURES[failure]}`;
  if (!changed) return `Nothing has changed since capture ${earlier}.`;
  const percent = ((ratio ?? 0) * 100).toFixed(2);
  const places = boxes
    .slice(0, MAX_BOXES)
    .map(({ x, y, width, height }) => `${width} × ${height} at ${x}, ${y}`);
  const others = boxes.length - places.length;
  return [
    `The page has changed since capture ${earlier}: ${percent} % of the pixels${sizeChanged ? ', and its size' : ''}.`,
    ...(textChanged === null ? [] : [textChanged ? 'Its text has changed.' : 'Its text is the same.']),
    ...(places.length > 0
      ? [
          `Changed places in px of the picture: ${places.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`,
        ]
      : []),
  ].join('\n');
}
