import type { SafeAccess } from '../pipeline/in-page.js';

/** Runs in the page: sets the own styles of elements, and what they were before. */
export class InlineStyles {
  private readonly before = new Map<HTMLElement, Map<string, readonly [value: string, priority: string]>>();
  private readonly without = new Set<HTMLElement>();

  constructor(private readonly safe: SafeAccess) {}

  set(element: HTMLElement, styles: Record<string, string>): void {
    const style = this.styleOf(element);
    if (!style) return;
    const known = this.before.get(element) ?? new Map<string, readonly [string, string]>();
    if (!this.before.has(element) && !this.safe(element).hasAttribute('style')) this.without.add(element);
    this.before.set(element, known);
    for (const name of Object.keys(styles).flatMap((each) => this.partsOf(each))) {
      const value = [style.getPropertyValue(name), style.getPropertyPriority(name)] as const;
      if (!known.has(name)) known.set(name, value);
    }
    for (const [name, value] of Object.entries(styles)) style.setProperty(name, value, 'important');
  }

  restore(): void {
    for (const [element, known] of this.before) {
      const style = this.styleOf(element);
      for (const [name, [value, priority]] of known) style?.setProperty(name, value, priority);
      if (style?.length === 0 && this.without.has(element)) this.safe(element).removeAttribute('style');
    }
  }

  /** XML elements can be pinned by a style sheet but have no `style`. */
  private styleOf(element: HTMLElement): CSSStyleDeclaration | undefined {
    return this.safe(element).style;
  }

  /** A shorthand has no value when the element's own style states only some of its parts. */
  private partsOf(name: string): string[] {
    const sides = ['top', 'right', 'bottom', 'left'];
    if (name === 'inset') return sides;
    if (name === 'margin') return sides.map((side) => `margin-${side}`);
    if (name !== 'transition') return [name];
    const parts = ['property', 'duration', 'timing-function', 'delay', 'behavior'];
    return parts.map((part) => `transition-${part}`);
  }
}
