import { AppError } from '@app/kernel';
import type { CapturedFile } from '../findings/captured.js';
import { sliceName } from '../options/slicing.js';
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
  const files: [CapturedFile, ...CapturedFile[]] = [
    ...(await finishOutput(first, { left: maxBytes, maxBytes })),
  ];
  for (const drawn of others) {
    files.push(...(await finishOutput(drawn, { left: maxBytes - bytesOf(files), maxBytes })));
  }
  return files;
}

function bytesOf(files: readonly Pick<CapturedFile, 'bytes'>[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0);
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
async function finishOutput(drawn: DrawnFile, limit: BytesLeft): Promise<Files> {
  try {
    return await finishFile(drawn, limit);
  } catch (error) {
    throw new OutputError(drawn.name, error);
  }
}

async function finishFile({ finish, ...drawn }: DrawnFile, limit: BytesLeft): Promise<Files> {
  const [first = drawn, ...others] = ((await finish?.(drawn.facts)) ?? []).map((finished, i) => {
    const isSlice = finished.facts.offsetY !== null;
    const name = isSlice ? sliceName(drawn.name, i + 1) : drawn.name;
    return { ...drawn, ...finished, name, facts: { ...drawn.facts, ...finished.facts } };
  });
  const files: Files = [first, ...others];
  checkSize(bytesOf(files), limit);
  return files;
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
