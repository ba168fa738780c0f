import type { SafeAccess } from '../../pipeline/in-page.js';

/**
 * Runs in the page: the labels of the footnotes in some elements, and of the references to them. A reference is a short link,
 * raised or named as one, to what is named as a footnote. The links back from a footnote have an empty label.
 */
export function findNotes(roots: readonly Element[], safe: SafeAccess): Map<Element, string> {
  const MAX_LINKS = 5_000;
  const notes = new Map<Element, string>();
  const labels = new Set<string>();
  const references =
    '[role="doc-noteref"], .footnote-ref, .footnote-reference, a.footnote, sup > a, a:has(> sup)';
  const links = roots.flatMap((root) => [...safe(root).querySelectorAll('a[href^="#"]')]);
  for (const link of links.slice(0, MAX_LINKS)) {
    const own = safe(link);
    if (own.textContent.trim().length > 8 || !own.matches(references)) continue;
    const note = noteOf(link, safe);
    if (
      !note ||
      !roots.some((root) => safe(root).contains(note)) ||
      !safe(note).checkVisibility() ||
      safe(note).contains(link)
    )
      continue;
    const shown = own.textContent.replace(/[^\p{L}\p{N}]/gu, '');
    const isFree = shown !== '' && !labels.has(shown);
    const label = notes.get(note) ?? (isFree ? shown : `note-${labels.size + 1}`);
    labels.add(label);
    notes.set(note, label).set(link, label);
  }
  for (const note of [...notes.keys()]) if (safe(note).localName !== 'a') addBackLinks(notes, note, safe);
  return notes;
}

/** Runs in the page: the footnote that a link leads to. */
export function noteOf(link: Element, safe: SafeAccess): Element | null {
  const own = safe(link);
  const named =
    '[role="doc-footnote"], [role="doc-endnote"], [class*="footnote" i]:not([class*="footnotes" i], section, ol), [class*="footnotes" i] > :not(ol, ul, hr), li[id^="fn" i], li[id^="cite_note" i], .footnotes li, .references li, [role="doc-endnotes"] li';
  if (own.matches('[role="doc-backlink"], [class*="back" i]')) return null;
  const target = safe(own.ownerDocument).getElementById((own.getAttribute('href') ?? '').slice(1));
  return target && safe(target).closest(named);
}

/** Runs in the page: notes the links in a footnote that only lead back to its reference. */
export function addBackLinks(notes: Map<Element, string>, note: Element, safe: SafeAccess): void {
  for (const link of [...safe(note).querySelectorAll('a[href^="#"]')].slice(0, 20)) {
    const own = safe(link);
    const isNamed = own.matches('[role="doc-backlink"], [class*="back" i]');
    if (isNamed || /^[^\p{L}]{0,6}$|^\p{L}$/u.test(own.textContent.trim())) notes.set(link, '');
  }
}

/** What `findNotes` calls in the page. */
export const NOTES = [findNotes, noteOf, addBackLinks];
