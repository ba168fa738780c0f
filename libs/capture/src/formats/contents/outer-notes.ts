import type { PageCopy } from './page-copy.js';

/**
 * Runs in the page: the footnotes that the main content refers to and that stand outside of it, or in what is left out of it.
 * A reference is a short raised link to a place there, or a raised number where the page calls something its footnotes.
 */
export function outerNotes(copy: PageCopy, root: number, omitted: readonly number[]): number[] {
  const MAX_REFERENCES = 2_000;
  const own = copy.copies[root] as Element;
  const outside = (one: Element): boolean =>
    !one.contains(own) && (!own.contains(one) || omitted.some((each) => copy.copies[each]?.contains(one)));
  const references = [...own.querySelectorAll('sup, a[href^="#"][role="doc-noteref"], a.footnote-ref')]
    .filter((each) => /^[[(]?[\p{L}\p{N}*†‡]{1,4}[\])]?$/u.test(each.textContent.trim()) && !outside(each))
    .slice(0, MAX_REFERENCES);
  const found = new Set<Element>();
  const places = new Map(copy.copies.map((each) => [each.getAttribute('id'), each]));
  for (const each of references) {
    const link = each.closest('a') ?? each.querySelector('a');
    const place = places.get(link?.getAttribute('href')?.replace(/^[^#]*#/, '') ?? '');
    const notes = place && place.textContent.length < own.textContent.length ? notesAround(place) : undefined;
    if (notes && outside(notes)) found.add(notes);
  }
  if (references.some((each) => !each.closest('a') && !each.querySelector('a'))) {
    const named =
      '[role="doc-endnotes"], [class*="footnotes" i], [class*="endnotes" i], [id*="footnotes" i], aside:has(> ol)';
    for (const each of copy.document.querySelectorAll(named)) if (outside(each)) found.add(each);
  }
  const outermost = [...found].filter(
    (each) => ![...found].some((one) => one !== each && one.contains(each)),
  );
  return outermost.map((each) => copy.copies.indexOf(each)).filter((each) => each >= 0);
}

/** Runs in the page: the list of notes around a place that a reference leads to, or the note. */
export function notesAround(place: Element): Element {
  const all = place.closest(
    '[role="doc-endnotes"], [class*="footnotes" i], [class*="endnotes" i], ol, ul, dl',
  );
  return all ?? place.closest('li, p, div, aside, dd, section, td') ?? place;
}

/** What `outerNotes` calls in the page. */
export const OUTER_NOTES = [outerNotes, notesAround];
