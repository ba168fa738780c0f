import { AppError } from '@app/kernel';
import type { FailureOptions } from '../../options/failure.js';
import type { FramingOptions } from '../../options/framing.js';
import { noteMissing } from '../missing/note-missing.js';
import type { MissingProbe, MissingSigns } from '../missing/read-missing.js';
import type { Visit } from '../../pipeline/family.js';
import { inPage } from '../../pipeline/in-page.js';
import { blankEvidence, type DrawnPicture } from './blank-page.js';
import { judgeSigns, type PageClues } from './judge-signs.js';
import { SIGN_READER, type PageSigns, type Probe } from './page-signs.js';
import { SELECTORS } from './signatures.js';

/** A wall has little text and few elements, so that more need not be read. */
const PROBE: Omit<Probe, 'missing'> = {
  selectors: SELECTORS,
  maxText: 3_000,
  maxNodes: 2_000,
  maxItems: 40,
  maxLength: 500,
};

/** New letters of a page. A letter may have two code units. */
const MAX_LETTERS = 1_000;

/**
 * Reads what the verdict on the page rests on, and notes a verdict that its signs prove, for the record of a capture that fails
 * later: at once what the response proves. The same look finds what the file will lack, which is noted too. Never rejects: a
 * page that cannot be read is captured all the same.
 *
 * @param missing null for a file that is no picture of the page
 */
export async function judgeBySigns(visit: Visit, missing: MissingProbe | null): Promise<PageClues> {
  const { response, target, facts } = visit;
  const known = {
    response: response && { status: response.status(), headers: response.headers() },
    requested: target?.href ?? null,
  };
  facts.verdict = judgeSigns({ ...known, page: null }) ?? null;
  const read = await inPage(visit, SIGN_READER, { ...PROBE, missing }).then(bounded, () => null);
  if (read?.missing) noteMissing(visit, read.missing);
  const page = read && { ...read, frames: [...read.frames, ...attachedFrames(visit)] };
  const clues = { ...known, page };
  facts.verdict = judgeSigns(clues) ?? null;
  return clues;
}

/** The frames that the browser knows, also those in closed shadow roots. */
function attachedFrames({ page }: Visit): PageSigns['frames'] {
  return page
    .frames()
    .slice(1, 1 + PROBE.maxItems)
    .map((frame) => ({ url: frame.url().slice(0, PROBE.maxLength), share: 0 }));
}

/**
 * Completes the verdict with what only the picture shows.
 *
 * @param clues absent when the page did not respond: then the verdict is null, unless the response proved one
 * @param picture what the browser drew
 */
export async function judgeFile(
  visit: Visit,
  options: FramingOptions,
  { readClues: clues, picture }: { readClues: PageClues | undefined; picture: DrawnPicture },
): Promise<void> {
  if (visit.facts.verdict || !clues?.page) return;
  const evidence = await blankEvidence(visit, options, { page: clues.page, picture });
  visit.facts.verdict = evidence ? { kind: 'blank', evidence } : { kind: 'page', evidence: [] };
}

/** @throws AppError `condition_failed` when `fail_on_verdict` lists the verdict */
export function checkVerdict(
  { facts: { verdict } }: Visit,
  { fail_on_verdict: kinds }: Pick<FailureOptions, 'fail_on_verdict'>,
): void {
  if (!verdict || !kinds.includes(verdict.kind)) return;
  throw new AppError('condition_failed', {
    detail: `The page is judged as ${verdict.kind}, which fail_on_verdict lists.`,
    verdict,
  });
}

/** The result with the shape and the limits that the probe promises, whatever the page did to it. */
function bounded(signs: PageSigns): PageSigns {
  const { maxText, maxItems, maxLength, selectors } = PROBE;
  const text = (value: unknown, max = maxLength): string =>
    typeof value === 'string' ? value.slice(0, max) : '';
  const texts = (values: readonly unknown[]): string[] =>
    values.slice(0, maxItems).map((value) => text(value));
  return {
    ...signs,
    url: text(signs.url),
    title: text(signs.title),
    text: text(signs.text, maxText),
    scripts: texts(signs.scripts),
    code: texts(signs.code),
    elements: signs.elements.filter((selector) => selectors.includes(selector)),
    frames: signs.frames
      .slice(0, maxItems)
      .map(({ url, share }) => ({ url: text(url), share: Number(share) })),
    fields: signs.fields.slice(0, maxItems),
    headings: texts(signs.headings),
    prose: Number(signs.prose),
    surface: signs.surface && { ...signs.surface, colours: texts(signs.surface.colours) },
    missing: signs.missing && boundedMissing(signs.missing),
  };
}

function boundedMissing({ letters, drawn, lacking, images, frames }: MissingSigns): MissingSigns {
  return {
    letters: letters
      .slice(0, MAX_LETTERS)
      .map(({ letter, count }) => ({ letter: letter.slice(0, 2), count: Number(count) })),
    drawn: drawn.slice(0, 2 * MAX_LETTERS),
    lacking: lacking.slice(0, 2 * MAX_LETTERS),
    images: images.slice(0, 100).map(String),
    frames: frames.slice(0, 100).map(({ url, isLazy }) => ({ url: String(url), isLazy: Boolean(isLazy) })),
  };
}
