import type { SafeAccess } from './in-page.js';

/** Runs in the page: style rules of our own for single elements, which beat most rules of the page until they are removed. */
export class OwnRules {
  private readonly sheet = new CSSStyleSheet();
  private readonly marked: Element[] = [];
  private readonly roots = new Set<Document>();

  /** @param mark attribute by which the rules find their elements */
  constructor(
    private readonly mark: string,
    private readonly maxRules: number,
    private readonly safe: SafeAccess,
  ) {}

  set(element: Element, styles: Record<string, string>): void {
    const { sheet, mark, safe } = this;
    const number = sheet.cssRules.length;
    if (number === this.maxRules) return;
    const root = safe(safe(element).getRootNode() as Document);
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
    this.roots.add(root);
    this.marked.push(element);
    safe(element).setAttribute(mark, String(number));
    const rules = Object.entries(styles).map((pair) => `${pair.join(': ')} !important`);
    // The repetition makes it more specific than most rules of pages.
    sheet.insertRule(`${`[${mark}="${number}"]`.repeat(5)} { ${rules.join('; ')} }`, number);
  }

  /** Removes the rules, and calls `restore` before transitions are possible again: old styles must not be seen to come back. */
  remove(restore: () => void): void {
    const { sheet, mark, safe } = this;
    sheet.replaceSync(`[${mark}] { transition: none !important }`);
    restore();
    for (const element of this.marked) void getComputedStyle(element).opacity;
    for (const root of this.roots) {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
    }
    for (const element of this.marked) safe(element).removeAttribute(mark);
  }
}
