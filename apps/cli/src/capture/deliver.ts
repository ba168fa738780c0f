import type { CaptureFile } from '@capture-service/client';
import { styleText } from 'node:util';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { freePathIn, type Destination } from './destination.js';
import { makeFolder, writeWhole } from '../files/file-writer.js';
import { sizeText, write } from '../terminal/output.js';

/** The part of a file that is delivered. */
export type DeliveredFile = Pick<CaptureFile, 'bytes' | 'contentType' | 'filename'> & {
  readonly headers?: Headers;
};

/** A file that was written. */
export interface Delivered {
  /** Undefined for standard output. */
  readonly path: string | undefined;
  readonly file: DeliveredFile;
}

/** Writes a file to its destination. */
export async function deliver(
  context: CliContext,
  destination: Destination,
  file: DeliveredFile,
): Promise<Delivered> {
  if (destination.kind === 'stdout') {
    await toStdout(context, file);
    return { path: undefined, file };
  }
  if (destination.kind === 'folder') await makeFolder(destination.folder);
  const path = destination.kind === 'file' ? destination.file : freePathIn(destination.folder, file.filename);
  await writeWhole(path, file.bytes, context.signal);
  return { path, file };
}

/** Control characters of a page must not reach the terminal; line ends and tabs may. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

async function toStdout(context: CliContext, { bytes, contentType }: DeliveredFile): Promise<void> {
  if (!context.isTTY) return write(context, bytes);
  if (!/^text\/|json/.test(contentType)) {
    throw new CliError(
      `The terminal cannot print ${contentType}. Redirect standard output, write a file with -o, or use --show.`,
    );
  }
  await write(context, Buffer.from(bytes).toString('utf8').replace(/\r\n/g, '\n').replace(CONTROLS, '�'));
}

/** The path of a file that was written, and on a terminal what is good to know of it. */
export function savedText(context: CliContext, { path = '', file }: Delivered): string {
  if (!context.isTTY) return path;
  const status = Number(file.headers?.get('x-capture-http-status') ?? 200);
  const facts = [
    sizeText(file.bytes.byteLength),
    ...(file.headers?.get('x-cache') === 'HIT' ? ['from the cache'] : []),
    ...(status >= 400 ? [`the page answered ${status}`] : []),
  ];
  return `${path}  ${styleText('dim', facts.join(', '))}`;
}
