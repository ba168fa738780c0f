import type { SafeAccess } from '../pipeline/in-page.js';

interface PageStyles {
  readonly css: string;
  readonly hide: readonly string[];
  readonly mask: readonly string[];
}

/**
 * Runs in the page: adds the styles of the page changes. Returns the first selector that the browser does not know,
 * before which nothing was changed, or null.
 *
 * An adopted style sheet, because it follows whatever the page adds or moves later, in print too, and the page's
 * Content-Security-Policy has no say in it. A mask is a filter that paints its element's box in one colour: no pixel
 * and no letter of the element is left below, as there would be below an overlay.
 */
export function addPageStyles({ css, hide, mask }: PageStyles, safe: SafeAccess): string | null {
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
  const mark = `mask-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  const svg = (tag: string, attributes: Record<string, string>, ...children: Element[]): Element => {
    const node = page.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const root = page.documentElement as Element | null;
  // Without a root nothing is there to be covered.
  if (mask.length > 0 && root) {
    // The region is the element's own box, not the tenth around it that is the default.
    const region = { id: mark, x: '0', y: '0', width: '1', height: '1' };
    const filter = svg('filter', region, svg('feFlood', { 'flood-color': '#000' }));
    safe(root).append(svg('svg', { class: mark }, filter));
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
    return sheet;
  });
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, ...sheets];
  return null;
}
