import { AppError } from '@app/kernel';
import type { CapturedFile } from '../findings/captured.js';
import type { FileFacts } from '../record/facts.js';
import type { Rendered } from '../pipeline/format.js';
import { OutputError } from './translate-error.js';

/** A file as the browser made it, and what is left to do with it. */
export interface DrawnFile extends CapturedFile, Pick<Rendered, 'finish'> {}

/** At least one. */
export type Files<File = CapturedFile> = readonly [File, ...File[]];

/**
 * Makes the files of what was drawn, one after the other. It needs no page, so it is not repeated when the page navigates.
 *
 * @throws OutputError with `resource_limit` when they have more than `maxBytes` together
 */
export async function finishFiles([first, ...others]: Files<DrawnFile>, maxBytes: number): Promise<Files> {
  const finished = await finishOutput(first, { left: maxBytes, maxBytes });
  const files: [CapturedFile, ...CapturedFile[]] = [finished];
  let left = maxBytes - finished.bytes.length;
  for (const drawn of others) {
    const file = await finishOutput(drawn, { left, maxBytes });
    left -= file.bytes.length;
    files.push(file);
  }
  return files;
}

/** The files agree when each of them does: the record reports the first that did not. */
export function stableOf([first, ...others]: Files): FileFacts['stable'] {
  const differing = [first, ...others].find(({ facts: { stable } }) => stable?.agreed === false);
  return (differing ?? first).facts.stable;
}

export interface BytesLeft {
  readonly left: number;
  /** Limit for all files together. */
  readonly maxBytes: number;
}

/** @throws OutputError */
async function finishOutput(drawn: DrawnFile, limit: BytesLeft): Promise<CapturedFile> {
  try {
    return await finishFile(drawn, limit);
  } catch (error) {
    throw new OutputError(drawn.name, error);
  }
}

async function finishFile({ finish, ...drawn }: DrawnFile, limit: BytesLeft): Promise<CapturedFile> {
  const finished = await finish?.(drawn.facts);
  const file = finished ? { ...drawn, ...finished, facts: { ...drawn.facts, ...finished.facts } } : drawn;
  checkSize(file.bytes.length, limit);
  return file;
}

/** @throws AppError `resource_limit` */
export function checkSize(bytes: number, { left, maxBytes }: BytesLeft): void {
  if (bytes <= left) return;
  const detail =
    left === maxBytes
      ? `The file has ${bytes} bytes; at most ${maxBytes} are kept.`
      : `The file has ${bytes} bytes; all files together may have ${maxBytes}, of which ${left} were left.`;
  throw new AppError('resource_limit', { detail });
}
