import type { StructuredPatch } from 'diff';
import type { ChangedLine } from '@app/capture';

/** Lines in a report, and characters of each. */
const MAX_LINES = 20;
const MAX_CHARACTERS = 300;
/** Words before the change that say in a summary what changed. */
const LABEL_WORDS = 5;
const SUMMARY_CHARACTERS = 120;

/** What changed in two texts, as a report shows it. */
export interface LineReport {
  readonly lines: readonly ChangedLine[];
  readonly summary: string | null;
}

/** Pairs the lines that were removed and added at one place of a patch. */
export function reportLines({ hunks }: Pick<StructuredPatch, 'hunks'>): LineReport {
  const all = hunks.flatMap(({ lines }) => pairs(lines));
  const [first] = all;
  if (!first) return { lines: [], summary: null };
  const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
  return { lines: all.slice(0, MAX_LINES).map(shortened), summary: `${summaryOf(first)}${more}` };
}

function pairs(lines: readonly string[]): ChangedLine[] {
  const changed: ChangedLine[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    const length = Math.max(removed.length, added.length);
    for (let i = 0; i < length; i += 1) {
      const line = changedLine(removed[i] ?? null, added[i] ?? null);
      if (line) changed.push(line);
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.startsWith('-')) removed.push(line.slice(1).trim());
    else if (line.startsWith('+')) added.push(line.slice(1).trim());
    // `\\ No newline at end of file` stands between the lines of one change.
    else if (!line.startsWith('\\')) flush();
  }
  flush();
  return changed;
}

/** Undefined for lines that differ in their white space only. */
function changedLine(before: string | null, after: string | null): ChangedLine | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const start = commonLength(old, now);
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse());
  const removed = old.slice(start, old.length - end).join(' ');
  const added = now.slice(start, now.length - end).join(' ');
  if (removed === '' && added === '') return undefined;
  return { before: before === '' ? null : before, after: after === '' ? null : after, removed, added };
}

function wordsOf(line: string | null): string[] {
  return (line ?? '').split(/\s+/).filter(Boolean);
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < Math.min(one.length, other.length) && one[length] === other[length]) length += 1;
  return length;
}

/** `Price: €149 → €139`; `+ New` and `− Old` for lines that only one text has. */
function summaryOf({ before, after, removed, added }: ChangedLine): string {
  if (before === null) return cut(`+ ${added}`, SUMMARY_CHARACTERS);
  if (after === null) return cut(`− ${removed}`, SUMMARY_CHARACTERS);
  const words = wordsOf(after);
  const label = words
    .slice(0, commonLength(wordsOf(before), words))
    .slice(-LABEL_WORDS)
    .join(' ');
  const half = SUMMARY_CHARACTERS / 3;
  const [old, now] = [cut(removed, half) || '(nothing)', cut(added, half) || '(nothing)'];
  return `${cut(label, half)} ${old} → ${now}`.trim();
}

function shortened({ before, after, removed, added }: ChangedLine): ChangedLine {
  const short = (text: string | null): string | null => (text === null ? null : cut(text, MAX_CHARACTERS));
  return {
    before: short(before),
    after: short(after),
    removed: cut(removed, MAX_CHARACTERS),
    added: cut(added, MAX_CHARACTERS),
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
