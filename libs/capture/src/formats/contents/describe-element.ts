import type { SafeAccess } from '../../pipeline/in-page.js';
import { codeLanguage } from './code-blocks.js';
import { formulaOf } from './formulas.js';
import type { Attributes } from './token.js';

/** An element as Markdown sees it. */
export interface Markup {
  /** The name of the HTML element that it is, or is used as. */
  readonly name: string;
  readonly attributes?: Attributes;
  /** Its attributes say everything. */
  readonly isEmpty?: boolean;
}

/**
 * Runs in the page: what Markdown needs to know of an element that is displayed; null for one that it leaves out.
 *
 * @param notes the footnotes of the page, as `findNotes` labels them
 */
export function describeElement(
  element: Element,
  notes: ReadonlyMap<Element, string>,
  safe: SafeAccess,
): Markup | null {
  const own = safe(element) as HTMLElement;
  const name = own.localName;
  const formula = formulaOf(element, safe);
  if (formula) return { name: 'math', attributes: formula, isEmpty: true };
  const note = notes.get(element);
  if (note !== undefined && name !== 'a') return { name: 'note', attributes: { note } };
  if (name === 'a') {
    if (note === '') return null;
    return {
      name,
      attributes: { href: addressOf((own as HTMLAnchorElement).href), note },
      isEmpty: note !== undefined,
    };
  }
  if (name === 'img') return describeImage(own as HTMLImageElement);
  if (name === 'ol' || name === 'li') return describeList(own);
  if (name === 'table') return { name, attributes: { isLayout: !isDataTable(element, safe) } };
  if (name === 'td' || name === 'th')
    return describeCell(own as HTMLTableCellElement, getComputedStyle(element));
  if (name === 'input') {
    const { type, checked: isChecked } = own as HTMLInputElement;
    return type === 'checkbox' ? { name, attributes: { isChecked } } : null;
  }
  // The number of a footnote is raised anyway.
  if (name === 'sup' && [...own.children].some((child) => notes.has(child))) return { name: 'span' };
  if (name === 'pre' || name === 'code') {
    const { display, whiteSpaceCollapse } = getComputedStyle(element);
    const isBlock = whiteSpaceCollapse === 'preserve' && (name === 'pre' || display === 'block');
    return isBlock ? { name: 'pre', attributes: { language: codeLanguage(element, safe) } } : { name };
  }
  const level = own.getAttribute('role') === 'heading' ? Number(own.getAttribute('aria-level') ?? 2) : 0;
  return { name: level >= 1 && level <= 6 ? `h${level}` : name };
}

/** Runs in the page: an address that leads somewhere from anywhere. Longer ones are data rather than addresses. */
export function addressOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > 8_192) return undefined;
  return /^(https?|mailto|tel|ftp):/i.test(url) ? url : undefined;
}

/** Runs in the page: an image with the address from which it was loaded, or is to be. */
export function describeImage(own: HTMLImageElement): Markup | null {
  const { currentSrc, src, alt, width, height } = own;
  const isCounter = own.getAttribute('width') === '1' && own.getAttribute('height') === '1';
  if (isCounter || (width <= 2 && height <= 2)) return null;
  const lazy = own.getAttribute('data-src') ?? own.getAttribute('data-original');
  const resolved = lazy === null ? undefined : URL.parse(lazy, own.baseURI)?.href;
  return {
    name: 'img',
    attributes: { src: addressOf(currentSrc || src) ?? addressOf(resolved), alt: alt.slice(0, 2_000) },
  };
}

/** Runs in the page: an ordered list or an item, with its number where the page sets it. */
export function describeList(own: HTMLElement): Markup {
  if (own.localName === 'li') {
    const start = own.hasAttribute('value') ? (own as HTMLLIElement).value : undefined;
    return { name: 'li', attributes: { start } };
  }
  const { start, reversed } = own as HTMLOListElement;
  const isCounted = reversed && !own.hasAttribute('start');
  const first = isCounted ? own.querySelectorAll(':scope > li').length : start;
  return { name: 'ol', attributes: { start: first, step: reversed ? -1 : 1 } };
}

/** Runs in the page: a cell of a table. Header cells are in the middle unless a page says otherwise. */
export function describeCell(own: HTMLTableCellElement, { textAlign }: CSSStyleDeclaration): Markup {
  const { colSpan: colspan, rowSpan: rowspan } = own;
  const align = own.localName === 'td' ? /center|right|end/.exec(textAlign)?.[0] : undefined;
  const side = align === undefined ? undefined : align === 'center' ? 'center' : 'right';
  return { name: own.localName, attributes: { colspan, rowspan, align: side } };
}

/** Runs in the page: whether a table holds data, as opposed to one that only places things beside each other. */
export function isDataTable(element: Element, safe: SafeAccess): boolean {
  const own = safe(element);
  if (/^(presentation|none)$/.test(own.getAttribute('role') ?? '')) return false;
  if (own.querySelector(':scope > caption, :scope > thead, :scope > tr > th, :scope > * > tr > th'))
    return true;
  if (own.querySelector('table, h1, h2, h3, h4, form, nav, pre')) return false;
  const rows = [...own.querySelectorAll('tr')].slice(0, 20);
  return rows.length > 1 && rows.some((row) => safe(row).querySelectorAll(':scope > td').length > 1);
}

/** What `describeElement` calls in the page. */
export const DESCRIBING = [
  describeElement,
  addressOf,
  describeImage,
  describeList,
  describeCell,
  isDataTable,
  codeLanguage,
];
