import type { SafeAccess } from '../pipeline/in-page.js';

/** Runs in the page: style rules of our own for single elements, which beat most rules of the page until they are removed. */
export class OwnRules {
  private readonly sheet = new CSSStyleSheet();
  /** The elements by the number that their mark has. */
  private readonly marked: Element[] = [];
  private readonly numbers = new Map<Element, number>();
  private readonly roots = new Set<Document>();

  /** @param mark attribute by which the rules find their elements */
  constructor(
    private readonly mark: string,
    private readonly maxRules: number,
    private readonly safe: SafeAccess,
  ) {}

  /** A later call for the same element wins where it states the same styles. `pseudo` is such as `::before`. */
  set(element: Element, styles: Record<string, string>, pseudo = ''): void {
    const { sheet, mark } = this;
    const last = sheet.cssRules.length;
    if (last === this.maxRules) return;
    const number = this.numbers.get(element) ?? this.markElement(element);
    const rules = Object.entries(styles).map((pair) => `${pair.join(': ')} !important`);
    // The repetition makes it more specific than most rules of pages.
    sheet.insertRule(`${`[${mark}="${number}"]`.repeat(5)}${pseudo} { ${rules.join('; ')} }`, last);
  }

  private markElement(element: Element): number {
    const { sheet, mark, safe } = this;
    const root = safe(element).getRootNode() as Document;
    if (!this.roots.has(root)) safe(root).adoptedStyleSheets.push(sheet);
    this.roots.add(root);
    const number = this.marked.push(element);
    this.numbers.set(element, number);
    safe(element).setAttribute(mark, String(number));
    return number;
  }

  /** Removes the rules, and calls `restore` before transitions are possible again: old styles must not be seen to come back. */
  remove(restore: () => void): void {
    const { sheet, mark, safe } = this;
    sheet.replaceSync(`[${mark}] { transition: none !important }`);
    restore();
    for (const element of this.marked) void getComputedStyle(element).opacity;
    for (const each of this.roots) {
      const root = safe(each);
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
    }
    for (const element of this.marked) safe(element).removeAttribute(mark);
  }
}
