import { randomUUID } from 'node:crypto';
import { aboutFormat } from '@app/capture';
import type { CaptureRecord } from '@capture-service/client';

/** About 5,000 tokens; clients cut results of more than 25,000. */
export const DEFAULT_CHARACTERS = 20_000;
export const MAX_CHARACTERS = 60_000;

/** The part of a text at whose end a line break is preferred to a cut within a line. */
const END_PART = 0.1;

/** The file of a capture that a model can read. */
export function textFileOf({ files }: CaptureRecord): CaptureRecord['files'][number] | undefined {
  return files.find(({ format }) => aboutFormat(format).kind === 'text');
}

/** Where a part of a text ends that has at most `max` characters. */
export function endOfPart(text: string, start: number, max: number): number {
  const limit = start + max;
  if (limit >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', limit) + 1;
  if (lineEnd > limit - max * END_PART) return lineEnd;
  // A character beyond the Basic Multilingual Plane must not be cut in two.
  return /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}

/** The page cannot end the block early, because it does not know the name of this block. */
export function enclosed(text: string): string {
  const name = `page-content-${randomUUID().slice(0, 8)}`;
  return `<${name}>\n${text}\n</${name}>`;
}
