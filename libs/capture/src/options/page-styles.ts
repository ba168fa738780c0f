import type { InPageWith, SafeAccess } from '../pipeline/in-page.js';

interface PageStyles {
  readonly css: string;
  readonly hide: readonly string[];
  readonly mask: readonly string[];
}

/**
 * Runs in the page. Adds the styles of the page changes. Returns the first selector that the browser does not know, without
 * changing anything, or null.
 *
 * It uses an adopted style sheet, which also applies to elements that the page adds later and to print, and is not subject to
 * the page's Content-Security-Policy. A mask is a filter that paints the box of its element in one colour: unlike below an
 * overlay, no pixel or letter of the element remains.
 */
function addStyles({ css, hide, mask }: PageStyles, safe: SafeAccess): string | null {
  const page = safe(document);
  const isKnown = (selector: string): boolean => {
    try {
      page.querySelector(selector);
      return true;
    } catch {
      return false;
    }
  };
  const unknown = [...hide, ...mask].find((selector) => !isKnown(selector));
  if (unknown !== undefined) return unknown;
  // Formats that write the DOM leave these out, and the content of masked elements with them.
  const world = globalThis as unknown as Record<symbol, WeakSet<object> | undefined>;
  const own = (world[Symbol.for('own')] ??= new WeakSet());
  const mark = `mask-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  const root = page.documentElement as Element | null;
  // Without a root there is nothing to cover.
  if (mask.length > 0 && root) {
    const drawing = drawMask(page, mark);
    safe(root).append(drawing);
    own.add(drawing);
  }
  const covered = `filter: url("#${mark}") !important; opacity: 1 !important; transition: none !important`;
  const rules = [
    css,
    `.${mark} { position: absolute !important; width: 0 !important; height: 0 !important }`,
    ...hide.map((selector) => `${selector} { display: none !important }`),
    ...mask.map((selector) => `${selector} { ${covered} }`),
  ];
  const sheets = rules.map((rule) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    if (rule.includes(mark)) own.add(sheet);
    return sheet;
  });
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, ...sheets];
  return null;
}

/** Runs in the page. */
function drawMask(page: Document, mark: string): Element {
  const svg = (tag: string, attributes: Record<string, string>, ...children: Element[]): Element => {
    const node = page.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  // The region is exactly the element's box; by default it is a tenth larger on each side.
  const region = { id: mark, x: '0', y: '0', width: '1', height: '1' };
  return svg('svg', { class: mark }, svg('filter', region, svg('feFlood', { 'flood-color': '#000' })));
}

export const addPageStyles: InPageWith<PageStyles, string | null> = { run: addStyles, uses: [drawMask] };
