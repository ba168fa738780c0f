import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CaptureRecord } from '@capture-service/client';
import { captureSchema, optionsOf } from '../capture-arguments.js';
import { summaryOf } from '../capture-result.js';
import { fileLink, ID_PATTERN, MAX_RESOURCE_BYTES } from '../resources.js';
import { runCapture } from '../run-capture.js';
import { errorResult, failedCaptureResult } from '../tool-errors.js';
import type { Tool, ToolArguments, ToolCall } from '../tool.js';
import { DEFAULT_CHARACTERS, enclosed, endOfPart, MAX_CHARACTERS, textFileOf } from './text-part.js';
import { URL_ARGUMENT } from './url-argument.js';

export const READ_PAGE: Tool = {
  name: 'read_page',
  title: 'Read a web page',
  description:
    'Opens a web page in a real browser and returns its main content as Markdown, with absolute links. A long page comes in parts: ' +
    'the result says how to read on, without another visit.',
  isOpenWorld: true,
  inputSchema: (mayUseUnsafe) =>
    captureSchema(
      {
        url: {
          ...URL_ARGUMENT,
          description: 'URL of the page, http or https. Give either url or capture_id.',
        },
        capture_id: {
          type: 'string',
          pattern: ID_PATTERN,
          description: 'Id of an earlier capture, to read on in its text.',
        },
        start: {
          type: 'integer',
          minimum: 0,
          description: 'Character to start at, with capture_id.',
          default: 0,
        },
        max_characters: {
          type: 'integer',
          minimum: 500,
          maximum: MAX_CHARACTERS,
          default: DEFAULT_CHARACTERS,
          description: 'Length of the part that is returned.',
        },
        content: {
          type: 'string',
          enum: ['main', 'full'],
          default: 'main',
          description: 'full: everything that is visible, with navigation and footers.',
        },
      },
      {},
      mayUseUnsafe,
    ),
  run: async (args, call) => {
    if (typeof args.capture_id === 'string') {
      const stored = await call.client.captures.get(args.capture_id, { signal: call.signal });
      return readText(stored, args, call);
    }
    if (args.url === undefined && !call.mayUseUnsafe) {
      return errorResult('Give the `url` of a page, or the `capture_id` of an earlier call to read on.');
    }
    const record = await runCapture(optionsOf(args, { format: 'markdown' }), call);
    return record.status === 'succeeded' ? readText(record, args, call) : failedCaptureResult(record);
  },
};

async function readText(record: CaptureRecord, args: ToolArguments, call: ToolCall): Promise<CallToolResult> {
  const file = textFileOf(record);
  if (!file) {
    return errorResult(
      `The capture ${record.id} has no text (${record.status}, ${record.format}). Call read_page with the \`url\` of the page instead.`,
    );
  }
  if (file.bytes > MAX_RESOURCE_BYTES) {
    return errorResult(
      `The text of the capture ${record.id} has ${file.bytes} bytes, which is too long. Call read_page with a \`selector\` in \`options\`.`,
    );
  }
  const { bytes } = await call.client.captures.file(record.id, file.name, { signal: call.signal });
  const text = new TextDecoder().decode(bytes);
  const start = typeof args.start === 'number' ? Math.min(args.start, text.length) : 0;
  const max = typeof args.max_characters === 'number' ? args.max_characters : DEFAULT_CHARACTERS;
  const end = endOfPart(text, start, max);
  const rest = text.length - end;
  const readOn = JSON.stringify({ capture_id: record.id, start: end });
  return {
    content: [
      {
        type: 'text',
        text: [
          summaryOf(record, call),
          `Characters ${start} to ${end} of ${text.length}. ` +
            (rest > 0
              ? `${rest} are left: read on with read_page ${readOn}`
              : 'This is the end of the text.'),
        ].join('\n'),
      },
      { type: 'text', text: enclosed(text.slice(start, end)) },
      fileLink(record, file),
    ],
  };
}
