import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ResourceLink,
} from '@modelcontextprotocol/server';
import { FORMATS } from '@app/capture';
import type { CaptureRecord } from '@capture-service/client';
import type { ToolCall } from './tool.js';

type FileRecord = CaptureRecord['files'][number];

/** Files of captures as resources of MCP. */
export const FILE_TEMPLATE = 'capture://captures/{id}/files/{name}';

/** What an id consists of. A client makes a path of it, in which dots would mean another route. */
export const ID_PATTERN = '^[\\w-]+$';

/** A resource is one message, a third larger in Base64, and held in memory by everyone who forwards it. */
export const MAX_RESOURCE_BYTES = 8_000_000;

const PLAIN_TEXT = new Set(['text', 'markdown', 'html']);

/** A link to a file that the client reads with `resources/read` when it needs it. */
export function fileLink(
  { id }: Pick<CaptureRecord, 'id'>,
  { name, format, bytes }: FileRecord,
): ResourceLink {
  const { contentType, extension } = FORMATS[format];
  return {
    type: 'resource_link',
    uri: `capture://captures/${id}/files/${name}`,
    name: `${name}.${extension}`,
    mimeType: contentType,
    size: bytes,
    ...(bytes > MAX_RESOURCE_BYTES && {
      description: 'Too large for resources/read: download it by its URL.',
    }),
  };
}

/** The variables of `FILE_TEMPLATE`. */
export interface FileName {
  readonly id: string;
  readonly name: string;
}

/** The content of a file, which the API gives to its account only. */
export async function readFile(
  uri: URL,
  { id, name }: FileName,
  { client, signal, baseUrl }: ToolCall,
): Promise<ReadResourceResult> {
  if (!new RegExp(ID_PATTERN).test(id))
    throw notReadable(`The capture ${id} was not found: this is not an id.`);
  const record = await client.captures.get(id, { signal });
  const file = record.files.find((each) => each.name === name);
  if (!file) throw notReadable(`The capture ${id} has no file ${name}.`);
  if (file.bytes > MAX_RESOURCE_BYTES) {
    const url = `${baseUrl}${file.url ?? ''}`;
    throw notReadable(
      `The file has ${file.bytes} bytes, more than ${MAX_RESOURCE_BYTES}: download it from ${url}.`,
    );
  }
  const { bytes, contentType } = await client.captures.file(id, name, { signal });
  const content = PLAIN_TEXT.has(file.format)
    ? { text: new TextDecoder().decode(bytes) }
    : { blob: Buffer.from(bytes).toString('base64') };
  return { contents: [{ uri: uri.href, mimeType: contentType, ...content }] };
}

function notReadable(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
