import type { SafeAccess } from '../pipeline/in-page.js';
import type { Rule } from './consent-engine.js';

/**
 * Runs in the page: names the elements of a dialog by CSS selectors, which also fit when the page puts it there again.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class DialogSelectors {
  constructor(private readonly safe: SafeAccess) {}

  /** Those of the whole dialog if the rule has any, or else the outermost floating element around what shows that it is open. */
  ofRule({ prehideSelectors = [], rule }: Rule): string[] {
    const page = this.safe(document);
    const isThere = (selector: string): boolean => {
      try {
        return page.querySelector(selector) !== null;
      } catch {
        return false;
      }
    };
    const known = prehideSelectors.filter(isThere);
    if (known.length > 0) return known;
    return (rule?.detectPopup ?? [])
      .flatMap(({ visible, exists }) => visible ?? exists ?? [])
      .filter((selector) => !selector.startsWith('xpath/') && isThere(selector))
      .flatMap((selector) => [...page.querySelectorAll(selector)].slice(0, 5))
      .flatMap((element) => this.ofElement(this.floating(element)));
  }

  /** Elements in a shadow root have no selector: they are kept for the functions that hide dialogs. */
  ofElement(element: Element): string[] {
    if (this.safe(element).getRootNode() === document) return [this.selectorOf(element)];
    const world = globalThis as unknown as Record<symbol, Set<Element> | undefined>;
    (world[Symbol.for('dialogs')] ??= new Set()).add(element);
    return [];
  }

  private floating(element: Element): Element {
    let outermost = element;
    const end = this.safe(document).body;
    for (let each: Element | null = element; each && each !== end; each = this.safe(each).parentElement) {
      if (['fixed', 'sticky'].includes(getComputedStyle(each).position)) outermost = each;
    }
    return outermost;
  }

  /** A selector of the element that also fits when the page puts it there again. */
  private selectorOf(element: Element): string {
    const { id, localName, classList, parentElement } = this.safe(element);
    if (id !== '') return `#${CSS.escape(id)}`;
    const classes = [...classList].slice(0, 8).map((name) => `.${CSS.escape(name)}`);
    const byClass = `${CSS.escape(localName)}${classes.join('')}`;
    const page = this.safe(document);
    if (classes.length > 0 && page.querySelectorAll(byClass).length <= 2) return byClass;
    if (!parentElement) return byClass;
    const position = [...this.safe(parentElement).children].indexOf(element) + 1;
    const parent = parentElement === page.body ? 'body' : this.selectorOf(parentElement);
    return `${parent} > ${CSS.escape(localName)}:nth-child(${position})`;
  }
}
