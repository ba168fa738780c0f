import { hash } from 'node:crypto';
import type { StructuredPatch } from 'diff';
import { ratioOf } from './change-ratio.js';
import { reportLines, type LineReport } from './changed-lines.js';
import { linesWithoutNoise, SEARCH_LIMITS } from './text-noise.js';

export interface TextChange extends LineReport {
  readonly ratio: number;
  /** A unified diff; null when no word changed. */
  readonly diff: string | null;
}

/** A file of text in UTF-8, and its name in the unified diff. */
export interface NamedText {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Longer texts are compared by words and lines up to here; what follows counts as one word and as one line. */
const MAX_CHARACTERS = 2_000_000;
const MAX_LINES = 100_000;
/** UTF-8 takes at most three bytes for a character as JavaScript counts them. */
const MAX_BYTES = 3 * MAX_CHARACTERS;

/**
 * Compares the words of two texts; white space does not count. The largest texts take seconds and hundreds of megabytes: it
 * runs in a thread.
 *
 * @param twin the same text as another capture of the same moment has it: lines in which the two differ do not count
 */
export async function compareTexts(before: NamedText, now: NamedText, twin?: NamedText): Promise<TextChange> {
  if (twin) return compareTexts(before, await withoutNoise(before, twin, now));
  const [old, current] = [wordsOf(before), wordsOf(now)];
  const changed = await changedWords(old, current);
  if (changed === 0) return { ratio: 0, diff: null, lines: [], summary: null };
  const { diff, report } = await unifiedDiff(before, now);
  return { ratio: ratioOf(changed, old.length + current.length), diff, ...report };
}

/** The part of a text that is split into words or lines, and what follows it as one word or line; null when that is all. */
interface BoundedText {
  readonly text: string;
  readonly rest: string | null;
}

/** Only what is compared is decoded. */
function bounded(bytes: Uint8Array, endOf: (text: string) => number): BoundedText {
  const decoded = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, MAX_BYTES),
  ).toString();
  const text = decoded.slice(0, endOf(decoded));
  const rest = bytes.subarray(Buffer.byteLength(text));
  if (rest.byteLength === 0) return { text, rest: null };
  return { text, rest: `[${rest.byteLength} more bytes, SHA-256 ${hash('sha256', rest)}]` };
}

function wordsOf({ bytes }: NamedText): string[] {
  const { text, rest } = bounded(bytes, endOfCharacters);
  const words = text.split(/\s+/).filter(Boolean);
  return rest === null ? words : [...words, rest];
}

/** Where the part of a text ends that is compared by words. No surrogate pair is split. */
function endOfCharacters(text: string): number {
  if (text.length <= MAX_CHARACTERS) return text.length;
  const isPair = /[\ud800-\udbff]/.test(text.charAt(MAX_CHARACTERS - 1));
  return isPair ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
}

/** Where the part of a text ends that is compared by lines. */
function endOfLines(text: string): number {
  let end = -1;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1 || end > MAX_CHARACTERS) return endOfCharacters(text);
  }
  return end;
}

/** Number of words that were removed and added. */
async function changedWords(before: readonly string[], now: readonly string[]): Promise<number> {
  const { old, current } = withoutCommonEnds(before, now);
  if (old.length === 0 || current.length === 0) return old.length + current.length;
  const { diffArrays } = await import('diff');
  const parts = diffArrays(old, current, SEARCH_LIMITS);
  if (!parts) return unequalWords(old, current);
  return parts.reduce((sum, part) => (part.added || part.removed ? sum + part.count : sum), 0);
}

/** What two lists have between the items that both begin with, and those that both end with. */
function withoutCommonEnds(before: readonly string[], now: readonly string[]) {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return {
    start,
    old: before.slice(start, before.length - end),
    current: now.slice(start, now.length - end),
  };
}

/** Number of words that one text has more often than the other, wherever they stand; at least 1. */
function unequalWords(old: readonly string[], current: readonly string[]): number {
  const surplus = new Map<string, number>();
  for (const word of old) surplus.set(word, (surplus.get(word) ?? 0) + 1);
  for (const word of current) surplus.set(word, (surplus.get(word) ?? 0) - 1);
  const sum = [...surplus.values()].reduce((total, count) => total + Math.abs(count), 0);
  return Math.max(1, sum);
}

/** What the library splits into lines. */
interface Lines {
  readonly name: string;
  readonly text: string;
}

function linesOf({ name, bytes }: NamedText): Lines {
  const { text, rest } = bounded(bytes, endOfLines);
  return { name, text: rest === null ? text : `${text}\n${rest}` };
}

async function unifiedDiff(
  ...texts: [before: NamedText, now: NamedText]
): Promise<{ readonly diff: string; readonly report: LineReport }> {
  const [before, now] = [linesOf(texts[0]), linesOf(texts[1])];
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const patch =
    structuredPatch(before.name, now.name, before.text, now.text, undefined, undefined, {
      context: 3,
      ...SEARCH_LIMITS,
    }) ?? coarsePatch(before, now);
  return { diff: formatPatch(patch, FILE_HEADERS_ONLY), report: reportLines(patch) };
}

async function withoutNoise(before: NamedText, twin: NamedText, now: NamedText): Promise<NamedText> {
  const [old, other, current] = [before, twin, now].map((text) => linesOf(text).text.split('\n'));
  const lines = await linesWithoutNoise(old ?? [], other ?? [], current ?? []);
  return { name: now.name, bytes: Buffer.from(lines.join('\n')) };
}

/** Replaces all lines between those that both texts begin with and those that both end with. */
function coarsePatch(before: Lines, now: Lines): StructuredPatch {
  const { start, old, current } = withoutCommonEnds(before.text.split('\n'), now.text.split('\n'));
  return {
    oldFileName: before.name,
    newFileName: now.name,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [
      {
        oldStart: start + 1,
        oldLines: old.length,
        newStart: start + 1,
        newLines: current.length,
        lines: [...old.map((line) => `-${line}`), ...current.map((line) => `+${line}`)],
      },
    ],
  };
}
